//! The parts of messages in the form of Google's models: Gemini, Vertex and what stores the same.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::dialect::Give;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::first;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message};
use crate::transcript::dialect::say::say;
use crate::transcript::event::{LogEvent, Role};

/// The name of the tool that runs the model's code, as the API names it.
const CODE: &str = "code_execution";

/// Who wrote the parts, and when.
#[derive(Clone, Copy)]
pub(super) struct ContentParts {
    pub(super) role: Role,
    pub(super) at: Option<i64>,
    /// How a call ended, if the record says so outside the part.
    pub(super) ending: CallEnding,
}

impl ContentParts {
    pub(super) fn of(role: Role, at: Option<i64>) -> Self {
        Self { role, at, ending: CallEnding::Success }
    }

    /// Gives the events of a content: a text, a part, or a list of parts.
    pub(super) fn read<'a>(self, content: Json<'a>, give: Give<'_, 'a>) {
        if let Some(text) = content.text() {
            return say(self.role, text, give);
        }
        let list = content.get("parts").unwrap_or(content);
        if list.is_array() {
            for part in list.items() {
                self.part(part, give);
            }
            return;
        }
        if content.is_object() {
            self.part(content, give);
        }
    }

    fn part<'a>(self, part: Json<'a>, give: Give<'_, 'a>) {
        if let Some(call) = first(part, &["functionCall", "function_call"]) {
            return match call.text_of("name") {
                Some(name) => give(self.call(call, name)),
                None => give(LogEvent::Skipped("functionCall".into())),
            };
        }
        if let Some(response) = first(part, &["functionResponse", "function_response"]) {
            return give(self.response(response));
        }
        if let Some(code) = first(part, &["executableCode", "executable_code"]) {
            return give(self.call(code, CODE.into()));
        }
        if let Some(done) = first(part, &["codeExecutionResult", "code_execution_result"]) {
            return give(self.code_result(done));
        }
        let is = |key: &str, word: &str| part.text_of(key).as_deref() == Some(word);
        let is_thought = part.get("thought").and_then(Json::as_bool).unwrap_or_default()
            || is("channel", "thought")
            || is("channel", "reasoning");
        match part.text().or_else(|| part.text_of("text")) {
            Some(text) if is_thought => say(Role::Thinking, text, give),
            Some(text) => say(self.role, text, give),
            None => {
                let kind = part.members().next().map_or(Cow::Borrowed("part"), |(key, _)| key);
                give(LogEvent::Skipped(kind));
            }
        }
    }

    fn call<'a>(self, call: Json<'a>, name: Cow<'a, str>) -> LogEvent<'a> {
        let id = call.text_of("id").unwrap_or_default();
        let arguments = first(call, &["args", "arguments"]).or(Some(call).filter(|_| name == CODE));
        CallParts { id, name, arguments, at: self.at }.of_agent()
    }

    /// What code that the model wrote, and that the API ran, gave.
    fn code_result(self, done: Json<'_>) -> LogEvent<'_> {
        let outcome = done.text_of("outcome");
        let ending = CallEnding::failed(outcome.is_some_and(|outcome| outcome != "OUTCOME_OK"));
        let parts =
            ResultParts { id: done.text_of("id"), name: Some(CODE.into()), at: self.at, ending };
        parts.with(done.get("output"))
    }

    fn response(self, response: Json<'_>) -> LogEvent<'_> {
        let (id, name) = (response.text_of("id"), response.text_of("name"));
        let value = first(response, &["response", "result"]);
        let error = value.and_then(|value| value.get("error")).filter(|error| !error.is_null());
        let mut parts = ResultParts { id, name, at: self.at, ending: self.ending };
        if let Some(error) = error {
            if parts.ending == CallEnding::Success {
                parts.ending = CallEnding::Failed;
            }
            return parts.saying(message(error));
        }
        parts.with(value.map(unwrapped))
    }
}

/// The value of an object that holds nothing but what the tool gave.
pub(super) fn unwrapped(value: Json<'_>) -> Json<'_> {
    let mut members = value.members();
    match (members.next(), members.next()) {
        (Some((key, inner)), None) if matches!(&*key, "output" | "result" | "content") => inner,
        _ => value,
    }
}
