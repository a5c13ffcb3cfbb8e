//! What `toolwire.tools` is made of: core's registry, lifecycle and stores for Python.
//!
//! Python awaits, these decide: a run is a loop in Python over [`run::ToolRun`], whose every step
//! core hands out.

pub mod approval_detail;
pub mod approval_record;
pub mod approvals;
mod call_node;
mod clock;
mod event;
pub mod limiter;
pub mod message;
pub mod redaction;
pub mod resolved;
pub mod run;
pub mod spec;
pub mod step;
pub mod store;
mod store_error;
pub mod table;
pub mod undo;
pub mod undoing;
mod word;
