//! Where the parts of a request for approval lie in the store, and the entries that lead to it.
//!
//! A request lies under its id. Its id lies once more under its action, newest first, and under its
//! age for as long as it is pending.

use super::approval_request::ApprovalRequest;
use crate::store::{Expect, Store, StoreError, Visit, each, from_json, key};

/// What was found where an entry leads.
pub(super) enum Lead {
    On,
    Enough,
    Nowhere,
}

/// Visits the ids that entries lead to, those after a key if one is given, and removes the entries
/// that lead nowhere.
pub(super) fn follow(
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
                store.delete(place, Expect::Any, now)?;
                Visit::On
            }
        })
    })
}

pub(super) fn by_id(id: &str) -> String {
    key(&["approval", "request", id])
}

pub(super) fn arguments(id: &str) -> String {
    key(&["approval", "arguments", id])
}

pub(super) fn by_action(request: &ApprovalRequest) -> String {
    let newest_first = format!("{:016x}", !ascending(request.order));
    key(&["approval", "action", &request.action_id, &newest_first, &request.id])
}

pub(super) fn by_age(request: &ApprovalRequest) -> String {
    let oldest_first = format!("{:016x}", ascending(request.order));
    key(&["approval", "open", &oldest_first, &request.id])
}

/// Numbers that are ordered without their sign as the given ones are with it.
fn ascending(order: i64) -> u64 {
    order.cast_unsigned() ^ (1 << 63)
}

pub(super) fn waiter(id: &str, name: &str) -> String {
    key(&["approval", "waiter", id, name])
}
