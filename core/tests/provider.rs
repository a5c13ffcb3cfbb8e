//! Laws for every provider's objects: nothing panics, and written objects can be read back.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "these are tests"
)]

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Number, Value, json};
use toolwire::provider::{
    Accumulator, Provider, ProviderCall, ProviderResult, dump_call, dump_result, parse,
};
use toolwire::{ErrorKind, ToolCall};

/// Keys and words that providers use, so that invented objects resemble real ones.
const WORDS: &[&str] = &[
    "type",
    "id",
    "name",
    "arguments",
    "function",
    "tool_calls",
    "function_call",
    "tool_use",
    "tool_result",
    "input",
    "content",
    "role",
    "tool",
    "tool_call_id",
    "functionCall",
    "functionResponse",
    "args",
    "response",
    "toolUse",
    "toolResult",
    "toolUseId",
    "jsonrpc",
    "method",
    "tools/call",
    "params",
    "result",
    "isError",
    "structuredContent",
    "metadata",
    "tool_name",
    "tool_parameters",
    "success",
    "data",
    "error",
    "code",
    "call_id",
    "output",
    "choices",
    "message",
    "delta",
    "index",
    "candidates",
    "parts",
    "toolName",
    "toolId",
    "value",
    "handler_tool",
    "tool_success",
    "tool_result_envelope",
    "{}",
    "{\"a\":1}",
    "{\"a\":",
    "wpab__a__b",
    "content_block_start",
    "content_block_delta",
    "partial_json",
    "response.output_item.added",
    "item",
    "x",
    "contentBlockStart",
    "start",
    "finish_reason",
    "length",
    "tool-call-start",
    "document",
    "call",
    "outputs",
];

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::from),
        "-?[1-9][0-9]{0,30}(\\.[0-9]{1,20})?".prop_map(|text| text.parse().unwrap()),
    ]
}

