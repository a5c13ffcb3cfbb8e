//! Closing a request: a decision, a cancellation, or its expiry.

use super::error::ApprovalError;
use super::index::{RequestPlaces, by_age, by_id};
use super::request::{ApprovalRequest, ApprovalStatus, Decision};
use crate::lifecycle::Approvals;
use crate::lifecycle::kept::hooks::{self, ToldRun};
use crate::lifecycle::time::Time;
use crate::store::{
    ATTEMPTS, Condition, Put, StoreChange, StoreEntry, StoreError, Write, contended, first_put,
    from_json, to_json,
};

/// The result of an attempt to close a request.
enum Closed {
    Now(ApprovalRequest),
    Before(ApprovalRequest),
    /// The decision does not fit the request, which stays as it is.
    Unfit(ApprovalRequest),
    /// Somebody has changed the request since it was read.
    Changed,
}

impl Approvals {
    /// Takes a decision on the request that [`find`](Self::find) gives for an id, and returns the
    /// closed request.
    ///
    /// # Errors
    /// `already_decided`, `approval_expired` or `approval_cancelled` when the request is no longer
    /// pending; `changed_since` when an approval's fingerprint is neither the request's nor the
    /// present one; `unknown_approval`; any error of the store.
    pub fn decide(
        &self,
        id: &str,
        decision: &Decision,
        now: i64,
    ) -> Result<ApprovalRequest, ApprovalError> {
        let close = |request: &mut ApprovalRequest| {
            if !decision.fits(request) {
                return false;
            }
            request.status =
                if decision.granted { ApprovalStatus::Approved } else { ApprovalStatus::Denied };
            request.decision.decided_by.clone_from(&decision.decided_by);
            request.decision.reason.clone_from(&decision.reason);
            request.decision.decided_fingerprint.clone_from(&decision.fingerprint);
            true
        };
        let mut sweep = self.sweep.due();
        for _ in 0..ATTEMPTS {
            // It may have been forgotten between two reads.
            let Some((place, entry, is_last)) = self.entry_to_decide(id, now)? else { continue };
            match self.close_read(&place, &entry, now, sweep.take(), close)? {
                Closed::Now(request) => return Ok(request),
                Closed::Unfit(request) => {
                    return Err(ApprovalError::ChangedSince { id: request.id });
                }
                Closed::Before(request) if is_last => return Err(refusal(request)),
                // Another decision came first, and the run may have an older pending request.
                Closed::Before(_) | Closed::Changed => {}
            }
        }
        Err(contended(&by_id(id)).into())
    }

    /// Returns the entry of the request that [`find`](Self::find) gives for an id, its key, and
    /// whether no other request may be meant by the id if this one is closed.
    fn entry_to_decide(
        &self,
        id: &str,
        now: i64,
    ) -> Result<Option<(String, StoreEntry, bool)>, ApprovalError> {
        // In most cases the id is a request's, and one read is enough.
        let own = by_id(id);
        if let Some(entry) = self.store.get(&own, now)? {
            return Ok(Some((own, entry, true)));
        }
        let Some(found) = self.find(id, now)? else {
            return Err(ApprovalError::Unknown { id: id.to_owned() });
        };
        let (place, is_last) = (by_id(&found.id), found.status != ApprovalStatus::Pending);
        let entry = self.store.get(&place, now)?;
        Ok(entry.map(|entry| (place, entry, is_last)))
    }

