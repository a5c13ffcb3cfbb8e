//! Asking a person before a tool runs.
//!
//! A request is pending until it is approved, denied, cancelled or expired. After that its status
//! never changes. If several processes decide at once, the store takes one decision, and the others
//! get an error that names the status. Every method does a bounded number of steps and never waits.

pub(in crate::lifecycle) mod deadline_look;
pub(in crate::lifecycle) mod decide;
pub(in crate::lifecycle) mod error;
pub(in crate::lifecycle) mod find;
pub(in crate::lifecycle) mod index;
pub(in crate::lifecycle) mod insert;
pub(in crate::lifecycle) mod list;
pub(in crate::lifecycle) mod outcome;
pub(in crate::lifecycle) mod request;
#[cfg(test)]
mod testing;

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::lifecycle::kept::hooks;
use crate::lifecycle::shown::change::ApprovalChange;
use crate::lifecycle::shown::detail::KeptDetail;
use crate::lifecycle::time::Sequence;
use crate::store::{Condition, Store, StoreError, Sweep, from_json};
use deadline_look::DeadlineLook;
use index::{by_action, by_age, by_id, detail};
use request::{ApprovalRequest, ApprovalStatus, Standing};

/// The requests for approval in a store.
///
/// A request is stored under its id. Two index entries lead to it: one by its run, newest first,
/// and one by its age while it is pending. The index entries are written after the request. An
/// index entry that leads nowhere is removed when it is found, so a killed process leaves no wrong
/// data behind.
///
/// The whole arguments and the changes are stored in a separate entry, so that a list of requests
/// reads only the summaries. That entry is written before the request. It is deleted when the
/// request is closed, and it expires with the request. When a request is closed without an
/// approval, the run that waits for it loses its arguments as well.
///
/// A request is kept for 30 days after it is closed or its deadline passes; see
/// [`with_retention`](Self::with_retention). A request without a deadline stays until it is closed.
/// Each change also removes some expired entries.
pub struct Approvals {
    pub(in crate::lifecycle) store: Arc<dyn Store>,
    pub(in crate::lifecycle) sequence: Sequence,
    pub(in crate::lifecycle) retention: i64,
    pub(in crate::lifecycle) sweep: Sweep,
    look: DeadlineLook,
}

impl Approvals {
    /// The default time for which a request is kept after it is closed, in microseconds: 30 days.
    pub const RETENTION: i64 = 30 * 86_400 * 1_000_000;

    /// Opens the requests of a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        let (sequence, sweep) = (Sequence::default(), Sweep::new("approval", 1));
        Self { store, sequence, retention: Self::RETENTION, sweep, look: DeadlineLook::new() }
    }

    /// Sets for how many microseconds a request is kept after it is closed or its deadline passes.
    #[must_use]
    pub fn with_retention(self, micros: i64) -> Self {
        Self { retention: micros.max(0), ..self }
    }

    /// Returns a request by its id.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn get(&self, id: &str, now: i64) -> Result<Option<ApprovalRequest>, StoreError> {
        let place = by_id(id);
        let Some(entry) = self.store.get(&place, now)? else { return Ok(None) };
        let mut request: ApprovalRequest = from_json(&place, &entry)?;
        request.status = request.status(now);
        Ok(Some(request))
    }

    /// Returns the whole arguments of a pending request as JSON, without their secrets, by the
    /// request's id.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn arguments(&self, id: &str, now: i64) -> Result<Option<Box<RawValue>>, StoreError> {
        Ok(self.detail(id, now)?.map(|detail| detail.arguments))
    }

    /// Returns the changes that the run of a pending request would make, without their secrets, by
    /// the request's id. They are as they were when the request was made. Nothing is returned if
    /// the host did not report any.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn changes(&self, id: &str, now: i64) -> Result<Option<Vec<ApprovalChange>>, StoreError> {
        Ok(self.detail(id, now)?.and_then(|detail| detail.changes))
    }

    fn detail(&self, id: &str, now: i64) -> Result<Option<KeptDetail>, StoreError> {
        let place = detail(id);
        self.store.get(&place, now)?.map(|entry| from_json(&place, &entry)).transpose()
    }

    /// Returns the status of a request, by its id. It reads the store once, so it suits a caller
    /// that polls.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn look(&self, id: &str, now: i64) -> Result<Option<ApprovalStatus>, StoreError> {
        let place = by_id(id);
        let Some(entry) = self.store.get(&place, now)? else { return Ok(None) };
        let standing: Standing = from_json(&place, &entry)?;
        Ok(Some(standing.status(now)))
    }

    /// Deletes a request, if it exists, and the arguments of the run that waits for it.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn cleanup(&self, id: &str, now: i64) -> Result<(), StoreError> {
        if let Some(request) = self.get(id, now)? {
            hooks::refuse(&*self.store, &request, now)?;
            for place in [by_id(id), by_action(&request), by_age(&request), detail(id)] {
                self.store.delete(&place, Condition::Any, now)?;
            }
        }
        Ok(())
    }

    /// Whether another process may decide without notice to this one, so that a waiting caller must
    /// poll.
    #[must_use]
    pub fn shared(&self) -> bool {
        self.store.shared()
    }
}

#[cfg(test)]
mod tests {
    use super::request::{Decision, NewApproval};
    use super::testing::{approvals, new};
    use super::*;
    use crate::store::{MemoryStore, Write};

    #[test]
    fn a_record_is_written_as_its_fields() {
        let approvals = approvals();
        let request =
            NewApproval { id: Some("r".to_owned()), expires_at: Some(1_000_001), ..new("a") };
        let request = approvals.request(request, 1).unwrap();
        let json = concat!(
            r#"{"id":"r","run_id":"a","tool_name":"t","parent_id":null,"approval_message":"","#,
            r#""status":"pending","decided_by":null,"decided_at":null,"reason":null,"#,
            r#""created_at":"1970-01-01T00:00:00.000001+00:00","payload_summary":{},"#,
            r#""expires_at":"1970-01-01T00:00:01.000001+00:00","order":1}"#
        );
        assert_eq!(serde_json::to_string(&request).unwrap(), json);
    }

    #[test]
    fn nothing_is_left_of_what_is_forgotten() {
        let store = Arc::new(MemoryStore::default());
        let approvals = Approvals::new(Arc::clone(&store) as _);
        for _ in 0..600 {
            let id = approvals.request(new("a"), 0).unwrap().id;
            // A process that is killed here leaves two index entries that lead nowhere.
            store.delete(&by_id(&id), Condition::Any, 0).unwrap();
        }
        assert!(approvals.pending(None, 0).unwrap().is_empty());
        assert_eq!(approvals.status("a", 0).unwrap(), None);
        assert!(store.scan("", None, usize::MAX, 0).unwrap().is_empty());
    }

    #[test]
    fn a_spoiled_record_is_an_error_that_names_it() {
        let store = Arc::new(MemoryStore::default());
        let approvals = Approvals::new(Arc::clone(&store) as _);
        let write = Write { value: b"{\"id\":", expect: Condition::Any, expires_at: None };
        store.put("approval/request/r", write, 0).unwrap();
        let error = approvals.decide("r", &Decision::approved(), 0).unwrap_err();
        assert_eq!(error.slug(), "corrupt");
        assert!(error.to_string().contains("approval/request/r"));
    }
}
