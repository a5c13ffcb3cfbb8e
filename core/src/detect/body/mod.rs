//! The body scanners: each reads the calls of one way of writing, one piece of text at a time.
//!
//! A scanner is started at a marker and stepped with the whole text so far; it looks at each byte a
//! bounded number of times. [`marked`] reads calls between markers, and has the rest of them read
//! by [`json`] or by [`call`], which leaves the arguments to [`tagged`] and [`literal`].
//! [`value_end`] finds where a tagged value ends. [`element`] reads calls that are HTML elements.

pub(crate) mod call;
pub(crate) mod element;
pub(crate) mod json;
pub(crate) mod literal;
pub(crate) mod marked;
pub(crate) mod members;
pub(crate) mod opening;
pub(crate) mod tagged;
pub(crate) mod value_end;
