//! Requests to the server of a model with their answers, as gateways, files of batches and browsers
//! keep them: each of the two somewhere in the record, as JSON or as a text that holds it.
//!
//! They are put together as one document, with the messages of the request and the answer beside
//! them, which the dialects of these messages read.

use std::borrow::Cow;

use crate::json::tape::Tape;
use crate::json::value::Json;
use crate::transcript::dialect::answer::{ASKED, is_request};
use crate::transcript::dialect::field::{any, at, has, text_at};
use crate::transcript::dialect::streamed_answer::answer_of_text;

/// Where requests stand.
const REQUESTS: [&[&str]; 10] = [
    &["request", "body"],
    &["request", "postData", "text"],
    &["request"],
    &["request_body"],
    &["requestBody"],
    &["raw_request"],
    &["full_request"],
    &["proxy_server_request"],
    &["input", "inputBodyJson"],
    &["body"],
];
/// Where answers stand.
const ANSWERS: [&[&str]; 10] = [
    &["response", "body"],
    &["response", "content", "text"],
    &["response"],
    &["response_body"],
    &["responseBody"],
    &["raw_response"],
    &["full_response"],
    &["output", "outputBodyJson"],
    &["result", "message"],
    &["body"],
];
/// Keys of which many programs have one. A message there need not be an answer.
const COMMON: [&[&str]; 3] = [&["completion"], &["data"], &["payload"]];

/// Requests and answers that were put together, and the values of the record that held them.
pub(in crate::transcript) struct LoggedRequest<'a> {
    pub(in crate::transcript) text: String,
    pub(in crate::transcript) read: Vec<Json<'a>>,
}

