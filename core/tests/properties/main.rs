//! Properties of detection, of placing calls, and of reading replies and comments, over texts made
//! of hostile pieces.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "these are tests"
)]

mod comment;
mod formats;
mod laws;
mod locate;
mod markdown;
mod quote;
mod reply;
mod seeds;
