//! Calls that stand as text in the words of a model.

use std::sync::LazyLock;

use crate::call::RejectionCode;
use crate::detect::{Detector, Options, python_value};
use crate::json::tape::{MAX_DEPTH, Tape};
use crate::json::value::Json;
use crate::transcript::dialect::Give;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::nested::nested;
use crate::transcript::event::LogEvent;

/// A detector of calls in any form.
static DETECTOR: LazyLock<Option<Detector>> =
    LazyLock::new(|| Detector::new(Options::default()).ok());

/// A call that stands in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CallInWords {
    /// The name, and the arguments as JSON text.
    Read(String, String),
    /// The call cannot be read.
    Damaged(DamagedCall),
}

impl CallInWords {
    /// Gives the event of the call, which has no id.
    pub(super) fn give(self, give: Give<'_, '_>) {
        let (name, arguments) = match self {
            Self::Read(name, arguments) => (name, arguments),
            Self::Damaged(call) => return give(call.event()),
        };
        nested(&format!("[{arguments}]"), give, &mut |list, give| {
            let (id, name) = ("".into(), name.clone().into());
            let arguments = list.items().next();
            give(CallParts { id, name, arguments, at: None }.plain());
        });
    }
}

/// Why a call cannot be read, the offset in its text at which that shows, and the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DamagedCall {
    code: RejectionCode,
    at: usize,
    text: String,
}

impl DamagedCall {
    pub(super) fn new(code: RejectionCode, at: usize, text: &str) -> Self {
        Self { code, at, text: text.to_owned() }
    }

    /// The event that tells of the call.
    pub(super) fn event(self) -> LogEvent<'static> {
        let Self { code, at, text } = self;
        LogEvent::Damaged { code, at, text: text.into() }
    }
}

/// The words of a text, and the calls in it.
#[derive(Debug, Default)]
pub(super) struct WrittenCalls {
    pub(super) text: String,
    pub(super) calls: Vec<CallInWords>,
}

/// Takes the calls out of a text that are written between tags, as Hermes writes them.
///
/// A text that is a list of calls in Python's form has no words.
pub(super) fn split(text: &str) -> WrittenCalls {
    if text.trim_start().starts_with('[') {
        return WrittenCalls { text: String::new(), calls: listed(text) };
    }
    let mut found = WrittenCalls::default();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("<tool_call>") {
        found.text.push_str(before);
        let closed = behind.split_once("</tool_call>");
        let (body, after) = closed.unwrap_or((behind, ""));
        let is_empty = body.trim().is_empty();
        if body.trim_start().starts_with(['{', '[']) || closed.is_some() && !is_empty {
            found.calls.push(call(body.trim()));
            rest = after;
        } else {
            // The words only name the tag.
            found.text.push_str("<tool_call>");
            rest = behind;
        }
    }
    found.text.push_str(rest);
    found
}

/// The calls of a list in Python's form.
pub(super) fn listed(text: &str) -> Vec<CallInWords> {
    let Some(found) = DETECTOR.as_ref().map(|detector| detector.detect(text.as_bytes())) else {
        return Vec::new();
    };
    let calls = found.calls.iter().map(|call| {
        let arguments = String::from_utf8_lossy(call.arguments_raw(text.as_bytes()));
        CallInWords::Read(call.name.clone(), arguments.into_owned())
    });
    calls.collect()
}

fn call(body: &str) -> CallInWords {
    let damaged = |code, at| CallInWords::Damaged(DamagedCall::new(code, at, body));
    let called = with_json(body, |value| {
        let arguments = value.get("arguments").or(value.get("parameters"));
        let arguments = arguments.map_or("{}", |arguments| arguments.raw()).to_owned();
        value.text_of("name").map(|name| (name.into_owned(), arguments))
    });
    match called {
        Ok(Some((name, arguments))) => CallInWords::Read(name, arguments),
        Ok(None) => damaged(RejectionCode::MissingName, 0),
        Err(call) => CallInWords::Damaged(call),
    }
}

/// Reads a text that is JSON, or a list or a dictionary as Python prints it. Some data sets hold
/// the latter.
pub(super) fn with_json<T>(text: &str, read: impl FnOnce(Json<'_>) -> T) -> Result<T, DamagedCall> {
    let mut tape = Tape::default();
    if let Some(value) = tape.read(text.trim()) {
        return Ok(read(value));
    }
    let json =
        python_value(text, MAX_DEPTH).map_err(|bad| DamagedCall::new(bad.code, bad.at, text))?;
    let value =
        tape.read(&json).ok_or_else(|| DamagedCall::new(RejectionCode::BadJson, 0, text))?;
    Ok(read(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(body: &str) -> CallInWords {
        let mut found = split(&format!("a<tool_call>{body}</tool_call>b"));
        assert_eq!((&*found.text, found.calls.len()), ("ab", 1), "{body}");
        found.calls.remove(0)
    }

    #[test]
    fn a_dictionary_of_python_is_a_call() {
        for (body, arguments) in [
            (r"{'name': 'f', 'arguments': {'a': 'it\'s'}}", r#"{"a":"it's"}"#),
            (r#"{'name': 'f', 'arguments': {'a': "L'Aquila"}}"#, r#"{"a":"L'Aquila"}"#),
            (r#"{'name': 'f', 'arguments': {'a': 'say "x"'}}"#, r#"{"a":"say \"x\""}"#),
            ("{'arguments': {'a': True, 'b': None}, 'name': 'f'}", r#"{"a":true,"b":null}"#),
            (r#"{"name": "f", "arguments": {"a": "'"}}"#, r#"{"a": "'"}"#),
            (r#"{"name": "f"}"#, "{}"),
        ] {
            assert_eq!(only(body), CallInWords::Read("f".to_owned(), arguments.to_owned()));
        }
    }

    #[test]
    fn words_may_name_the_tag() {
        for text in ["Write <tool_call></tool_call> around it.", "A <tool_call> opens it."] {
            let found = split(text);
            assert_eq!((&*found.text, found.calls.len()), (text, 0));
        }
    }

    #[test]
    fn a_call_that_cannot_be_read_says_why() {
        for (body, code, at) in [
            ("{'name': 'f', 'arguments': {'a': b}}", RejectionCode::BadJson, 33),
            ("{'name': 'f', 'arguments': {", RejectionCode::Incomplete, 28),
            (r#"{"arguments": {}}"#, RejectionCode::MissingName, 0),
            ("f(1)", RejectionCode::BadJson, 0),
        ] {
            assert_eq!(only(body), CallInWords::Damaged(DamagedCall::new(code, at, body)));
        }
    }
}
