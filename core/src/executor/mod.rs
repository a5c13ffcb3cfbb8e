//! Runs, driven to their end: the machines of [`lifecycle`](crate::lifecycle) over a store, with
//! the program's own handlers.
//!
//! A Rust program registers its tools with an [`Executor`]. A wrapper for another language
//! implements [`RunHost`] and [`UndoHost`] instead, and is driven by the same [`Services`].
//!
//! ```
//! use std::sync::Arc;
//! use serde_json::json;
//! use toolwire::executor::{Action, Executor, Fault, ToolInput, ToolOutput};
//! use toolwire::lifecycle::{Decision, RunState, Settings};
//! use toolwire::registry::ToolSpec;
//! use toolwire::store::{SqliteOptions, SqliteStore};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("runs.db");
//! let executor = || -> Result<Executor, Fault> {
//!     let store = SqliteStore::open(&path, SqliteOptions::default())?;
//!     let mut executor = Executor::new(Arc::new(store), Settings::default());
//!     let spec = ToolSpec { requires_approval: true, ..ToolSpec::new("wipe").with_id("WIPE") };
//!     executor.register(spec, |input: &ToolInput| {
//!         Ok(ToolOutput::ok(format!("wiped {}", input.arguments["disk"])))
//!     })?;
//!     Ok(executor)
//! };
//! let first = executor()?;
//! let run = first.start(&Action::new("call_1", "wipe", json!({"disk": 7})))?;
//! assert_eq!(run.state, RunState::Waiting);
//! drop(first); // The process ends, or is killed.
//!
//! let second = executor()?;
//! let approval = run.approval_id.unwrap_or_default();
//! second.approvals().decide(&approval, &Decision::approved(), toolwire::executor::clock::now())?;
//! let run = second.resume(&run.id)?.ok_or("forgotten")?;
//! assert_eq!(run.output.and_then(|output| output.data), Some(json!("wiped 7")));
//! # Ok::<(), Fault>(())
//! ```

mod action;
mod approve;
pub mod clock;
mod driver;
mod durable;
mod hold;
mod host;
mod nesting;
mod open;
mod program;
mod program_executor;
mod services;
mod tool;
mod tool_run;
mod undo;

pub use action::Action;
pub use approve::MakeHost;
pub use driver::{Driven, KeptRun};
pub use durable::Tell;
pub use hold::{Renewed, RunHold};
pub use host::{RunHost, Teller};
pub use nesting::{MOST_NESTED, forget_nested_runs};
pub use open::{forget_open_runs, interrupt_open_runs};
pub use program_executor::Executor;
pub use services::Services;
pub use tool::{Fault, Tool, ToolInput, ToolOutput};
pub use tool_run::ToolRun;
pub use undo::{UndoHost, Undone};

pub use crate::lifecycle::RunStart;
