//! Messages in the form of Anthropic's API, one a line.

use crate::json::value::Json;
use crate::transcript::dialect::Dialect;
use crate::transcript::dialect::answer::each_answer;
use crate::transcript::dialect::blocks::{Blocks, has_calls};
use crate::transcript::dialect::field::{is_message, list_in, written_at};
use crate::transcript::event::{LogEvent, Role};

/// The reader of message logs in Anthropic's form.
#[derive(Debug, Default)]
pub(super) struct Anthropic;

impl Dialect for Anthropic {
    fn weigh(line: Json<'_>) -> u32 {
        let content = line.get("role").and(line.get("content"));
        if content.is_some_and(has_calls) { 8 } else { 0 }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["messages"])
    }

    fn answers<'a>(&self, document: Json<'a>, take: &mut dyn FnMut(Json<'a>)) {
        each_answer(document, take);
    }

    fn is_of_server(&self) -> bool {
        true
    }

    fn read<'a>(&mut self, line: Json<'a>, give: &mut dyn FnMut(LogEvent<'a>)) -> bool {
        let (true, Some(role), Some(content)) =
            (is_message(line), line.text_of("role"), line.get("content"))
        else {
            return false;
        };
        if !content.is_text() && !content.is_array() {
            return false;
        }
        if let Some(model) = line.text_of("model") {
            give(LogEvent::Model(model));
        }
        let role = match &*role {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => Role::System,
        };
        Blocks::plain(role, written_at(line)).read(content, give)
    }
}
