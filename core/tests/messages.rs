//! Laws of messages written for providers: their calls are read back, and what is sent in pieces is
//! what is written whole.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "these are tests"
)]

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use toolwire::detect::Profile;
use toolwire::provider::{
    Accumulator, Chunks, MessageEnding, MessageHead, MessagePart, Provider, message, parse,
};
use toolwire::{Detection, Detector, ErrorKind, Event, Options, ToolCall};

const PROVIDERS: [Provider; 8] = [
    Provider::OpenAi,
    Provider::Anthropic,
    Provider::Gemini,
    Provider::OpenAiResponses,
    Provider::Bedrock,
    Provider::Mistral,
    Provider::Cohere,
    Provider::Ollama,
];

/// What models write, and what they only begin.
const PARTS: [&str; 14] = [
    "Hello",
    " ",
    "\n",
    "è€",
    "<think>",
    "</think>",
    "hm",
    "<tool_call>{\"name\": \"a\", \"arguments\": {\"x\": 1}}</tool_call>",
    "<tool_call>{\"name\": \"b\", \"arguments\": {}, \"id\": \"0\"}</tool_call>",
    "<tool_call>{\"name\": \"c\", \"arguments\": []}</tool_call>",
    "<tool_call>{\"name\": \"d\", \"argum",
    "<|im_end|>",
    "```\n",
    "<tool_call>",
];

fn any_text() -> impl Strategy<Value = String> {
    vec(0..PARTS.len(), 0..9)
        .prop_map(|parts| parts.into_iter().map(|part| PARTS[part]).collect::<String>())
}

fn detector() -> Detector {
    let mut options = Options::default();
    options.set("model", &json!("qwen3")).unwrap();
    Detector::new(options).unwrap()
}

fn calls(calls: &[ToolCall], text: &[u8]) -> Vec<(String, Value)> {
    let arguments = |call: &ToolCall| match serde_json::from_slice(call.arguments_raw(text)) {
        Ok(Value::Array(none)) if none.is_empty() => json!({}),
        read => read.unwrap(),
    };
    calls.iter().map(|call| (call.name.clone(), arguments(call))).collect()
}

fn ids(calls: &[ToolCall]) -> Vec<&str> {
    calls.iter().map(|call| call.id.as_str()).collect()
}

/// The chunks of a message, its stream, which has ended, and whether the stream took something
/// back.
fn sent(text: &[u8], size: usize, provider: Provider) -> (Vec<Value>, toolwire::Stream, bool) {
    let mut stream = detector().stream();
    let mut chunks = Chunks::new(provider, MessageHead::default()).unwrap();
    let (mut sent, mut withdrawn) = (Vec::new(), false);
    let pieces = text.chunks(size).map(Some).chain([None]);
    for piece in pieces {
        let events = match piece {
            Some(piece) => stream.feed(piece).unwrap(),
            None => stream.finish().unwrap(),
        };
        for event in events {
            withdrawn |= matches!(event, Event::ReasoningEnd(_) | Event::CallRetracted { .. });
            if let Some(part) = MessagePart::of_event(&event, &stream) {
                sent.extend(chunks.feed(part).unwrap());
            }
        }
    }
    let ending = MessageEnding::of(false, stream.findings().ends_open());
    sent.extend(chunks.finish(ending, None).unwrap());
    (sent, stream, withdrawn)
}

/// What the deltas of a chat add up to under a key.
fn joined(chunks: &[Value], key: &str) -> Option<String> {
    let deltas = chunks.iter().map(|chunk| &chunk["choices"][0]["delta"][key]);
    let texts: Vec<&str> = deltas.filter_map(Value::as_str).collect();
    (!texts.is_empty()).then(|| texts.concat())
}

