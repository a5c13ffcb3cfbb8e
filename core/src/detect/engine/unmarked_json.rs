//! JSON that calls a known tool in a form that no format reads: with other keys, in another
//! object, in single quotes, or where the model's format wants markers.

use memchr::{memchr_iter, memrchr};

/// The keys that name a tool.
const NAMES: [&[u8]; 10] = [
    b"name",
    b"tool",
    b"tool_name",
    b"toolName",
    b"function",
    b"function_name",
    b"functionName",
    b"recipient_name",
    b"action",
    b"method",
];
/// The keys of arguments.
const ARGUMENTS: [&[u8]; 16] = [
    b"arguments",
    b"args",
    b"parameters",
    b"params",
    b"input",
    b"kwargs",
    b"tool_input",
    b"toolInput",
    b"tool_args",
    b"tool_arguments",
    b"tool_parameters",
    b"action_input",
    b"actionInput",
    b"function_args",
    b"function_arguments",
    b"function_parameters",
];
/// The key that stands in the definition of a tool, and in no call.
const DEFINITION: &[u8] = b"description";
/// The last letters of all these keys.
const ENDINGS: &[u8] = b"delnst";
/// What the values of these keys begin with.
const BEGINNINGS: &[u8] = b"{[\"'\\";
/// The longest key that is looked at, in bytes.
const LONGEST: usize = 24;

/// A call of a tool in JSON.
pub(super) struct JsonCall<'t> {
    pub(super) name: &'t [u8],
    /// Where the key of its name ends.
    pub(super) at: usize,
}

/// The first call of a known tool in JSON: a key that names it, and one of arguments.
///
/// JSON with a description defines the tool.
pub(super) fn json_call(text: &[u8], knows: impl Fn(&[u8]) -> bool) -> Option<JsonCall<'_>> {
    let (mut call, mut has_arguments) = (None, false);
    for at in memchr_iter(b':', text) {
        let value = text.get(at + 1..).unwrap_or_default().trim_ascii_start();
        // Most colons stand in prose, or in front of numbers, which takes less time to see.
        if !value.first().is_some_and(|first| BEGINNINGS.contains(first)) {
            continue;
        }
        let Some(key) = key_before(text.get(..at)?) else { continue };
        if key == DEFINITION {
            return None;
        }
        if ARGUMENTS.contains(&key) {
            has_arguments |= matches!(value.first(), Some(b'{' | b'[' | b'"' | b'\''));
        }
        if call.is_none() && NAMES.contains(&key) {
            let name = name_in(value).filter(|name| knows(name));
            call = name.map(|name| JsonCall { name, at });
        }
    }
    call.filter(|_| has_arguments)
}

/// The name of a known tool that is the first key of an object, with an object behind it.
pub(super) fn tool_key(text: &[u8], knows: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    let inside = text.strip_prefix(b"{")?.trim_ascii_start().strip_prefix(b"\"")?;
    let (name, rest) = split_name(inside);
    let value = rest.strip_prefix(b"\"")?.trim_ascii_start().strip_prefix(b":")?;
    (value.trim_ascii_start().starts_with(b"{") && knows(name)).then_some(name)
}

/// Whether what stands at a place is the value of a key of arguments.
pub(super) fn is_argument(text: &[u8], place: usize) -> bool {
    let before = text.get(..place).unwrap_or_default().trim_ascii_end();
    let key = before.strip_suffix(b":").and_then(key_before);
    key.is_some_and(|key| ARGUMENTS.contains(&key))
}

/// The key of an object with which a text ends, in quotes of any kind or in none, if it may be one
/// of those above.
fn key_before(text: &[u8]) -> Option<&[u8]> {
    let near = text.get(text.len().saturating_sub(2 * LONGEST)..)?.trim_ascii_end();
    let (near, quote) = match near.split_last() {
        Some((quote @ (b'"' | b'\''), rest)) => (without_slash(rest), Some(*quote)),
        _ => (near, None),
    };
    // Half of all other keys end with another letter.
    near.last().filter(|last| ENDINGS.contains(last))?;
    let belongs = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = near.iter().rev().take_while(belongs).count();
    let (before, key) = near.split_at_checked(near.len() - length)?;
    let before = match quote {
        Some(quote) => without_slash(before.strip_suffix(&[quote])?),
        None => before,
    };
    let begins = matches!(before.trim_ascii_end().last(), Some(b'{' | b',' | b'['));
    (begins && !key.is_empty() && key.len() <= LONGEST).then_some(key)
}

