//! What looks like a call or a result, whoever wrote it.
//!
//! Its type or its key says so: `tool_use`, `toolResult`, `functionCall`, `tool.start`, `mcp_call`.
//! Definitions of tools, counts and words that only mention calls are none.

use std::borrow::Cow;

use memchr::memmem;

use crate::json::tape::Tape;
use crate::json::value::Json;

/// The deepest value that is looked at.
const DEEPEST: usize = 16;

/// The keys under which a call or a result has its id, or the id of its call.
const IDS: [&str; 8] = [
    "tool_use_id",
    "toolUseId",
    "tool_call_id",
    "toolCallId",
    "call_id",
    "callId",
    "toolUseID",
    "id",
];
/// The keys of the kind of an object.
const KINDS: [&str; 4] = ["type", "$type", "content_type", "part_kind"];
/// The keys of a call's name.
const NAMES: [&str; 5] = ["name", "toolName", "tool_name", "tool", "function"];
/// The keys of a call's arguments.
const ARGUMENTS: [&str; 7] =
    ["input", "arguments", "args", "params", "parameters", "tool_input", "toolInput"];
/// The keys of what a tool gave.
const GIVEN: [&str; 4] = ["content", "output", "result", "response"];
/// The keys of definitions and settings, which hold no calls.
const SETTINGS: [&str; 11] = [
    "tools",
    "functions",
    "tool_choice",
    "toolChoice",
    "tool_config",
    "toolConfig",
    "function_call_config",
    "properties",
    "input_schema",
    "inputSchema",
    "capabilities",
];
/// The keys of a model's answer, which may stand there as a text.
const ANSWERS: [&str; 4] = ["response", "raw_response", "body", "answer"];
/// What the JSON of a call holds, in whatever form.
const SIGNS: [&[u8]; 8] =
    [b"ool", b"OOL", b"unction", b"UNCTION", b"call", b"Call", b"CALL", b"xecut"];

/// A call or a result that was found.
pub(super) struct FoundCall<'a> {
    /// The id of the call.
    pub(super) id: Option<Cow<'a, str>>,
    /// The name of the tool.
    pub(super) name: Option<Cow<'a, str>>,
    /// Whether it is a result.
    pub(super) is_result: bool,
}

impl<'a> FoundCall<'a> {
    fn of(call: Json<'a>, is_result: bool) -> Self {
        let listed = || call.get("tool_call_ids").and_then(|ids| ids.items().next()?.text());
        let id = IDS.iter().find_map(|key| call.text_of(key)).or_else(listed);
        let name = NAMES.iter().find_map(|key| call.text_of(key));
        Self { id: id.filter(|id| !id.is_empty()), name, is_result }
    }
}

impl FoundCall<'_> {
    fn into_owned<'o>(self) -> FoundCall<'o> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        FoundCall { id: self.id.map(own), name: self.name.map(own), is_result: self.is_result }
    }
}

/// What a word says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallWord {
    Call,
    Result,
}

/// Whether a text may hold calls; one that may not need not be looked through.
pub(super) fn may_hold_calls(raw: &str) -> bool {
    SIGNS.iter().any(|sign| memmem::find(raw.as_bytes(), sign).is_some())
}

/// Whether the kind of a record or a block is one of calls or results.
pub(super) fn is_of_call(kind: &str) -> bool {
    said(kind).is_some()
}

/// Takes each call and each result that a value holds, but for the values in `read`.
pub(super) fn each_call<'a>(
    value: Json<'a>,
    read: &[Json<'a>],
    take: &mut dyn FnMut(FoundCall<'a>),
) {
    CallSearch { read, take }.value(value, 0);
}

/// The first key of a document under which a value holds calls, but for the values in `read`.
pub(super) fn key_of_calls<'a>(document: Json<'a>, read: &[Json<'a>]) -> Option<Cow<'a, str>> {
    let holds = |(key, inner): &(Cow<'a, str>, Json<'a>)| {
        let mut has_found = false;
        CallSearch { read, take: &mut |_| has_found = true }.member(key, *inner, 0);
        has_found
    };
    document.members().find(holds).map(|(key, _)| key)
}

struct CallSearch<'s, 'a> {
    read: &'s [Json<'a>],
    take: &'s mut dyn FnMut(FoundCall<'a>),
}

