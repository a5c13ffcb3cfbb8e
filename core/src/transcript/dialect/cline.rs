//! Cline, Roo and Kilo: the conversations with the model that they store.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::blocks::{Blocks, has_calls};
use crate::transcript::dialect::field::{has, list_in, text_at, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::say::{role, say, session};
use crate::transcript::dialect::xml_call::{called, is_known};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the conversations.
#[derive(Debug, Default)]
pub(super) struct Cline {
    /// The number and the name of the call that waits in the text of a message.
    waiting: Option<(u64, String)>,
    number: u64,
}

impl Dialect for Cline {
    fn weigh(record: Json<'_>) -> u32 {
        if has(record, &["messages", "sessionId", "agent"]) && !has(record, &["projectHash"]) {
            return WHOLE;
        }
        let content = record.get("content");
        let Some(content) = content.filter(|_| has(record, &["role"])) else { return 0 };
        let has_text = |start: &str| {
            content.items().any(|block| {
                block.text_of("text").is_some_and(|text| text.trim_start().starts_with(start))
            })
        };
        let has_call = record.text_of("role").as_deref() == Some("assistant")
            && content
                .items()
                .filter_map(|block| block.text_of("text"))
                .any(|text| is_known(&text));
        if has_text("<task>") || has_call {
            10
        } else if has(record, &["ts"]) && has_calls(content) {
            9
        } else {
            u32::from(has(record, &["ts"]))
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["messages"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        session(document, &["sessionId"], give);
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        if record.text_of("type").as_deref() == Some("reasoning") {
            let text = record.text_of("text").unwrap_or_default();
            say(Role::Thinking, text, give);
            return true;
        }
        let (Some(name), Some(content)) = (record.text_of("role"), record.get("content")) else {
            return false;
        };
        let is_set = |key: &str| record.get(key).and_then(Json::as_bool).unwrap_or_default();
        let role = match role(&name) {
            _ if is_set("isSummary") || is_set("isTruncationMarker") => Role::System,
            role => role,
        };
        let at = written_at(record);
        let model = text_at(record, &["modelInfo", "modelId"]).map(|model| Box::from(&*model));
        give(LogEvent::About(About { at, model, ..About::default() }));
        let blocks = Blocks { ending, ..Blocks::of_agent(role, at) };
        let mut answered = None;
        if let Some(text) = content.text() {
            self.said(role, text, at, &mut answered, give);
        }
        for block in content.items() {
            match block.text_of("text").filter(|_| block.text_of("type").as_deref() == Some("text"))
            {
                Some(text) => self.said(role, text, at, &mut answered, give),
                None => blocks.block(block, give),
            }
        }
        if let Some(result) = answered {
            give(finished(result, at));
        }
        true
    }
}

/// The number of the call that a message answers, and the words of the answer so far.
type CallAnswer = (u64, String);

impl Cline {
    /// A text: words, a call that stands in them, or the result of such a call.
    fn said<'a>(
        &mut self,
        role: Role,
        text: Cow<'a, str>,
        at: Option<i64>,
        answered: &mut Option<CallAnswer>,
        give: Give<'_, 'a>,
    ) {
        if role == Role::Assistant {
            return self.written(text, at, give);
        }
        if let Some((_, words)) = answered
            && !text.starts_with("<environment_details>")
        {
            words.push('\n');
            words.push_str(&text);
            return;
        }
        let is_answer = |name: &str| {
            text.strip_prefix('[').is_some_and(|rest| rest.starts_with(name))
                && text.contains("] Result:")
        };
        if let Some((number, name)) = self.waiting.take_if(|(_, name)| is_answer(name)) {
            let _ = name;
            let words = text.split_once("] Result:").map_or("", |(_, words)| words);
            *answered = Some((number, words.trim_start().to_owned()));
            return;
        }
        let is_of_program = text.trim_start().starts_with("<environment_details>");
        let role = if is_of_program { Role::System } else { role };
        say(role, text, give);
    }

    /// The model's words, with the call that may stand in them.
    fn written<'a>(&mut self, text: Cow<'a, str>, at: Option<i64>, give: Give<'_, 'a>) {
        let Some(call) = called(&text) else { return say(Role::Assistant, text, give) };
        say(Role::Assistant, call.before.to_owned(), give);
        self.number += 1;
        self.waiting = Some((self.number, call.name.to_owned()));
        let (id, name) = (format!("call_{}", self.number).into(), call.name.to_owned().into());
        let arguments = call.arguments.to_string().into();
        let action = call.action();
        give(LogEvent::ToolCall { id, name, arguments, action, at });
    }
}

fn finished<'a>((number, words): CallAnswer, at: Option<i64>) -> LogEvent<'a> {
    let id = Some(format!("call_{number}").into());
    ResultParts { id, name: None, at, ending: ending(&words) }.saying(words.into())
}

/// How a call ended, as the text of its result says it.
pub(super) fn ending(text: &str) -> CallEnding {
    let text = text.trim_start();
    if text.starts_with("The user denied this operation")
        || text.starts_with("{\"status\":\"denied\"")
        || text.starts_with("The user denied")
        || text.starts_with("User denied the tool execution")
    {
        CallEnding::Denied
    } else if text.starts_with("The tool execution failed")
        || text.starts_with("{\"status\":\"error\"")
        || text.starts_with("<error>")
    {
        CallEnding::Failed
    } else {
        CallEnding::Success
    }
}
