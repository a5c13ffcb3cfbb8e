//! Data sets of conversations in the form of `ShareGPT`, with their calls.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{any, first_text, has, list_in};
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::say::say;
use crate::transcript::dialect::written_call::{CallInWords, WrittenCalls, split, with_json};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the conversations.
#[derive(Debug, Default)]
pub(super) struct ShareGpt {
    /// Whether each call of the last turn that has calls could be read; empty if all could. Results
    /// have no ids, so the result of a damaged call would be joined with another call.
    readable: VecDeque<bool>,
}

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
            "gpt" | "assistant" | "model" | "chatgpt" => self.said(value, give),
            "function_call" | "tool_call" => self.written(&value, give),
            "observation" | "tool" | "function" | "function_response" => {
                self.observed(turn, &value, give);
            }
            "system" => say(Role::System, value, give),
            _ => give(LogEvent::Skipped(from)),
        }
        true
    }
}

impl ShareGpt {
    /// Words of the model; the calls that stand in them ran.
    fn said<'a>(&mut self, text: Cow<'a, str>, give: Give<'_, 'a>) {
        let WrittenCalls { text: words, calls } = split(&text);
        if calls.is_empty() {
            return say(Role::Assistant, text, give);
        }
        say(Role::Assistant, words, give);
        self.expect(calls.iter().map(|call| matches!(call, CallInWords::Read(..))));
        for call in calls {
            call.give(give);
        }
    }

    /// A call, or several, as the text of a turn.
    fn written(&mut self, text: &str, give: Give<'_, '_>) {
        let read = with_json(text, |value| {
            let list = if value.is_array() { value.items().collect() } else { vec![value] };
            for call in list {
                give(called(call).into_owned());
            }
        });
        self.expect(std::iter::once(read.is_ok()));
        if let Err(call) = read {
            give(call.event());
        }
    }

    /// Remembers which calls of a turn could be read.
    fn expect(&mut self, readable: impl Iterator<Item = bool>) {
        self.readable = readable.collect();
        if self.readable.iter().all(|is_readable| *is_readable) {
            self.readable.clear();
        }
    }

    /// The results of the oldest calls that wait.
    fn observed<'a>(&mut self, turn: Json<'a>, text: &str, give: Give<'_, 'a>) {
        let parts = || ResultParts { ending: CallEnding::Success, ..ResultParts::default() };
        if !text.contains("<tool_response>") {
            if self.readable.pop_front() == Some(false) {
                return say(Role::System, text.to_owned(), give);
            }
            return give(parts().with(turn.get("value")));
        }
        for part in text.split("<tool_response>").skip(1) {
            let body = part.split("</tool_response>").next().unwrap_or(part).trim();
            if self.readable.pop_front() == Some(false) {
                say(Role::System, body.to_owned(), give);
                continue;
            }
            let read = nested(body, give, &mut |value, give| {
                let name = value.text_of("name");
                give(ResultParts { name, ..parts() }.with(value.get("content").or(Some(value))));
            });
            if !read && !observed_of_python(body, give) {
                give(parts().saying(body.to_owned().into()));
            }
        }
    }
}

/// Gives the result of a dictionary as Python prints it, with the tool's name and what it gave;
/// false for any other text.
fn observed_of_python(body: &str, give: Give<'_, '_>) -> bool {
    let read = with_json(body, |value| {
        let is_result = has(value, &["name", "content"]);
        if is_result {
            let parts = ResultParts { name: value.text_of("name"), ..ResultParts::default() };
            give(parts.with(value.get("content")).into_owned());
        }
        is_result
    });
    read.unwrap_or_default()
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
