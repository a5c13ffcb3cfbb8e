//! Making a request for approval.

use uuid::Uuid;

use super::index::{RequestPlaces, by_id};
use super::request::{ApprovalRequest, ApprovalStatus, DecisionRecord, NewApproval};
use crate::lifecycle::Approvals;
use crate::lifecycle::shown::detail::{ApprovalDetail, DetailToKeep};
use crate::lifecycle::time::Time;
use crate::store::{
    ATTEMPTS, Changed, Condition, Put, StoreChange, StoreEntry, StoreError, StoreErrorKind, Write,
    contended, from_json, prefix, raw_json, to_json,
};

/// How long the detail of a request stays if its making was interrupted, in microseconds: an
/// hour.
const BROKEN_OFF: i64 = 3_600 * 1_000_000;

/// How many of the oldest pending requests are checked at once for a passed deadline: twice as many
/// as there are requests between two checks.
const OLDEST: usize = 16;

/// A pending request as it is written: the entries of the request, and those that lead to it.
pub(in crate::lifecycle) struct RequestWrite {
    pub(in crate::lifecycle) request: ApprovalRequest,
    places: RequestPlaces,
    /// What is kept of the whole arguments, and until when.
    detail: Option<(Vec<u8>, i64)>,
    value: Vec<u8>,
    id: Vec<u8>,
    kept_until: Option<i64>,
}

impl RequestWrite {
    /// Returns the changes of a batch. The detail comes before the request, so that every process
    /// that closes the request finds and removes it, and the index entries come after.
    pub(in crate::lifecycle) fn changes(&self) -> Vec<StoreChange<'_>> {
        // A process that has closed the request in the meantime has written the right expiry.
        let put = |key, value, expires_at| {
            let write = Write { value, expect: Condition::Absent, expires_at };
            StoreChange::Put { key, write }
        };
        let places = &self.places;
        let detail = self.detail.as_ref();
        let detail = detail.map(|(whole, until)| put(&places.detail, whole, Some(*until)));
        let rest = [
            put(&places.id, &self.value, self.kept_until),
            put(&places.action, &self.id, self.kept_until),
            put(&places.age, &self.id, self.kept_until),
        ];
        detail.into_iter().chain(rest).collect()
    }
}

impl Approvals {
    /// Makes a pending request.
    ///
    /// # Errors
    /// Any error of the store. The request may then exist.
    pub fn request(&self, new: NewApproval, now: i64) -> Result<ApprovalRequest, StoreError> {
        self.expire_due(now)?;
        self.make(new, now)
    }

    /// Makes a pending request, and does nothing else.
    pub(in crate::lifecycle) fn make(
        &self,
        new: NewApproval,
        now: i64,
    ) -> Result<ApprovalRequest, StoreError> {
        let detail = new.detail.clone();
        let mut request = self.pending_request(new, now)?;
        self.insert(&mut request, detail.as_ref(), now)?;
        Ok(request)
    }

    /// Returns the entries of a request with a deadline, for a batch that makes it.
    pub(in crate::lifecycle) fn to_write(
        &self,
        new: NewApproval,
        now: i64,
    ) -> Result<RequestWrite, StoreError> {
        let detail = new.detail.clone();
        self.written(self.pending_request(new, now)?, detail.as_ref(), now)
    }

    fn pending_request(&self, new: NewApproval, now: i64) -> Result<ApprovalRequest, StoreError> {
        Ok(ApprovalRequest {
            id: new.id.unwrap_or_else(new_id),
            run_id: new.run_id,
            tool_name: new.tool_name,
            parent_id: new.parent_id,
            approval_message: new.approval_message,
            status: ApprovalStatus::Pending,
            decision: DecisionRecord::default(),
            created_at: Time::from_micros(now),
            payload_summary: match new.payload_summary {
                Some(summary) => summary,
                None => raw_json(&serde_json::Map::new())?,
            },
            expires_at: new.expires_at.map(Time::from_micros),
            size: new.detail.as_ref().map(|detail| detail.size),
            fingerprint: new.detail.as_ref().map(|detail| detail.fingerprint.clone()),
            order: self.sequence.next(now),
        })
    }

