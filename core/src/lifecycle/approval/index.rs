//! The keys of the parts of a request for approval, and the index entries that lead to it.
//!
//! A request is stored under its id. Index entries hold that id under the run, newest first,
//! and, while the request is pending, under its age.

use super::request::{ApprovalRequest, ApprovalStatus, Standing};
use crate::lifecycle::shown::detail::KeptDetail;
use crate::store::{Condition, Record, Store, StoreError, Visit, each, from_json, key};

/// What a visit found at the target of an index entry.
pub(in crate::lifecycle) enum Lead {
    On,
    Enough,
    Nowhere,
}

/// Visits the ids that index entries hold, and removes the index entries that lead nowhere. If a
/// key is given, the visit begins after it.
pub(in crate::lifecycle) fn follow(
    store: &dyn Store,
    prefix: &str,
    after: Option<String>,
    now: i64,
    mut visit: impl FnMut(&str) -> Result<Lead, StoreError>,
) -> Result<(), StoreError> {
    each(store, prefix, after, now, |place, entry| {
        let id: String = from_json(place, entry)?;
        Ok(match visit(&id)? {
            Lead::On => Visit::On,
            Lead::Enough => Visit::Enough,
            Lead::Nowhere => {
                store.delete(place, Condition::Any, now)?;
                Visit::On
            }
        })
    })
}

/// A request that is not pending says since when.
impl Record for ApprovalRequest {
    fn is_at(&self, place: &str) -> bool {
        let is_pending = self.status == ApprovalStatus::Pending;
        by_id(&self.id) == place && is_pending == self.decision.decided_at.is_none()
    }
}

impl Record for Standing {
    fn is_at(&self, place: &str) -> bool {
        let is_pending = self.status == ApprovalStatus::Pending;
        by_id(&self.id) == place && is_pending == self.decided_at.is_none()
    }
}

impl Record for KeptDetail {
    fn is_at(&self, place: &str) -> bool {
        self.request_id.as_ref().is_none_or(|id| detail(id) == place)
    }
}

pub(in crate::lifecycle) fn by_id(id: &str) -> String {
    key(&["approval", "request", id])
}

pub(in crate::lifecycle) fn detail(id: &str) -> String {
    key(&["approval", "detail", id])
}

pub(in crate::lifecycle) fn by_action(request: &ApprovalRequest) -> String {
    let newest_first = format!("{:016x}", !ascending(request.order));
    key(&["approval", "action", &request.run_id, &newest_first, &request.id])
}

pub(in crate::lifecycle) fn by_age(request: &ApprovalRequest) -> String {
    let oldest_first = format!("{:016x}", ascending(request.order));
    key(&["approval", "open", &oldest_first, &request.id])
}

/// The keys of the parts of a request, and of the index entries that lead to it.
pub(in crate::lifecycle) struct RequestPlaces {
    pub(in crate::lifecycle) id: String,
    pub(in crate::lifecycle) detail: String,
    pub(in crate::lifecycle) action: String,
    pub(in crate::lifecycle) age: String,
}

impl RequestPlaces {
    pub(in crate::lifecycle) fn of(request: &ApprovalRequest) -> Self {
        Self {
            id: by_id(&request.id),
            detail: detail(&request.id),
            action: by_action(request),
            age: by_age(request),
        }
    }
}

/// Maps a signed number to an unsigned one and keeps the order.
fn ascending(order: i64) -> u64 {
    order.cast_unsigned() ^ (1 << 63)
}

pub(in crate::lifecycle) fn waiter(id: &str, name: &str) -> String {
    key(&["approval", "waiter", id, name])
}
