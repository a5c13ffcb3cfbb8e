//! Logs of agents, with each call joined to its result.
//!
//! An agent writes a log with one JSON object per line: messages, calls and results. A [`Reader`]
//! turns the log, whole or as it grows, into [`Patch`]es of a list of [`Entry`]s. A call is one
//! entry, which is replaced when its result comes. The reader knows the logs of several agents (the
//! [`DialectName`]s). It reads each line into [`LogEvent`]s, and a [`Reducer`] turns the events
//! into patches. A line that is not an event becomes a message, so nothing is lost and no line is
//! an error.
//!
//! ```
//! use toolwire::transcript::{CallStatus, Reader, ReaderOptions};
//!
//! let log = concat!(
//!     r#"{"type":"tool_call","id":"c1","messageId":"m","toolId":"Execute","toolName":"Execute","#,
//!     r#""parameters":{"command":"make"},"timestamp":1000,"session_id":"s"}"#, "\n",
//!     r#"{"type":"tool_result","id":"c1","messageId":"m","toolId":"","isError":false,"#,
//!     r#""value":"[Process exited with code 2]","timestamp":1500,"session_id":"s"}"#, "\n",
//! );
//! let (mut reader, mut patches) = (Reader::new(ReaderOptions::default()), Vec::new());
//! reader.feed(log.as_bytes(), &mut patches);
//! let made = patches[1].entry.tool_use().ok_or("no call")?;
//! assert_eq!((made.tool_name(), made.status), ("bash", CallStatus::Failed));
//! assert_eq!(made.duration(), Some(500));
//! # Ok::<(), &str>(())
//! ```

mod about;
mod account;
mod action;
mod as_text;
mod asked;
mod call_shape;
mod command;
mod dialect;
mod diff;
mod early;
mod entry;
mod envelope;
mod event;
mod failed;
mod form;
mod frame;
mod held;
mod index;
mod log;
mod look;
mod page;
mod patch;
mod pending;
mod reader;
mod reader_options;
mod reading;
mod recognise;
mod record;
mod reduced_log;
mod reducer;
mod unread;
mod usage;
mod wire;
mod worktree;

pub use about::{About, TokenUsage};
pub use account::{LogAccount, LogVerdict, NamedCount};
pub use action::{CallAction, FileChange, Todo};
pub use dialect::{Dialect, DialectName, Give, Rest, WHOLE};
pub use entry::{
    CallStatus, Entry, Given, LoggedCall, LoggedResult, Patched, ToolUse, WrittenChange,
};
pub use event::{CANCELLED, DENIED, LogEvent, Role, ToolOutcome};
pub use form::{Form, Hunks};
pub use frame::MAX_LINE;
pub use index::{PageLink, index_html};
pub use log::Transcript;
pub use patch::{Op, Patch};
pub use pending::{MAX_PENDING_BYTES, PendingCall};
pub use reader::Reader;
pub use reader_options::ReaderOptions;
pub use reducer::{Counter, IndexProvider, Reducer};
pub use usage::{UsageTable, UsedTokens};
pub use worktree::Worktree;

pub use crate::json::tape::{MAX_DEPTH, Tape};
pub use crate::json::value::{Json, Numbers};