    fn written(
        &self,
        request: ApprovalRequest,
        whole: Option<&ApprovalDetail>,
        now: i64,
    ) -> Result<RequestWrite, StoreError> {
        let until = request.expires_at.map_or(now.saturating_add(BROKEN_OFF), Time::micros);
        let keep = |whole| to_json(&DetailToKeep::new(whole, &request.id));
        let detail = whole.map(keep).transpose()?.map(|whole| (whole, until));
        Ok(RequestWrite {
            places: RequestPlaces::of(&request),
            detail,
            value: to_json(&request)?,
            id: to_json(&request.id)?,
            kept_until: self.kept_until(&request),
            request,
        })
    }

    /// Stores a request under its id, or under a new id if that one is taken, with the index
    /// entries that lead to it, in one batch.
    fn insert(
        &self,
        request: &mut ApprovalRequest,
        whole: Option<&ApprovalDetail>,
        now: i64,
    ) -> Result<(), StoreError> {
        let mut sweep = self.sweep.due();
        for _ in 0..ATTEMPTS {
            let written = self.written(request.clone(), whole, now)?;
            let changes: Vec<_> = sweep.take().into_iter().chain(written.changes()).collect();
            let made = puts(&self.store.batch(&changes, now)?);
            let version = whole.and_then(|_| stored(made.first()));
            let is_made = stored(made.get(usize::from(whole.is_some()))).is_some();
            let place = &written.places.detail;
            match (version, &written.detail) {
                (Some(version), _) if !is_made => {
                    self.store.delete(place, Condition::Version(version), now)?;
                }
                // The detail stays while the request is pending, unless it was closed meanwhile.
                (Some(version), Some((value, _))) if request.expires_at.is_none() => {
                    let write =
                        Write { value, expect: Condition::Version(version), expires_at: None };
                    self.store.put(place, write, now)?;
                }
                _ => {}
            }
            if is_made {
                return Ok(());
            }
            request.id = new_id();
        }
        Err(contended(&by_id(&request.id)))
    }

    /// Returns until when a pending request is kept: its deadline and the retention after it.
    fn kept_until(&self, request: &ApprovalRequest) -> Option<i64> {
        request.expires_at.map(|at| at.micros().saturating_add(self.retention))
    }

    /// Removes some expired entries, and expires those of the oldest requests whose deadline has
    /// passed.
    pub(in crate::lifecycle) fn sweep(&self, now: i64) -> Result<(), StoreError> {
        self.sweep.run(&*self.store, now)?;
        self.expire_oldest(now)
    }

    /// Expires those of the oldest requests whose deadline has passed, if that is due at this
    /// request: so that no arguments stay for want of somebody who decides or lists requests.
    pub(in crate::lifecycle) fn expire_due(&self, now: i64) -> Result<(), StoreError> {
        if self.look.is_due(now) { self.expire_oldest(now) } else { Ok(()) }
    }

    /// Expires those of the oldest requests whose deadline has passed.
    fn expire_oldest(&self, now: i64) -> Result<(), StoreError> {
        for (place, entry) in self.store.scan(&prefix(&["approval", "open"]), None, OLDEST, now)? {
            // The index entry expires together with the request, so its expiry gives the deadline.
            if entry.expires_at.is_some_and(|kept| now > kept.saturating_sub(self.retention)) {
                self.expire_led(&place, &entry, now).or_else(|error| match error.kind() {
                    // A list names the spoiled entry. Other requests can still be decided.
                    StoreErrorKind::Corrupt => Ok(()),
                    _ => Err(error),
                })?;
            }
        }
        Ok(())
    }

    /// Expires the request to which an index entry leads, if its deadline has passed.
    fn expire_led(&self, place: &str, entry: &StoreEntry, now: i64) -> Result<(), StoreError> {
        let id: String = from_json(place, entry)?;
        if self.look(&id, now)? == Some(ApprovalStatus::Expired) {
            self.expire(&id, now)?;
        }
        Ok(())
    }
}

/// Returns what came of the puts of a batch, in their order.
fn puts(made: &[Changed]) -> Vec<Put> {
    let put = |changed: &Changed| match changed {
        Changed::Put(put) => Some(*put),
        Changed::Deleted(_) | Changed::Purged(_) => None,
    };
    made.iter().filter_map(put).collect()
}

fn stored(put: Option<&Put>) -> Option<u64> {
    match put {
        Some(Put::Stored(version)) => Some(*version),
        Some(Put::Conflict) | None => None,
    }
}

fn new_id() -> String {
    Uuid::new_v4().to_string()
}

#[cfg(test)]
mod tests {

    use super::super::testing::{approvals, new};
    use super::*;

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
}
