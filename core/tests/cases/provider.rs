//! The topic `provider`.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolwire::json::Repair;
use toolwire::provider::{
    self, Accumulator, Chunks, Exchange, MessageEnding, MessageHead, MessagePart, ParseOptions,
    Provider, ProviderCall, ProviderItem, ProviderRejection, ProviderResult, ResponseChoice,
    SaidText, SentArguments, Usage, dump_call, dump_item, dump_result, message, option_values,
    parse, parse_with, refusal,
};
use toolwire::{Detection, Detector, Error, ToolCall};

use crate::case::{Case, identical};
use crate::detection::options;

#[derive(Deserialize)]
#[serde(tag = "function", rename_all = "snake_case", deny_unknown_fields)]
enum Input {
    Parse { object: Value, provider: Option<String>, repair: Option<String> },
    DumpCall { call: CallInput, provider: String },
    DumpResult { result: ResultInput, provider: String },
    Accumulate { events: Vec<Value>, provider: Option<String>, repair: Option<String> },
    Message(MessageInput),
    Refusal { text: String, options: Option<Map<String, Value>>, provider: String },
    Chunks(ChunksInput),
    Options { request: Value },
    Response(ResponseInput),
    Choices(ChoicesInput),
    WithCalls { response: Value, options: Option<Map<String, Value>> },
    History { response: Value },
}

