//! The JSON of a model's reply, whatever the model wrote round it.
//!
//! A program asks a model for one JSON object, and gets it alone, in a code block, between two sentences, or
//! with a comma too many. Brackets and strings are read as JSON has them, so neither a fence nor a bracket
//! inside a string misleads. Every reply takes linear time and never fails: what holds no JSON gives nothing.
//!
//! ```
//! use toolwire::{ReplyOptions, extract_json};
//!
//! let reply = b"I looked at {this}.\n```json\n{\"summary\": \"use ```\", \"labels\": [],}\n```\nBye.";
//! let found = extract_json(reply, &ReplyOptions::default());
//! let json = found.map(|found| found.json.into_owned());
//! assert_eq!(json.as_deref(), Some(r#"{"summary": "use ```", "labels": []}"#));
//! ```

mod lane;
mod search;

use std::borrow::Cow;

use serde_json::Value;

use crate::call::{Diagnostic, Span};
use crate::detect::options::Options;
use crate::error::Error;
use crate::json::outcome::Repair;
use crate::option::{count, texts, unknown, word};
use search::Search;

/// What is looked for in a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyOptions {
    /// Keys that the object should have; one that has any of them is preferred to all others.
    pub keys: Vec<String>,
    /// What is done about objects that are almost JSON. [`Repair::Off`] drops commas before closing brackets
    /// and puts double quotes round keys in single quotes; [`Repair::Safe`] makes every repair that is made
    /// for a call.
    pub repair: Repair,
    /// Brackets that may be open at once.
    pub max_depth: usize,
}

impl Default for ReplyOptions {
    fn default() -> Self {
        Self { keys: Vec::new(), repair: Repair::Off, max_depth: 128 }
    }
}

impl ReplyOptions {
    /// The names of the options that [`ReplyOptions::set`] takes.
    pub const NAMES: &'static [&'static str] = &["keys", "repair", "max_depth"];

    /// Sets the option of this name.
    ///
    /// # Errors
    /// `unknown_option`, `invalid_option`, `wrong_type`; the message names the option and what is allowed.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), Error> {
        match name {
            "keys" => self.keys = texts(name, value)?,
            "repair" => self.repair = word(name, value, Repair::WORDS, Repair::from_word)?,
            "max_depth" => self.max_depth = count(name, value, Options::DEEPEST)?,
            _ => return Err(unknown(name, Self::NAMES)),
        }
        Ok(())
    }
}

/// JSON that was found in a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyJson<'t> {
    /// The JSON text of one value.
    pub json: Cow<'t, str>,
    /// Where it stands in the reply.
    pub span: Span,
    /// The repairs that were made, by offset into the reply; none where it stands there as it is.
    pub repairs: Vec<Diagnostic>,
}

/// Finds the one JSON value that a reply is about.
///
/// In this order: the whole reply, of any type; an object with one of the expected keys; what fills a code
/// block, if it is an object or an array; an object, or an array of objects, in the text; what is almost
/// one, repaired; an empty one; any other value that fills a code block. Of several alike the first counts.
///
/// A part of an object is given only for its expected keys: where the object round it is cut off or broken
/// it would stand for the whole. Values are those of RFC 8259, so that `NaN`, raw control characters in
/// strings and halves of surrogate pairs are no JSON; of a repeated key the reader of the JSON decides.
///
/// The rules are those of the issue agent's `extract_json_from_llm_response`, which tries one fence and one
/// object only.
///
/// ```
/// use toolwire::{ReplyOptions, extract_json};
///
/// let options = ReplyOptions { keys: vec!["summary".to_owned()], ..ReplyOptions::default() };
/// let found = extract_json(br#"See {"id": 7} and {"summary": "ok"}."#, &options);
/// assert_eq!(found.map(|found| found.json.into_owned()).as_deref(), Some(r#"{"summary": "ok"}"#));
/// assert_eq!(extract_json(br#"{"summary": "cut o"#, &options), None);
/// ```
#[must_use]
pub fn extract_json<'t>(reply: &'t [u8], options: &ReplyOptions) -> Option<ReplyJson<'t>> {
    Search::new(reply, options).run()
}
