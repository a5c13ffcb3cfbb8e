//! The JSON of a model's reply, whatever the model wrote round it.
//!
//! A program asks a model for one JSON object, and gets it alone, in a code block, between two
//! sentences, or with a comma too many. Brackets and strings are read as JSON has them, so neither
//! a fence nor a bracket inside a string misleads. Every reply takes linear time and never fails:
//! what holds no JSON gives nothing.
//!
//! ```
//! use toolwire::reply::{ReplyOptions, extract_json};
//!
//! let reply = b"I looked at {this}.\n```json\n{\"summary\": \"use ```\", \"labels\": [],}\n```\nBye.";
//! let found = extract_json(reply, &ReplyOptions::default());
//! let json = found.map(|found| found.json.into_owned());
//! assert_eq!(json.as_deref(), Some(r#"{"summary": "use ```", "labels": []}"#));
//! ```

mod options;
mod search;
mod value;

pub use options::{ReplyJson, ReplyOptions};

use search::Search;

/// Finds the one JSON value that a reply is about.
///
/// In this order: the whole reply, of any type; an object with one of the expected keys; what fills
/// a code block, if it is an object or an array; an object, or an array of objects, in the text;
/// what is almost one, repaired; an empty one; any other value that fills a code block. Of several
/// alike the first counts.
///
/// A part of an object is given only for its expected keys: where the object round it is cut off or
/// broken it would stand for the whole. Values are those of RFC 8259, so that `NaN`, raw control
/// characters in strings and halves of surrogate pairs are no JSON; of a repeated key the reader of
/// the JSON decides.
///
/// ```
/// use toolwire::reply::{ReplyOptions, extract_json};
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
