//! Traces of OpenTelemetry: spans of models and tools, and those of `OpenInference`.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::json::parse::parse_json;
use crate::json::value::Json;
use crate::transcript::about::{About, TokenUsage};
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{first, has, moment};
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::openinference::{MODEL_MESSAGES, add_messages};
use crate::transcript::dialect::outcome::ResultParts;
use crate::transcript::dialect::parts::unwrapped;
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::trace::{SpanMessages, ToolSpan, error_of};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the spans.
#[derive(Debug, Default)]
pub(super) struct OpenTelemetry {
    messages: SpanMessages,
    known: KnownCalls,
}

/// The calls and results that spans gave, by the call's id; later spans repeat them.
#[derive(Debug, Default)]
struct KnownCalls {
    calls: SeenIds,
    results: SeenIds,
    /// The last calls of models whose tools have had no span.
    made: Vec<SpanCall>,
    /// The last spans of tools without an id for which no model's call has come.
    ran: Vec<SpanCall>,
}

/// How many calls wait for the span of their tool, and how many of these for a call.
const MOST_WAITING: usize = 256;

/// A call, to be known again in another span.
#[derive(Debug)]
struct SpanCall {
    id: String,
    name: String,
    arguments: Value,
}

impl SpanCall {
    /// Takes the call of this name out of a list: the one with these arguments, else the first.
    fn taken_from(list: &mut Vec<Self>, name: &str, arguments: &Value) -> Option<Self> {
        let is_named = |call: &Self| call.name == name;
        let is_same = |call: &Self| is_named(call) && call.arguments == *arguments;
        let place = list.iter().position(is_same).or_else(|| list.iter().position(is_named))?;
        Some(list.remove(place))
    }

    /// Adds the call to a list, whose oldest one may go for it.
    fn wait_in(self, list: &mut Vec<Self>) {
        if list.len() >= MOST_WAITING {
            list.remove(0);
        }
        list.push(self);
    }
}

/// The value of arguments that may stand in a text.
fn arguments_of(value: Option<Json<'_>>) -> Value {
    let text = value.map(|value| value.text().unwrap_or_else(|| value.raw().into()));
    text.and_then(|text| parse_json(text.as_bytes()).ok()).unwrap_or_default()
}

impl Dialect for OpenTelemetry {
    fn weigh(record: Json<'_>) -> u32 {
        if has(record, &["resourceSpans"]) || has(record, &["resource_spans"]) {
            return WHOLE;
        }
        if has(record, &["scopeSpans"]) || has(record, &["spans"]) {
            return 9;
        }
        let has_ids =
            has(record, &["spanId"]) || has(record, &["span_id"]) || has(record, &["context"]);
        if has_ids && has(record, &["attributes", "name"]) { 9 } else { 0 }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        let keys = ["resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "spans"];
        let list = first(document, &keys).unwrap_or(document);
        list.is_array().then_some(list)
    }

    fn read<'a>(&mut self, span: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(attributes) = span.get("attributes") else { return false };
        let mut plain = flattened(plain(attributes));
        // Phoenix writes the kind of a span beside its attributes.
        if let Some(kind) = span.text_of("span_kind") {
            plain.entry(KIND).or_insert_with(|| kind.into());
        }
        let said = error_of(span, &["status", "message"]);
        let said = said.or_else(|| error_of(span, &["status_message"]));
        let error = said.filter(|_| is_failed(span, &plain));
        let is_error = is_failed(span, &plain);
        let time = |keys: &[&str]| first(span, keys).and_then(moment);
        let start = time(&STARTS);
        let end = time(&ENDS);
        let text = |key: &str| plain.get(key).and_then(Value::as_str);
        if let Some(id) = text("gen_ai.conversation.id").or_else(|| text("session.id")) {
            give(LogEvent::Session(id.to_owned().into()));
        }
        facts(&plain, start, give);
        let error = error.or_else(|| is_error.then(|| text("error.type").unwrap_or("").to_owned()));
        add_messages(&mut plain);
        let raw = Value::Object(plain).to_string();
        let known = &mut self.known;
        let messages = &mut self.messages;
        nested(&raw, give, &mut |plain, give| match operation(plain) {
            Operation::Tool => tool(plain, known, (start, end), error.clone(), give),
            Operation::Model => model(plain, known, messages, start, give),
            Operation::Other => give(LogEvent::Skipped("span".into())),
        })
    }
}