/// The streams of several choices of a response.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoicesInput {
    choices: usize,
    /// The choice, a piece of its text, and the log probabilities of the piece.
    fed: Vec<(usize, String, Value)>,
    /// The choices that the limit of tokens cut off.
    cut_off: Vec<usize>,
    input_tokens: u64,
    output_tokens: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResponseInput {
    /// Texts of a model, each of which becomes a message.
    texts: Vec<String>,
    /// Whether the one message is given alone, and not as a list.
    #[serde(default)]
    alone: bool,
    provider: String,
    #[serde(default)]
    logprobs: Value,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChunksInput {
    pieces: Vec<String>,
    #[serde(default)]
    options: Map<String, Value>,
    provider: String,
    #[serde(default)]
    cut_off: bool,
    #[serde(default)]
    sse: bool,
    /// How arguments are sent: `whole` or `streamed`.
    arguments: Option<String>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageInput {
    text: String,
    #[serde(default)]
    options: Map<String, Value>,
    provider: String,
    #[serde(default)]
    cut_off: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallInput {
    id: String,
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultInput {
    call_id: Option<String>,
    tool: String,
    success: bool,
    data: Value,
    error_message: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Output {
    calls: Vec<ExpectedCall>,
    results: Vec<ExpectedResult>,
    rejections: Vec<ExpectedRejection>,
    #[serde(default)]
    items: Vec<ExpectedItem>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct ExpectedItem {
    kind: String,
    word: String,
    id: Option<String>,
    path: String,
    format: String,
    object: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedCall {
    name: String,
    format: String,
    arguments: Option<Value>,
    arguments_raw: Option<String>,
    id: Option<String>,
    id_given: Option<bool>,
    index: Option<usize>,
    /// What the provider wrote beside the call.
    provider_data: Option<Value>,
    /// The call as its provider gets it back.
    written: Option<Value>,
    #[serde(default)]
    diagnostics: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedResult {
    tool: String,
    success: bool,
    data: Value,
    format: String,
    call_id: Option<String>,
    error_message: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct ExpectedRejection {
    code: String,
    path: String,
    format: Option<String>,
}

/// Runs a case.
pub fn provider(case: &Case) -> Result<(), String> {
    match case.input()? {
        Input::Parse { object, provider, repair } => {
            let options = reading(provider.as_deref(), repair.as_deref());
            check_exchange(case, options.map(|options| parse_with(&object, options)))
        }
        Input::Accumulate { events, provider, repair } => {
            let options = reading(provider.as_deref(), repair.as_deref());
            check_exchange(case, options.and_then(|options| joined(&events, options)))
        }
        Input::DumpCall { call, provider } => {
            let CallInput { id, name, arguments } = &call;
            let call = ProviderCall { id: Some(id), name, arguments, ..ProviderCall::default() };
            let object = Provider::named(&provider).and_then(|provider| dump_call(call, provider));
            case.check(object.map(|object| json!({ "object": object })))
        }
        Input::DumpResult { result, provider } => {
            let ResultInput { call_id, tool, success, data, error_message } = result;
            let mut made = ProviderResult::success(call_id.as_deref(), &tool, data);
            made.outcome.success = success;
            made.outcome.error_message = error_message;
            let object = Provider::named(&provider).map(|provider| dump_result(&made, provider));
            case.check(object.map(|object| json!({ "object": object })))
        }
        Input::Message(input) => written_message(case, &input),
        Input::Refusal { text, options: given, provider } => {
            let detector = options(&given.unwrap_or_default()).and_then(Detector::new);
            let detector = detector.map_err(|error| error.to_string())?;
            let found = detector.detect(text.as_bytes());
            let told = |provider| refusal(&found.rejections[0], provider);
            let object = Provider::named(&provider).and_then(told);
            case.check(object.map(|object| json!({ "object": object })))
        }
        Input::Chunks(input) => case.check(written_chunks(&input)),
        Input::Options { request } => {
            let values = option_values(&request);
            if values.is_ok() {
                provider::options(&request).map_err(|error| error.to_string())?;
            }
            case.check(values.map(|values| json!({ "options": values })))
        }
        Input::Choices(input) => case.check(written_choices(&input)),
        Input::WithCalls { response, options: given } => {
            let detector = options(&given.unwrap_or_default()).and_then(Detector::new);
            let detector = detector.map_err(|error| error.to_string())?;
            let object = provider::with_calls(response, &detector);
            case.check(object.map(|object| json!({ "object": object })))
        }
        Input::History { response } => {
            let added = provider::history(&response);
            if let (Value::Array(events), Ok(added)) = (&response, &added) {
                says_the_same_piece_by_piece(events, added)?;
            }
            case.check(added.map(|added| json!({ "history": added })))
        }
        Input::Response(input) => {
            case.check(written_response(input).map(|object| json!({ "object": object })))
        }
    }
}

/// The events of a stream say together what the whole response says.
fn says_the_same_piece_by_piece(events: &[Value], added: &[Value]) -> Result<(), String> {
    let (mut pieces, whole) = (SaidText::default(), SaidText::of(added));
    for event in events {
        let piece = SaidText::of_event(event);
        pieces.text.push_str(&piece.text);
        pieces.reasoning.push_str(&piece.reasoning);
    }
    // A stream may bring only the whole at its end.
    let is_whole = !events.iter().any(|event| event.to_string().contains("elta"));
    if pieces == whole || (is_whole && pieces == SaidText::default()) {
        Ok(())
    } else {
        Err(format!("{pieces:?} in pieces, whole {whole:?}"))
    }
}

/// Writes a message, and reads its calls back.
fn written_message(case: &Case, input: &MessageInput) -> Result<(), String> {
    let detector = options(&input.options).and_then(Detector::new);
    let detector = detector.map_err(|error| error.to_string())?;
    let found = detector.detect(input.text.as_bytes());
    let ending = if input.cut_off { MessageEnding::CutOff } else { MessageEnding::Stopped };
    let provider = Provider::named(&input.provider);
    let object = provider.and_then(|provider| message(&found, provider, ending));
    if let Ok(object) = &object {
        check_read_back(&found, &parse(object, None), &input.provider)?;
    }
    case.check(object.map(|object| json!({ "object": object })))
}

/// Writes the messages of texts, and a response of them.
fn written_response(input: ResponseInput) -> Result<Value, Error> {
    let provider = Provider::named(&input.provider)?;
    let detector = Detector::default();
    let written = |text: &String| {
        message(&detector.detect(text.as_bytes()), provider, MessageEnding::Stopped)
    };
    let mut messages = input.texts.iter().map(written).collect::<Result<Vec<_>, _>>()?;
    let messages = if input.alone { messages.remove(0) } else { messages.into() };
    let head = MessageHead { model: "m".to_owned(), id: Some("i".to_owned()), created: Some(7) };
    let usage = input.input_tokens.zip(input.output_tokens);
    let usage = usage.map(|(input_tokens, output_tokens)| Usage { input_tokens, output_tokens });
    let choices = ResponseChoice::read(messages, input.logprobs)?;
    provider::response(choices, provider, head, usage)
}

/// Writes the chunks of a message that comes in pieces.
fn written_chunks(input: &ChunksInput) -> Result<Value, Error> {
    let mut stream = Detector::new(options(&input.options)?)?.stream();
    let named = MessageHead { model: "m".to_owned(), id: Some("i".to_owned()), created: Some(7) };
    let mut chunks = Chunks::new(Provider::named(&input.provider)?, named)?;
    if let Some(word) = &input.arguments {
        chunks = chunks.with_arguments(SentArguments::named(word)?);
    }
    let mut sent = Vec::new();
    for piece in input.pieces.iter().map(Some).chain([None]) {
        let events = match piece {
            Some(piece) => stream.feed(piece.as_bytes())?,
            None => stream.finish()?,
        };
        for event in events {
            if let Some(part) = MessagePart::of_event(&event, &stream) {
                sent.extend(chunks.feed(part)?);
            }
        }
    }
    let ending = if input.cut_off { MessageEnding::CutOff } else { MessageEnding::Stopped };
    let usage = input.input_tokens.zip(input.output_tokens);
    let usage = usage.map(|(input_tokens, output_tokens)| Usage { input_tokens, output_tokens });
    sent.extend(chunks.finish(ending, usage)?);
    if !input.sse {
        return Ok(json!({ "chunks": sent }));
    }
    let lines = sent.iter().map(|chunk| chunks.line(chunk));
    let lines: Vec<_> = lines.chain(chunks.last_line().map(str::to_owned)).collect();
    Ok(json!({ "lines": lines }))
}

/// Writes the chunks of several choices.
fn written_choices(input: &ChoicesInput) -> Result<Value, Error> {
    let named = MessageHead { model: "m".to_owned(), id: Some("i".to_owned()), created: Some(7) };
    let mut chunks = Chunks::new(Provider::OpenAi, named)?.with_choices(input.choices)?;
    let detector = Detector::default();
    let mut streams: Vec<_> = (0..input.choices).map(|_| detector.stream()).collect();
    let mut sent = Vec::new();
    let ends = (0..input.choices).map(|choice| (choice, None));
    let fed = input.fed.iter().map(|(choice, piece, logprobs)| (*choice, Some((piece, logprobs))));
    for (choice, piece) in fed.chain(ends) {
        let Some(stream) = streams.get_mut(choice) else {
            return chunks.cut_off(choice).map(|()| Value::Null);
        };
        let events = match piece {
            Some((piece, logprobs)) => {
                chunks.add_logprobs(choice, logprobs.clone())?;
                stream.feed(piece.as_bytes())?
            }
            None => stream.finish()?,
        };
        let parts = events.iter().filter_map(|event| MessagePart::of_event(event, stream));
        sent.extend(chunks.feed_choice(choice, parts)?);
    }
    input.cut_off.iter().try_for_each(|choice| chunks.cut_off(*choice))?;
    let (input_tokens, output_tokens) = (input.input_tokens, input.output_tokens);
    let usage = Usage { input_tokens, output_tokens };
    sent.extend(chunks.finish(MessageEnding::Stopped, Some(usage))?);
    Ok(json!({ "chunks": sent }))
}

/// Checks that a message gives the calls that it was written from.
fn check_read_back(found: &Detection<'_>, read: &Exchange, format: &str) -> Result<(), String> {
    let calls = |calls: &[ToolCall], text: &[u8]| -> Vec<(String, Option<Value>)> {
        let arguments = |call: &ToolCall| match call.arguments_raw(text) {
            b"[]" => Some(json!({})),
            raw => toolwire::json::parse_json(raw).ok(),
        };
        calls.iter().map(|call| (call.name.clone(), arguments(call))).collect()
    };
    let (written, back) = (calls(&found.calls, found.input), calls(&read.calls, b""));
    let told = read.calls.iter().all(|call| call.format == format && call.id_given);
    if written == back && told && read.rejections.is_empty() {
        return Ok(());
    }
    Err(format!("read back: {read:?}"))
}

fn reading(provider: Option<&str>, repair: Option<&str>) -> Result<ParseOptions, Error> {
    let provider = provider.map(Provider::named).transpose()?;
    let repair = repair.and_then(Repair::from_slug).unwrap_or_default();
    Ok(ParseOptions { provider, repair })
}

fn joined(events: &[Value], options: ParseOptions) -> Result<Exchange, Error> {
    let mut stream = Accumulator::with(options);
    for event in events {
        stream.feed(event)?;
    }
    stream.finish()
}

fn check_exchange(case: &Case, exchange: Result<Exchange, Error>) -> Result<(), String> {
    let Some((found, expected)) = case.outcome(exchange)? else { return Ok(()) };
    let Output { calls, results, rejections, items } =
        serde_json::from_value(expected.clone()).map_err(|error| format!("output: {error}"))?;
    let Exchange { calls: found_calls, results: found_results, rejections: refused, items: kept } =
        &found;
    let kept = kept.iter().map(shown_item).collect::<Result<Vec<_>, _>>()?;
    if kept != items {
        return Err(format!("items: expected {items:?}, but got {kept:?}"));
    }
    let refused: Vec<_> = refused.iter().map(shown).collect();
    if refused != rejections {
        return Err(format!("rejections: expected {rejections:?}, but got {refused:?}"));
    }
    if (found_calls.len(), found_results.len()) != (calls.len(), results.len()) {
        return Err(format!("another number of calls or results: {found:?}"));
    }
    for (index, (found, expected)) in found_calls.iter().zip(&calls).enumerate() {
        if found.index != index || !is_call(found, expected) {
            return Err(format!("call {index}: {found:?}"));
        }
    }
    for (index, (found, expected)) in found_results.iter().zip(&results).enumerate() {
        if !is_result(found, expected) {
            return Err(format!("result {index}: {found:?}"));
        }
    }
    Ok(())
}

fn shown(rejection: &ProviderRejection) -> ExpectedRejection {
    let ProviderRejection { code, path, format, .. } = rejection;
    let (code, format) = (code.slug().to_owned(), format.map(str::to_owned));
    ExpectedRejection { code, path: path.clone(), format }
}

fn shown_item(item: &ProviderItem) -> Result<ExpectedItem, String> {
    let ProviderItem { kind, word, id, object, path, format } = item;
    let provider = Provider::named(format).map_err(|error| error.to_string())?;
    let written = dump_item(item, provider).map_err(|error| error.to_string())?;
    if written != *object {
        return Err(format!("the item goes back as {written}"));
    }
    Ok(ExpectedItem {
        kind: kind.slug().to_owned(),
        word: word.clone(),
        id: id.clone(),
        path: path.clone(),
        format: (*format).to_owned(),
        object: written,
    })
}

/// Whether a call has what the case says, and is written as it says.
fn is_beside(found: &ToolCall, expected: &ExpectedCall) -> bool {
    let data = found.provider_data.as_deref().map(serde_json::from_str::<Value>);
    let data = data.map(Result::unwrap_or_default);
    let written = || {
        let provider = Provider::named(found.format).ok()?;
        dump_call(ProviderCall::of(found, b""), provider).ok()
    };
    expected.provider_data.as_ref().is_none_or(|expected| data.as_ref() == Some(expected))
        && expected.written.as_ref().is_none_or(|expected| written().as_ref() == Some(expected))
}

fn is_call(found: &ToolCall, expected: &ExpectedCall) -> bool {
    let raw = String::from_utf8_lossy(found.arguments_raw(b"")).into_owned();
    let Ok(arguments) = serde_json::from_str::<Value>(&raw) else { return false };
    let notes: Vec<_> = found.diagnostics.iter().map(|note| note.code.slug()).collect();
    found.name == expected.name
        && found.format == expected.format
        && expected.arguments.as_ref().is_none_or(|expected| identical(&arguments, expected))
        && expected.arguments_raw.as_ref().is_none_or(|expected| *expected == raw)
        && expected.id.as_ref().is_none_or(|id| *id == found.id)
        && expected.id_given.is_none_or(|given| given == found.id_given)
        && expected.index.is_none_or(|index| index == found.index)
        && notes == expected.diagnostics
        && is_beside(found, expected)
}

fn is_result(found: &ProviderResult, expected: &ExpectedResult) -> bool {
    found.outcome.tool == expected.tool
        && found.outcome.success == expected.success
        && identical(&found.outcome.data, &expected.data)
        && found.format == expected.format
        && found.call_id == expected.call_id
        && found.outcome.error_message == expected.error_message
}
