//! Continue: its sessions.

use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{any, at, has, list_in, text_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, words};
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::{role, say, session};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the sessions.
#[derive(Debug, Default)]
pub(super) struct ContinueDev {
    ended: SeenIds,
}

impl Dialect for ContinueDev {
    fn weigh(record: Json<'_>) -> u32 {
        let is_ours = |item: Json<'_>| has(item, &["message", "contextItems"]);
        if any(record.get("history"), is_ours) {
            WHOLE
        } else if is_ours(record) {
            9
        } else {
            0
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["history"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        session(document, &["sessionId"], give);
    }

    fn read<'a>(&mut self, item: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(message) = item.get("message") else { return false };
        let name = message.text_of("role").unwrap_or_default();
        let text = || message.get("content").and_then(words).unwrap_or_default();
        match &*name {
            "tool" => {
                let id = message.text_of("toolCallId");
                if id.as_deref().is_none_or(|id| self.ended.is_new(id)) {
                    let parts =
                        ResultParts { id, name: None, at: None, ending: CallEnding::Success };
                    give(parts.with(message.get("content")));
                } else {
                    give(LogEvent::Repeated);
                }
                return true;
            }
            "thinking" => say(Role::Thinking, text(), give),
            name => say(role(name), text(), give),
        }
        let states = item.get("toolCallStates");
        let state = |id: &str| {
            states?.items().find(|state| state.text_of("toolCallId").as_deref() == Some(id))
        };
        for call in message.get("toolCalls").into_iter().flat_map(Json::items) {
            let Some(name) = text_at(call, &["function", "name"]) else { continue };
            let id = call.text_of("id").unwrap_or_default();
            let arguments = at(call, &["function", "arguments"]);
            give(CallParts { id: id.clone(), name, arguments, at: None }.of_agent());
            if let Some(state) = state(&id) {
                self.state(state, give);
            }
        }
        true
    }
}

impl ContinueDev {
    /// The end of a call; a message of the tool repeats it.
    fn state<'a>(&mut self, state: Json<'a>, give: Give<'_, 'a>) {
        let ending = match state.text_of("status").as_deref() {
            Some("done") => CallEnding::Success,
            Some("errored") => CallEnding::Failed,
            Some("canceled" | "cancelled") => CallEnding::Cancelled,
            _ => return,
        };
        let id = state.text_of("toolCallId");
        let outputs = state.get("output").into_iter().flat_map(Json::items);
        let texts: Vec<_> = outputs.filter_map(|one| one.text_of("content")).collect();
        if texts.is_empty() && ending == CallEnding::Success {
            return;
        }
        if let Some(id) = &id {
            self.ended.is_new(id);
        }
        let text = texts.join("\n").into();
        give(ResultParts { id, name: None, at: None, ending }.saying(text));
    }
}
