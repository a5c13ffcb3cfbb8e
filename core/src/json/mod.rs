//! JSON: read as a whole, read in pieces, repaired, written.
//!
//! - `scanner` turns bytes into tokens and can stop at any byte. `run` reads the inside of a
//!   string for it, `lexeme` knows the parts of a token, `text` decodes strings.
//! - `tape` reads a whole text in one go into the places of its values. `value` gives the
//!   values out, `complete` knows the tokens of a complete text, `marks` finds the ends of strings.
//! - `visit` scans a whole text and reports its values to a visitor, so that a host builds its
//!   own values. `parse` is the visitor that builds serde's values.
//! - `whole` reads an object that stands complete in the text in one go. `argument_tape` keeps the
//!   places of its values, from which hosts build their own.
//! - `arguments` reads a call's arguments with the scanner, and `observer` finds in the tokens what
//!   is worth a diagnostic. `repair` repairs arguments that are almost JSON.
//! - `writer` writes a host's value as JSON text, with `number` for its numbers. `object_key` tells
//!   where a host's empty list is an empty object.

pub(crate) mod argument_tape;
pub(crate) mod arguments;
pub(crate) mod complete;
pub(crate) mod diagnostics;
pub(crate) mod lexeme;
pub(crate) mod marks;
pub(crate) mod node;
pub(crate) mod number;
mod object_key;
pub(crate) mod observer;
pub(crate) mod outcome;
pub(crate) mod parse;
pub(crate) mod reason;
pub(crate) mod repair;
pub(crate) mod run;
pub(crate) mod scanner;
pub(crate) mod tape;
pub(crate) mod text;
pub(crate) mod value;
pub(crate) mod visit;
pub(crate) mod whole;
pub(crate) mod writer;

pub use argument_tape::{Part, Parts};
pub use number::{beyond_float, holds_infinite, infinite_in};
pub use object_key::is_object_key;
pub use outcome::Repair;
pub use parse::parse_json;
pub use scanner::Container;
pub use visit::{
    LoneSurrogates, MAX_VALUE_DEPTH, ParseError, ParseErrorKind, VisitError, VisitOptions, Visitor,
    visit_json,
};
pub use writer::{MAX_DEPTH, pretty_json};
