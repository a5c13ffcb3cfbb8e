//! The life of an action between the call that asks for it and its result.
//!
//! Nothing here reads a clock or waits. The caller gives the time, in microseconds since the epoch,
//! UTC, and polls for changes. State that must outlive a request or a process is in a
//! [`Store`](crate::store::Store). Every change is a compare and swap, so any number of threads and
//! processes may share one store.
//!
//! ```
//! use std::sync::Arc;
//! use toolwire::lifecycle::{ApprovalStatus, Approvals, Decision, NewApproval};
//! use toolwire::store::MemoryStore;
//!
//! let approvals = Approvals::new(Arc::new(MemoryStore::default()));
//! let (action_id, tool_name) = ("a1".into(), "delete_post".into());
//! let new = NewApproval { action_id, tool_name, ..NewApproval::default() };
//! let request = approvals.request(new, 1_000)?;
//! assert_eq!(approvals.look(&request.id, 2_000)?, Some(ApprovalStatus::Pending));
//!
//! approvals.decide(&request.id, &Decision::approved(), 3_000)?;
//! let late = approvals.decide(&request.id, &Decision::denied(), 4_000).unwrap_err();
//! assert_eq!(late.slug(), "already_decided");
//! # Ok::<(), toolwire::lifecycle::ApprovalError>(())
//! ```

mod approval;
mod approval_change;
mod approval_decide;
mod approval_detail;
mod approval_error;
mod approval_find;
mod approval_index;
mod approval_insert;
mod approval_list;
mod approval_outcome;
mod approval_request;
#[cfg(test)]
mod approval_testing;
mod drive;
mod event;
mod execution;
mod failure;
mod gate;
mod limit;
mod page;
mod phase;
mod run_again;
mod run_claim;
mod run_held;
mod run_hooks;
mod run_id;
mod run_list;
mod run_record;
mod run_restore;
mod run_retry;
mod run_wait;
mod runs;
mod runs_error;
mod step;
mod subject;
mod summary;
mod time;
mod told;
mod undo;
mod undo_claim;
mod undo_data;
#[cfg(test)]
mod undo_testing;
mod undoing;

pub use approval::Approvals;
pub use approval_change::{ApprovalChange, ChangeKind};
pub use approval_detail::{ApprovalDetail, fingerprint};
pub use approval_error::{ApprovalCode, ApprovalError};
pub use approval_find::Waiter;
pub use approval_outcome::ApprovalOutcome;
pub use approval_request::{
    ApprovalRequest, ApprovalStatus, Decision, DecisionRecord, NewApproval,
};
pub use drive::{
    ApprovalsStep, Blame, Drive, DriveAnswer, DriveEnd, DrivenRun, Need, NewDrive, NotKept,
    RunStart, RunsStep, ShownDetail, StoreAnswer,
};
pub use event::{EventKind, FieldName, FieldValue, OutputFacts, RunEvent};
pub use execution::Execution;
pub use failure::{FailureCode, RunFailure, lost_message, not_found_message, undo_message};
pub use limit::{Permit, RateLimiter};
pub use page::Page;
pub use run_claim::RunClaim;
pub use run_id::{CallName, Naming, run_id};
pub use run_record::{OutputGap, RunInput, RunOutcome, RunRecord, RunTool};
pub use runs::{Begun, NewRun, Resumption, Runs};
pub use runs_error::{RunCode, RunsError};
pub use step::{Answer, Moment, Run, RunState, Settings, Step};
pub use summary::{Measure, summarize_payload};
pub use time::{
    Time, checked_microseconds, microseconds, seconds, seconds_of_ms, waiting_ms, whole_ms,
};
pub use undo::UndoStore;
pub use undo_claim::Claim;
pub use undo_data::{Lease, NewUndo, UndoData};
pub use undoing::{UndoAnswer, UndoStep, Undoing};

pub use crate::registry::RateLimit;
