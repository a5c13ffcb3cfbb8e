//! The topics `detection`, `errors`, `replace` and `render`.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolwire::call::Segment;
use toolwire::compat::PRESETS;
use toolwire::compat::memberpress::{render_call, render_result};
use toolwire::detect::{
    Format, NewCall, NewMessage, Profile, Seen, Tools, render_calls, render_message,
};
use toolwire::{Detection, Detector, Error, Options, Rejection, Span, ToolCall};

use crate::case::{Case, Text, identical};
use crate::stream::check_stream;

/// The capacity of a case's set of seen calls.
const SEEN: usize = 1_000;

/// The sizes of the chunks in which a case is streamed, in bytes.
const CHUNKS: [usize; 5] = [1, 2, 3, 5, 16];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DetectionInput {
    text: Text,
    #[serde(default)]
    options: Map<String, Value>,
    seen: Option<Vec<Text>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DetectionOutput {
    calls: Vec<ExpectedCall>,
    #[serde(default)]
    rejections: Vec<ExpectedRejection>,
    text: Option<Text>,
    reasoning: Option<Text>,
    segments: Option<Vec<ExpectedSegment>>,
    rejections_dropped: Option<usize>,
    #[serde(default)]
    reasoning_open: bool,
    /// The text and the markup of calls that a stream tells; by default all of the whole text's.
    told: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedCall {
    name: String,
    arguments: Value,
    format: String,
    original: Option<Text>,
    id: Option<String>,
    id_given: Option<bool>,
    index: Option<usize>,
    span: Option<[usize; 2]>,
    status: Option<String>,
    #[serde(default)]
    diagnostics: Vec<String>,
    arguments_raw: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedRejection {
    code: String,
    span: Option<[usize; 2]>,
    line: Option<usize>,
    column: Option<usize>,
    excerpt: Option<String>,
    format: Option<String>,
}

/// A part of the message: `{"text": …}`, `{"reasoning": …}`, `{"frame": …}`, or
/// `{"call": index}`.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum ExpectedSegment {
    Text(Text),
    Reasoning(Text),
    Frame(Text),
    Call(usize),
}

/// Fails with a message unless two values are equal.
pub fn equal<T: PartialEq<U> + std::fmt::Debug, U: std::fmt::Debug>(
    what: &str,
    found: &T,
    expected: &U,
) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected:?}, but got {found:?}"))
    }
}

/// Fails with a message unless two values are equal, if one is expected.
fn agrees<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &T,
    expected: Option<&T>,
) -> Result<(), String> {
    expected.map_or(Ok(()), |expected| equal(what, found, expected))
}

/// The options that a case sets by name.
pub fn options(named: &Map<String, Value>) -> Result<Options, Error> {
    let mut options = Options { presets: PRESETS, ..Options::default() };
    for (name, value) in named {
        options.set(name, value)?;
    }
    Ok(options)
}

/// A new detector for the input, with the calls that the input lists as seen.
fn detector(input: &DetectionInput) -> Result<Detector, Error> {
    let mut options = options(&input.options)?;
    options.seen = input.seen.as_ref().map(|_| Seen::new(SEEN));
    let detector = Detector::new(options)?;
    for text in input.seen.iter().flatten() {
        let _ = detector.detect(&text.0);
    }
    Ok(detector)
}

/// Runs a case of detection, as a whole text and as a stream in chunks of several sizes.
pub fn detection(case: &Case) -> Result<(), String> {
    let input: DetectionInput = case.input()?;
    let text = &input.text.0;
    let Some((detector, expected)) = case.outcome(self::detector(&input))? else { return Ok(()) };
    let expected: DetectionOutput =
        serde_json::from_value(expected.clone()).map_err(|error| format!("output: {error}"))?;
    let whole = detector.detect(text);
    check_detection(&whole, &expected)?;
    for size in CHUNKS {
        // Each detection adds to its set of seen calls, so each needs a set of its own.
        let detector = self::detector(&input).map_err(|error| error.to_string())?;
        check_stream(&detector, text, size, &whole, expected.told.as_ref())
            .map_err(|why| format!("in chunks of {size}: {why}"))?;
    }
    Ok(())
}

