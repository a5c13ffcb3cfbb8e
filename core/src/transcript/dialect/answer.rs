//! The answer of a model beside the messages that it was asked with, as proxies log it.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::field::{first, first_text, has, written_at};
use crate::transcript::dialect::outcome::message;
use crate::transcript::dialect::say::say;
use crate::transcript::dialect::streamed_answer::answer_of_text;
use crate::transcript::dialect::{Give, facts};
use crate::transcript::event::{LogEvent, Role};

/// The keys of the lists of messages that a model is asked with.
pub(super) const ASKED: [&str; 3] = ["messages", "contents", "input"];
/// The keys of an answer.
const ANSWERS: [&str; 2] = ["response", "raw_response"];

/// Takes the messages of the answer beside a request: those of `choices`, of Gemini's `candidates`,
/// of `output`, or a message of the assistant, in the record itself or in its `response`.
///
/// Of a record without the messages of a request, only the first three are answers.
pub(in crate::transcript) fn each_answer<'a>(record: Json<'a>, take: &mut dyn FnMut(Json<'a>)) {
    let is_request = is_request(record);
    let answer = first(record, &ANSWERS).filter(|_| is_request).unwrap_or(record);
    let answer = answer.get("body").filter(|body| body.is_object()).unwrap_or(answer);
    let is_object = |message: &Json<'a>| message.is_object();
    let mut lists = [("choices", "message"), ("candidates", "content")].into_iter();
    let found = lists
        .find_map(|(key, inner)| Some((answer.get(key).filter(|list| list.is_array())?, inner)));
    if let Some((list, inner)) = found {
        let messages = list.items().filter_map(|item| item.get(inner));
        return messages.filter(is_object).for_each(take);
    }
    let output = answer.get("output");
    if let Some(items) = output.filter(|output| output.is_array() && is_request) {
        return items.items().filter(is_object).for_each(take);
    }
    let inner = output.and_then(|output| output.get("message"));
    if inner.is_none() && !is_request {
        return;
    }
    let message = inner.or(answer.get("message")).unwrap_or(answer);
    let is_answer = message.text_of("role").as_deref() == Some("assistant");
    if is_answer && (has(message, &["content"]) || has(message, &["tool_calls"])) {
        take(message);
    }
}

/// Gives what the answer beside a request says of itself: its model, its time and its tokens.
pub(in crate::transcript) fn facts_of_answer<'a>(record: Json<'a>, give: Give<'_, 'a>) {
    let Some(answer) = answer_beside(record) else { return };
    if let Some(model) = first_text(answer, &["model", "modelVersion"]) {
        give(LogEvent::Model(model));
    }
    let tokens = first(answer, &["usage", "usageMetadata"]).and_then(facts::tokens);
    if let Some(tokens) = tokens {
        give(LogEvent::Usage(answer.text_of("id"), tokens));
        give(LogEvent::About(About { at: written_at(answer), ..About::default() }));
    }
}

/// Gives the error that stands in the place of the answer to a request.
pub(in crate::transcript) fn error_of_answer<'a>(record: Json<'a>, give: Give<'_, 'a>) {
    let Some(answer) = answer_beside(record) else { return };
    let error = answer.get("error").filter(|error| error.is_object() || error.is_text());
    if let Some(error) = error {
        say(Role::Error, message(error), give);
    }
}

/// The answer beside a request that stands there as a text, and a request with it put together.
pub(in crate::transcript) fn answer_in_text(record: Json<'_>) -> Option<(Json<'_>, String)> {
    if !is_request(record) {
        return None;
    }
    let answer = first(record, &ANSWERS)?;
    let inner = answer.get("body").unwrap_or(answer);
    let made = answer_of_text(&inner.text()?)?;
    let key = ASKED.into_iter().find(|key| record.get(key).is_some())?;
    Some((answer, format!(r#"{{"{key}":[],"response":{made}}}"#)))
}

/// Whether a list holds the messages that a model is asked with.
pub(in crate::transcript) fn is_asked(record: Json<'_>, list: Json<'_>) -> bool {
    let is_list =
        |key: &str| record.get(key).is_some_and(|asked| std::ptr::eq(asked.raw(), list.raw()));
    ASKED.iter().any(|key| is_list(key))
}

/// The answer that stands beside a request, without what it is wrapped in.
fn answer_beside(record: Json<'_>) -> Option<Json<'_>> {
    let answer = first(record, &ANSWERS).filter(|_| is_request(record))?;
    Some(answer.get("body").unwrap_or(answer))
}

/// Whether a record holds the messages that a model is asked with.
pub(super) fn is_request(record: Json<'_>) -> bool {
    ASKED.iter().any(|key| record.get(key).is_some_and(Json::is_array))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tape::Tape;

    #[test]
    fn an_answer_stands_in_many_places() {
        let count = |rest: &str| {
            let (mut tape, mut count) = (Tape::default(), 0);
            let text = format!(r#"{{"messages":[],{rest}}}"#);
            each_answer(tape.read(&text).unwrap(), &mut |_| count += 1);
            count
        };
        let message = r#"{"role":"assistant","content":"a"}"#;
        let choices = format!(r#""choices":[{{"message":{message}}},{{"message":{message}}}]"#);
        assert_eq!(count(&choices), 2);
        assert_eq!(count(&format!(r#""response":{{{choices}}}"#)), 2);
        assert_eq!(count(&format!(r#""response":{{"body":{{{choices}}}}}"#)), 2);
        assert_eq!(count(&format!(r#""response":{message}"#)), 1);
        assert_eq!(count(&format!(r#""message":{message}"#)), 1);
        assert_eq!(count(r#""role":"assistant","content":[]"#), 1);
        assert_eq!(count(r#""response":{"role":"user","content":"a"}"#), 0);
        assert_eq!(count(r#""response":"a""#), 0);
        assert_eq!(count(r#""response":{"candidates":[{"content":{"parts":[]}}]}"#), 1);
        assert_eq!(count(&format!(r#""output":{{"message":{message}}}"#)), 1);
        assert_eq!(count(r#""response":{"output":[{"type":"reasoning"},{}]}"#), 2);
        let mut tape = Tape::default();
        each_answer(tape.read(message).unwrap(), &mut |_| unreachable!());
    }
}