/// The name that stands in quotes at the start of a value.
fn name_in(value: &[u8]) -> Option<&[u8]> {
    let value = value.strip_prefix(b"\\").unwrap_or(value);
    let (quote, rest) = value.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    let rest = rest.strip_prefix(b"functions.").unwrap_or(rest);
    let (name, behind) = split_name(rest);
    let behind = behind.strip_prefix(b"\\").unwrap_or(behind);
    (behind.first() == Some(quote)).then_some(name)
}

/// The name with which a text begins, and the rest.
pub(super) fn split_name(text: &[u8]) -> (&[u8], &[u8]) {
    let belongs = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let length = text.iter().take(128).take_while(belongs).count();
    text.split_at_checked(length).unwrap_or((text, b""))
}

/// A text without the backslash at its end, as quotes have it in JSON within a string.
fn without_slash(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\\").unwrap_or(text)
}

/// Whether a place stands in a code block or in code within its line.
pub(super) fn is_in_code(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let line = memrchr(b'\n', before).map_or(0, |at| at + 1);
    let (lines, line) = before.split_at_checked(line).unwrap_or((before, b""));
    let fences =
        lines.split(|byte| *byte == b'\n').filter(|line| is_fence(line.trim_ascii_start()));
    let in_block = fences.count() % 2 == 1;
    in_block || !is_fence(line.trim_ascii_start()) && memchr_iter(b'`', line).count() % 2 == 1
}

/// Whether a line opens or closes a code block.
pub(super) fn is_fence(line: &[u8]) -> bool {
    line.starts_with(b"```") || line.starts_with(b"~~~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_told_whatever_its_keys_and_quotes_are() {
        let knows = |name: &[u8]| name == b"read";
        for text in [
            r#"{"name": "read", "arguments": {}}"#,
            r"{'name':'read','args':{'a':1}}",
            r#"{name: "read", parameters: {a: 1}}"#,
            r#"{"tool":"read","tool_input":"x"}"#,
            r#"{"tool_calls":[{"function":{"name":"read","arguments":"{}"}}]}"#,
            r#""{\"action\": \"read\", \"action_input\": {}}""#,
            r#"{"arguments": {}, "name": "read"}"#,
            r#"{"recipient_name": "functions.read", "parameters": {}}"#,
        ] {
            assert!(json_call(text.as_bytes(), knows).is_some(), "{text}");
        }
        for text in [
            r#"{"name": "read"}"#,
            r#"{"name": "write", "arguments": {}}"#,
            r#"{"name": "read", "description": "reads", "parameters": {}}"#,
            r#"the name: "read", and arguments: {}"#,
            "",
            ":",
            "\":",
            "{:",
        ] {
            assert!(json_call(text.as_bytes(), knows).is_none(), "{text}");
        }
    }

    #[test]
    fn each_key_ends_with_one_of_the_letters() {
        for key in NAMES.iter().chain(&ARGUMENTS).chain([&DEFINITION]) {
            assert!(ENDINGS.contains(key.last().unwrap()) && key.len() <= LONGEST);
        }
    }

    #[test]
    fn code_is_told_from_text() {
        let text = "a `b` c\n```\nd\n```\ne `f";
        let places: Vec<_> =
            ["a", "b", "c", "d", "e", "f"].iter().map(|word| text.find(word).unwrap()).collect();
        let code: Vec<_> = places.iter().map(|at| is_in_code(text.as_bytes(), *at)).collect();
        assert_eq!(code, [false, true, false, true, false, true]);
    }
}
