//! The answer of a model beside the messages that it was asked with, as proxies log it.

use crate::json::value::Json;
use crate::transcript::dialect::field::{first, has};

/// Takes the messages of the answer beside a request: those of `choices`, or a message of the
/// assistant, in the record itself or in its `response`.
///
/// A record without `messages` is no request.
pub(in crate::transcript) fn each_answer<'a>(record: Json<'a>, take: &mut dyn FnMut(Json<'a>)) {
    if !record.get("messages").is_some_and(Json::is_array) {
        return;
    }
    let answer = first(record, &["response", "raw_response"]).unwrap_or(record);
    let answer = answer.get("body").filter(|body| body.is_object()).unwrap_or(answer);
    let choices = answer.get("choices").filter(|choices| choices.is_array());
    for choice in choices.into_iter().flat_map(Json::items) {
        if let Some(message) = choice.get("message").filter(|message| message.is_object()) {
            take(message);
        }
    }
    if choices.is_some() {
        return;
    }
    let message = answer.get("message").unwrap_or(answer);
    let is_answer = message.text_of("role").as_deref() == Some("assistant");
    if is_answer && (has(message, &["content"]) || has(message, &["tool_calls"])) {
        take(message);
    }
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
        let mut tape = Tape::default();
        each_answer(tape.read(message).unwrap(), &mut |_| unreachable!());
    }
}
