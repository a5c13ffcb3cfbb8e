//! Helpers that the tests of approvals share.

use std::sync::Arc;

use super::request::NewApproval;
use crate::lifecycle::Approvals;
use crate::store::MemoryStore;

/// Makes an empty memory store for requests.
pub(in crate::lifecycle) fn approvals() -> Approvals {
    Approvals::new(Arc::new(MemoryStore::default()))
}

/// Makes a request for a run.
pub(in crate::lifecycle) fn new(run_id: &str) -> NewApproval {
    NewApproval { run_id: run_id.to_owned(), tool_name: "t".to_owned(), ..NewApproval::default() }
}