impl<'a> CallSearch<'_, 'a> {
    fn value(&mut self, value: Json<'a>, depth: usize) {
        if depth >= DEEPEST || self.is_read(value) {
            return;
        }
        if value.is_array() {
            return value.items().for_each(|item| self.value(item, depth + 1));
        }
        if !value.is_object() {
            return;
        }
        match of_object(value) {
            Some(found) => (self.take)(found),
            None => {
                for (key, inner) in value.members() {
                    self.member(&key, inner, depth);
                }
            }
        }
    }

    fn is_read(&self, value: Json<'a>) -> bool {
        self.read.iter().any(|read| std::ptr::eq(read.raw(), value.raw()))
    }

    fn member(&mut self, key: &str, inner: Json<'a>, depth: usize) {
        if SETTINGS.contains(&key) || self.is_read(inner) {
            return;
        }
        if ANSWERS.contains(&key) && inner.is_text() {
            let text = inner.text().unwrap_or_default();
            let is_answer = text.starts_with(['{', '[']) || text.starts_with("data:");
            let forms = ["\"tool_calls\"", "\"tool_use\"", "\"function_call\"", "\"functionCall\""];
            if is_answer && forms.iter().any(|form| text.contains(form)) {
                (self.take)(FoundCall { id: None, name: None, is_result: false });
            }
            return;
        }
        if is_name_of_call(key) && inner.is_text() {
            return (self.take)(FoundCall { id: None, name: inner.text(), is_result: false });
        }
        let Some(word) = said(key) else { return self.value(inner, depth + 1) };
        let is_result = word == CallWord::Result;
        if inner.is_array() {
            for call in inner.items().filter(|call| call.is_object()) {
                (self.take)(FoundCall::of(call, is_result));
            }
        } else if inner.is_object() && (has_any(inner, &IDS) || has_any(inner, &NAMES)) {
            (self.take)(FoundCall::of(inner, is_result));
        } else if let Some(text) = inner.text().filter(|text| text.starts_with("[{")) {
            let mut tape = Tape::default();
            match tape.read(&text) {
                Some(list) => list
                    .items()
                    .for_each(|call| (self.take)(FoundCall::of(call, is_result).into_owned())),
                None => (self.take)(FoundCall { id: None, name: None, is_result }),
            }
        } else {
            self.value(inner, depth + 1);
        }
    }
}

