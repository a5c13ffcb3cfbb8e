//! Reads a model's reply as the live issue agent does, where Toolwire reads it differently.
//!
//! A program that must behave like that agent, faults included, passes the texts that these
//! functions return to its own JSON reader. White space is what Python counts as white space. All
//! functions take linear time, except [`chunks`] with an overlap that is larger than a chunk.
//!
//! - [`json_candidates`], [`object_candidates`]: the parts of a reply that may be its JSON.
//! - [`clean_comment`], [`comment_from_reply`]: the comment for a person in a reply.
//! - [`comment_text`], [`comment_field`], [`comment_line`]: the same comment with that agent's
//!   faults.
//! - [`chunks`]: a text cut at the ends of its sentences.
//!
//! ```
//! use toolwire::compat::issue_agent::json_candidates;
//!
//! let candidates = json_candidates("Here: {'a': [1,]} Bye.");
//! assert_eq!(candidates, ["Here: {'a': [1,]} Bye.", "{'a': [1,]}", "{\"a\": [1]}"]);
//! ```

mod chunk;
mod comment;
mod reply;
mod sentence;

pub use chunk::{SentenceChunk, chunks};
pub use comment::{clean_comment, comment_from_reply};
pub use reply::{
    ObjectCandidates, comment_field, comment_line, comment_text, json_candidates, object_candidates,
};
