//! What a listener gets of a call's arguments before the call ends.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use toolwire::detect::{Format, NewCall, Tools, render_calls};
use toolwire::provider::{
    Chunks, MessageEnding, MessageHead, MessagePart, Provider, SentArguments, message,
};
use toolwire::{Detector, Options, Stream};

use crate::hostile::pieces;

/// The forms whose calls are told when they end: until then their text may be no call.
const TOLD_AT_THE_END: [&str; 9] = [
    "json",
    "html",
    "xlam",
    "pythonic",
    "llama3",
    "kimi_k2_stripped",
    "react",
    "sarashina",
    "command_r",
];
/// The most bytes of a text that wait for the rest of a marker, and for the last character.
const ONE_TOKEN: usize = 16;
const LINE: &str = "It rains in Oslo, and the wind is \"strong\"; a < b.\n  Stay at home. ";

/// A tool whose text has this schema.
fn tools(schema: &Value) -> Tools {
    let parameters = json!({"properties": {"text": schema}});
    Tools::from_json(&json!([{"name": "note", "parameters": parameters}])).unwrap()
}

fn detector(format: &Format, tools: Option<Tools>) -> Detector {
    // The tags of this format are tools that are known.
    let known = (format.slug() == "cline").then(|| Tools::named(["note", "read_file"]));
    let tools = tools.or(known);
    Detector::new(Options { formats: vec![format.clone()], tools, ..Options::default() }).unwrap()
}

/// The pieces of a chat's arguments, each with the number of bytes read when it was sent.
struct Sent {
    pieces: Vec<(usize, usize, String)>,
    stream: Stream,
}

impl Sent {
    fn of(detector: &Detector, text: &[u8], size: usize) -> Self {
        let mut stream = detector.stream();
        let chunks = Chunks::new(Provider::OpenAi, MessageHead::default()).unwrap();
        let mut chunks = chunks.with_arguments(SentArguments::Streamed);
        let (mut pieces, mut read) = (Vec::new(), 0);
        let mut take = |sent: Vec<Value>, read: usize| {
            for chunk in sent {
                let call = &chunk["choices"][0]["delta"]["tool_calls"][0];
                if let Some(piece) = call["function"]["arguments"].as_str() {
                    let place = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
                    pieces.push((place, read, piece.to_owned()));
                }
            }
        };
        for part in text.chunks(size).map(Some).chain([None]) {
            read += part.unwrap_or_default().len();
            let events = match part {
                Some(part) => stream.feed(part).unwrap(),
                None => stream.finish().unwrap(),
            };
            for event in &events {
                if let Some(part) = MessagePart::of_event(event, &stream) {
                    take(chunks.feed(part).unwrap(), read);
                }
            }
        }
        take(chunks.finish(MessageEnding::Stopped, None).unwrap(), read);
        Self { pieces, stream }
    }

    fn arguments(&self, place: usize) -> String {
        let own = self.pieces.iter().filter(|piece| piece.0 == place);
        own.map(|piece| piece.2.as_str()).collect()
    }

    /// The number of calls that began.
    fn begun(&self) -> usize {
        self.pieces.iter().map(|piece| piece.0 + 1).max().unwrap_or_default()
    }
}

/// The arguments of the calls that count are whole, and of all others they are no JSON.
fn check_sent(sent: &Sent) -> Result<(), TestCaseError> {
    let found = sent.stream.detection().unwrap();
    let written = message(&found, Provider::OpenAi, MessageEnding::Stopped).unwrap();
    let calls = written["tool_calls"].as_array().cloned().unwrap_or_default();
    let mut wanted = calls.iter().map(|call| call["function"]["arguments"].as_str().unwrap());
    for place in 0..sent.begun() {
        let arguments = sent.arguments(place);
        if serde_json::from_str::<Value>(&arguments).is_ok() {
            prop_assert_eq!(Some(&*arguments), wanted.next());
        }
    }
    prop_assert_eq!(wanted.next(), None);
    Ok(())
}

#[test]
fn a_text_is_sent_while_the_model_writes_it() {
    let value = LINE.repeat(12);
    let schemas =
        [None, Some(json!({"type": "string"})), Some(json!({"type": ["string", "null"]}))];
    for format in Format::all() {
        let arguments = json!({"text": value}).to_string();
        let text = render_calls(&[NewCall::new("note", arguments)], format, None).unwrap();
        for schema in &schemas {
            let detector = detector(format, schema.as_ref().map(tools));
            let sent = Sent::of(&detector, text.as_bytes(), 1);
            let slug = format.slug();
            check_sent(&sent).unwrap();
            assert_eq!(sent.stream.findings().calls.len(), 1, "{slug}");
            // The written text may be escaped, so what is sent is compared by its share.
            let inside = text.find("It rains").unwrap();
            let whole = text.rfind("at home.").unwrap() - inside;
            let all = sent.arguments(0).len();
            let mut made = 0;
            let late = sent.pieces.iter().map(|(_, read, piece)| {
                let share = made * whole / all;
                made += piece.len();
                read.saturating_sub(inside).min(whole).saturating_sub(share)
            });
            let late = late.max().unwrap();
            let waits = TOLD_AT_THE_END.contains(&slug);
            assert_eq!(late > 4 * ONE_TOKEN, waits, "{slug}: {late} bytes wait");
        }
    }
}

fn hostile() -> impl Strategy<Value = (Format, String)> {
    (0..Format::all().len()).prop_flat_map(|index| {
        let format = Format::all()[index].clone();
        let mut parts = pieces([format.example()]);
        parts.push(format.example().to_owned());
        let text = vec(proptest::sample::select(parts), 0..9).prop_map(|parts| parts.concat());
        (Just(format), text)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_calls_that_count_become_whole((format, text) in hostile(), size in 1usize..6) {
        check_sent(&Sent::of(&detector(&format, None), text.as_bytes(), size))?;
    }

    #[test]
    fn a_value_of_any_text_adds_up(
        index in 0..Format::all().len(),
        parts in vec(proptest::sample::select(vec![
            "a", " ", "\n", "<", "é", "null", "None", "<![CDATA[", "]]>", "</", "\"", "\\", "12", "true",
        ]), 0..7),
        size in 1usize..6,
        kind in proptest::sample::select(vec!["", "string", "null", "integer"]),
    ) {
        let format = &Format::all()[index];
        let arguments = json!({"text": parts.concat(), "n": 1}).to_string();
        let schema = match kind {
            "" => None,
            "null" => Some(json!({"type": ["string", "null"]})),
            "integer" => Some(json!({"type": ["string", "integer"]})),
            kind => Some(json!({"type": kind})),
        };
        let tools = schema.as_ref().map(tools);
        let written = render_calls(&[NewCall::new("note", arguments)], format, tools.as_ref());
        let Ok(text) = written else { return Ok(()) };
        let sent = Sent::of(&detector(format, tools), text.as_bytes(), size);
        check_sent(&sent)?;
        prop_assert_eq!(sent.stream.findings().calls.len(), 1, "{}", text);
    }
}
