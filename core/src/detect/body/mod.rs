//! The body scanners: each reads the calls of one syntax, one piece of text at a time.
//!
//! A scanner is started at a marker and stepped with the whole text so far. It gives a
//! [`super::candidate::Verdict`] and looks at each byte once.

pub(crate) mod element;
pub(crate) mod json;
pub(crate) mod members;
pub(crate) mod named;
