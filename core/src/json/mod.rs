//! JSON: read whole, read in pieces, mended, taken apart.
//!
//! - [`scanner`] turns bytes into tokens and can stop at any byte; [`run`] reads the inside of a
//!   string for it, [`lexeme`] knows a token's parts, [`text`] decodes strings.
//! - [`tape`] reads a whole text in one go into the places of its values, which [`value`] gives
//!   out; [`marks`] finds the ends of strings for it.
//! - [`visit`] tells a visitor of a whole text by the scanner, so that a host builds its own
//!   values; [`parse`] is the visitor that builds serde's.
//! - [`arguments`] reads a call's arguments by the scanner, which [`notes`] watches; [`repair`]
//!   mends what is almost JSON.
//! - [`writer`] writes a host's value as JSON text, with [`number`] for its numbers.

pub(crate) mod arguments;
pub(crate) mod lexeme;
pub(crate) mod marks;
pub(crate) mod node;
pub(crate) mod notes;
pub(crate) mod number;
pub(crate) mod outcome;
pub(crate) mod parse;
pub(crate) mod repair;
pub(crate) mod run;
pub(crate) mod scanner;
pub(crate) mod tape;
pub(crate) mod text;
pub(crate) mod value;
pub(crate) mod visit;
pub(crate) mod writer;

pub use outcome::Repair;
pub use parse::parse_json;
pub use scanner::Container;
pub use visit::{
    Halves, MAX_VALUE_DEPTH, ParseError, ParseErrorKind, VisitError, VisitOptions, Visitor,
    visit_json,
};
pub use writer::{MAX_DEPTH, pretty_json};
