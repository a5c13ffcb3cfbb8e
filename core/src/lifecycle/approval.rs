//! Asking a person before an action runs.
//!
//! A request is pending until it is approved, denied, cancelled or expired, and then stays as it
//! is: of any number of decisions, in any number of processes, one is taken and the others are
//! told what it was. Every method does a bounded number of steps and waits for nobody.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::approval_index::{arguments, by_action, by_age, by_id};
use super::approval_request::{ApprovalRequest, ApprovalStatus, Standing};
use super::suspension;
use super::time::Sequence;
use crate::store::{Expect, Store, StoreError, Sweep, from_json};

/// The requests for approval in a store.
///
/// A request lies under its id. Two more entries lead to it: one by its action, newest first, and
/// one by its age for as long as it is pending. They are written after it and removed when they
/// are found to lead nowhere, so that a process that is killed leaves nothing wrong behind.
///
/// The whole arguments lie in an entry of their own, so that a list of requests has their summaries
/// alone. That entry is written before the request, and is there while the request is pending: it
/// goes when the request is closed, and expires with it. When a request is closed and not
/// approved, the run that waits for it loses its arguments as well.
///
/// A request is kept for 30 days after it is closed or its time is over; see
/// [`with_retention`](Self::with_retention). One that has no time to be over stays until it is
/// closed. Each change also removes some of what has expired.
pub struct Approvals {
    pub(super) store: Arc<dyn Store>,
    pub(super) sequence: Sequence,
    pub(super) retention: i64,
    pub(super) sweep: Sweep,
}

impl Approvals {
    /// How long a request is kept after it is closed, in microseconds, unless told otherwise: 30
    /// days.
    pub const RETENTION: i64 = 30 * 86_400 * 1_000_000;

    /// Takes the requests of a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        let (sequence, sweep) = (Sequence::default(), Sweep::new("approval", 1));
        Self { store, sequence, retention: Self::RETENTION, sweep }
    }

    /// Sets for how many microseconds a request is kept after it is closed or its time is over.
    #[must_use]
    pub fn with_retention(self, micros: i64) -> Self {
        Self { retention: micros.max(0), ..self }
    }

    /// A request, by its id.
    ///
    /// # Errors
    /// The store's.
    pub fn get(&self, id: &str, now: i64) -> Result<Option<ApprovalRequest>, StoreError> {
        let place = by_id(id);
        let Some(entry) = self.store.get(&place, now)? else { return Ok(None) };
        let mut request: ApprovalRequest = from_json(&place, &entry)?;
        request.status = request.status(now);
        Ok(Some(request))
    }

    /// The whole arguments of a pending request as JSON, without their secrets, by the request's
    /// id.
    ///
    /// # Errors
    /// The store's.
    pub fn arguments(&self, id: &str, now: i64) -> Result<Option<Box<RawValue>>, StoreError> {
        let place = arguments(id);
        self.store.get(&place, now)?.map(|entry| from_json(&place, &entry)).transpose()
    }

    /// Where a request stands, by its id: one read, for who waits for a decision and asks often.
    ///
    /// # Errors
    /// The store's.
    pub fn look(&self, id: &str, now: i64) -> Result<Option<ApprovalStatus>, StoreError> {
        let place = by_id(id);
        let Some(entry) = self.store.get(&place, now)? else { return Ok(None) };
        let standing: Standing = from_json(&place, &entry)?;
        Ok(Some(standing.status(now)))
    }

    /// Forgets a request, if there is one, and the arguments of the run that waits for it.
    ///
    /// # Errors
    /// The store's.
    pub fn cleanup(&self, id: &str, now: i64) -> Result<(), StoreError> {
        if let Some(request) = self.get(id, now)? {
            suspension::refuse(&*self.store, &request.action_id, id, now)?;
            for place in [by_id(id), by_action(&request), by_age(&request), arguments(id)] {
                self.store.delete(&place, Expect::Any, now)?;
            }
        }
        Ok(())
    }

    /// Whether others may decide without this process hearing of it, so that who waits must look.
    #[must_use]
    pub fn shared(&self) -> bool {
        self.store.shared()
    }
}

#[cfg(test)]
mod tests {
    use super::super::approval_request::{Decision, NewApproval};
    use super::super::approval_testing::{approvals, new};
    use super::*;
    use crate::store::{MemoryStore, Write};

    #[test]
    fn a_record_is_written_as_its_fields() {
        let approvals = approvals();
        let request =
            NewApproval { id: Some("r".to_owned()), expires_at: Some(1_000_001), ..new("a") };
        let request = approvals.request(request, 1).unwrap();
        let json = concat!(
            r#"{"id":"r","action_id":"a","tool_name":"t","pipeline_run_id":null,"approval_message":"","#,
            r#""status":"pending","decided_by":null,"decided_at":null,"#,
            r#""created_at":"1970-01-01T00:00:00.000001+00:00","payload_summary":{},"#,
            r#""expires_at":"1970-01-01T00:00:01.000001+00:00","reason":null,"order":1}"#
        );
        assert_eq!(serde_json::to_string(&request).unwrap(), json);
    }

    #[test]
    fn nothing_is_left_of_what_is_forgotten() {
        let store = Arc::new(MemoryStore::default());
        let approvals = Approvals::new(Arc::clone(&store) as _);
        for _ in 0..600 {
            let id = approvals.request(new("a"), 0).unwrap().id;
            // A process that is killed here leaves two entries that lead nowhere.
            store.delete(&by_id(&id), Expect::Any, 0).unwrap();
        }
        assert!(approvals.pending(None, 0).unwrap().is_empty());
        assert_eq!(approvals.status("a", 0).unwrap(), None);
        assert!(store.scan("", None, usize::MAX, 0).unwrap().is_empty());
    }

    #[test]
    fn a_spoiled_record_is_an_error_that_names_it() {
        let store = Arc::new(MemoryStore::default());
        let approvals = Approvals::new(Arc::clone(&store) as _);
        let write = Write { value: b"{\"id\":", expect: Expect::Any, expires_at: None };
        store.put("approval/request/r", write, 0).unwrap();
        let error = approvals.decide("r", &Decision::approved(), 0).unwrap_err();
        assert_eq!(error.slug(), "corrupt");
        assert!(error.to_string().contains("approval/request/r"));
    }
}
