//! Qwen Code: the chats that it stores.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{has, text_at, written_at};
use crate::transcript::dialect::outcome::CallEnding;
use crate::transcript::dialect::parts::ContentParts;
use crate::transcript::dialect::path::MessagePath;
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::{ending, say, session};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the chats.
#[derive(Debug, Default)]
pub(super) struct Qwen {
    seen: SeenIds,
    /// The records from the last one to the first, each of which names the one before it.
    path: MessagePath,
}

impl Dialect for Qwen {
    fn weigh(line: Json<'_>) -> u32 {
        let has_parts = line.get("message").is_some_and(|message| has(message, &["parts"]));
        match line.text_of("type").as_deref() {
            Some("tool_result") if has(line, &["toolCallResult"]) || has_parts => 10,
            Some("user" | "assistant") if has_parts && has(line, &["uuid"]) => 10,
            Some("system") if has(line, &["systemPayload"]) => 9,
            _ => 0,
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        if let Some(id) = line.text_of("uuid")
            && !self.seen.is_new(&id)
        {
            give(LogEvent::Repeated);
            return true;
        }
        let is_main = !has(line, &["agentId"])
            && line.get("isSidechain").and_then(Json::as_bool) != Some(true);
        if let Some(id) = line.text_of("uuid").filter(|_| is_main) {
            let parent = line.text_of("parentUuid").unwrap_or_default();
            let is_message = line.text_of("type").as_deref() != Some("system");
            self.path.follow(&id, &parent, is_message, give);
        }
        let subtype = line.text_of("subtype");
        let role = match (line.text_of("type").as_deref(), subtype.as_deref()) {
            (Some("user"), None | Some("mid_turn_user_message")) => Role::User,
            (Some("assistant"), _) => Role::Assistant,
            (Some("user" | "tool_result"), _) => Role::System,
            (Some("system"), kind) => {
                let kind = format!("system {}", kind.unwrap_or_default());
                give(LogEvent::Skipped(kind.into()));
                return true;
            }
            _ => return false,
        };
        let Some(message) = line.get("message") else { return false };
        session(line, &["sessionId"], give);
        let at = written_at(line);
        let tokens = line.get("usageMetadata").and_then(facts::tokens);
        if let Some(tokens) = tokens {
            give(LogEvent::Usage(line.text_of("uuid"), tokens));
        }
        let own = |key: &str| line.text_of(key).map(|text| Box::from(&*text));
        give(LogEvent::About(About {
            at,
            model: own("model"),
            tokens,
            folder: own("cwd"),
            agent: own("agentId"),
            ..About::default()
        }));
        if let Some(text) = text_at(line, &["systemPayload", "displayText"])
            && role == Role::User
        {
            say(role, text, give);
            return true;
        }
        let status = text_at(line, &["toolCallResult", "status"]);
        let ending = status.and_then(|status| ending(&status)).unwrap_or(CallEnding::Success);
        ContentParts { role, at, ending }.read(message, &mut |event| match event {
            LogEvent::Message { role: Role::User, text }
                if text.starts_with("<qwen:user-prompt-submit-context>") =>
            {
                give(LogEvent::Message { role: Role::System, text });
            }
            event => give(event),
        });
        true
    }
}
