//! The native parts of `toolwire.runs` and `toolwire.tools`: core's registry, lifecycle and stores.
//!
//! Python awaits, and core decides. A run is a loop in Python over [`run::ToolRun`], and core
//! returns each step.

pub mod agent;
pub mod approval_detail;
pub mod approval_record;
pub mod approvals;
pub mod asked;
mod call_node;
mod event;
mod failure;
pub mod limiter;
pub mod message;
pub mod redaction;
pub mod resolved;
pub mod run;
pub mod run_record;
pub mod runs;
pub mod settings;
pub mod spec;
pub mod step;
pub mod store;
mod store_error;
pub mod table;
pub mod undo;
pub mod undoing;
mod word;

use toolwire::executor::clock;