/// Compares a detection with the expected one.
fn check_detection(found: &Detection<'_>, expected: &DetectionOutput) -> Result<(), String> {
    let text = found.input;
    let names = |calls: &[ToolCall]| calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>();
    let expected_names: Vec<_> = expected.calls.iter().map(|call| call.name.clone()).collect();
    equal("names of the calls", &names(&found.calls), &expected_names)?;
    let codes: Vec<_> = found.rejections.iter().map(|rejection| rejection.code.slug()).collect();
    let expected_codes: Vec<_> =
        expected.rejections.iter().map(|rejection| &*rejection.code).collect();
    equal("codes of the rejections", &codes, &expected_codes)?;
    for (place, (call, expected)) in found.calls.iter().zip(&expected.calls).enumerate() {
        equal("index", &call.index, &place)?;
        check_call(call, expected, text).map_err(|why| format!("call {place}: {why}"))?;
    }
    for (place, (rejection, expected)) in
        found.rejections.iter().zip(&expected.rejections).enumerate()
    {
        check_rejection(rejection, expected).map_err(|why| format!("rejection {place}: {why}"))?;
    }
    agrees("text", &Text(found.text().into_owned()), expected.text.as_ref())?;
    let reasoning = found.reasoning().map(|reasoning| Text(reasoning.into_owned()));
    equal("reasoning", &reasoning, &expected.reasoning)?;
    equal("reasoning_open", &found.reasoning_open, &expected.reasoning_open)?;
    agrees("rejections_dropped", &found.rejections_dropped, expected.rejections_dropped.as_ref())?;
    let segments = found.segments();
    check_joined(&segments, found)?;
    let part = |span: Span| Text(span.of(text).to_vec());
    let shown = |segment: &Segment| match *segment {
        Segment::Text(span) => ExpectedSegment::Text(part(span)),
        Segment::Reasoning(span) => ExpectedSegment::Reasoning(part(span)),
        Segment::Frame(span) => ExpectedSegment::Frame(part(span)),
        Segment::Call(index, _) => ExpectedSegment::Call(index),
    };
    agrees("segments", &segments.iter().map(shown).collect(), expected.segments.as_ref())
}

fn check_call(call: &ToolCall, expected: &ExpectedCall, text: &[u8]) -> Result<(), String> {
    let raw = call.arguments_raw(text);
    let arguments = match serde_json::from_slice(raw) {
        Ok(Value::Array(items)) if items.is_empty() => json!({}),
        Ok(value) => value,
        Err(error) => return Err(format!("arguments: {error}")),
    };
    if !identical(&arguments, &expected.arguments) {
        return Err(format!("arguments: expected {}, but got {arguments}", expected.arguments));
    }
    let diagnostics: Vec<_> = call.diagnostics.iter().map(|note| note.code.slug()).collect();
    equal("diagnostics", &diagnostics, &expected.diagnostics)?;
    equal("status", &call.status.slug(), &expected.status.as_deref().unwrap_or("complete"))?;
    equal("format", &call.format, &&*expected.format)?;
    agrees("original", &Text(call.original(text).to_vec()), expected.original.as_ref())?;
    agrees("arguments_raw", &Text(raw.to_vec()), expected.arguments_raw.as_ref())?;
    agrees("id", &call.id.to_string(), expected.id.as_ref())?;
    agrees("id_given", &call.id_given, expected.id_given.as_ref())?;
    agrees("index", &call.index, expected.index.as_ref())?;
    agrees("span", &[call.span.start, call.span.end], expected.span.as_ref())
}

fn check_rejection(found: &Rejection, expected: &ExpectedRejection) -> Result<(), String> {
    agrees("span", &[found.span.start, found.span.end], expected.span.as_ref())?;
    agrees("line", &found.line, expected.line.as_ref())?;
    agrees("column", &found.column, expected.column.as_ref())?;
    agrees("excerpt", &found.excerpt, expected.excerpt.as_ref())?;
    agrees("format", &found.format, expected.format.as_deref().map(Some).as_ref())
}

