//! What a stream adds to the history does not depend on where its pieces were cut.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolwire::provider::history;

/// A text in pieces, cut at these places.
fn pieces(text: &str, cuts: &[prop::sample::Index]) -> Vec<String> {
    let places = cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1)));
    let mut places: Vec<usize> = places.chain([0, text.len()]).collect();
    places.sort_unstable();
    places.windows(2).map(|pair| text[pair[0]..pair[1]].to_owned()).collect()
}

fn chat(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta}]})
}

fn anthropic(index: usize, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn cuts() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    proptest::collection::vec(any::<prop::sample::Index>(), 0..9)
}

/// Anything that a stranger may send in the place of an event.
fn anything() -> impl Strategy<Value = Value> {
    let names = [
        "choices",
        "delta",
        "message",
        "content",
        "tool_calls",
        "index",
        "id",
        "type",
        "role",
        "candidates",
        "parts",
        "functionCall",
        "partialArgs",
        "willContinue",
        "content_block",
        "partial_json",
        "citation",
        "contentBlockDelta",
        "contentBlockIndex",
        "reasoningContent",
        "toolUse",
        "start",
        "input",
        "response",
        "output",
        "item",
        "output_index",
        "text",
    ];
    let words = [
        "content_block_delta",
        "content_block_start",
        "response.completed",
        "message-start",
        "response.output_item.done",
        "tool-call-delta",
        "text",
        "null",
        "",
        "{\"a\":1}",
        "{",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2..3_i64).prop_map(Value::from),
        proptest::sample::select(words.to_vec()).prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 5, move |inner| {
        let member = (proptest::sample::select(names.to_vec()), inner.clone());
        prop_oneof![
            proptest::collection::vec(inner, 0..5).prop_map(Value::from),
            proptest::collection::vec(member, 0..6).prop_map(|members| Value::Object(
                members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect::<Map<_, _>>()
            )),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn chat_is_the_same_however_it_is_cut(
        texts in proptest::collection::vec("[a-zé{}\":\\\\ ]{1,30}", 4),
        cut in cuts(),
    ) {
        let mut events = vec![chat(&json!({"role": "assistant"}))];
        for piece in pieces(&texts[0], &cut) {
            events.push(chat(&json!({"reasoning_content": piece})));
        }
        for piece in pieces(&texts[1], &cut) {
            events.push(chat(&json!({"content": piece})));
        }
        for (index, text) in texts.iter().skip(2).enumerate() {
            let begun = json!({"index": index, "id": format!("call_{index}"), "type": "function", "function": {"name": "read", "arguments": ""}});
            events.push(chat(&json!({"tool_calls": [begun]})));
            for piece in pieces(text, &cut) {
                let call = json!({"index": index, "function": {"arguments": piece}});
                events.push(chat(&json!({"tool_calls": [call]})));
            }
        }
        let call = |index: usize| json!({"id": format!("call_{index}"), "type": "function", "function": {"name": "read", "arguments": texts[index + 2]}});
        let message = json!({
            "role": "assistant",
            "reasoning_content": texts[0],
            "content": texts[1],
            "tool_calls": [call(0), call(1)],
        });
        prop_assert_eq!(history(&Value::Array(events)).unwrap(), [message.clone()]);
        let whole = json!({"choices": [{"index": 0, "message": message}]});
        prop_assert_eq!(history(&whole).unwrap(), [message]);
    }

    #[test]
    fn blocks_are_the_same_however_they_are_cut(
        texts in proptest::collection::vec("[a-zé ]{1,30}", 2),
        path in "[a-zé\"\\\\]{0,20}",
        cut in cuts(),
    ) {
        let call = json!({"type": "tool_use", "id": "t1", "name": "read", "input": {"path": path}});
        let mut events = vec![json!({"type": "message_start", "message": {"content": []}})];
        let thought = json!({"type": "thinking", "thinking": texts[0], "signature": "c2ln"});
        let text = json!({"type": "text", "text": texts[1]});
        let begun = [
            json!({"type": "thinking", "thinking": "", "signature": ""}),
            json!({"type": "text", "text": ""}),
            json!({"type": "tool_use", "id": "t1", "name": "read", "input": {}}),
        ];
        for (index, block) in begun.iter().enumerate() {
            events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        }
        for piece in pieces(&texts[0], &cut) {
            events.push(anthropic(0, &json!({"type": "thinking_delta", "thinking": piece})));
        }
        events.push(anthropic(0, &json!({"type": "signature_delta", "signature": "c2ln"})));
        for piece in pieces(&texts[1], &cut) {
            events.push(anthropic(1, &json!({"type": "text_delta", "text": piece})));
        }
        for piece in pieces(&call["input"].to_string(), &cut) {
            events.push(anthropic(2, &json!({"type": "input_json_delta", "partial_json": piece})));
        }
        let message = json!({"role": "assistant", "content": [thought, text, call]});
        prop_assert_eq!(history(&Value::Array(events)).unwrap(), [message]);
    }

    #[test]
    fn no_response_is_too_odd(response in anything(), more in proptest::collection::vec(anything(), 0..6)) {
        let whole = history(&response);
        if let Ok(added) = &whole {
            // A message is one that can be sent: an object, or the items of the Responses.
            let has_items = response.get("output").is_some_and(Value::is_array);
            prop_assert!(has_items || response.is_array() || added.iter().all(Value::is_object));
        }
        let events = Value::Array([vec![response], more].concat());
        let _ = history(&events);
    }
}