/// The request and the answer in a record, or those in the entries that a browser has kept.
pub(in crate::transcript) fn logged_request(record: Json<'_>) -> Option<LoggedRequest<'_>> {
    let is_message = record.get("role").is_some();
    // The events of a stream hold their response themselves.
    let is_event = || record.text_of("type").is_some_and(|kind| kind.starts_with("response."));
    if is_message || !record.is_object() || is_request(record) || is_event() {
        return None;
    }
    let Some(entries) = at(record, &["log", "entries"]).filter(|list| list.is_array()) else {
        return one(record);
    };
    let (mut texts, mut read) = (Vec::new(), Vec::new());
    for found in entries.items().filter_map(one) {
        texts.push(found.text);
        read.extend(found.read);
    }
    (!texts.is_empty()).then(|| LoggedRequest { text: format!("[{}]", texts.join(",")), read })
}

fn one(record: Json<'_>) -> Option<LoggedRequest<'_>> {
    let request = REQUESTS.iter().find_map(|path| {
        let value = at(record, path)?;
        Some((value, request_in(value)?))
    });
    let find = |path: &&[&str]| {
        let value = at(record, path)?;
        Some((value, answer_in(value)?))
    };
    let common = || COMMON.iter().find_map(find).filter(|(_, answer)| !answer.is_message);
    let answer = ANSWERS.iter().find_map(find).or_else(common);
    // An answer may hold its request.
    let outer = || request.as_ref().and_then(|_| Some((record, answer_in(record)?)));
    // What the server refused has an error in the place of the answer.
    let refused = || {
        request.as_ref().and_then(|_| ANSWERS.iter().find_map(|path| error_in(at(record, path)?)))
    };
    let answer = answer.or_else(outer).or_else(refused);
    let read =
        [request.as_ref().map(|(value, _)| *value), answer.as_ref().map(|(value, _)| *value)];
    let read: Vec<_> = read.into_iter().flatten().collect();
    let (key, list) = match (request, &answer) {
        (Some((_, request)), _) => request,
        (None, Some((_, answer))) => (answer.key, "[]".to_owned()),
        (None, None) => return None,
    };
    let answer = answer.map_or_else(|| "null".into(), |(_, answer)| answer.text);
    Some(LoggedRequest { text: format!(r#"{{"{key}":{list},"response":{answer}}}"#), read })
}

/// The key and the list of the messages that a model is asked with.
fn request_in(value: Json<'_>) -> Option<(&'static str, String)> {
    let (text, mut tape) = (json_in(value)?, Tape::default());
    let request = tape.read(&text)?;
    let is_message = |item: Json<'_>| item.is_object();
    let messages = |key: &&'static str| any(request.get(key), is_message);
    if let Some(key) = ASKED.into_iter().find(messages) {
        return Some((key, request.get(key)?.raw().to_owned()));
    }
    // One text stands for one message of the user, beside what only such a request has.
    let words = request.get("input").filter(|input| input.is_text())?;
    let is_asked = has(request, &["instructions"]) || has(request, &["tools"]);
    is_asked.then(|| ("input", format!(r#"[{{"role":"user","content":{}}}]"#, words.raw())))
}

/// An answer, with the key of the messages beside which such an answer stands.
struct LoggedAnswer<'a> {
    key: &'static str,
    /// Whether the answer is a message alone.
    is_message: bool,
    text: Cow<'a, str>,
}

fn answer_in(value: Json<'_>) -> Option<LoggedAnswer<'_>> {
    let text =
        if value.is_text() { answer_of_text(&value.text()?)?.into() } else { json_in(value)? };
    let mut tape = Tape::default();
    let answer = tape.read(&text)?;
    let is_list = |key: &str| answer.get(key).is_some_and(Json::is_array);
    let is_of_assistant =
        |path: &[&str]| text_at(answer, path).is_some_and(|role| role == "assistant");
    let is_response =
        is_list("output") && answer.text_of("object").is_some_and(|kind| kind == "response");
    let is_message = is_of_assistant(&["role"])
        && (has(answer, &["content"]) || has(answer, &["tool_calls"]))
        || is_of_assistant(&["message", "role"])
        || is_of_assistant(&["output", "message", "role"]);
    let key = if any(answer.get("candidates"), |candidate| candidate.get("content").is_some()) {
        "contents"
    } else if is_response {
        "input"
    } else if is_message || any(answer.get("choices"), |choice| choice.get("message").is_some()) {
        "messages"
    } else {
        return None;
    };
    Some(LoggedAnswer { key, is_message, text })
}

/// An error that stands in the place of an answer.
fn error_in(value: Json<'_>) -> Option<(Json<'_>, LoggedAnswer<'_>)> {
    let (text, mut tape) = (json_in(value)?, Tape::default());
    has(tape.read(&text)?, &["error"]).then_some(())?;
    Some((value, LoggedAnswer { key: "messages", is_message: false, text }))
}

/// An object, or the JSON that a text holds.
fn json_in(value: Json<'_>) -> Option<Cow<'_, str>> {
    if value.is_object() {
        return Some(value.raw().into());
    }
    value.text().filter(|text| text.trim_start().starts_with('{'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED_WITH: &str = r#""messages":[{"role":"user","content":"a"}]"#;
    const MESSAGE: &str = r#"{"role":"assistant","content":"b"}"#;

    fn put_together(record: &str) -> Option<String> {
        let mut tape = Tape::default();
        logged_request(tape.read(record).unwrap()).map(|found| found.text)
    }

    #[test]
    fn requests_and_answers_stand_in_many_places() {
        let choices = format!(r#"{{"choices":[{{"message":{MESSAGE}}}]}}"#);
        let both = format!(r#"{{{ASKED_WITH},"response":{choices}}}"#);
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let request = format!("{{{ASKED_WITH}}}");
        for record in [
            format!(r#"{{"request":{request},"response":{choices}}}"#),
            format!(r#"{{"request":{{"body":{request}}},"response":{{"body":{choices}}}}}"#),
            format!(r#"{{"request_body":{request},"response_body":{choices}}}"#),
            format!(r#"{{"request":{},"response":{}}}"#, quoted(&request), quoted(&choices)),
        ] {
            assert_eq!(put_together(&record).as_ref(), Some(&both), "{record}");
        }
        let held = format!(r#"{{"choices":[{{"message":{MESSAGE}}}],"request":{request}}}"#);
        let found = format!(r#"{{{ASKED_WITH},"response":{held}}}"#);
        assert_eq!(put_together(&held), Some(found));
        let refused = format!(r#"{{"request":{request},"response":{{"error":{{}}}}}}"#);
        let found = format!(r#"{{{ASKED_WITH},"response":{{"error":{{}}}}}}"#);
        assert_eq!(put_together(&refused), Some(found));
        let alone = format!(r#"{{"messages":[],"response":{MESSAGE}}}"#);
        let record = format!(r#"{{"custom_id":"x","result":{{"message":{MESSAGE}}}}}"#);
        assert_eq!(put_together(&record), Some(alone));
        let entry = format!(
            r#"{{"request":{{"postData":{{"text":{}}}}},"response":{{"content":{{"text":{}}}}}}}"#,
            quoted(&request),
            quoted(&choices)
        );
        let browser = format!(r#"{{"log":{{"entries":[{entry},{{}},{entry}]}}}}"#);
        assert_eq!(put_together(&browser), Some(format!("[{both},{both}]")));
    }

    #[test]
    fn other_records_hold_none() {
        for record in [
            r#"{"request":{"input":["a","b"]},"response":{"data":[1]}}"#,
            r#"{"request":{"input":"a"},"response":"b"}"#,
            r#"{"data":{"role":"user","content":"a"}}"#,
            r#"{"messages":[],"response":{"choices":[{"message":{}}]}}"#,
            r#"{"log":{"entries":[{}]}}"#,
            r#"{"type":"x","payload":{"role":"assistant","content":"b"}}"#,
            r#"{"role":"user","content":"a","data":{"role":"assistant","content":"b"}}"#,
            r#"{"choices":[{"message":{}}]}"#,
            r#"{"type":"response.completed","response":{"object":"response","output":[]}}"#,
            "[]",
        ] {
            assert_eq!(put_together(record), None, "{record}");
        }
    }
}
