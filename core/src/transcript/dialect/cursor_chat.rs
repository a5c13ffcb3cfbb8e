//! Cursor: the chats that the editor keeps in `state.vscdb`.
//!
//! A chat is a record of facts and a record for each bubble. A bubble of the model holds words, a
//! thought, or a call together with its result.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::{CallParts, is_json};
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{
    any, at, first, first_text, has, list_in, moment, text_at,
};
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message};
use crate::transcript::dialect::say::{ending, say, session};
use crate::transcript::dialect::tools;
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role, ToolOutcome};

/// The reader of the chats.
#[derive(Debug, Default)]
pub(super) struct CursorChat {
    /// How many bubbles there were, for calls without an id.
    number: u64,
}

impl Dialect for CursorChat {
    fn weigh(record: Json<'_>) -> u32 {
        let has_list = |key: &str| record.get(key).is_some_and(Json::is_array);
        let holds_bubbles = |tab: Json<'_>| tab.get("bubbles").is_some_and(Json::is_array);
        if has(record, &["composerId"]) && has_list("conversation")
            || any(record.get("tabs"), holds_bubbles)
        {
            WHOLE
        } else if has(record, &["composerId"]) && has_list("fullConversationHeadersOnly")
            || has(record, &["bubbleId"]) && role_of(record).is_some()
        {
            10
        } else {
            0
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["conversation", "bubbles", "tabs"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        session(document, &["composerId", "tabId"], give);
        let model = text_at(document, &["modelConfig", "modelName"]);
        if let Some(model) = model.filter(|model| !model.is_empty()) {
            give(LogEvent::Model(model));
        }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(role) = role_of(record) else {
            self.header(record, give);
            return has(record, &["composerId"]);
        };
        self.number += 1;
        session(record, &["composerId"], give);
        let id = record.text_of("bubbleId");
        let tokens = record.get("tokenCount").and_then(facts::tokens);
        if let Some(tokens) = tokens {
            give(LogEvent::Usage(id, tokens));
        }
        let when = record.get("createdAt").and_then(moment);
        let when = when.or_else(|| at(record, &["timingInfo", "clientStartTime"]).and_then(moment));
        let model = text_at(record, &["modelInfo", "modelName"])
            .or_else(|| record.text_of("modelType"))
            .map(|model| Box::from(&*model));
        give(LogEvent::About(About { at: when, model, tokens, ..About::default() }));
        if let Some(text) = text_at(record, &["thinking", "text"]) {
            say(Role::Thinking, text, give);
        }
        let texts = ["text", "rawText", "content"].map(|key| record.text_of(key));
        if let Some(text) = texts.into_iter().flatten().find(|text| !text.trim().is_empty()) {
            give(LogEvent::Message { role, text });
        }
        if let Some(made) = record.get("toolFormerData").filter(|made| made.is_object()) {
            self.tool(made, when, give);
        }
        true
    }
}

/// Who wrote a bubble: a number, or a word in older chats.
fn role_of(record: Json<'_>) -> Option<Role> {
    let kind = record.get("type")?;
    match (kind.as_u64(), kind.text().as_deref()) {
        (Some(1), _) | (_, Some("user")) => Some(Role::User),
        (Some(2), _) | (_, Some("ai")) => Some(Role::Assistant),
        _ => None,
    }
}

impl CursorChat {
    /// A call with its result.
    fn tool<'a>(&mut self, made: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) {
        let name = first_text(made, &["name", "tool"]);
        let name = name.or_else(|| Some(format!("tool {}", made.get("tool")?.raw()).into()));
        let Some(name) = name else {
            // What a call leaves behind that never began.
            return give(LogEvent::Skipped("toolFormerData".into()));
        };
        let id = made.text_of("toolCallId").filter(|id| !id.is_empty());
        let id = id.unwrap_or_else(|| format!("bubble_{}", self.number).into());
        let is_whole =
            |value: &Json<'a>| value.is_object() || value.text().is_some_and(|text| is_json(&text));
        let arguments = ["rawArgs", "params"].iter().filter_map(|key| made.get(key));
        let arguments = arguments.clone().find(is_whole).or_else(|| arguments.clone().next());
        let mut call = CallParts { id: id.clone(), name: name.clone(), arguments, at }.of_agent();
        if let (Some(plain), LogEvent::ToolCall { arguments, action, .. }) =
            (name.strip_suffix("_v2"), &mut call)
        {
            let mut found = None;
            nested(arguments, &mut |_| {}, &mut |read, _| found = Some(tools::action(plain, read)));
            *action = found.unwrap_or_else(|| action.clone());
        }
        give(call);
        result(made, id, give);
    }
}

/// What the call gave, if it has ended.
fn result<'a>(made: Json<'a>, id: Cow<'a, str>, give: Give<'_, 'a>) {
    let result = made.get("result").filter(|result| !result.is_null());
    let refused = made.text_of("userDecision").as_deref() == Some("rejected");
    let status = made.text_of("status").and_then(|status| ending(&status));
    let ending = match status {
        _ if refused => CallEnding::Denied,
        Some(ending) => ending,
        None if made.get("status").is_none() && result.is_some() => CallEnding::Success,
        None => return,
    };
    let parts = ResultParts { id: Some(id), name: None, at: None, ending };
    if let Some(error) = made.get("error").filter(|error| !error.is_null()) {
        return failed(error, parts, give);
    }
    let text = result.and_then(Json::text);
    let Some(text) = text else { return give(parts.with(result)) };
    let mut command = None;
    let is_read = nested(&text, &mut |_| {}, &mut |value, _| {
        let code = first(value, &["exitCode", "exitCodeV2"]).and_then(Json::as_i64);
        let code = code.and_then(|code| i32::try_from(code).ok());
        let output = value.text_of("output").map(Cow::into_owned);
        command = output.filter(|_| code.is_some()).map(|output| (output, code));
    });
    give(match command {
        Some((output, code)) => parts.of_command(output.into(), code),
        None if is_read && ending == CallEnding::Success => {
            parts.event(ToolOutcome::Raw(text.trim().to_owned().into()))
        }
        None => parts.saying(text),
    });
}

/// The result of a call that failed, in the words for the model.
fn failed<'a>(error: Json<'a>, parts: ResultParts<'a>, give: Give<'_, 'a>) {
    let ending = match parts.ending {
        CallEnding::Success => CallEnding::Failed,
        ending => ending,
    };
    let mut words = None;
    let keys = ["modelVisibleErrorMessage", "clientVisibleErrorMessage", "message"];
    if let Some(text) = error.text() {
        nested(&text, &mut |_| {}, &mut |inner, _| {
            words = first_text(inner, &keys).map(Cow::into_owned);
        });
    }
    let text = words.map(Into::into).or_else(|| first_text(error, &keys));
    give(ResultParts { ending, ..parts }.saying(text.unwrap_or_else(|| message(error))));
}
