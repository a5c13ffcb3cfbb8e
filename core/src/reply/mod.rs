//! Finds the JSON of a model's reply among the text around it.
//!
//! A program asks a model for one JSON object. The model writes it alone, in a code block, between
//! two sentences, or with a comma too many. Brackets and strings are read by the rules of JSON, so
//! neither a fence nor a bracket inside a string misleads. Every reply takes linear time and never
//! fails: a reply without JSON gives nothing.
//!
//! ```
//! use toolwire::reply::{ReplyOptions, extract_json};
//!
//! let reply = "I saw {this}.\n```json\n{\"summary\": \"use ```\", \"labels\": [],}\n```\nBye.";
//! let found = extract_json(reply.as_bytes(), &ReplyOptions::default());
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
/// The best value counts, in this order: the whole reply, of any type; an object with one of the
/// expected keys; the content of a code block, if it is an object or an array; an object, or an
/// array of objects, in the text; an object that is almost JSON, repaired; an empty object or
/// array; any other value that fills a code block. Of several equally good values the first counts.
///
/// A part of an object is given only for its expected keys. Without them, the part would stand for
/// the whole if the object around it is cut off or broken. Values follow RFC 8259, so `NaN`, raw
/// control characters in strings and lone surrogates are not JSON. If a key is repeated,
/// the reader of the JSON decides which entry counts.
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
