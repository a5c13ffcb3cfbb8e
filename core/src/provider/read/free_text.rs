//! Calls of tools that take a free text: OpenAI's custom tools.
//!
//! Such a call becomes one with the argument `input`, which is the text as it was written, and goes
//! back to its provider as it came.

use serde_json::{Value, json};

use super::arguments::Read;
use super::shape::{JsonObject, Shape, text};
use crate::call::{Diagnostic, DiagnosticCode};
use crate::json::parse::parse_json;

/// The argument that is the text.
const INPUT: &str = "input";

/// How a provider writes such a call.
#[derive(Clone, Copy, Debug)]
pub(in crate::provider) struct FreeText {
    pub(in crate::provider) shape: Shape,
    /// The type of the object.
    pub(in crate::provider) word: &'static str,
}

impl FreeText {
    /// What stands beside the call, with the type by which the call is known again.
    pub(in crate::provider) fn marked(self, beside: JsonObject) -> JsonObject {
        let mut marked = JsonObject::new();
        marked.insert("type".to_owned(), self.word.into());
        marked.extend(beside);
        marked
    }
}

/// The arguments of a call with this text.
pub(in crate::provider) fn read(input: &str) -> Read {
    let note = Diagnostic {
        code: DiagnosticCode::FreeText,
        message: "the call carries a free text".to_owned(),
        offset: 0,
    };
    Read { json: json!({INPUT: input}).to_string(), notes: vec![note] }
}

/// The text of a call that was read from an object of this type; none for any other call.
pub(in crate::provider) fn input(
    arguments: &str,
    beside: &JsonObject,
    word: &str,
) -> Option<String> {
    text(beside, "type").filter(|kind| *kind == word)?;
    let arguments = parse_json(arguments.as_bytes()).ok()?;
    arguments.get(INPUT).and_then(Value::as_str).map(str::to_owned)
}
