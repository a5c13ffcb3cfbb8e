//! Asking a person before an action runs.
//!
//! A request is pending until it is approved, denied, cancelled or expired, and then stays as it
//! is: of any number of decisions, in any number of processes, one is taken and the others are
//! told what it was. Every method does a bounded number of steps and waits for nobody.

use std::sync::Arc;

use serde_json::value::RawValue;
use uuid::Uuid;

use super::approval_error::ApprovalError;
use super::approval_list::Lead;
use super::approval_request::{ApprovalRequest, ApprovalStatus, Decision, NewApproval, Standing};
use super::time::{Sequence, Time};
use crate::store::{
    ATTEMPTS, Change, Expect, Put, Store, StoreError, Write, change, contended, from_json, key, raw_json,
    to_json,
};

/// The requests for approval in a store.
///
/// A request lies under its id. Two more entries lead to it: one by its action, newest first, and
/// one by its age for as long as it is pending. They are written after it and removed when they
/// are found to lead nowhere, so that a process that is killed leaves nothing wrong behind.
///
/// The whole arguments lie in an entry of their own, so that lists of requests stay small. That entry is there
/// while the request is pending: it goes when the request is settled, and expires with it.
pub struct Approvals {
    pub(super) store: Arc<dyn Store>,
    sequence: Sequence,
}

/// What came of an attempt to settle a request.
enum Settled {
    Now(ApprovalRequest),
    Before(ApprovalRequest),
    /// The settling does not fit the request, which stays as it is.
    Unfit(ApprovalRequest),
    Unknown,
}

impl Approvals {
    /// Takes the requests of a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, sequence: Sequence::default() }
    }

    /// Makes a request, which is pending.
    ///
    /// # Errors
    /// The store's. The request may then be there, but nothing leads to it.
    pub fn request(&self, new: NewApproval, now: i64) -> Result<ApprovalRequest, StoreError> {
        let mut request = ApprovalRequest {
            id: new.id.unwrap_or_else(new_id),
            action_id: new.action_id,
            tool_name: new.tool_name,
            pipeline_run_id: new.pipeline_run_id,
            approval_message: new.approval_message,
            status: ApprovalStatus::Pending,
            decided_by: None,
            decided_at: None,
            created_at: Time::from_micros(now),
            payload_summary: match new.payload_summary {
                Some(summary) => summary,
                None => raw_json(&serde_json::Map::new())?,
            },
            expires_at: new.expires_at.map(Time::from_micros),
            reason: None,
            size: new.detail.as_ref().map(|detail| detail.size),
            fingerprint: new.detail.as_ref().map(|detail| detail.fingerprint.clone()),
            decided_fingerprint: None,
            order: self.sequence.next(now),
        };
        self.insert(&mut request, now)?;
        if let Some(detail) = new.detail {
            let value = to_json(&detail.arguments)?;
            let write = Write { value: &value, expect: Expect::Any, expires_at: new.expires_at };
            self.store.put(&arguments(&request.id), write, now)?;
        }
        let id = to_json(&request.id)?;
        for place in [by_action(&request), by_age(&request)] {
            self.store.put(&place, Write { value: &id, expect: Expect::Any, expires_at: None }, now)?;
        }
        Ok(request)
    }

    /// Puts a request under its id, or a new one when that is taken.
    fn insert(&self, request: &mut ApprovalRequest, now: i64) -> Result<(), StoreError> {
        for _ in 0..ATTEMPTS {
            let value = to_json(&request)?;
            let write = Write { value: &value, expect: Expect::Absent, expires_at: None };
            if let Put::Stored(_) = self.store.put(&by_id(&request.id), write, now)? {
                return Ok(());
            }
            request.id = new_id();
        }
        Err(contended(&by_id(&request.id)))
    }

    /// Takes a decision on a request, by its id, or on the newest pending one of an action, by the
    /// action's id; the request as it is now.
    ///
    /// # Errors
    /// `already_decided`, `approval_expired`, `approval_cancelled`, when the request, or the newest one of the
    /// action, is no longer pending; `changed_since`, when the decision's fingerprint is neither the request's nor the
    /// present one; `unknown_approval`; the store's.
    pub fn decide(&self, id: &str, decision: &Decision, now: i64) -> Result<ApprovalRequest, ApprovalError> {
        let settle = |request: &mut ApprovalRequest| {
            if !decision.fits(request) {
                return false;
            }
            request.status = if decision.granted { ApprovalStatus::Approved } else { ApprovalStatus::Denied };
            request.decided_by.clone_from(&decision.decided_by);
            request.reason.clone_from(&decision.reason);
            request.decided_fingerprint.clone_from(&decision.fingerprint);
            true
        };
        let mut refused = match self.settle(id, now, settle)? {
            Settled::Now(request) => return Ok(request),
            Settled::Before(request) => return Err(refusal(request)),
            Settled::Unfit(request) => return Err(ApprovalError::ChangedSince { id: request.id }),
            Settled::Unknown => None,
        };
        let mut taken = None;
        self.each_of_action(id, now, |request_id| {
            match self.settle(request_id, now, settle)? {
                Settled::Now(request) => taken = Some(Ok(request)),
                Settled::Unfit(request) => taken = Some(Err(ApprovalError::ChangedSince { id: request.id })),
                Settled::Before(request) => refused = refused.take().or(Some(request)),
                Settled::Unknown => return Ok(Lead::Nowhere),
            }
            Ok(if taken.is_some() { Lead::Enough } else { Lead::On })
        })?;
        match (taken, refused) {
            (Some(taken), _) => taken,
            (None, Some(request)) => Err(refusal(request)),
            (None, None) => Err(ApprovalError::Unknown { id: id.to_owned() }),
        }
    }

    /// Takes a request back; whether it was pending.
    ///
    /// # Errors
    /// The store's.
    pub fn cancel(&self, id: &str, now: i64) -> Result<bool, StoreError> {
        let settled = self.settle(id, now, |request| {
            request.status = ApprovalStatus::Cancelled;
            request.reason = Some("cancelled".to_owned());
            true
        })?;
        Ok(matches!(settled, Settled::Now(_)))
    }

    /// Ends a request that nobody decided in time; whether it was pending.
    ///
    /// # Errors
    /// The store's.
    pub fn expire(&self, id: &str, now: i64) -> Result<bool, StoreError> {
        let settled = self.settle(id, now, |request| {
            request.status = ApprovalStatus::Expired;
            true
        })?;
        Ok(matches!(settled, Settled::Now(_)))
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

    /// The whole arguments of a pending request as JSON, without their secrets, by the request's id.
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

    /// Forgets a request, if there is one.
    ///
    /// # Errors
    /// The store's.
    pub fn cleanup(&self, id: &str, now: i64) -> Result<(), StoreError> {
        if let Some(request) = self.get(id, now)? {
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

    /// Settles a request that is pending; one whose time ran out is noted as expired.
    fn settle(
        &self,
        id: &str,
        now: i64,
        settle: impl Fn(&mut ApprovalRequest) -> bool,
    ) -> Result<Settled, StoreError> {
        let place = by_id(id);
        let (settled, _) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else { return Ok(Change::Keep(Settled::Unknown)) };
            let mut request: ApprovalRequest = from_json(&place, entry)?;
            if request.status != ApprovalStatus::Pending {
                return Ok(Change::Keep(Settled::Before(request)));
            }
            let in_time = request.status(now) == ApprovalStatus::Pending;
            if !in_time {
                request.status = ApprovalStatus::Expired;
            } else if !settle(&mut request) {
                return Ok(Change::Keep(Settled::Unfit(request)));
            }
            request.decided_at = Some(Time::from_micros(now));
            let value = to_json(&request)?;
            let told = if in_time { Settled::Now(request) } else { Settled::Before(request) };
            Ok(Change::Put { value, expires_at: None, told })
        })?;
        if matches!(settled, Settled::Now(_) | Settled::Before(_)) {
            self.store.delete(&arguments(id), Expect::Any, now)?;
        }
        Ok(settled)
    }
}

