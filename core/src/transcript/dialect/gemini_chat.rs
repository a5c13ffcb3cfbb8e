//! Gemini CLI: the chats that it stores, as a document or as lines.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{first_text, has, list_in, text_at, written_at};
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message, words};
use crate::transcript::dialect::parts::ContentParts;
use crate::transcript::dialect::path::MessagePath;
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::{ending, say, session};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the chats.
#[derive(Debug, Default)]
pub(super) struct GeminiChat {
    /// The message that a later line may replace, and its id.
    held: Option<(Box<str>, String)>,
    seen: SeenIds,
    /// The messages of the chat as it is now.
    path: MessagePath,
}

impl Dialect for GeminiChat {
    fn weigh(record: Json<'_>) -> u32 {
        let is_chat = has(record, &["sessionId"])
            && (has(record, &["projectHash"]) || has(record, &["startTime"]));
        match record.text_of("type").as_deref() {
            _ if is_chat && has(record, &["messages"]) => WHOLE,
            _ if is_chat || has(record, &["$set"]) || has(record, &["$rewindTo"]) => 9,
            Some("gemini") if has(record, &["content"]) => 9,
            Some("user") if has(record, &["id", "timestamp", "content"]) => 2,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["messages"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        session(document, &["sessionId"], give);
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        if record.text_of("sessionId").is_some() && record.get("type").is_none() {
            self.header(record, give);
            return true;
        }
        if let Some(set) = record.get("$set") {
            let messages = set.get("messages");
            if messages.is_none() {
                give(LogEvent::Skipped("$set".into()));
            }
            if let Some(list) = messages {
                self.release(give);
                let ids = list.items().filter_map(|message| message.text_of("id"));
                self.path.replace(ids, give);
                for message in list.items() {
                    self.hold(message, give);
                }
            }
            return true;
        }
        if let Some(target) = record.get("$rewindTo") {
            self.release(give);
            self.path.back_before(&target.text().unwrap_or_default(), give);
            return true;
        }
        self.hold(record, give)
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        self.release(give);
    }
}

impl GeminiChat {
    /// Holds a message back until the next one, for a message of the same id replaces it.
    fn hold<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        if record.get("type").is_none() || record.get("content").is_none() {
            return false;
        }
        let id = record.text_of("id").unwrap_or_default();
        match &mut self.held {
            Some((held, raw)) if !id.is_empty() && **held == *id => {
                give(LogEvent::Repeated);
                record.raw().clone_into(raw);
            }
            _ => {
                self.release(give);
                if !id.is_empty() && !self.path.has(&id) {
                    self.path.add(&id, true);
                }
                self.held = Some(((&*id).into(), record.raw().to_owned()));
            }
        }
        true
    }

    fn release(&mut self, give: Give<'_, '_>) {
        let Some((id, raw)) = self.held.take() else { return };
        if !id.is_empty() && !self.seen.is_new(&format!("{id}\0{raw}")) {
            return;
        }
        let seen = &mut self.seen;
        nested(&raw, give, &mut |record, give| read(record, seen, give));
    }
}

fn read<'a>(record: Json<'a>, seen: &mut SeenIds, give: Give<'_, 'a>) {
    let at = written_at(record);
    let tokens = record.get("tokens").and_then(facts::tokens);
    if let Some(tokens) = tokens {
        give(LogEvent::Usage(record.text_of("id"), tokens));
    }
    let model = record.text_of("model").map(|model| Box::from(&*model));
    give(LogEvent::About(About { at, model, tokens, ..About::default() }));
    let role = match record.text_of("type").as_deref() {
        Some("user") => Role::User,
        Some("gemini") => Role::Assistant,
        Some("error") => Role::Error,
        _ => Role::System,
    };
    for thought in record.get("thoughts").into_iter().flat_map(Json::items) {
        let subject = thought.text_of("subject").unwrap_or_default();
        let description = thought.text_of("description").unwrap_or_default();
        say(Role::Thinking, format!("{subject}\n{description}").trim().to_owned(), give);
    }
    if let Some(content) = record.get("content")
        && seen.is_new(&format!("{} {}", record.text_of("id").unwrap_or_default(), content.raw()))
    {
        ContentParts::of(role, at).read(content, give);
    }
    for call in record.get("toolCalls").into_iter().flat_map(Json::items) {
        let Some(name) = call.text_of("name") else { continue };
        let id = call.text_of("id").unwrap_or_default();
        let at = written_at(call).or(at);
        if id.is_empty() || seen.is_new(&format!("call {id}")) {
            let id = id.clone();
            give(CallParts { id, name: name.clone(), arguments: call.get("args"), at }.of_agent());
        }
        let end = call.text_of("status").and_then(|status| ending(&status));
        if let Some(end) = end
            && (id.is_empty() || seen.is_new(&format!("result {id}")))
        {
            give(result(call, id, name, end));
        }
    }
}

/// The result that stands in a call.
fn result<'a>(
    call: Json<'a>,
    id: std::borrow::Cow<'a, str>,
    name: std::borrow::Cow<'a, str>,
    ending: CallEnding,
) -> LogEvent<'a> {
    let id = Some(id).filter(|id| !id.is_empty());
    let parts = ResultParts { id, name: Some(name), at: None, ending };
    let response = call.get("result").and_then(|result| {
        let first = result.items().next().unwrap_or(result);
        first.get("functionResponse")?.get("response")
    });
    let Some(response) = response else {
        let shown = first_text(call, &["resultDisplay", "description"]);
        let words = call.get("result").and_then(words);
        return parts.saying(words.or(shown).unwrap_or_default());
    };
    match first_text(response, &["output", "error"]) {
        Some(text) => parts.saying(text),
        None => match text_at(response, &["error", "message"]) {
            Some(text) => parts.saying(text),
            None if ending == CallEnding::Success => parts.with(Some(response)),
            None => parts.saying(message(response)),
        },
    }
}
