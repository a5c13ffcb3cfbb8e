//! Calls of tools that take a free text: OpenAI's custom tools.
//!
//! Such a call becomes one with the argument `input`, which is the text as it was written, and goes
//! back to its provider as it came.

use serde_json::{Value, json};

use super::arguments::Read;
use super::shape::{JsonObject, Kept, RESPONSES, Shape, text};
use crate::call::{Diagnostic, DiagnosticCode};
use crate::json::parse::parse_json;
use crate::provider::kind::Provider;

/// The argument that is the text.
const INPUT: &str = "input";

/// How a provider writes such a call.
#[derive(Clone, Copy, Debug)]
pub(in crate::provider) struct FreeText {
    pub(in crate::provider) shape: Shape,
    /// The type of the object.
    word: &'static str,
}

const RESPONSES_WORD: &str = "custom_tool_call";
const CHAT_WORD: &str = "custom";

impl FreeText {
    /// The form of a call in a chat or in a response.
    pub(in crate::provider) fn of(object: &JsonObject, near: Option<Provider>) -> Self {
        if text(object, "type") == Some(RESPONSES_WORD) {
            return Self::of_responses();
        }
        Self::of_chat(near.filter(|near| near.is_chat()).unwrap_or(Provider::OpenAi))
    }

    pub(in crate::provider) fn of_responses() -> Self {
        Self { shape: Shape { arguments: &[INPUT], ..RESPONSES }, word: RESPONSES_WORD }
    }

    pub(in crate::provider) fn of_chat(provider: Provider) -> Self {
        let (name, arguments): (&[&str], &[&str]) = (&["custom", "name"], &["custom", INPUT]);
        let shape = Shape { provider, name, arguments, kept: Kept::All, ..super::shape::CHAT };
        Self { shape, word: CHAT_WORD }
    }

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

/// Writes such a call; none for a call that did not carry a free text.
pub(in crate::provider) fn dump(
    (id, name, arguments): (Option<&str>, &str, &str),
    beside: &JsonObject,
    provider: Provider,
) -> Option<Value> {
    let word = text(beside, "type")?;
    let arguments = parse_json(arguments.as_bytes()).ok()?;
    let input = arguments.get(INPUT).and_then(Value::as_str)?;
    match (word, provider) {
        (RESPONSES_WORD, Provider::OpenAiResponses) => {
            Some(json!({"type": word, "call_id": id, "name": name, "input": input}))
        }
        (CHAT_WORD, provider) if provider.is_chat() => {
            Some(json!({"id": id, "type": word, "custom": {"name": name, "input": input}}))
        }
        _ => None,
    }
}
