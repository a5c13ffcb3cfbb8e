//! The candidates that the issue agent tries in a model's reply, in order.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::sentence::{DETAILS_RECORDED, NOTHING_FOUND, RESULTS_AVAILABLE, SHORTEST};
use crate::text::strip;

/// Compiles an expression that is known to be valid; a test compiles each one.
macro_rules! expression {
    ($($name:ident = $text:literal;)+) => {
        $(static $name: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new($text).ok());)+

        #[cfg(test)]
        const EXPRESSIONS: &[&str] = &[$($text),+];
    };
}

expression! {
    FENCE = r"(?s)```(?:json)?[\s\x1c-\x1f]*\n?(.*?)\n?```";
    FENCE_IN_CAPITALS = r"(?s)```(?:JSON)?[\s\x1c-\x1f]*\n?(.*?)\n?```";
    FENCED_OBJECT = r"(?s)```json[\s\x1c-\x1f]*(\{.*?\})[\s\x1c-\x1f]*```";
    OBJECT = r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}";
    QUOTED_KEY = "'([^']*)':";
    COMMA_AND_BRACE = r",[\s\x1c-\x1f]*\}";
    COMMA_AND_BRACKET = r",[\s\x1c-\x1f]*\]";
    COMMENT_FIELD = r#""user_comment":[\s\x1c-\x1f]*"([^"]*)""#;
}

fn group<'t>(expression: Option<&Regex>, text: &'t str) -> Option<&'t str> {
    let captures = expression?.captures(text)?;
    captures.get(1).map(|group| group.as_str())
}

fn replace<'t>(expression: Option<&Regex>, text: Cow<'t, str>, with: &str) -> Cow<'t, str> {
    let made = expression.map(|expression| expression.replace_all(&text, with));
    match made {
        Some(Cow::Owned(made)) => Cow::Owned(made),
        _ => text,
    }
}

/// The candidates that `extract_json_from_llm_response` tries, in order; the first that is JSON, of
/// any type, is the answer.
///
/// The candidates are the whole reply; the first code block, once as `json` and once as `JSON`; the
/// text between the first and the last brace; and that text repaired. The repair changes keys in
/// single quotes and commas before closing brackets, also inside strings.
#[must_use]
pub fn json_candidates(reply: &str) -> Vec<Cow<'_, str>> {
    let mut candidates = vec![Cow::Borrowed(strip(reply))];
    let fences =
        [&FENCE, &FENCE_IN_CAPITALS].into_iter().filter_map(|fence| group(fence.as_ref(), reply));
    candidates.extend(fences.map(|block| Cow::Borrowed(strip(block))));
    let (first, last) = (reply.find('{'), reply.rfind('}'));
    let between = first.zip(last).and_then(|(first, last)| reply.get(first..=last));
    if let Some(between) = between {
        candidates.push(Cow::Borrowed(between));
        let mended = replace(QUOTED_KEY.as_ref(), Cow::Borrowed(between), "\"$1\":");
        let mended = replace(COMMA_AND_BRACE.as_ref(), mended, "}");
        candidates.push(replace(COMMA_AND_BRACKET.as_ref(), mended, "]"));
    }
    candidates
}

/// The candidates that `extract_and_parse_json_response` tries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectCandidates<'t> {
    /// The whole reply and the first block of `json`; JSON of any type is the answer.
    pub any: Vec<&'t str>,
    /// Objects of two levels at most, from left to right; an object with an expected key is the
    /// answer.
    pub with_keys: Vec<&'t str>,
}

/// The candidates that `extract_and_parse_json_response` tries, in order.
///
/// ```
/// use toolwire::compat::issue_agent::object_candidates;
///
/// let candidates = object_candidates("{note} {\"summary\": \"s\"}");
/// assert_eq!(candidates.with_keys, ["{note}", "{\"summary\": \"s\"}"]);
/// ```
#[must_use]
pub fn object_candidates(reply: &str) -> ObjectCandidates<'_> {
    let mut any = vec![strip(reply)];
    any.extend(group(FENCED_OBJECT.as_ref(), reply));
    let objects = OBJECT.iter().flat_map(|object| object.find_iter(reply));
    ObjectCandidates { any, with_keys: objects.map(|found| found.as_str()).collect() }
}

