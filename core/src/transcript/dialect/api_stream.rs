//! Streams of answers as the servers of models send them: the chunks of chat completions, the
//! events of Anthropic's messages, and the lines of Ollama.
//!
//! The pieces of an answer become one message when the answer ends.

use serde_json::{Map, Value, json};

use crate::json::parse::parse_json;
use crate::json::value::Json;
use crate::transcript::dialect::anthropic::Anthropic;
use crate::transcript::dialect::field::{any, at, first_text, has, text_at, written_at};
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::openai;
use crate::transcript::dialect::outcome::message;
use crate::transcript::dialect::say::say;
use crate::transcript::dialect::streamed_answer::StreamedAnswer;
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::Role;

/// How many answers are put together at once, and how many bytes of pieces they may have.
const MOST_ANSWERS: usize = 64;
const MOST_BYTES: usize = 16 << 20;

/// The types of Anthropic's events, each with the key that it has.
const EVENTS: [(&str, &str); 6] = [
    ("message_start", "message"),
    ("content_block_start", "content_block"),
    ("content_block_delta", "delta"),
    ("content_block_stop", "index"),
    ("message_delta", "delta"),
    ("message_stop", "type"),
];

/// The reader of the streams.
#[derive(Debug, Default)]
pub(super) struct ApiStream {
    /// The answers whose end has not come. The one whose piece came last stands last.
    open: Vec<OpenAnswer>,
    /// The bytes of all pieces since no answer was open.
    bytes: usize,
}

/// An answer whose end has not come.
#[derive(Debug, Default)]
struct OpenAnswer {
    /// The id that each piece names; empty where pieces name none.
    id: String,
    /// What the message says beside its content: its id, model, time and tokens.
    facts: Map<String, Value>,
    pieces: StreamedAnswer,
}

impl Dialect for ApiStream {
    fn weigh(record: Json<'_>) -> u32 {
        if is_chunk(record) || is_line_of_ollama(record) {
            return 9;
        }
        match event_of(record) {
            // Other programs have events of these names.
            Some("message_start") if !is_message_of_api(record) => 0,
            Some("message_stop" | "message_delta" | "content_block_stop") => 4,
            Some(_) => 9,
            None => 0,
        }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let is_read = if is_chunk(record) {
            self.chunk(record, give);
            true
        } else if is_line_of_ollama(record) {
            self.line_of_ollama(record, give);
            true
        } else {
            event_of(record).is_some_and(|event| self.event(event, record, give))
        };
        self.bytes = if self.open.is_empty() { 0 } else { self.bytes + record.raw().len() };
        let error = record.get("error").filter(|error| error.is_object() || error.is_text());
        if error.is_some() || self.bytes > MOST_BYTES {
            self.end_all(give);
        }
        if let Some(error) = error {
            say(Role::Error, message(error), give);
        }
        is_read || error.is_some()
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        self.end_all(give);
    }

    fn has_pieces_of_calls(&self) -> bool {
        true
    }
}

impl ApiStream {
    /// A chunk of a chat completion.
    fn chunk<'a>(&mut self, chunk: Json<'a>, give: Give<'_, 'a>) {
        let mut answer = self.take(&chunk.text_of("id").unwrap_or_default());
        answer.keep(chunk, &["model", "created"]);
        answer.pieces.add(chunk);
        for choice in chunk.get("choices").into_iter().flat_map(Json::items) {
            let reason = choice.text_of("finish_reason");
            if reason.is_some_and(|reason| !reason.is_empty()) {
                let place = choice.get("index").and_then(Json::as_u64).unwrap_or(0);
                let ended = answer.pieces.end_choice(place);
                answer.tell(ended, give);
            }
        }
        if !answer.pieces.is_empty() {
            self.hold(answer, give);
        } else if chunk.get("usage").is_some_and(Json::is_object) {
            openai::about(chunk, written_at(chunk), give);
        }
    }

    /// A line of Ollama, whose message has a piece of the text, whole calls, or both.
    fn line_of_ollama<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) {
        let mut answer = self.take("");
        answer.keep(line, &["model", "created_at"]);
        if let Some(message) = line.get("message") {
            answer.pieces.add_to_choice(0, message);
        }
        if line.get("done").and_then(Json::as_bool) != Some(true) {
            return self.hold(answer, give);
        }
        let count = |key: &str| line.get(key).and_then(Json::as_u64).unwrap_or(0);
        let (input, output) = (count("prompt_eval_count"), count("eval_count"));
        answer.facts.insert("usage".to_owned(), json!({ "input": input, "output": output }));
        let ended = answer.pieces.end_choice(0);
        answer.tell(ended, give);
    }

    /// An event of a message of Anthropic's; false if it is none.
    fn event<'a>(&mut self, event: &str, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        if event == "message_start" {
            if !is_message_of_api(record) {
                return false;
            }
            self.end_all(give);
        }
        let mut answer = self.take("");
        match event {
            "message_start" => {
                if let Some(message) = record.get("message") {
                    answer.keep(message, &["id", "model", "usage"]);
                }
            }
            "message_delta" => answer.count(record),
            _ => answer.pieces.add(record),
        }
        if event == "message_stop" {
            answer.end(give);
        } else {
            self.hold(answer, give);
        }
        true
    }

    /// Takes the open answer with an id; a new one if there is none.
    fn take(&mut self, id: &str) -> OpenAnswer {
        match self.open.iter().position(|open| open.id == id) {
            Some(place) => self.open.remove(place),
            None => OpenAnswer { id: id.to_owned(), ..OpenAnswer::default() },
        }
    }

    /// Holds an answer until its next piece.
    fn hold(&mut self, answer: OpenAnswer, give: Give<'_, '_>) {
        if self.open.len() >= MOST_ANSWERS {
            self.end_all(give);
        }
        self.open.push(answer);
    }

    /// Gives all answers as far as they have come.
    fn end_all(&mut self, give: Give<'_, '_>) {
        self.bytes = 0;
        for answer in std::mem::take(&mut self.open) {
            answer.end(give);
        }
    }
}

