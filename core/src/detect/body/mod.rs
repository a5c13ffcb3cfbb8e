//! The body scanners: each reads the calls of one syntax, one piece of text at a time.
//!
//! A scanner starts at a marker and gets the whole text so far at each step. It looks at each byte
//! a bounded number of times. [`marked`] reads the markers around calls; [`json`] and [`call`] read
//! the calls between them. [`call`] leaves arguments that are not JSON to [`tagged`] and
//! [`literal`]. [`value_end`] finds where a tagged value ends, by the tags that [`own_markup`]
//! finds, or [`tool_tags`] where tags are names, and [`begun_value`] is what a listener gets of it
//! before. [`element`] reads calls that
//! are HTML elements. [`whole`] reads calls of the usual shapes that stand complete in the text.

mod begun_value;
pub(crate) mod call;
pub(crate) mod class_sign;
mod damaged_call;
mod damaged_end;
pub(crate) mod element;
pub(crate) mod json;
mod json_value;
pub(crate) mod literal;
pub(crate) mod marked;
pub(crate) mod members;
pub(crate) mod opening;
pub(crate) mod outcome;
mod own_markup;
mod parameters_refusal;
pub(crate) mod tagged;
mod tool_tags;
mod typed_elements;
pub(crate) mod value_end;
pub(crate) mod whole;
pub(crate) mod written_value;