/// The text of a comment that is not itself a JSON object; objects inside it are deleted.
///
/// ```
/// assert_eq!(toolwire::compat::issue_agent::comment_text("Set {\"a\": 1} there."), "Set  there.");
/// ```
#[must_use]
pub fn comment_text(comment: &str) -> Cow<'_, str> {
    let comment = strip(comment);
    if FENCED_OBJECT.as_ref().is_some_and(|block| block.is_match(comment)) {
        return Cow::Borrowed(RESULTS_AVAILABLE);
    }
    let text = match replace(OBJECT.as_ref(), Cow::Borrowed(comment), "") {
        Cow::Borrowed(text) => Cow::Borrowed(strip(text)),
        Cow::Owned(text) => Cow::Owned(strip(&text).to_owned()),
    };
    if text.chars().nth(SHORTEST - 1).is_none() { Cow::Borrowed(DETAILS_RECORDED) } else { text }
}

/// The text between the quotes of the first `"user_comment"`, with its escapes undecoded.
#[must_use]
pub fn comment_field(reply: &str) -> Option<&str> {
    group(COMMENT_FIELD.as_ref(), reply)
}

/// The first line of a reply that can be a comment, without brackets and quotes.
///
/// The line has more than 20 characters, does not begin with a bracket or quote, and has more than
/// 10 characters without them. If there is none, a sentence says that nothing was found.
///
/// ```
/// use toolwire::compat::issue_agent::comment_line;
///
/// let line = comment_line("{\nThe \"crash\" is known since May.\n");
/// assert_eq!(line, "The crash is known since May.");
/// ```
#[must_use]
pub fn comment_line(reply: &str) -> Cow<'_, str> {
    let mut lines = reply.split('\n').map(strip);
    let line = lines.find(|line| {
        !line.starts_with(['{', '}', '"', '[', ']']) && line.chars().nth(20).is_some()
    });
    let text = line.map(|line| line.replace(['{', '}', '"', '[', ']'], ""));
    let text =
        text.map(|text| strip(&text).to_owned()).filter(|text| text.chars().nth(10).is_some());
    text.map_or(Cow::Borrowed(NOTHING_FOUND), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_compiles() {
        for expression in EXPRESSIONS {
            Regex::new(expression).unwrap();
        }
    }

    #[test]
    fn the_first_block_alone_is_tried_in_two_spellings() {
        let reply = "```JSON\n{\"a\": 1}\n```\n```\n{}\n```";
        let candidates = json_candidates(reply);
        assert_eq!(candidates[1..3], ["JSON\n{\"a\": 1}", "{\"a\": 1}"]);
        assert_eq!(json_candidates("} {"), ["} {"]);
        assert_eq!(json_candidates("\u{1f}5\u{a0}"), ["5"]);
    }

    #[test]
    fn mending_reaches_into_strings() {
        let candidates = json_candidates("{'a': \"x, ]\"}");
        assert_eq!(candidates.last().map(AsRef::as_ref), Some("{\"a\": \"x]\"}"));
    }

    #[test]
    fn objects_of_two_levels_are_found() {
        let candidates = object_candidates("{\"a\": {\"b\": {\"c\": 1}}, \"summary\": \"x\"} {}");
        assert_eq!(candidates.with_keys, ["{\"b\": {\"c\": 1}}", "{}"]);
        assert_eq!(object_candidates("```json {\"a\": {}} ```").any[1], "{\"a\": {}}");
    }

    #[test]
    fn a_comment_loses_its_objects() {
        assert_eq!(
            comment_text(" function f() { return {a: 1}; } // done now"),
            "function f()  // done now"
        );
        assert_eq!(comment_text("As follows: ```json\n{\"a\": 1}\n```"), RESULTS_AVAILABLE);
        assert_eq!(comment_text("{a} 123456789"), DETAILS_RECORDED);
    }

    #[test]
    fn the_field_and_the_line_are_found() {
        assert_eq!(comment_field(r#"{"user_comment":  "Line\none", bad"#), Some(r"Line\none"));
        assert_eq!(comment_field(r#"{"user_comment": "cut o"#), None);
        assert_eq!(
            comment_line("short\r\nThis is a meaningful line of text\r\n"),
            "This is a meaningful line of text"
        );
        assert_eq!(
            comment_line(
                "a\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\nThis is a meaningful line of text"
            ),
            NOTHING_FOUND
        );
    }
}
