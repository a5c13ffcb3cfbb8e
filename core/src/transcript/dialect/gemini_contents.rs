//! Messages of the Gemini and Vertex API, and of the client that WordPress has for models.

use crate::json::value::Json;
use crate::transcript::dialect::answer::each_answer;
use crate::transcript::dialect::field::{any, list_in, written_at};
use crate::transcript::dialect::parts::ContentParts;
use crate::transcript::dialect::say::role;
use crate::transcript::dialect::{Dialect, Give, WHOLE};

/// The reader of the messages.
#[derive(Debug, Default)]
pub(super) struct GeminiContents;

impl Dialect for GeminiContents {
    fn weigh(record: Json<'_>) -> u32 {
        if record.get("contents").is_some_and(Json::is_array) {
            return WHOLE;
        }
        if record.get("authType").is_some() && record.get("history").is_some() {
            return WHOLE;
        }
        if any(record.get("candidates"), |candidate| candidate.get("content").is_some()) {
            return 8;
        }
        let parts = record.get("parts").filter(|parts| parts.is_array());
        let Some(role) = parts.and(record.text_of("role")) else { return 0 };
        let is_call = |part: Json<'_>| {
            let keys =
                ["functionCall", "functionResponse", "executableCode", "codeExecutionResult"];
            let older = ["function_call", "function_response"];
            keys.iter().chain(&older).any(|key| part.get(key).is_some_and(Json::is_object))
        };
        let is_text = |part: Json<'_>| {
            part.get("text").is_some()
                && (part.get("type").is_none() || part.get("channel").is_some())
        };
        if role == "model" || any(parts, is_call) {
            8
        } else if any(parts, is_text) {
            2
        } else {
            0
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["contents", "history"])
    }

    fn answers<'a>(&self, document: Json<'a>, take: &mut dyn FnMut(Json<'a>)) {
        each_answer(document, take);
    }

    fn is_of_server(&self) -> bool {
        true
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        if record.get("parts").is_some() {
            return message(record, give);
        }
        // An answer as the API gives it.
        let mut is_read = false;
        each_answer(record, &mut |content| is_read |= message(content, give));
        is_read
    }
}

/// Gives the events of a message; false if it is none.
fn message<'a>(record: Json<'a>, give: Give<'_, 'a>) -> bool {
    let Some(parts) = record.get("parts") else { return false };
    let role = role(&record.text_of("role").unwrap_or_else(|| "user".into()));
    ContentParts::of(role, written_at(record)).read(parts, give);
    true
}