/// When a span began and ended.
const STARTS: [&str; 5] =
    ["startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "start_timestamp"];
const ENDS: [&str; 5] =
    ["endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime", "end_timestamp"];

/// The attribute that tells the kind of a span of `OpenInference`.
const KIND: &str = "openinference.span.kind";

/// What the attributes of a tool's span are called: by OpenTelemetry, `OpenInference`, Vercel's AI
/// SDK, Logfire and `OpenLLMetry`.
const TOOL_NAMES: [&str; 3] = ["gen_ai.tool.name", "tool.name", "ai.toolCall.name"];
const ENTITY_NAME: &str = "traceloop.entity.name";
const TOOL_IDS: [&str; 4] = ["gen_ai.tool.call.id", "tool.id", "tool_call.id", "ai.toolCall.id"];
const TOOL_INPUTS: [&str; 7] = [
    "gen_ai.tool.call.arguments",
    "tool.parameters",
    "input.value",
    "ai.toolCall.args",
    "ai.toolCall.input",
    "tool_arguments",
    "traceloop.entity.input",
];
const TOOL_OUTPUTS: [&str; 6] = [
    "gen_ai.tool.call.result",
    "output.value",
    "ai.toolCall.result",
    "ai.toolCall.output",
    "tool_response",
    "traceloop.entity.output",
];
/// The first steps of attributes that exports write as objects in objects.
const ROOTS: [&str; 7] =
    ["openinference", "tool", "tool_call", "input", "output", "session", "gen_ai"];
/// The most steps that are put together.
const MOST_STEPS: usize = 4;

/// What a span is about.
enum Operation {
    Tool,
    Model,
    Other,
}

fn operation(plain: Json<'_>) -> Operation {
    let kind = plain.text_of(KIND);
    let is_tool = plain.text_of("traceloop.span.kind").as_deref() == Some("tool")
        || TOOL_NAMES.iter().any(|key| plain.get(key).is_some());
    let has_messages = || MODEL_MESSAGES.iter().any(|key| plain.get(key).is_some());
    let name = plain.text_of("gen_ai.operation.name");
    match (name.as_deref(), kind.as_deref()) {
        (Some("execute_tool"), _) | (_, Some("TOOL")) => Operation::Tool,
        (Some("chat" | "generate_content" | "text_completion" | "invoke_agent"), _)
        | (_, Some("LLM")) => Operation::Model,
        _ if is_tool => Operation::Tool,
        _ if has_messages() => Operation::Model,
        _ => Operation::Other,
    }
}

/// The attributes as an object: OTLP writes a list of keys and typed values.
fn plain(attributes: Json<'_>) -> Map<String, Value> {
    if attributes.is_object() {
        let parse = |value: Json<'_>| parse_json(value.raw().as_bytes()).unwrap_or_default();
        return attributes.members().map(|(key, value)| (key.into_owned(), parse(value))).collect();
    }
    let pair = |item: Json<'_>| {
        let value = item.get("value").map(|value| typed(value, 0)).unwrap_or_default();
        Some((item.text_of("key")?.into_owned(), value))
    };
    attributes.items().filter_map(pair).collect()
}

/// The attributes with the steps of each in one key, where they stand as objects in objects.
fn flattened(attributes: Map<String, Value>) -> Map<String, Value> {
    let mut plain = Map::new();
    for (key, value) in attributes {
        if ROOTS.contains(&&*key) {
            flatten(&mut plain, key, value, 1);
        } else {
            plain.insert(key, value);
        }
    }
    plain
}

fn flatten(plain: &mut Map<String, Value>, key: String, value: Value, steps: usize) {
    let is_whole = || [&TOOL_INPUTS[..], &TOOL_OUTPUTS].iter().any(|keys| keys.contains(&&*key));
    match value {
        Value::Object(inner) if steps < MOST_STEPS && !is_whole() => {
            for (step, value) in inner {
                flatten(plain, format!("{key}.{step}"), value, steps + 1);
            }
        }
        value => {
            plain.insert(key, value);
        }
    }
}

/// The value that a typed value of OTLP means.
fn typed(value: Json<'_>, depth: usize) -> Value {
    let Some((kind, inner)) = value.members().next().filter(|_| depth < 32) else {
        return Value::Null;
    };
    let list = || inner.get("values").into_iter().flat_map(Json::items);
    match &*kind {
        "arrayValue" => list().map(|value| typed(value, depth + 1)).collect(),
        "kvlistValue" => {
            let pair = |item: Json<'_>| {
                let value = item.get("value").map(|value| typed(value, depth + 1));
                Some((item.text_of("key")?.into_owned(), value.unwrap_or_default()))
            };
            Value::Object(list().filter_map(pair).collect())
        }
        "intValue" => {
            let number = inner.text().and_then(|text| text.parse::<i64>().ok()).or(inner.as_i64());
            number.map_or(Value::Null, Value::from)
        }
        _ => parse_json(inner.raw().as_bytes()).unwrap_or_default(),
    }
}

fn is_failed(span: Json<'_>, plain: &Map<String, Value>) -> bool {
    let status = span.get("status");
    let code = status.and_then(|status| first(status, &["code", "status_code"]));
    let code = code.or_else(|| span.get("status_code"));
    let is_error = code.is_some_and(|code| {
        code.as_i64() == Some(2) || code.text().is_some_and(|code| code.ends_with("ERROR"))
    });
    is_error || plain.contains_key("error.type")
}

