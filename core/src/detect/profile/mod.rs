//! Profiles: how the models of a family write a whole message, as data.
//!
//! A profile says in which formats a family writes calls, between which markers it reasons, whether
//! its prompt has already begun the reasoning, and which framing tokens it leaves in the text. The
//! built-in profiles stand in one table, `builtin.json`. A program defines its own profiles in the
//! same form ([`Profile::define`]), or takes one from a chat template
//! ([`Profile::from_template`]).
//!
//! ```
//! use toolwire::detect::Profile;
//!
//! let profile = Profile::named("Qwen/Qwen3-30B-A3B-Thinking-2507")?;
//! assert_eq!(profile.slug(), "qwen3_thinking");
//! assert_eq!(profile.formats()[0].slug(), "hermes");
//! assert_eq!(profile.reasoning_begun(), Some("think"));
//! # Ok::<(), toolwire::Error>(())
//! ```

mod builtin;
mod data;
mod definition;
mod frame_tokens;
mod generation;
mod jinja;
mod lookup;
mod pattern;
mod prompt;
mod shape;
mod signature;
mod template;
mod thinking;
mod thought_tags;
mod version;

pub(crate) use builtin::{Unowned, unowned};
pub use data::Profile;
pub(crate) use frame_tokens::FrameTokens;
pub(crate) use shape::{InnerMarkers, MessageShape, ReasoningStyle};
pub use thinking::Thinking;
pub(crate) use thought_tags::{ThoughtTags, ends_line, is_opened, other_ways, rare_ways};
