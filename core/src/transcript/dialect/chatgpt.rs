//! `ChatGPT`'s export: conversations as trees of messages.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{at, moment, text_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::say::{role, say, session};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the export.
#[derive(Debug, Default)]
pub(super) struct ChatGpt {
    has_begun: bool,
}

/// The longest conversation that is walked.
const MOST: usize = 100_000;

impl Dialect for ChatGpt {
    fn weigh(record: Json<'_>) -> u32 {
        if record.get("mapping").is_some_and(Json::is_object) { WHOLE } else { 0 }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(mapping) = record.get("mapping") else { return false };
        if std::mem::replace(&mut self.has_begun, true) {
            give(LogEvent::Boundary);
        }
        session(record, &["conversation_id", "id"], give);
        let nodes: std::collections::HashMap<_, _> = mapping.members().collect();
        let mut path = Vec::new();
        let mut node = record.text_of("current_node");
        while let Some(current) = node.take().and_then(|id| nodes.get(&id)) {
            path.push(*current);
            node = current.text_of("parent").filter(|_| path.len() < MOST);
        }
        if path.is_empty() {
            path = mapping.members().map(|(_, node)| node).collect();
            path.reverse();
        }
        for node in path.into_iter().rev() {
            if let Some(message) = node.get("message").filter(|message| !message.is_null()) {
                read(message, give);
            }
        }
        true
    }
}

fn read<'a>(message: Json<'a>, give: Give<'_, 'a>) {
    let name = text_at(message, &["author", "role"]).unwrap_or_default();
    let when = message.get("create_time").and_then(moment);
    let model = text_at(message, &["metadata", "model_slug"]).map(|model| Box::from(&*model));
    give(LogEvent::About(About { at: when, model, ..About::default() }));
    let parts = at(message, &["content", "parts"]).into_iter().flat_map(Json::items);
    let texts: Vec<_> = parts.filter_map(Json::text).collect();
    let text = if texts.is_empty() {
        text_at(message, &["content", "text"]).unwrap_or_default()
    } else {
        texts.join("\n").into()
    };
    let recipient = message.text_of("recipient").unwrap_or_else(|| "all".into());
    match &*name {
        "assistant" if recipient != "all" => {
            let arguments = at(message, &["content", "text"]).or_else(|| {
                at(message, &["content", "parts"]).and_then(|parts| parts.items().next())
            });
            let id = message.text_of("id").unwrap_or_default();
            give(CallParts { id, name: recipient, arguments, at: when }.plain());
        }
        "tool" => {
            let name = text_at(message, &["author", "name"]);
            let parts = ResultParts { id: None, name, at: when, ending: CallEnding::Success };
            give(parts.saying(text));
        }
        name => {
            let kind = text_at(message, &["content", "content_type"]);
            let is_thought = kind.as_deref() == Some("thoughts");
            say(if is_thought { Role::Thinking } else { role(name) }, text, give);
        }
    }
}