fn new_id() -> String {
    Uuid::new_v4().to_string()
}

fn refusal(request: ApprovalRequest) -> ApprovalError {
    let ApprovalRequest { id, status, .. } = request;
    match status {
        ApprovalStatus::Expired => ApprovalError::Expired { id },
        ApprovalStatus::Cancelled => ApprovalError::Cancelled { id },
        status => ApprovalError::AlreadyDecided { id, status },
    }
}

fn by_id(id: &str) -> String {
    key(&["approval", "request", id])
}

fn arguments(id: &str) -> String {
    key(&["approval", "arguments", id])
}

fn by_action(request: &ApprovalRequest) -> String {
    let newest_first = format!("{:016x}", !ascending(request.order));
    key(&["approval", "action", &request.action_id, &newest_first, &request.id])
}

fn by_age(request: &ApprovalRequest) -> String {
    let oldest_first = format!("{:016x}", ascending(request.order));
    key(&["approval", "open", &oldest_first, &request.id])
}

/// Numbers that are ordered without their sign as the given ones are with it.
fn ascending(order: i64) -> u64 {
    order.cast_unsigned() ^ (1 << 63)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;

    fn approvals() -> Approvals {
        Approvals::new(Arc::new(MemoryStore::default()))
    }

    fn new(action_id: &str) -> NewApproval {
        NewApproval { action_id: action_id.to_owned(), tool_name: "t".to_owned(), ..NewApproval::default() }
    }

    #[test]
    fn an_id_that_is_free_is_kept() {
        let approvals = approvals();
        let mine = || NewApproval { id: Some("mine".to_owned()), ..new("a") };
        assert_eq!(approvals.request(mine(), 0).unwrap().id, "mine");
        let other = approvals.request(mine(), 0).unwrap().id;
        assert_eq!(Uuid::parse_str(&other).unwrap().get_version_num(), 4);
        approvals.cleanup("mine", 0).unwrap();
        approvals.cleanup("mine", 0).unwrap();
        assert_eq!(approvals.request(mine(), 0).unwrap().id, "mine");
    }

    #[test]
    fn a_record_is_written_as_its_fields() {
        let approvals = approvals();
        let request = NewApproval { id: Some("r".to_owned()), expires_at: Some(1_000_001), ..new("a") };
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
    fn a_decision_is_final() {
        let approvals = approvals();
        let id = approvals.request(new("a"), 0).unwrap().id;
        let decision =
            Decision { decided_by: Some("ann".into()), reason: Some("no".into()), ..Decision::denied() };
        let denied = approvals.decide(&id, &decision, 7).unwrap();
        assert_eq!((denied.status, denied.decided_at), (ApprovalStatus::Denied, Some(Time::from_micros(7))));
        assert_eq!((denied.decided_by.as_deref(), denied.reason.as_deref()), (Some("ann"), Some("no")));
        let error = approvals.decide("a", &Decision::approved(), 8).unwrap_err();
        assert!(matches!(error, ApprovalError::AlreadyDecided { status: ApprovalStatus::Denied, .. }));
        assert_eq!(
            error.to_string(),
            format!("approval request {id} was already denied; a decision is final")
        );
        assert!(!approvals.cancel(&id, 8).unwrap() && !approvals.expire(&id, 8).unwrap());
        assert_eq!(approvals.look(&id, 8).unwrap(), Some(ApprovalStatus::Denied));
    }

    #[test]
    fn what_ended_otherwise_says_so() {
        let approvals = approvals();
        let timed = approvals.request(NewApproval { expires_at: Some(5), ..new("a") }, 0).unwrap().id;
        let cancelled = approvals.request(new("b"), 0).unwrap().id;
        assert!(approvals.cancel(&cancelled, 1).unwrap());
        assert_eq!(approvals.look(&timed, 5).unwrap(), Some(ApprovalStatus::Pending));
        assert_eq!(approvals.look(&timed, 6).unwrap(), Some(ApprovalStatus::Expired));
        assert!(!approvals.cancel(&timed, 6).unwrap() && !approvals.expire(&timed, 6).unwrap());
        let slug = |id: &str, now| approvals.decide(id, &Decision::approved(), now).unwrap_err().slug();
        // Even where the clock went back: what was found to have expired stays so.
        assert_eq!([slug(&timed, 6), slug(&timed, 2)], ["approval_expired", "approval_expired"]);
        assert_eq!([slug(&cancelled, 2), slug("b", 2)], ["approval_cancelled", "approval_cancelled"]);
        assert_eq!(slug("nothing", 2), "unknown_approval");
    }

    #[test]
    fn an_actions_newest_pending_request_is_decided() {
        let approvals = approvals();
        let ids: Vec<_> = (0..3).map(|_| approvals.request(new("a/b"), 9).unwrap().id).collect();
        approvals.request(new("a"), 9).unwrap();
        approvals.cancel(&ids[2], 9).unwrap();
        assert_eq!(approvals.status("a/b", 9).unwrap(), Some(ApprovalStatus::Cancelled));
        assert_eq!(approvals.decide("a/b", &Decision::approved(), 9).unwrap().id, ids[1]);
        assert_eq!(approvals.decide("a/b", &Decision::approved(), 9).unwrap().id, ids[0]);
        let error = approvals.decide("a/b", &Decision::approved(), 9).unwrap_err();
        assert!(matches!(error, ApprovalError::Cancelled { id } if id == ids[2]));
        approvals.cleanup(&ids[2], 9).unwrap();
        assert_eq!(approvals.status("a/b", 9).unwrap(), Some(ApprovalStatus::Approved));
        assert_eq!(approvals.status("c", 9).unwrap(), None);
    }

    #[test]
    fn pending_requests_are_in_the_order_of_their_making() {
        let approvals = approvals();
        let run = |run: &str| NewApproval { pipeline_run_id: Some(run.to_owned()), ..new("a") };
        let ids: Vec<_> =
            ["x", "y", "x", "x"].iter().map(|name| approvals.request(run(name), 3).unwrap().id).collect();
        approvals.decide(&ids[2], &Decision::denied(), 3).unwrap();
        let pending = |run| {
            let requests = approvals.pending(run, 4).unwrap();
            requests.into_iter().map(|request| request.id).collect::<Vec<_>>()
        };
        assert_eq!(pending(None), [&*ids[0], &*ids[1], &*ids[3]]);
        assert_eq!(pending(Some("x")), [&*ids[0], &*ids[3]]);
        assert_eq!(pending(Some("z")), [""; 0]);
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
