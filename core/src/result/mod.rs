//! What running tools gave: found in data packets, summed up for a model, reported for people.
//!
//! - [`ToolResult`]: one tool's outcome, with a host's own data in it.
//! - [`find`], [`find_all`]: a handler's results among a pipeline's data packets.
//! - [`data_machine`]: the same by the rules of Data Machine's own class.
//! - [`project_envelope`], [`project_data`], …: what a packet's envelope carries.
//! - [`summarize_tool_data`], [`results_summary`]: results as text for a prompt.
//! - [`extract_json`]: the JSON of a model's reply; [`legacy`]: as the live issue agent reads it.
//! - [`clean_comment`], [`publishable`]: the comment for a person in it, fit to be posted.
//! - [`count_tokens`], [`chunk_text`]: texts measured and cut.
//! - [`Report`], [`Tally`]: results as figures; [`pretty_json`] writes them down.
//!
//! All of it reads a host's values in place, through [`Tree`](crate::Tree).

mod budget;
mod comment;
pub mod data_machine;
mod envelope;
mod finder;
pub(crate) mod json;
pub mod legacy;
mod number;
mod reply;
mod report;
#[expect(clippy::module_inception, reason = "the file is named for what it holds, a tool result")]
mod result;
mod summary;
mod text;
mod token;

pub use budget::{Summary, results_summary_within};
pub use comment::{
    Change, ChangeCode, PublishOptions, Published, Redacted, Redactor, clean_comment, comment_from_reply,
    publishable,
};
pub use envelope::{
    Projection, STATUS_KEYS, failure_in, payload_entries, project_data, project_envelope,
    project_envelope_data, project_success,
};
pub use finder::{Candidate, FindOptions, PacketKind, find, find_all};
pub use json::{MAX_DEPTH, pretty_json};
pub use reply::{ReplyJson, ReplyOptions, extract_json};
pub use report::{Count, Report, Tally};
pub use result::{HostError, ResultView, ToolResult};
pub(crate) use summary::write_shown;
pub use summary::{results_summary, summarize_tool_data};
pub(crate) use text::{prefix, surrogate};
pub use token::{Chunk, ChunkOptions, chunk_text, count_tokens, optimal_chunk_size, truncate_to_tokens};
