//! The logs of all dialects' cases, in hostile frames and without an end.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "these are tests"
)]

mod hostile;
mod remembered;
mod sample;