    /// Cancels a request, and says whether it was pending.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn cancel(&self, id: &str, now: i64) -> Result<bool, StoreError> {
        self.sweep(now)?;
        self.close(id, now, |request| {
            request.status = ApprovalStatus::Cancelled;
            request.decision.reason = Some("cancelled".to_owned());
            true
        })
    }

    /// Marks a request as expired, and says whether it was pending.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn expire(&self, id: &str, now: i64) -> Result<bool, StoreError> {
        self.close(id, now, |request| {
            request.status = ApprovalStatus::Expired;
            true
        })
    }

    /// Closes a request, and says whether it was pending until then.
    fn close(
        &self,
        id: &str,
        now: i64,
        close: impl Fn(&mut ApprovalRequest) -> bool,
    ) -> Result<bool, StoreError> {
        let place = by_id(id);
        for _ in 0..ATTEMPTS {
            let Some(entry) = self.store.get(&place, now)? else { return Ok(false) };
            match self.close_read(&place, &entry, now, None, &close)? {
                Closed::Changed => {}
                closed => return Ok(matches!(closed, Closed::Now(_))),
            }
        }
        Err(contended(&place))
    }

    /// Closes a pending request, if it is still as it was read. A request whose deadline has passed
    /// is recorded as expired. The batch that writes it begins with `sweep`.
    fn close_read(
        &self,
        place: &str,
        entry: &StoreEntry,
        now: i64,
        sweep: Option<StoreChange<'_>>,
        close: impl Fn(&mut ApprovalRequest) -> bool,
    ) -> Result<Closed, StoreError> {
        let mut request: ApprovalRequest = from_json(place, entry)?;
        if request.status != ApprovalStatus::Pending {
            // The process that closed the request may have been killed before it finished `tidy`.
            if self.store.get(&by_age(&request), now)?.is_some() {
                self.tidy(&request, now)?;
            }
            return Ok(Closed::Before(request));
        }
        let in_time = request.status(now) == ApprovalStatus::Pending;
        if !in_time {
            request.status = ApprovalStatus::Expired;
        } else if !close(&mut request) {
            return Ok(Closed::Unfit(request));
        }
        request.decision.decided_at = Some(Time::from_micros(now));
        if !self.write_closed(&request, entry.version, now, sweep)? {
            return Ok(Closed::Changed);
        }
        Ok(if in_time { Closed::Now(request) } else { Closed::Before(request) })
    }

    /// Writes a closed request over the pending one of this version, and what follows from it.
    /// Returns false, and writes nothing, if the request has changed meanwhile.
    ///
    /// The request comes before the run that waits for it. The run is read before that, so that
    /// both are in one batch; if it has changed since, or did not wait yet, it is told afterwards.
    fn write_closed(
        &self,
        request: &ApprovalRequest,
        version: u64,
        now: i64,
        sweep: Option<StoreChange<'_>>,
    ) -> Result<bool, StoreError> {
        let (places, value) = (RequestPlaces::of(request), to_json(request)?);
        let expires_at = Some(now.saturating_add(self.retention));
        let write = Write { value: &value, expect: Condition::Version(version), expires_at };
        let own = StoreChange::Put { key: &places.id, write };
        let told = ToldRun::read(&*self.store, request, now)?;
        let id = to_json(&request.id)?;
        let mut changes: Vec<_> = sweep.into_iter().chain([own]).collect();
        if let Some(told) = &told {
            changes.push(told.change());
            changes.extend(self.remains(request, &places, &id, now));
        }
        let made = self.store.batch(&changes, now)?;
        if first_put(&made) == Put::Conflict {
            return Ok(false);
        }
        if told.is_none() || made.len() < changes.len() {
            self.tidy(request, now)?;
        }
        Ok(true)
    }

    /// Removes what only a pending request needs, and tells the run that waits for it.
    fn tidy(&self, request: &ApprovalRequest, now: i64) -> Result<(), StoreError> {
        hooks::follow(&*self.store, request, now)?;
        let (places, id) = (RequestPlaces::of(request), to_json(&request.id)?);
        let changes: Vec<_> = self.remains(request, &places, &id, now).collect();
        self.store.batch(&changes, now)?;
        Ok(())
    }

    /// Returns the changes that remove what only a pending request needs. The index entry of
    /// pending requests goes last.
    ///
    /// The index entry by run of a request that was closed in time has an expiry from the
    /// beginning that is not earlier than the request's.
    fn remains<'c>(
        &self,
        request: &ApprovalRequest,
        places: &'c RequestPlaces,
        id: &'c [u8],
        now: i64,
    ) -> impl Iterator<Item = StoreChange<'c>> {
        let decided_at = request.decision.decided_at.map_or(now, Time::micros);
        let expires_at = Some(decided_at.saturating_add(self.retention));
        let write = Write { value: id, expect: Condition::Any, expires_at };
        let action = StoreChange::Put { key: &places.action, write };
        let is_late = request.expires_at.is_none_or(|end| decided_at > end.micros());
        let action = is_late.then_some(action);
        let delete = |key| StoreChange::Delete { key, expect: Condition::Any };
        let (detail, age) = (delete(&*places.detail), delete(&*places.age));
        std::iter::once(detail).chain(action).chain([age])
    }
}

