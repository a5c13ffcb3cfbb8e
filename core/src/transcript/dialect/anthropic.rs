//! Messages in the form of Anthropic's API, one a line.

use crate::json::value::Json;
use crate::transcript::dialect::blocks::Blocks;
use crate::transcript::dialect::{Dialect, DialectName, written_at};
use crate::transcript::event::{LogEvent, Role};

/// The reader of message logs in Anthropic's form.
#[derive(Debug, Default)]
pub(super) struct Anthropic;

impl Dialect for Anthropic {
    fn read<'a>(&mut self, line: Json<'a>, give: &mut dyn FnMut(LogEvent<'a>)) -> bool {
        let (true, Some(role), Some(content)) =
            (DialectName::is_message(line), line.text_of("role"), line.get("content"))
        else {
            return false;
        };
        if !content.is_text() && !content.is_array() {
            return false;
        }
        line.text_of("model").into_iter().for_each(|model| give(LogEvent::Model(model)));
        let role = match &*role {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => Role::System,
        };
        Blocks { role, at: written_at(line), action: |_, _| None }.read(content, give)
    }
}