/// The call or the result that an object is.
fn of_object(object: Json<'_>) -> Option<FoundCall<'_>> {
    let kinds = KINDS.iter().filter_map(|key| object.text_of(key));
    let word = kinds.into_iter().find_map(|kind| said(&kind));
    let parts = [&IDS[..], &NAMES, &ARGUMENTS, &GIVEN];
    if let Some(word) = word
        && parts.iter().any(|keys| has_any(object, keys))
    {
        return Some(FoundCall::of(object, word == CallWord::Result));
    }
    let role = object.text_of("role");
    let is_result = matches!(role.as_deref(), Some("tool" | "function" | "toolResult"));
    if is_result && has_any(object, &GIVEN) {
        return Some(FoundCall::of(object, is_result));
    }
    if object.text_of("method").as_deref() == Some("tools/call") {
        let id = object.get("id").map(|id| id.text().unwrap_or_else(|| id.raw().into()));
        return Some(FoundCall { id, name: None, is_result: false });
    }
    let is_action = object.text_of("tool").is_some() && has_any(object, &ARGUMENTS);
    is_action.then(|| FoundCall::of(object, false))
}

fn has_any(object: Json<'_>, keys: &[&str]) -> bool {
    keys.iter().any(|key| object.get(key).is_some_and(|value| !value.is_null()))
}

/// What a type or a key says: whether it is one of calls, one of results, or neither.
///
/// Its last words say so, whichever way they are joined: `web_search_tool_result`,
/// `toolInvocations`, `tool.end`. A `call` may be one of any kind but of a model.
fn said(name: &str) -> Option<CallWord> {
    let mut last: [&str; 3] = [""; 3];
    for word in words(name) {
        last.rotate_left(1);
        if let Some(end) = last.last_mut() {
            *end = word;
        }
    }
    let is =
        |word: &str, known: &[&str]| known.iter().any(|known| word.eq_ignore_ascii_case(known));
    let is_tool = |word: &str| is(word, &["tool", "function"]);
    let [first, middle, end] = last;
    let of_pair = |thing: &str, what: &str| {
        if !is_tool(thing) {
            None
        } else if is(what, &["call", "calls", "use", "uses", "invocation", "invocations", "start"])
        {
            Some(CallWord::Call)
        } else {
            let results =
                ["result", "results", "response", "responses", "output", "outputs", "end"];
            is(what, &results).then_some(CallWord::Result)
        }
    };
    if is(first, &["code"]) && is(middle, &["execution"]) && is(end, &["result"])
        || is_tool(first) && is(middle, &["call"]) && is(end, &["output", "result", "response"])
        || is(middle, &["call"]) && is(end, &["output"])
    {
        return Some(CallWord::Result);
    }
    let is_model = || is(middle, &["", "llm", "model", "api", "chat", "completion"]);
    of_pair(middle, end)
        .or_else(|| (is(end, &["call"]) && !is_model()).then_some(CallWord::Call))
        .or_else(|| (is(middle, &["executable"]) && is(end, &["code"])).then_some(CallWord::Call))
}

/// Whether an attribute's key is that of the name of a call: `ai.toolCall.name`,
/// `gen_ai.completion.0.tool_calls.1.name`.
fn is_name_of_call(key: &str) -> bool {
    let Some(call) = key.strip_suffix(".name") else { return false };
    let call = call.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    said(call) == Some(CallWord::Call)
}

/// The words of a name in snake case, in camel case or with other signs between them.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric();
    name.split(move |letter: char| !is_letter(letter)).flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            let bytes = rest.as_bytes();
            let is_end = |pair: &[u8]| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase());
            let end = bytes.windows(2).position(is_end).map_or(bytes.len(), |place| place + 1);
            let (word, behind) = rest.split_at_checked(end)?;
            rest = behind;
            (!word.is_empty()).then_some(word)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tape::Tape;

    fn found(record: &str) -> Vec<Option<String>> {
        let (mut tape, mut found) = (Tape::default(), Vec::new());
        each_call(tape.read(record).unwrap(), &[], &mut |call| {
            found.push(call.id.map(Cow::into_owned));
        });
        assert!(found.is_empty() || may_hold_calls(record), "{record}");
        found
    }

    #[test]
    fn calls_and_results_are_seen_in_each_form() {
        for record in [
            r#"{"a":[{"type":"tool_use","id":"x","name":"f"}]}"#,
            r#"{"a":{"type":"tool_result","tool_use_id":"x"}}"#,
            r#"{"tool_use":[{"id":"x"}]}"#,
            r#"{"a":{"tool_calls":[{"id":"x","function":{}}]}}"#,
            r#"{"type":"function_call_output","call_id":"x"}"#,
            r#"{"method":"tools/call","id":"x"}"#,
            r#"{"a":[{"toolUse":{"toolUseId":"x","name":"f"}}]}"#,
            r#"{"type":"toolCall","id":"x","name":"f"}"#,
            r#"{"type":"tool-result","toolCallId":"x"}"#,
            r#"{"role":"toolResult","toolCallId":"x","content":"a"}"#,
            r#"{"type":"frobnicate_call","call_id":"x"}"#,
            r#"{"type":"frobnicate_call_output","call_id":"x"}"#,
            r#"{"toolInvocations":[{"toolCallId":"x"}]}"#,
            r#"{"tool_calls":"[{\"id\":\"x\"}]"}"#,
            r#"{"type":"bash_code_execution_tool_result","tool_use_id":"x"}"#,
        ] {
            assert_eq!(found(record), [Some("x".to_owned())], "{record}");
        }
        for record in [
            r#"{"function_call":{"name":"f"}}"#,
            r#"{"parts":[{"functionCall":{"name":"f","args":{}}}]}"#,
            r#"{"type":"tool.start","toolName":"f"}"#,
            r#"{"type":"tool_call","tool":"f","args":{}}"#,
            r#"{"action":{"tool":"f","input":{}}}"#,
            r#"{"tool_calls":"[{\"id\":"}"#,
            r#"{"ai.toolCall.name":"f"}"#,
            r#"{"a":[{"$type":"functionCall","name":"f"}]}"#,
            r#"{"response":"data: {\"tool_calls\":[]}"}"#,
        ] {
            assert_eq!(found(record), [None], "{record}");
        }
    }

    #[test]
    fn words_and_settings_are_no_calls() {
        for record in [
            r#"{"stop_reason":"tool_use","tool_calls":[],"function_call":null}"#,
            r#"{"finish_reason":"tool_calls","tool_calls":null}"#,
            r#"{"text":"{\"type\":\"tool_use\",\"id\":\"x\"}"}"#,
            r#"{"properties":{"tool_calls":{"type":"array"}}}"#,
            r#"{"capabilities":{"tool_use":true},"function_call":"auto"}"#,
            r#"{"tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"tool","name":"f"}}"#,
            r#"{"tool_calls":3,"toolUse":false,"toolCalls":{"total":3,"failed":1}}"#,
            r#"{"type":"llm_call","id":"x","name":"f"}"#,
            r#"{"type":"call","name":"f"}"#,
        ] {
            assert_eq!(found(record), [], "{record}");
        }
    }

    #[test]
    fn names_fall_into_words() {
        let all = |name| words(name).collect::<Vec<_>>().join(" ");
        assert_eq!(all("webSearchToolResult"), "web Search Tool Result");
        assert_eq!(all("tool.end"), "tool end");
        assert_eq!(all("tool-call"), "tool call");
        assert_eq!(all("__TOOL_CALL__"), "TOOL CALL");
        assert_eq!(all("é"), "");
    }
}