fn refusal(request: ApprovalRequest) -> ApprovalError {
    let ApprovalRequest { id, status, .. } = request;
    match status {
        ApprovalStatus::Expired => ApprovalError::Expired { id },
        ApprovalStatus::Cancelled => ApprovalError::Cancelled { id },
        status => ApprovalError::AlreadyDecided { id, status },
    }
}

#[cfg(test)]
mod tests {

    use super::super::request::NewApproval;
    use super::super::testing::{approvals, new};
    use super::*;

    #[test]
    fn a_decision_is_final() {
        let approvals = approvals();
        let id = approvals.request(new("a"), 0).unwrap().id;
        let decision = Decision {
            decided_by: Some("ann".into()),
            reason: Some("no".into()),
            ..Decision::denied()
        };
        let denied = approvals.decide(&id, &decision, 7).unwrap();
        assert_eq!(
            (denied.status, denied.decision.decided_at),
            (ApprovalStatus::Denied, Some(Time::from_micros(7)))
        );
        assert_eq!(
            (denied.decision.decided_by.as_deref(), denied.decision.reason.as_deref()),
            (Some("ann"), Some("no"))
        );
        let error = approvals.decide("a", &Decision::approved(), 8).unwrap_err();
        assert!(matches!(
            error,
            ApprovalError::AlreadyDecided { status: ApprovalStatus::Denied, .. }
        ));
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
        let timed =
            approvals.request(NewApproval { expires_at: Some(5), ..new("a") }, 0).unwrap().id;
        let cancelled = approvals.request(new("b"), 0).unwrap().id;
        assert!(approvals.cancel(&cancelled, 1).unwrap());
        assert_eq!(approvals.look(&timed, 5).unwrap(), Some(ApprovalStatus::Pending));
        assert_eq!(approvals.look(&timed, 6).unwrap(), Some(ApprovalStatus::Expired));
        assert!(!approvals.cancel(&timed, 6).unwrap() && !approvals.expire(&timed, 6).unwrap());
        let slug =
            |id: &str, now| approvals.decide(id, &Decision::approved(), now).unwrap_err().slug();
        // The clock may go back: a request that was found to have expired stays expired.
        assert_eq!([slug(&timed, 6), slug(&timed, 2)], ["approval_expired", "approval_expired"]);
        assert_eq!(
            [slug(&cancelled, 2), slug("b", 2)],
            ["approval_cancelled", "approval_cancelled"]
        );
        assert_eq!(slug("nothing", 2), "unknown_approval");
    }

    #[test]
    fn an_actions_newest_pending_request_is_decided() {
        let approvals = approvals();
        let ids: Vec<_> = (0..3).map(|_| approvals.request(new("a/b"), 9).unwrap().id).collect();
        approvals.request(new("a"), 9).unwrap();
        approvals.cancel(&ids[2], 9).unwrap();
        assert_eq!(approvals.status("a/b", 9).unwrap(), Some(ApprovalStatus::Pending));
        assert_eq!(approvals.decide("a/b", &Decision::approved(), 9).unwrap().id, ids[1]);
        assert_eq!(approvals.decide("a/b", &Decision::approved(), 9).unwrap().id, ids[0]);
        let error = approvals.decide("a/b", &Decision::approved(), 9).unwrap_err();
        assert!(matches!(error, ApprovalError::Cancelled { id } if id == ids[2]));
        approvals.cleanup(&ids[2], 9).unwrap();
        assert_eq!(approvals.status("a/b", 9).unwrap(), Some(ApprovalStatus::Approved));
        assert_eq!(approvals.status("c", 9).unwrap(), None);
    }
}
