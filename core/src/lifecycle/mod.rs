//! The life of a run, from the call that asks for it to its result.
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
//! let (run_id, tool_name) = ("a1".into(), "delete_post".into());
//! let new = NewApproval { run_id, tool_name, ..NewApproval::default() };
//! let request = approvals.request(new, 1_000)?;
//! assert_eq!(approvals.look(&request.id, 2_000)?, Some(ApprovalStatus::Pending));
//!
//! approvals.decide(&request.id, &Decision::approved(), 3_000)?;
//! let late = approvals.decide(&request.id, &Decision::denied(), 4_000).unwrap_err();
//! assert_eq!(late.slug(), "already_decided");
//! # Ok::<(), toolwire::lifecycle::ApprovalError>(())
//! ```

mod approval;
mod drive;
mod kept;
mod limit;
mod machine;
mod page;
mod shown;
mod time;
mod undo;

pub use approval::Approvals;
pub use approval::error::{ApprovalCode, ApprovalError};
pub use approval::find::Waiter;
pub use approval::outcome::ApprovalOutcome;
pub use approval::request::{
    ApprovalRequest, ApprovalStatus, Decision, DecisionRecord, NewApproval,
};
pub use drive::{
    ApprovalsStep, AskStep, Blame, Drive, DriveAnswer, DriveEnd, DrivenRun, Need, NewDrive,
    NotKept, RunStart, RunsStep, ShownDetail, StoreAnswer, WaitStep,
};
pub use kept::claim::RunClaim;
pub use kept::error::{RunCode, RunsError};
pub use kept::found::FoundRun;
pub use kept::id::{CallName, Naming, run_id};
pub use kept::interruption::{HandlerEnd, Interruption, InterruptionCode};
pub use kept::record::{OutputGap, ProposedArguments, RunInput, RunOutcome, RunRecord, RunTool};
pub use kept::{Begun, NewRun, Resumption, Runs};
pub use limit::{Permit, RateLimiter};
pub use machine::event::{EventKind, FieldName, FieldValue, OutputFacts, RunEvent};
pub use machine::execution::Execution;
pub use machine::failure::{
    FailureCode, RunFailure, lost_message, not_found_message, undo_message,
};
pub use machine::state::RunState;
pub use machine::step::{Answer, Moment, Run, Settings, Step};
pub use page::Page;
pub use shown::change::{ApprovalChange, ChangeKind};
pub use shown::detail::{ApprovalDetail, fingerprint};
pub use shown::summary::{Measure, summarize_payload};
pub use time::{
    Time, checked_microseconds, microseconds, seconds, seconds_of_ms, waiting_ms, whole_ms,
};
pub use undo::UndoStore;
pub use undo::claim::Claim;
pub use undo::data::{Lease, NewUndo, UndoData};
pub use undo::machine::{UndoAnswer, UndoStep, Undoing};

pub use crate::registry::RateLimit;
