//! Cursor's transcripts of agents: messages whose calls have no results and no ids.

use crate::json::value::Json;
use crate::transcript::dialect::blocks::Blocks;
use crate::transcript::dialect::field::{has, written_at};
use crate::transcript::dialect::say::{inside, role};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the transcripts.
#[derive(Debug, Default)]
pub(super) struct CursorTranscript;

impl Dialect for CursorTranscript {
    fn weigh(line: Json<'_>) -> u32 {
        let content = line.get("message").and_then(|message| message.get("content"));
        match line.text_of("type").as_deref() {
            Some("turn_ended") => 9,
            None if content.is_some() && has(line, &["role"]) => 5,
            _ => 0,
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let content = line.get("message").and_then(|message| message.get("content"));
        let (Some(name), Some(content)) = (line.text_of("role"), content) else { return false };
        let blocks = Blocks::of_agent(role(&name), written_at(line));
        blocks.read(content, &mut |event| match event {
            LogEvent::Message { role: Role::User, text } if text.starts_with("<user_query>") => {
                let text = inside(&text, "user_query").to_owned().into();
                give(LogEvent::Message { role: Role::User, text });
            }
            event => give(event),
        })
    }
}
