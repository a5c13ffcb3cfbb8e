//! From the bytes of a log to its records: encodings, lines, documents and damaged lines.
//!
//! What a log is shows in its first bytes, never in its name. [`LogFrame`] cuts a log into
//! [`Framed`] pieces, and [`mend`] reads a line that is not JSON as it stands.

mod balance;
mod encoding;
mod line;
pub(super) mod mend;
mod stage;

pub(super) use balance::container_of;
pub use line::MAX_LINE;
pub(super) use stage::{Framed, LogFrame};
