//! What running tools gave: summed up for a model, reported for people.
//!
//! - [`ToolResult`]: one tool's outcome, with a host's own data in it.
//! - [`summarize_tool_data`], [`results_summary`]: results as text for a prompt.
//! - [`Report`], [`Tally`]: results as figures; [`pretty_json`](crate::json::pretty_json) writes
//!   them down.
//!
//! All of it reads a host's values in place, through [`Tree`](crate::Tree).

mod budget;
mod report;
#[expect(clippy::module_inception, reason = "the file is named for what it holds, a tool result")]
mod result;
mod summary;

pub use budget::{Summary, results_summary_within};
pub use report::{Count, Report, Tally};
pub use result::{HostError, ResultView, ToolResult};
pub(crate) use summary::write_shown;
pub use summary::{results_summary, summarize_tool_data};