/// Any JSON, with its keys in any order.
fn json_value(
    word: impl Strategy<Value = String> + Clone + 'static,
) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number().prop_map(Value::Number),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            vec((word.clone(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn any_text() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        any::<String>(),
        "[ -~]{0,12}",
        Just("{\"error\":\"x\"}".to_owned()),
        Just("\"7\"".to_owned()),
        Just("7".to_owned()),
        Just(" null".to_owned()),
    ]
    .boxed()
}

fn any_object() -> impl Strategy<Value = Map<String, Value>> {
    vec((any_text(), json_value(any_text())), 0..5)
        .prop_map(|entries| entries.into_iter().collect())
}

fn any_word() -> impl Strategy<Value = String> + Clone {
    (0..WORDS.len()).prop_map(|index| WORDS[index].to_owned())
}

/// Whether a provider without a failure flag reads this data as a failure.
fn is_error(data: &Value) -> bool {
    data.get("error").is_some_and(Value::is_string)
}

/// Whether a provider's results name the call that they answer.
fn answers(provider: Provider) -> bool {
    !matches!(provider, Provider::Stageflow | Provider::DataMachine)
}

/// Writes a call and its result, and reads both back.
fn check_round_trip(id: &str, name: &str, arguments: &Map<String, Value>, result: &ProviderResult) {
    let arguments = Value::from(arguments.clone()).to_string();
    let call =
        ProviderCall { id: Some(id), name, arguments: &arguments, ..ProviderCall::default() };
    for &provider in Provider::ALL {
        let written = json!([dump_call(call, provider).unwrap(), dump_result(result, provider)]);
        let read = parse(&written, Some(provider));
        assert!(read.rejections.is_empty(), "{provider:?}: {written}: {:?}", read.rejections);
        let found: &ToolCall = &read.calls[0];
        assert_eq!(
            (found.id.as_str(), found.id_given, found.name.as_str()),
            (id, true, name),
            "{written}"
        );
        assert_eq!(String::from_utf8_lossy(found.arguments_raw(b"")), arguments, "{written}");
        assert_eq!(found.format, provider.slug());
        assert_eq!((read.calls.len(), read.results.len()), (1, 1), "{written}");
        let mut expected = ProviderResult { format: provider.slug(), ..result.clone() };
        if !answers(provider) {
            expected.call_id = None;
        }
        if provider == Provider::Stageflow {
            expected.outcome.tool = String::new();
        }
        assert_eq!(read.results[0], expected, "{written}");
        let again = dump_call(ProviderCall::of(found, b""), provider).unwrap();
        assert_eq!(again, written[0]);
        assert_eq!(dump_result(&read.results[0], provider).to_string(), {
            let mut same = result.clone();
            same.call_id.clone_from(&expected.call_id);
            same.outcome.tool.clone_from(&expected.outcome.tool);
            dump_result(&same, provider).to_string()
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(
        id in "[a-zA-Z0-9_-]{1,20}",
        name in "[A-Za-z][A-Za-z0-9_.-]{0,20}|[a-z][a-z0-9-]{0,8}/[a-z][a-z0-9-]{0,8}",
        arguments in any_object(),
        data in json_value(any_text()),
        message in any_text(),
        success in any::<bool>(),
    ) {
        // A name with this prefix belongs to an ability, and a success with an error reads as a
        // failure.
        prop_assume!(!name.starts_with("wpab__"));
        prop_assume!(!success || !is_error(&data));
        let result = if success {
            ProviderResult::success(Some(&id), &name, data)
        } else {
            ProviderResult::failure(Some(&id), &name, &message, data)
        };
        check_round_trip(&id, &name, &arguments, &result);
    }

    #[test]
    fn any_object_is_read_without_a_panic(object in json_value(any_word())) {
        for provider in Provider::ALL.iter().copied().map(Some).chain([None]) {
            let exchange = parse(&object, provider);
            for (index, call) in exchange.calls.iter().enumerate() {
                prop_assert_eq!(call.index, index);
                let arguments: Value = serde_json::from_slice(call.arguments_raw(b"")).unwrap();
                prop_assert!(arguments.is_object());
            }
        }
    }

    #[test]
    fn any_events_are_joined_without_a_panic(events in vec(json_value(any_word()), 0..12)) {
        let mut stream = Accumulator::new(None);
        for event in &events {
            stream.feed(event).unwrap();
        }
        for call in stream.finish().unwrap().calls {
            prop_assert!(serde_json::from_slice::<Value>(call.arguments_raw(b"")).unwrap().is_object());
        }
        prop_assert!(stream.feed(&Value::Null).is_err() && stream.finish().is_err());
    }

    #[test]
    fn a_stream_gives_the_calls_of_the_whole(
        arguments in vec(any_object(), 1..4),
        size in 1usize..9,
    ) {
        let texts: Vec<_> = arguments.iter().map(|object| Value::from(object.clone()).to_string()).collect();
        for style in 0..4 {
            let mut stream = Accumulator::new(None);
            for (index, text) in texts.iter().enumerate() {
                for event in streamed(style, index, text, size) {
                    stream.feed(&event).unwrap();
                }
            }
            let exchange = stream.finish().unwrap();
            prop_assert!(exchange.rejections.is_empty(), "{style}: {:?}", exchange.rejections);
            let found: Vec<_> = exchange
                .calls
                .iter()
                .map(|call| (call.id.to_string(), String::from_utf8_lossy(call.arguments_raw(b"")).into_owned()))
                .collect();
            let expected: Vec<_> =
                texts.iter().enumerate().map(|(index, text)| (format!("call_{index}"), text.clone())).collect();
            prop_assert_eq!(found, expected);
        }
    }
}

/// A call as stream events: OpenAI's, OpenAI's with one index for all, Anthropic's, Responses'.
fn streamed(style: usize, index: usize, text: &str, size: usize) -> Vec<Value> {
    let id = format!("call_{index}");
    let characters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = characters.chunks(size).map(|piece| piece.iter().collect()).collect();
    let chunk = |call: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]});
    match style {
        0 | 1 => {
            let index = if style == 0 { index } else { 0 };
            let head =
                json!({"index": index, "id": id, "function": {"name": "f", "arguments": ""}});
            let tail = |piece| chunk(json!({"index": index, "function": {"arguments": piece}}));
            std::iter::once(chunk(head)).chain(pieces.into_iter().map(tail)).collect()
        }
        2 => {
            let block = json!({"type": "tool_use", "id": id, "name": "f", "input": {}});
            let head =
                json!({"type": "content_block_start", "index": index, "content_block": block});
            let tail = |piece| {
                let delta = json!({"type": "input_json_delta", "partial_json": piece});
                json!({"type": "content_block_delta", "index": index, "delta": delta})
            };
            let end = json!({"type": "content_block_stop", "index": index});
            std::iter::once(head).chain(pieces.into_iter().map(tail)).chain([end]).collect()
        }
        _ => {
            let item = format!("fc_{index}");
            let begun = json!({"type": "function_call", "id": item, "call_id": id, "name": "f", "arguments": ""});
            let head =
                json!({"type": "response.output_item.added", "output_index": index, "item": begun});
            let tail = |piece| json!({"type": "response.function_call_arguments.delta", "item_id": item, "delta": piece});
            let end = json!({"type": "response.function_call_arguments.done", "item_id": item, "arguments": text});
            std::iter::once(head).chain(pieces.iter().map(tail)).chain([end]).collect()
        }
    }
}

#[test]
fn a_long_stream_takes_linear_time() {
    let mut stream = Accumulator::new(None);
    for piece in
        std::iter::once("{\"a\":\"").chain(std::iter::repeat_n("xxxxxxxx", 200_000)).chain(["\"}"])
    {
        stream.feed(&json!({"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": piece}}]}})).unwrap();
    }
    assert_eq!(stream.finish().unwrap().calls.len(), 1);
}

#[test]
fn a_call_whose_arguments_are_no_object_is_not_written() {
    let deep = "{\"a\":".repeat(200) + "1" + &"}".repeat(200);
    for arguments in ["", "[1]", "{", "7", deep.as_str()] {
        let call = ProviderCall { name: "f", arguments, ..ProviderCall::default() };
        let written = dump_call(call, Provider::Anthropic);
        if arguments.is_empty() {
            assert_eq!(written.unwrap()["input"], json!({}));
        } else {
            assert_eq!(written.unwrap_err().kind(), ErrorKind::InvalidArguments);
        }
    }
}
