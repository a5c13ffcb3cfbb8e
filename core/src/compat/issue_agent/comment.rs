//! Reads the comment for a person from a model's reply.
//!
//! - [`clean_comment`]: the text of a `user_comment`, which models often wrap in JSON once more.
//! - [`comment_from_reply`]: a comment from a reply that is not JSON.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::reply::comment_line;
use super::sentence::{DETAILS_RECORDED, NO_COMMENT, RESULTS_PROCESSED, SHORTEST};
use crate::json::parse::parse_json;
use crate::text::strip;

/// The text of a `user_comment`.
///
/// If the whole comment is a JSON object, alone or in a code block, its `user_comment` is read in
/// the same way. Without that key the text is its `message`, else its `content`, written as JSON if
/// the value is not a text. A `null` or an empty text counts as missing. Any other text is kept
/// without the white space around it. A comment that says nothing (no comment, an object without
/// these keys, fewer than 10 characters) becomes a polite sentence.
///
/// The rules and the sentences are those of the issue agent's `clean_user_comment`. That function
/// also deletes every `{…}` in a text, including code.
///
/// ```
/// use toolwire::compat::issue_agent::clean_comment;
///
/// assert_eq!(clean_comment(r#"{"user_comment": "Fixed in version 2."}"#), "Fixed in version 2.");
/// assert_eq!(clean_comment(" Write `{a: 1}` instead.\n"), "Write `{a: 1}` instead.");
/// ```
#[must_use]
pub fn clean_comment(comment: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(comment);
    loop {
        if text.is_empty() {
            return Cow::Borrowed(NO_COMMENT);
        }
        match object(&text).map(inner) {
            None => break,
            Some(ObjectContent::Comment(inner)) => text = Cow::Owned(inner),
            Some(ObjectContent::Text(text)) => return Cow::Owned(text),
            Some(ObjectContent::Nothing) => return Cow::Borrowed(RESULTS_PROCESSED),
        }
    }
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(strip(text)),
        Cow::Owned(text) => Cow::Owned(strip(&text).to_owned()),
    };
    if text.chars().nth(SHORTEST - 1).is_none() { Cow::Borrowed(DETAILS_RECORDED) } else { text }
}

/// The content of an object that stands in place of a comment.
enum ObjectContent {
    /// A comment, which is read in turn.
    Comment(String),
    /// A text, which is kept as it is.
    Text(String),
    Nothing,
}

/// The object that the whole text is, alone or in a code block.
fn object(text: &str) -> Option<Map<String, Value>> {
    let text = strip(text);
    let text = block(text).unwrap_or(text);
    if !text.starts_with('{') {
        return None;
    }
    match parse_json(text.as_bytes()) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// The content of the code block that the whole text is.
fn block(text: &str) -> Option<&str> {
    let content = strip(text.strip_prefix("```")?.strip_suffix("```")?);
    let tag = content.get(..4).filter(|tag| tag.eq_ignore_ascii_case("json"));
    Some(strip(content.get(tag.map_or(0, str::len)..)?))
}

fn inner(mut object: Map<String, Value>) -> ObjectContent {
    if let Some(comment) = object.remove("user_comment") {
        return match comment {
            Value::String(text) => ObjectContent::Comment(text),
            Value::Null | Value::Bool(false) => ObjectContent::Comment(String::new()),
            other => ObjectContent::Comment(other.to_string()),
        };
    }
    let mut texts = ["message", "content"].into_iter().filter_map(|key| said(object.remove(key)?));
    texts.next().map_or(ObjectContent::Nothing, ObjectContent::Text)
}

/// The text of a value that says something.
fn said(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => (!strip(&text).is_empty()).then_some(text),
        other => Some(other.to_string()),
    }
}

/// A comment from a reply that is not JSON, or is JSON only in part.
///
/// The comment is the first complete text after a key `"user_comment"`, cleaned as
/// [`clean_comment`] does. Otherwise it is the first line of more than 20 characters that does not
/// begin with a bracket or quote, without its brackets and quotes. Otherwise it is a sentence that
/// says that nothing was found. A text that is cut off does not count as a comment.
///
/// The rules are those of the issue agent's `extract_user_comment_from_response`. That function
/// also ends the text at an escaped quote and leaves escapes undecoded.
///
/// ```
/// use toolwire::compat::issue_agent::comment_from_reply;
///
/// let reply = r#"{"labels": [bug], "user_comment": "It is \"known\".\nSee #12.""#;
/// assert_eq!(comment_from_reply(reply), "It is \"known\".\nSee #12.");
/// ```
#[must_use]
pub fn comment_from_reply(reply: &str) -> Cow<'_, str> {
    const KEY: &str = "\"user_comment\"";
    let mut rest = reply;
    while let Some((_, behind)) = rest.split_once(KEY) {
        rest = behind;
        let value = behind.trim_start().strip_prefix(':').map(str::trim_start);
        let Some(value) = value.and_then(|value| value.strip_prefix('"')) else { continue };
        let Some(end) = closing_quote(value) else { break };
        let (inside, behind) = value.split_at(end);
        rest = behind;
        if let Some(comment) = unescaped(inside) {
            return Cow::Owned(clean_comment(&comment).into_owned());
        }
    }
    comment_line(reply)
}

/// The offset of the closing quote of a string whose opening quote stands before `text`.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

/// Decodes the inside of a string, which may hold raw line ends: the most common fault in JSON.
fn unescaped(inside: &str) -> Option<String> {
    let mut json = String::with_capacity(inside.len() + 2);
    json.push('"');
    for character in inside.chars() {
        match character {
            '\n' => json.push_str("\\n"),
            '\t' => json.push_str("\\t"),
            '\r' => json.push_str("\\r"),
            _ => json.push(character),
        }
    }
    json.push('"');
    match parse_json(json.as_bytes()) {
        Ok(Value::String(text)) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sentence::NOTHING_FOUND;
    use super::*;

    #[test]
    fn json_in_json_is_unwrapped() {
        let once = r#"{"user_comment": "Deep comment text."}"#;
        let twice = serde_json::json!({ "user_comment": once }).to_string();
        assert_eq!(clean_comment(&twice), "Deep comment text.");
        assert_eq!(clean_comment(&format!("```JSON\n{twice}\n```")), "Deep comment text.");
    }

    #[test]
    fn a_block_that_is_no_object_is_kept() {
        for text in [
            "```json\n[1, 2, 3]\n```",
            "```js\nfoo(123);\n```",
            "```json\n{cut off",
            "``` ```` ```",
        ] {
            assert_eq!(clean_comment(text), text);
        }
    }

    #[test]
    fn a_comment_of_another_type_is_not_posted_as_it_is() {
        for (json, said) in
            [("null", NO_COMMENT), ("5", DETAILS_RECORDED), ("{\"a\": 1}", RESULTS_PROCESSED)]
        {
            assert_eq!(clean_comment(&format!("{{\"user_comment\": {json}}}")), said);
        }
        assert_eq!(clean_comment(r#"{"message": [1, "a"]}"#), r#"[1,"a"]"#);
    }

    #[test]
    fn a_field_that_is_cut_or_broken_is_passed_over() {
        assert_eq!(comment_from_reply(r#"{"user_comment": "It was cut o"#), NOTHING_FOUND);
        let broken = r#""user_comment": "a \q b", "user_comment" : "The second one.""#;
        assert_eq!(comment_from_reply(broken), "The second one.");
        assert_eq!(
            comment_from_reply("{\"user_comment\": \"Line one\nLine two\", x"),
            "Line one\nLine two"
        );
    }
}