impl OpenAnswer {
    /// Keeps what a record says of the message, unless it is known.
    fn keep(&mut self, record: Json<'_>, keys: &[&str]) {
        for key in keys {
            let Some(value) = record.get(key).filter(|value| !value.is_null()) else { continue };
            if !self.facts.contains_key(*key) {
                let value = parse_json(value.raw().as_bytes()).unwrap_or_default();
                self.facts.insert((*key).to_owned(), value);
            }
        }
    }

    /// Takes the counts of tokens that an event has in the place of earlier ones.
    fn count(&mut self, event: Json<'_>) {
        let Some(counted) = event.get("usage") else { return };
        let counted = parse_json(counted.raw().as_bytes()).unwrap_or_default();
        let usage = self.facts.entry("usage").or_insert_with(|| json!({}));
        if let (Some(usage), Value::Object(counted)) = (usage.as_object_mut(), counted) {
            usage.extend(counted.into_iter().filter(|(_, count)| !count.is_null()));
        }
    }

    /// Gives the messages as far as they have come.
    fn end(mut self, give: Give<'_, '_>) {
        let Some(made) = std::mem::take(&mut self.pieces).end() else { return };
        match made.get("choices").and_then(Value::as_array) {
            None => self.tell(Some(made), give),
            Some(choices) => {
                for choice in choices {
                    self.tell(choice.get("message").cloned(), give);
                }
            }
        }
    }

    /// Gives a message with what is known of it.
    fn tell(&self, message: Option<Value>, give: Give<'_, '_>) {
        let Some(Value::Object(mut message)) = message else { return };
        message.extend(self.facts.clone());
        let is_of_blocks = message.get("content").is_some_and(Value::is_array);
        nested(&Value::Object(message).to_string(), give, &mut |message, give| {
            if is_of_blocks {
                openai::about(message, written_at(message), give);
                Anthropic.read(message, give);
            } else {
                openai::read(message, give);
            }
        });
    }
}

/// Whether a record is a chunk of a chat completion.
fn is_chunk(record: Json<'_>) -> bool {
    let is_named = record.text_of("object").as_deref() == Some("chat.completion.chunk");
    let has_delta = |choice: Json<'_>| choice.get("delta").is_some_and(Json::is_object);
    is_named && has(record, &["choices"]) || any(record.get("choices"), has_delta)
}

/// Whether a record is a line of Ollama.
fn is_line_of_ollama(record: Json<'_>) -> bool {
    at(record, &["message", "role"]).is_some()
        && record.get("done").and_then(Json::as_bool).is_some()
        && first_text(record, &["model"]).is_some()
}

/// The type of an event of Anthropic's.
fn event_of(record: Json<'_>) -> Option<&'static str> {
    let kind = record.text_of("type")?;
    let (event, key) = EVENTS.iter().find(|(event, _)| *event == kind)?;
    record.get(key).map(|_| *event)
}

/// Whether an event begins a message of Anthropic's API.
fn is_message_of_api(record: Json<'_>) -> bool {
    text_at(record, &["message", "type"]).as_deref() == Some("message")
}
