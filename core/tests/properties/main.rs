//! Properties of detecting calls, locating calls, and reading replies and comments, for texts made
//! of hostile pieces.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "these are tests"
)]

mod blocks;
mod comment;
mod damage;
mod early;
mod far;
mod formats;
mod history;
mod hostile;
mod inside;
mod laws;
mod locate;
mod markdown;
mod messages;
mod profiles;
mod prompts;
mod quote;
mod reply;
mod seeds;
mod thoughts;
mod written;
