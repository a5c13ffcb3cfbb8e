//! Helpers that the tests of approvals share.

use std::sync::Arc;

use super::approval::Approvals;
use super::approval_request::NewApproval;
use crate::store::MemoryStore;

/// Makes an empty memory store for requests.
pub(super) fn approvals() -> Approvals {
    Approvals::new(Arc::new(MemoryStore::default()))
}

/// Makes a request for an action.
pub(super) fn new(action_id: &str) -> NewApproval {
    NewApproval {
        action_id: action_id.to_owned(),
        tool_name: "t".to_owned(),
        ..NewApproval::default()
    }
}
