//! Langfuse's traces, with their observations.

use crate::json::value::Json;
use crate::transcript::dialect::field::{any, at, first, first_text, has, moment, text_at};
use crate::transcript::dialect::nested::{either, nested};
use crate::transcript::dialect::openai::calls_and_results;
use crate::transcript::dialect::outcome::message;
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::trace::{SpanMessages, ToolSpan};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the traces.
#[derive(Debug, Default)]
pub(super) struct Langfuse {
    messages: SpanMessages,
    /// The ids of the calls and of the results of models' messages, which later ones repeat.
    calls: SeenIds,
    results: SeenIds,
}

impl Dialect for Langfuse {
    fn weigh(record: Json<'_>) -> u32 {
        if observations(record).is_some() {
            WHOLE
        } else if has(record, &["type", "startTime", "level", "traceId"]) {
            9
        } else {
            0
        }
    }

    fn items<'a>(&self, _: Json<'a>) -> Option<Json<'a>> {
        None
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(list) = observations(record) else { return false };
        let id =
            text_at(record, &["trace", "sessionId"]).or_else(|| text_at(record, &["trace", "id"]));
        if let Some(id) = id.or_else(|| first_text(record, &["sessionId", "id"])) {
            give(LogEvent::Session(id));
        }
        let mut observations: Vec<_> = list.items().collect();
        observations.sort_by_key(|one| one.get("startTime").and_then(moment));
        // Where the tools are observed, their calls are those of the models.
        let has_tools = observations.iter().any(|one| is_of_tool(*one));
        for observation in observations {
            self.observation(observation, give);
            if !has_tools && observation.text_of("type").as_deref() == Some("GENERATION") {
                self.calls(observation, give);
            }
        }
        true
    }
}

/// The observations of a trace, or those of an answer of the API.
fn observations(record: Json<'_>) -> Option<Json<'_>> {
    let is_one = |item: Json<'_>| has(item, &["type", "startTime", "traceId"]);
    let own = record.get("observations").filter(|list| list.is_array());
    own.or_else(|| record.get("data").filter(|list| any(Some(*list), is_one)))
}

impl Langfuse {
    fn observation<'a>(&mut self, one: Json<'a>, give: Give<'_, 'a>) {
        let kind = one.text_of("type").unwrap_or_default();
        match &*kind {
            _ if is_of_tool(one) => tool(one, give),
            "GENERATION" => {
                let (input, output) = (first(one, &["input"]), first(one, &["output"]));
                if let Some(input) = input {
                    self.messages.read(input, Role::User, give);
                }
                if let Some(output) = output {
                    self.messages.read(output, Role::Assistant, give);
                }
            }
            _ => give(LogEvent::Skipped(format!("observation {kind}").into())),
        }
    }
}

impl Langfuse {
    /// Gives the calls and the results in the messages of a model that no message before had.
    fn calls<'a>(&mut self, one: Json<'a>, give: Give<'_, 'a>) {
        let when = one.get("startTime").and_then(moment);
        for value in [first(one, &["input"]), first(one, &["output"])].into_iter().flatten() {
            either(value, give, &mut |value, give| {
                each_message(value, 0, &mut |message| {
                    calls_and_results(message, when, &mut |event| {
                        let is_new = match &event {
                            LogEvent::ToolCall { id, .. } => self.calls.is_new(id),
                            LogEvent::ToolResult { id: Some(id), .. } => self.results.is_new(id),
                            _ => true,
                        };
                        if is_new {
                            give(event.into_owned());
                        }
                    });
                });
            });
        }
    }
}

/// Takes the messages of what a model was given or gave: a list, one alone, or an answer.
fn each_message<'a>(value: Json<'a>, depth: usize, take: &mut dyn FnMut(Json<'a>)) {
    if value.is_array() {
        let items = value.items().filter(|_| depth < 4);
        return items.for_each(|item| each_message(item, depth + 1, take));
    }
    if value.get("role").is_some() {
        return take(value);
    }
    let inner = first(value, &["messages", "choices", "message"]);
    if let Some(inner) = inner.filter(|_| depth < 4) {
        each_message(inner, depth + 1, take);
    }
}

fn is_of_tool(one: Json<'_>) -> bool {
    match one.text_of("type").as_deref() {
        Some("TOOL") => true,
        Some("SPAN") => is_tool(one),
        _ => false,
    }
}

/// Whether a span is of a tool, as older versions wrote them.
fn is_tool(one: Json<'_>) -> bool {
    let mut found = false;
    if let Some(metadata) = one.get("metadata") {
        either(metadata, &mut |_| {}, &mut |metadata, _| {
            let attributes = metadata.get("attributes").unwrap_or(metadata);
            let kind =
                first_text(attributes, &["openinference.span.kind", "gen_ai.operation.name"]);
            found = matches!(kind.as_deref(), Some("TOOL" | "execute_tool"));
        });
    }
    found
}

fn tool<'a>(one: Json<'a>, give: Give<'_, 'a>) {
    let time = |key: &str| one.get(key).and_then(moment);
    let text = |key: &str| match one.get(key).filter(|value| !value.is_null()) {
        Some(value) => match value.text() {
            Some(text) if text.trim_start().starts_with(['{', '[']) => text.into_owned(),
            Some(_) | None => value.raw().to_owned(),
        },
        None => "null".to_owned(),
    };
    let level = one.text_of("level");
    let told = at(one, &["statusMessage"]).filter(|told| !told.is_null());
    let failed = level.as_deref() == Some("ERROR");
    let error = failed.then(|| told.map(message).unwrap_or_default().into_owned());
    let id = one.text_of("id").unwrap_or_default();
    let name = one.text_of("name").unwrap_or_default();
    // Input and output are JSON texts, or texts.
    let both = format!("[{},{}]", text("input"), text("output"));
    let read = nested(&both, give, &mut |pair, give| {
        let mut both = pair.items();
        let (input, output) = (both.next(), both.next());
        let inner = input.map(|input| match input.get("input") {
            Some(inner) if inner.is_object() && input.members().count() == 1 => inner,
            _ => input,
        });
        let span = ToolSpan {
            id: id.clone().into_owned().into(),
            name: name.clone().into_owned().into(),
            arguments: inner,
            output,
            error: error.clone().map(Into::into),
            start: time("startTime"),
            end: time("endTime"),
        };
        span.give(give);
    });
    if !read {
        give(LogEvent::Skipped("observation TOOL".into()));
    }
}
