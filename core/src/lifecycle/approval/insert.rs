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

/// How many of the oldest pending requests each change checks for a passed deadline.
const OLDEST: usize = 16;

impl Approvals {
    /// Makes a pending request.
    ///
    /// # Errors
    /// Any error of the store. The request may then exist.
    pub fn request(&self, new: NewApproval, now: i64) -> Result<ApprovalRequest, StoreError> {
        self.expire_oldest(now)?;
        let mut request = ApprovalRequest {
            id: new.id.unwrap_or_else(new_id),
            action_id: new.action_id,
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
        };
        self.insert(&mut request, new.detail.as_ref(), now)?;
        Ok(request)
    }

    /// Stores a request under its id, or under a new id if that one is taken, with the index
    /// entries that lead to it.
    ///
    /// It is one batch. The detail comes before the request, so that every process that closes the
    /// request finds and removes it, and the index entries come after.
    fn insert(
        &self,
        request: &mut ApprovalRequest,
        whole: Option<&ApprovalDetail>,
        now: i64,
    ) -> Result<(), StoreError> {
        let mut sweep = self.sweep.due();
        for _ in 0..ATTEMPTS {
            let keep = |whole| to_json(&DetailToKeep::new(whole, &request.id));
            let whole = whole.map(keep).transpose()?;
            let places = RequestPlaces::of(request);
            let (value, id) = (to_json(&request)?, to_json(&request.id)?);
            let until = request.expires_at.map_or(now.saturating_add(BROKEN_OFF), Time::micros);
            let kept_until = self.kept_until(request);
            // A process that has closed the request in the meantime has written the right expiry.
            let put = |key, value, expires_at| {
                let write = Write { value, expect: Condition::Absent, expires_at };
                StoreChange::Put { key, write }
            };
            let detail = whole.as_ref().map(|whole| put(&places.detail, whole, Some(until)));
            let rest = [
                put(&places.id, &value, kept_until),
                put(&places.action, &id, kept_until),
                put(&places.age, &id, kept_until),
            ];
            let changes: Vec<_> = sweep.take().into_iter().chain(detail).chain(rest).collect();
            let made = puts(&self.store.batch(&changes, now)?);
            let version = whole.as_ref().and_then(|_| stored(made.first()));
            let is_made = stored(made.get(usize::from(whole.is_some()))).is_some();
            match (version, &whole) {
                (Some(version), _) if !is_made => {
                    self.store.delete(&places.detail, Condition::Version(version), now)?;
                }
                // The detail stays while the request is pending, unless it was closed meanwhile.
                (Some(version), Some(value)) if request.expires_at.is_none() => {
                    let write =
                        Write { value, expect: Condition::Version(version), expires_at: None };
                    self.store.put(&places.detail, write, now)?;
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

    /// Expires those of the oldest requests whose deadline has passed.
    pub(in crate::lifecycle) fn expire_oldest(&self, now: i64) -> Result<(), StoreError> {
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
