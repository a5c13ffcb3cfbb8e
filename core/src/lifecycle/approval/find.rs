//! Finding a request for approval, and finding out what waits for it.

use uuid::Uuid;

use super::index::{Lead, by_id, follow, waiter};
use super::request::{ApprovalRequest, ApprovalStatus};
use crate::lifecycle::Approvals;
use crate::lifecycle::kept::hooks::is_kept;
use crate::slug::slugs;
use crate::store::{Condition, StoreError, Write, prefix, spoiled};

slugs! {
    /// What continues the run of a request after the decision.
    pub enum Waiter {
        /// A process waits for the decision now.
        Process => "process",
        /// The run is kept in the store until a process resumes it.
        Kept => "kept",
        /// Nothing waits: the process that asked has ended, or it never waited.
        Nobody => "nobody",
    }
}

impl Approvals {
    /// Returns the status of the request that [`find`](Self::find) gives for an id.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn status(&self, id: &str, now: i64) -> Result<Option<ApprovalStatus>, StoreError> {
        Ok(self.find(id, now)?.map(|request| request.status))
    }

    /// Returns the request with this id. If there is none, the id is taken as a run's id: the
    /// result is the newest pending request of that run, or its newest request if none is pending.
    /// Decisions and statuses refer to this request.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn find(&self, id: &str, now: i64) -> Result<Option<ApprovalRequest>, StoreError> {
        let mut found = self.get(id, now)?;
        if found.is_some() {
            return Ok(found);
        }
        follow(&*self.store, &prefix(&["approval", "action", id]), None, now, |request_id| {
            let Some(request) = self.get(request_id, now)? else { return Ok(Lead::Nowhere) };
            if request.run_id != id {
                return Err(spoiled(&by_id(request_id)));
            }
            let pending = request.status == ApprovalStatus::Pending;
            if pending || found.is_none() {
                found = Some(request);
            }
            Ok(if pending { Lead::Enough } else { Lead::On })
        })?;
        Ok(found)
    }

    /// Returns the newest request that a run has made with this fingerprint since it began, for a
    /// process that takes the run up from one that ended while it asked. A cancelled request is
    /// none: the process that made it withdrew it, since the run was not stored. A request from
    /// before the run began was for an earlier run of the same call.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn asked(
        &self,
        run_id: &str,
        fingerprint: &str,
        began: i64,
        now: i64,
    ) -> Result<Option<ApprovalRequest>, StoreError> {
        let found = self.find(run_id, now)?;
        Ok(found.filter(|request| {
            request.fingerprint.as_deref() == Some(fingerprint)
                && request.created_at.micros() >= began
                && request.status != ApprovalStatus::Cancelled
        }))
    }

    /// Records that a process waits for a request until the given time. The process calls this
    /// again and again while it waits. Each waiter has its own name; without a name the call makes
    /// one. The name is returned.
    ///
    /// A process that is killed counts as waiting until that time.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn wait(
        &self,
        id: &str,
        name: Option<&str>,
        until: i64,
        now: i64,
    ) -> Result<String, StoreError> {
        let name = name.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned);
        let write = Write { value: b"true", expect: Condition::Any, expires_at: Some(until) };
        self.store.put(&waiter(id, &name), write, now)?;
        Ok(name)
    }

    /// Records that a waiter no longer waits for a request.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn leave(&self, id: &str, name: &str, now: i64) -> Result<(), StoreError> {
        self.store.delete(&waiter(id, name), Condition::Any, now)?;
        Ok(())
    }

    /// Returns what continues a request's run after the decision.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn waiter(&self, request: &ApprovalRequest, now: i64) -> Result<Waiter, StoreError> {
        let waiters = prefix(&["approval", "waiter", &request.id]);
        if !self.store.scan(&waiters, None, 1, now)?.is_empty() {
            return Ok(Waiter::Process);
        }
        let kept = is_kept(&*self.store, &request.run_id, &request.id, now)?;
        Ok(if kept { Waiter::Kept } else { Waiter::Nobody })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::value::RawValue;

    use super::super::testing::new;
    use super::*;
    use crate::lifecycle::{Answer, Execution, Moment, Run, Settings, Step};
    use crate::lifecycle::{Decision, Runs};
    use crate::registry::ToolSpec;
    use crate::store::MemoryStore;

    #[test]
    fn a_request_is_found_as_a_decision_finds_it() {
        let approvals = Approvals::new(Arc::new(MemoryStore::default()));
        let ids: Vec<_> = (0..3).map(|_| approvals.request(new("a"), 1).unwrap().id).collect();
        approvals.cancel(&ids[2], 1).unwrap();
        let found = |id: &str| approvals.find(id, 2).unwrap().map(|request| request.id);
        assert_eq!(found(&ids[0]), Some(ids[0].clone()));
        assert_eq!(found("a"), Some(approvals.decide("a", &Decision::approved(), 2).unwrap().id));
        approvals.decide("a", &Decision::approved(), 2).unwrap();
        assert_eq!((found("a"), found("b")), (Some(ids[2].clone()), None));
    }

    #[test]
    fn one_who_waits_is_known_until_the_lease_is_over() {
        let approvals = Approvals::new(Arc::new(MemoryStore::default()));
        let request = approvals.request(new("a"), 1).unwrap();
        let waiter = |now| approvals.waiter(&request, now).unwrap();
        assert_eq!(waiter(1), Waiter::Nobody);
        let first = approvals.wait(&request.id, None, 10, 1).unwrap();
        let second = approvals.wait(&request.id, None, 10, 1).unwrap();
        approvals.wait(&request.id, Some(&first), 20, 9).unwrap();
        assert_eq!((waiter(20), waiter(21)), (Waiter::Process, Waiter::Nobody));
        approvals.leave(&request.id, &first, 9).unwrap();
        assert_eq!(waiter(9), Waiter::Process);
        approvals.leave(&request.id, &second, 9).unwrap();
        assert_eq!(waiter(9), Waiter::Nobody);
    }

    #[test]
    fn a_run_that_is_kept_will_be_taken_up_until_it_is_claimed() {
        let store = Arc::new(MemoryStore::default());
        let (approvals, runs) = (Approvals::new(Arc::clone(&store) as _), Runs::new(store as _));
        let request = approvals.request(new("a"), 1).unwrap();
        let tool =
            Arc::new(ToolSpec { requires_approval: true, ..ToolSpec::new("t").with_id("T") });
        let settings = Settings { emit_events: false, ..Settings::default() };
        let mut execution = Execution::new(tool, Run::new("a"), settings);
        assert!(matches!(
            execution.advance(Answer::Done, Moment::default()).unwrap(),
            Step::RequestApproval { .. }
        ));
        let asked = Answer::Requested { request_id: request.id.clone(), fingerprint: None };
        execution.advance(asked, Moment::default()).unwrap();
        let json = || RawValue::from_string("{}".to_owned()).unwrap();
        assert!(runs.keep(&execution, json(), String::new(), Some(9), 1).unwrap());
        let waiter = |now| approvals.waiter(&request, now).unwrap();
        assert_eq!((waiter(9), waiter(10)), (Waiter::Kept, Waiter::Nobody));
        let other = approvals.request(new("a"), 1).unwrap();
        assert_eq!(approvals.waiter(&other, 1).unwrap(), Waiter::Nobody);
        runs.claim("a", 9, 2).unwrap();
        assert_eq!(waiter(2), Waiter::Nobody);
    }
}
