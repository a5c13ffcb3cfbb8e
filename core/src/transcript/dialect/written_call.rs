//! Calls that stand as text in the words of a model.

use std::sync::LazyLock;

use crate::call::ToolCall;
use crate::detect::{Detector, Options};
use crate::json::tape::Tape;

/// A detector of calls in any form.
static DETECTOR: LazyLock<Option<Detector>> =
    LazyLock::new(|| Detector::new(Options::default()).ok());

/// The words of a text, and the calls in it: names, and arguments as JSON text.
pub(super) struct WrittenCalls {
    pub(super) text: String,
    pub(super) calls: Vec<(String, String)>,
}

/// Takes the calls out of a text that are written between tags, as Hermes writes them.
///
/// A text that is a list of calls in Python's form has no words.
pub(super) fn split(text: &str) -> WrittenCalls {
    if text.trim_start().starts_with('[') {
        let found = DETECTOR.as_ref().map(|detector| detector.detect(text.as_bytes()));
        let calls = found.iter().flat_map(|found| found.calls.iter());
        let named = |call: &ToolCall| {
            let arguments = String::from_utf8_lossy(call.arguments_raw(text.as_bytes()));
            (call.name.clone(), arguments.into_owned())
        };
        return WrittenCalls { text: String::new(), calls: calls.map(named).collect() };
    }
    let mut found = WrittenCalls { text: String::new(), calls: Vec::new() };
    let mut rest = text;
    let mut tape = Tape::default();
    while let Some((before, behind)) = rest.split_once("<tool_call>") {
        found.text.push_str(before);
        let (body, behind) = behind.split_once("</tool_call>").unwrap_or((behind, ""));
        match call(body.trim(), &mut tape) {
            Some(call) => found.calls.push(call),
            None => found.text.push_str(body),
        }
        rest = behind;
    }
    found.text.push_str(rest);
    found
}

fn call(body: &str, tape: &mut Tape) -> Option<(String, String)> {
    // Some data sets write Python's form of a dictionary.
    let plain = body.replace('\'', "\"");
    let body = if tape.read(body).is_some() { body } else { plain.as_str() };
    let value = tape.read(body)?;
    let arguments = value.get("arguments").or(value.get("parameters"));
    Some((value.text_of("name")?.into_owned(), arguments.map_or("{}", |raw| raw.raw()).to_owned()))
}
