//! Google's Agent Development Kit: sessions and their events.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{first, first_text, has, list_in, written_at};
use crate::transcript::dialect::parts::ContentParts;
use crate::transcript::dialect::say::session;
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the sessions.
#[derive(Debug, Default)]
pub(super) struct Adk;

impl Dialect for Adk {
    fn weigh(record: Json<'_>) -> u32 {
        if has(record, &["events"]) && (has(record, &["appName"]) || has(record, &["app_name"])) {
            return WHOLE;
        }
        let is_event = has(record, &["author", "content"])
            && first(record, &["invocationId", "invocation_id"]).is_some();
        if is_event { 9 } else { 0 }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["events"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        session(document, &["id"], give);
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let (Some(author), Some(content)) = (record.text_of("author"), record.get("content"))
        else {
            return false;
        };
        if record.get("partial").and_then(Json::as_bool).unwrap_or_default() {
            give(LogEvent::Repeated);
            return true;
        }
        let at = written_at(record);
        let usage = first(record, &["usageMetadata", "usage_metadata"]);
        let tokens = usage.and_then(facts::tokens);
        if let Some(tokens) = tokens {
            give(LogEvent::Usage(record.text_of("id"), tokens));
        }
        let agent = Some(&*author).filter(|author| *author != "user").map(Box::from);
        give(LogEvent::About(About { at, tokens, agent, ..About::default() }));
        let role = if author == "user" { Role::User } else { Role::Assistant };
        ContentParts::of(role, at).read(content, give);
        if let Some(text) = first_text(record, &["errorMessage", "error_message"]) {
            give(LogEvent::Message { role: Role::Error, text });
        }
        true
    }
}