/// Fails unless the segments cover the text without a gap and every call has its own segment.
fn check_joined(segments: &[Segment], found: &Detection<'_>) -> Result<(), String> {
    let mut end = 0;
    let mut calls = Vec::new();
    for segment in segments {
        let span = segment.span();
        if let Segment::Call(index, _) = *segment {
            calls.push((index, span));
        }
        equal("start of a segment", &span.start, &end)?;
        end = span.end;
    }
    equal("end of the segments", &end, &found.input.len())?;
    let own: Vec<_> = found.calls.iter().map(|call| (call.index, call.span)).collect();
    equal("calls of the segments", &calls, &own)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorsInput {
    options: Map<String, Value>,
}

/// Runs a case of a detector that must be refused.
pub fn errors(case: &Case) -> Result<(), String> {
    let input: ErrorsInput = case.input()?;
    let made = options(&input.options).and_then(Detector::new);
    match case.outcome(made)? {
        Some(_) => Err("output: this topic expects an error".to_owned()),
        None => Ok(()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplaceInput {
    text: Text,
    #[serde(default)]
    options: Map<String, Value>,
    results: HashMap<String, Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplaceOutput {
    text: Text,
}

/// Runs a case of replacing each call by its tool's result.
pub fn replace(case: &Case) -> Result<(), String> {
    let input: ReplaceInput = case.input()?;
    let Some((detector, expected)) =
        case.outcome(options(&input.options).and_then(Detector::new))?
    else {
        return Ok(());
    };
    let expected: ReplaceOutput =
        serde_json::from_value(expected.clone()).map_err(|error| format!("output: {error}"))?;
    let mut missing = Vec::new();
    let replaced = detector.detect(&input.text.0).replace(|call| {
        let result = input.results.get(&call.name).cloned();
        if result.is_none() {
            missing.push(call.name.clone());
        }
        result.unwrap_or(Text(Vec::new())).0
    });
    equal("tools without a result", &missing, &Vec::<String>::new())?;
    equal("text", &Text(replaced), &expected.text)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallInput {
    #[serde(rename = "function")]
    _function: String,
    name: String,
    arguments: String,
    status: String,
    id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultInput {
    #[serde(rename = "function")]
    _function: String,
    name: String,
    success: bool,
    result: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallsInput {
    #[serde(rename = "function")]
    _function: String,
    calls: Vec<Value>,
    format: Value,
    tools: Option<Value>,
}

/// Runs a case of calls that are written in a format.
fn render_in_format(case: &Case) -> Result<(), String> {
    let CallsInput { calls, format, tools, .. } = case.input()?;
    let text = || {
        let calls = calls.iter().map(NewCall::from_json).collect::<Result<Vec<_>, _>>()?;
        let tools = tools.as_ref().map(Tools::from_json).transpose()?;
        render_calls(&calls, &Format::from_json(&format)?, tools.as_ref())
    };
    case.check(text().map(|text| json!({ "text": text })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageInput {
    #[serde(rename = "function")]
    _function: String,
    message: Value,
    profile: Value,
    tools: Option<Value>,
}

/// Runs a case of a message that is written by a profile.
fn render_by_profile(case: &Case) -> Result<(), String> {
    let MessageInput { message, profile, tools, .. } = case.input()?;
    let text = || {
        let tools = tools.as_ref().map(Tools::from_json).transpose()?;
        let message = NewMessage::from_json(&message)?;
        render_message(&message, &Profile::from_json(&profile)?, tools.as_ref())
    };
    case.check(text().map(|text| json!({ "text": text })))
}

/// Runs a case of rendering.
pub fn render(case: &Case) -> Result<(), String> {
    let html = match case.function()? {
        "call" => {
            let CallInput { name, arguments, status, id, .. } = case.input()?;
            render_call(&name, &arguments, &status, &id)
        }
        "result" => {
            let ResultInput { name, success, result, .. } = case.input()?;
            render_result(&name, success, &result)
        }
        "calls" => return render_in_format(case),
        "message" => return render_by_profile(case),
        other => return Err(format!("input: an unknown function {other:?}")),
    };
    case.check(Ok(json!({ "html": html })))
}