/// Gives the facts of a span.
fn facts(plain: &Map<String, Value>, at: Option<i64>, give: Give<'_, '_>) {
    let number = |keys: &[&str]| {
        keys.iter().find_map(|key| plain.get(*key).and_then(Value::as_u64)).unwrap_or_default()
    };
    let tokens = TokenUsage {
        input: number(&["gen_ai.usage.input_tokens", "llm.token_count.prompt"]),
        output: number(&["gen_ai.usage.output_tokens", "llm.token_count.completion"]),
        cached: number(&["gen_ai.usage.cache_read.input_tokens"]),
    };
    let tokens = Some(tokens).filter(|tokens| *tokens != TokenUsage::default());
    if let Some(tokens) = tokens {
        give(LogEvent::Usage(None, tokens));
    }
    let model = plain.get("gen_ai.request.model").or(plain.get("llm.model_name"));
    let model = model.and_then(Value::as_str).map(Box::from);
    give(LogEvent::About(About { at, model, tokens, ..About::default() }));
}

/// The span of a tool; a call that a model's span named before is the same call.
fn tool<'a>(
    plain: Json<'a>,
    known: &mut KnownCalls,
    (start, end): (Option<i64>, Option<i64>),
    error: Option<String>,
    give: Give<'_, 'a>,
) {
    let name = first(plain, &TOOL_NAMES).or(plain.get(ENTITY_NAME)).and_then(Json::text);
    let id = first(plain, &TOOL_IDS).and_then(Json::text);
    let arguments = first(plain, &TOOL_INPUTS);
    let name = name.unwrap_or_default();
    let id = match id {
        Some(id) => {
            known.made.retain(|call| call.id != id);
            Some(id)
        }
        None => known.ran(&name, arguments_of(arguments)).map(Cow::Owned),
    };
    let is_new = id.as_deref().is_none_or(|id| known.calls.is_new(id));
    let is_new_result = id.as_deref().is_none_or(|id| known.results.is_new(id));
    let span = ToolSpan {
        id: id.unwrap_or_default(),
        name,
        arguments,
        output: first(plain, &TOOL_OUTPUTS),
        error: error.map(Into::into),
        start,
        end,
    };
    span.give(&mut |event| match event {
        LogEvent::ToolCall { .. } if !is_new => {}
        LogEvent::ToolResult { .. } if !is_new_result => {}
        event => give(event),
    });
}

/// The span of a model: its messages, and the calls that it made.
fn model<'a>(
    plain: Json<'a>,
    known: &mut KnownCalls,
    messages: &mut SpanMessages,
    at: Option<i64>,
    give: Give<'_, 'a>,
) {
    let input = first(plain, &["gen_ai.input.messages", "ai.prompt.messages", "input.value"]);
    if let Some(input) = input {
        messages.read(input, Role::User, give);
    }
    let output = first(plain, &["gen_ai.output.messages"]);
    if let Some(output) = output {
        messages.read(output, Role::Assistant, give);
    }
    for list in [input, output].into_iter().flatten() {
        let text = list.text().map_or_else(|| list.raw().to_owned(), Cow::into_owned);
        nested(&text, give, &mut |list, give| {
            for part in list
                .items()
                .flat_map(|message| message.get("parts").into_iter().flat_map(Json::items))
            {
                known.part(part, at, give);
            }
        });
    }
}

impl KnownCalls {
    /// The id of the model's call whose tool ran in a span that names no id.
    fn ran(&mut self, name: &str, arguments: Value) -> Option<String> {
        if let Some(call) = SpanCall::taken_from(&mut self.made, name, &arguments) {
            return Some(call.id);
        }
        let (id, name) = (String::new(), name.to_owned());
        SpanCall { id, name, arguments }.wait_in(&mut self.ran);
        None
    }

    /// Whether the tool of a model's call ran in a span that has given it.
    fn has_run(&mut self, id: &str, name: &str, arguments: Value) -> bool {
        if SpanCall::taken_from(&mut self.ran, name, &arguments).is_some() {
            self.results.is_new(id);
            return true;
        }
        let (id, name) = (id.to_owned(), name.to_owned());
        SpanCall { id, name, arguments }.wait_in(&mut self.made);
        false
    }

    /// Gives the event of a part of a message, if it is a new call or a new result.
    fn part<'a>(&mut self, part: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) {
        let id = part.text_of("id").unwrap_or_default();
        match part.text_of("type").as_deref() {
            Some("tool_call") if id.is_empty() || self.calls.is_new(&id) => {
                let Some(name) = part.text_of("name") else { return };
                let arguments = part.get("arguments");
                if !self.has_run(&id, &name, arguments_of(arguments)) {
                    give(CallParts { id, name, arguments, at }.plain());
                }
            }
            Some("tool_call_response") if id.is_empty() || self.results.is_new(&id) => {
                self.made.retain(|call| call.id.is_empty() || call.id != id);
                let given = first(part, &["response", "result"]).map(unwrapped);
                let parts = ResultParts { id: Some(id), at, ..ResultParts::default() };
                give(parts.with(given));
            }
            _ => {}
        }
    }
}
