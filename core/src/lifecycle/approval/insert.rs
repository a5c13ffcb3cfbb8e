//! Making a request for approval.

use uuid::Uuid;

use super::index::{by_action, by_age, by_id, detail};
use super::request::{ApprovalRequest, ApprovalStatus, DecisionRecord, NewApproval};
use crate::lifecycle::Approvals;
use crate::lifecycle::shown::detail::{ApprovalDetail, DetailToKeep};
use crate::lifecycle::time::Time;
use crate::store::{
    ATTEMPTS, Condition, Put, StoreEntry, StoreError, StoreErrorKind, Write, contended, from_json,
    prefix, raw_json, to_json,
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
    /// Any error of the store. The request may then exist, but no index entry leads to it.
    pub fn request(&self, new: NewApproval, now: i64) -> Result<ApprovalRequest, StoreError> {
        self.sweep(now)?;
        let mut request = ApprovalRequest {
            id: new.id.unwrap_or_else(new_id),
            action_id: new.action_id,
            tool_name: new.tool_name,
            pipeline_run_id: new.pipeline_run_id,
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
        let id = to_json(&request.id)?;
        for place in [by_action(&request), by_age(&request)] {
            // A process that has closed the request in the meantime has written the right expiry.
            let write = Write {
                value: &id,
                expect: Condition::Absent,
                expires_at: self.kept_until(&request),
            };
            self.store.put(&place, write, now)?;
        }
        Ok(request)
    }

    /// Stores a request under its id, or under a new id if that one is taken. The detail is
    /// written before the request, so that every process that closes the request finds and removes
    /// it.
    fn insert(
        &self,
        request: &mut ApprovalRequest,
        whole: Option<&ApprovalDetail>,
        now: i64,
    ) -> Result<(), StoreError> {
        for _ in 0..ATTEMPTS {
            let keep = |whole| to_json(&DetailToKeep::new(whole, &request.id));
            let whole = whole.map(keep).transpose()?;
            let place = detail(&request.id);
            let mut version = None;
            if let Some(value) = &whole {
                let expires_at =
                    request.expires_at.map_or(now.saturating_add(BROKEN_OFF), Time::micros);
                let write =
                    Write { value, expect: Condition::Absent, expires_at: Some(expires_at) };
                match self.store.put(&place, write, now)? {
                    Put::Stored(stored) => version = Some(stored),
                    Put::Conflict => {
                        request.id = new_id();
                        continue;
                    }
                }
            }
            let value = to_json(&request)?;
            let write = Write {
                value: &value,
                expect: Condition::Absent,
                expires_at: self.kept_until(request),
            };
            let is_made =
                matches!(self.store.put(&by_id(&request.id), write, now)?, Put::Stored(_));
            match (version, &whole) {
                (Some(version), _) if !is_made => {
                    self.store.delete(&place, Condition::Version(version), now)?;
                }
                // The detail stays while the request is pending, unless it was closed meanwhile.
                (Some(version), Some(value)) if request.expires_at.is_none() => {
                    let write =
                        Write { value, expect: Condition::Version(version), expires_at: None };
                    self.store.put(&place, write, now)?;
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