fn check_read_back(found: &Detection<'_>, provider: Provider) {
    let written = message(found, provider, MessageEnding::Stopped).unwrap();
    let read = parse(&written, Some(provider));
    assert!(read.rejections.is_empty(), "{written}");
    assert_eq!(calls(&read.calls, b""), calls(&found.calls, found.input), "{written}");
    assert_eq!(written, message(found, provider, MessageEnding::Stopped).unwrap());
    let mut known = ids(&read.calls);
    known.sort_unstable();
    known.dedup();
    assert_eq!(known.len(), found.calls.len(), "{written}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_calls_of_a_message_are_read_back(text in any_text()) {
        let detector = detector();
        let found = detector.detect(text.as_bytes());
        for provider in PROVIDERS {
            check_read_back(&found, provider);
        }
    }

    #[test]
    fn what_is_sent_is_what_is_written(text in any_text(), size in 1usize..9) {
        for provider in [Provider::OpenAi, Provider::Anthropic, Provider::OpenAiResponses] {
            let (chunks, stream, _) = sent(text.as_bytes(), size, provider);
            let found = stream.detection().unwrap();
            let written = message(&found, provider, MessageEnding::Stopped).unwrap();
            let whole = parse(&written, Some(provider));
            let mut pieces = Accumulator::new(Some(provider));
            for chunk in &chunks {
                pieces.feed(chunk).unwrap();
            }
            let pieces = pieces.finish().unwrap();
            prop_assert!(pieces.rejections.is_empty(), "{:?}", pieces.rejections);
            prop_assert_eq!(calls(&pieces.calls, b""), calls(&whole.calls, b""));
            prop_assert_eq!(ids(&pieces.calls), ids(&whole.calls));
        }
    }

    #[test]
    fn text_and_reasoning_add_up_to_those_of_the_whole(text in any_text(), size in 1usize..9) {
        let (chunks, stream, withdrawn) = sent(text.as_bytes(), size, Provider::OpenAi);
        let found = stream.detection().unwrap();
        let written = message(&found, Provider::OpenAi, MessageEnding::Stopped).unwrap();
        let content = joined(&chunks, "content").unwrap_or_default();
        let reasoning = joined(&chunks, "reasoning_content");
        prop_assert_eq!(reasoning.as_deref(), written["reasoning_content"].as_str());
        // Text that was sent before a marker showed that it was reasoning stays text, and the
        // markup of a call that is cut off is not sent.
        if !withdrawn {
            prop_assert_eq!(content.as_str(), written["content"].as_str().unwrap_or_default());
        }
        // Text that was sent answers something, though it is withdrawn.
        let last = chunks.last().unwrap();
        if !withdrawn {
            prop_assert_eq!(&last["choices"][0]["finish_reason"], &written["finish_reason"]);
        }
    }
}

#[test]
fn a_provider_without_messages_is_refused() {
    let detector = Detector::default();
    let found = detector.detect(b"Hi");
    for &provider in Provider::ALL {
        let written = message(&found, provider, MessageEnding::Stopped);
        if !PROVIDERS.contains(&provider) {
            assert_eq!(written.unwrap_err().kind(), ErrorKind::UnknownProvider);
        }
    }
    let refused = Chunks::new(Provider::Gemini, MessageHead::default()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::UnknownProvider);
}

#[test]
fn a_finished_message_takes_no_more() {
    let mut chunks = Chunks::new(Provider::OpenAi, MessageHead::default()).unwrap();
    chunks.finish(MessageEnding::Stopped, None).unwrap();
    let fed = chunks.feed(MessagePart::Text(b"a")).unwrap_err();
    let ended = chunks.finish(MessageEnding::Stopped, None).unwrap_err();
    assert_eq!((fed.kind(), ended.kind()), (ErrorKind::StreamFinished, ErrorKind::StreamFinished));
}

/// A text that says something gives no empty answer that looks complete, wherever it is cut off.
#[test]
fn a_message_that_is_cut_off_is_no_empty_answer() {
    for (model, text) in [
        (
            "Qwen/Qwen3-8B",
            "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>",
        ),
        ("Qwen/Qwen3-8B", "<think>\nI call it.\n</think>\n\n<tool_call>\n{\"name\": \"f\""),
        (
            "kimi-k2",
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0\
             <|tool_call_argument_begin|>{\"a\": 1}<|tool_call_end|><|tool_calls_section_end|>",
        ),
        ("glm-4.6", "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>"),
        ("gemma-4", "<|tool_call>call:f{a:1}<tool_call|>"),
    ] {
        let options =
            Options { profile: Some(Profile::named(model).unwrap()), ..Options::default() };
        let detector = Detector::new(options).unwrap();
        let opening = text.find(['>', '\n']).unwrap() + 1;
        for cut in (opening..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let found = detector.detect(&text.as_bytes()[..cut]);
            let written = message(&found, Provider::OpenAi, MessageEnding::Stopped).unwrap();
            let says = written["content"].as_str().is_some_and(|text| !text.trim().is_empty());
            let thinks = written.get("reasoning_content").is_some();
            let empty = !says && !thinks && written.get("tool_calls").is_none();
            assert!(!(empty && written["finish_reason"] == "stop"), "{}: {written}", &text[..cut]);
        }
    }
}
