//! Formats: how a call is written in text, as data.
//!
//! A format is a value: markers, keys, and how the arguments are written. The built-in formats
//! stand in one table, `builtin.json`. A program defines its own formats in the same form
//! ([`Format::define`]). A few body scanners read all of them.
//!
//! ```
//! use toolwire::detect::Format;
//!
//! let names: Vec<_> = Format::seeds().iter().map(Format::slug).collect();
//! assert_eq!(names, ["tag", "json", "html"]);
//! assert!(Format::all().iter().any(|format| format.slug() == "hermes"));
//! ```

mod builtin;
mod data;
mod definition;
pub(crate) mod example;
pub(crate) mod keys;
pub(crate) mod marker;
pub(crate) mod near_letters;
pub(crate) mod near_token;
pub(crate) mod reference;
pub(crate) mod shape;
mod text_token;
pub(crate) mod tool_tags;

pub use data::Format;

pub(crate) use data::Data;
pub(crate) use definition::{TextList, check_slug};
pub(crate) use example::Example;
