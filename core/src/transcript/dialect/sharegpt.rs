//! Data sets of conversations in the form of `ShareGPT`, with their calls.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{any, first_text, has, list_in};
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::say::say;
use crate::transcript::dialect::written_call::{WrittenCalls, split};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the conversations.
#[derive(Debug, Default)]
pub(super) struct ShareGpt;

impl Dialect for ShareGpt {
    fn weigh(record: Json<'_>) -> u32 {
        let is_turn = |turn: Json<'_>| has(turn, &["from", "value"]);
        if any(record.get("conversations"), is_turn) {
            WHOLE
        } else if is_turn(record) {
            9
        } else {
            0
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["conversations"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        let text = document.text_of("system");
        if let Some(text) = text {
            say(Role::System, text, give);
        }
    }

    fn read<'a>(&mut self, turn: Json<'a>, give: Give<'_, 'a>) -> bool {
        let (Some(from), Some(value)) = (turn.text_of("from"), turn.text_of("value")) else {
            return false;
        };
        match &*from {
            "human" | "user" => say(Role::User, value, give),
            "gpt" | "assistant" | "model" | "chatgpt" => said(value, give),
            "function_call" | "tool_call" => written(&value, give),
            "observation" | "tool" | "function" | "function_response" => {
                observed(turn, &value, give);
            }
            "system" => say(Role::System, value, give),
            _ => give(LogEvent::Skipped(from)),
        }
        true
    }
}

/// Words of the model; the calls that stand in them ran.
fn said<'a>(text: Cow<'a, str>, give: Give<'_, 'a>) {
    let WrittenCalls { text: words, calls } = split(&text);
    if calls.is_empty() {
        return say(Role::Assistant, text, give);
    }
    say(Role::Assistant, words, give);
    for (name, arguments) in calls {
        let raw = format!("[{arguments}]");
        nested(&raw, give, &mut |list, give| {
            let arguments = list.items().next();
            give(
                CallParts { id: "".into(), name: name.clone().into(), arguments, at: None }.plain(),
            );
        });
    }
}

/// A call, or several, as JSON text.
fn written(text: &str, give: Give<'_, '_>) {
    let read = nested(text, give, &mut |value, give| {
        let list = if value.is_array() { value.items().collect() } else { vec![value] };
        for call in list {
            give(called(call));
        }
    });
    if !read {
        say(Role::Assistant, text.to_owned(), give);
    }
}

/// A call without an id.
pub(super) fn called(call: Json<'_>) -> LogEvent<'_> {
    let inner = call.get("function").filter(|inner| inner.is_object()).unwrap_or(call);
    let name = first_text(inner, &["name", "tool_name"]).unwrap_or_default();
    let keys = ["arguments", "parameters", "args"];
    let arguments = keys.iter().find_map(|key| inner.get(key));
    let id = first_text(call, &["id", "call_id"]).unwrap_or_default();
    CallParts { id, name, arguments, at: None }.plain()
}

/// The results of the oldest calls that wait.
fn observed<'a>(turn: Json<'a>, text: &str, give: Give<'_, 'a>) {
    let parts = || ResultParts { ending: CallEnding::Success, ..ResultParts::default() };
    if !text.contains("<tool_response>") {
        return give(parts().with(turn.get("value")));
    }
    for part in text.split("<tool_response>").skip(1) {
        let body = part.split("</tool_response>").next().unwrap_or(part).trim();
        let read = nested(body, give, &mut |value, give| {
            let name = value.text_of("name");
            give(ResultParts { name, ..parts() }.with(value.get("content").or(Some(value))));
        });
        if !read {
            give(parts().saying(body.to_owned().into()));
        }
    }
}
