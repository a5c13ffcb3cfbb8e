//! A run that one process has, and what that process wrote of it last.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::record::RunRecord;
use crate::lifecycle::machine::step::Moment;

/// A run that the caller has, until its lease ends. Its copies are one claim.
#[derive(Clone, Debug)]
pub struct RunClaim {
    /// The run when it was claimed.
    pub record: Arc<RunRecord>,
    /// Whether another process had the run before, and may have asked a person.
    pub taken_over: bool,
    pub(in crate::lifecycle) owner: String,
    last: Arc<Mutex<LastWrite>>,
}

/// The entry of a run as this process wrote it last. The next change puts on it without a read,
/// and is refused if anybody changed the entry since.
#[derive(Clone, Debug)]
pub(in crate::lifecycle) struct LastWrite {
    pub(in crate::lifecycle) record: Arc<RunRecord>,
    /// The entry's version, where the store told it.
    pub(in crate::lifecycle) version: Option<u64>,
    pub(in crate::lifecycle) expires_at: Option<i64>,
    /// When the lease of the handler ends, on the clock that never goes back.
    ends_ns: Option<u64>,
}

impl LastWrite {
    pub(in crate::lifecycle) fn new(
        record: Arc<RunRecord>,
        version: Option<u64>,
        expires_at: Option<i64>,
    ) -> Self {
        Self { record, version, expires_at, ends_ns: None }
    }
}

impl RunClaim {
    pub(in crate::lifecycle) fn new(owner: String, taken_over: bool, last: LastWrite) -> Self {
        let record = Arc::clone(&last.record);
        Self { record, taken_over, owner, last: Arc::new(Mutex::new(last)) }
    }

    /// Whether the handler has outlived its lease. This is told by the clock that never goes back,
    /// so the lease lasts its time although the time of day was set meanwhile.
    #[must_use]
    pub fn is_over(&self, at: Moment) -> bool {
        self.locked().ends_ns.is_some_and(|end| at.ticks_ns > end)
    }

    /// Returns the run as this process wrote it last.
    #[must_use]
    pub fn present(&self) -> Arc<RunRecord> {
        Arc::clone(&self.locked().record)
    }

    pub(in crate::lifecycle) fn last(&self) -> LastWrite {
        self.locked().clone()
    }

    /// Takes note of a change. Where two threads change the run at once, the older one may stand
    /// here: the next change is a conflict then, and reads.
    pub(in crate::lifecycle) fn wrote(
        &self,
        record: Arc<RunRecord>,
        version: Option<u64>,
        until: Option<i64>,
    ) {
        let mut last = self.locked();
        let ends_ns = last.ends_ns;
        *last = LastWrite { ends_ns, ..LastWrite::new(record, version, until) };
    }

    /// Takes note of a lease of so many microseconds.
    pub(in crate::lifecycle) fn leased(&self, lease: i64, at: Moment) {
        let lease_ns = u64::try_from(lease).unwrap_or(0).saturating_mul(1000);
        self.locked().ends_ns = Some(at.ticks_ns.saturating_add(lease_ns));
    }

    /// Takes note that the caller no longer has the run.
    pub(in crate::lifecycle) fn lost(&self) {
        self.locked().ends_ns = Some(0);
    }

    fn locked(&self) -> MutexGuard<'_, LastWrite> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
