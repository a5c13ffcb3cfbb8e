//! One conversation with each provider: its calls run, and what it wrote goes back as it was.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwire::agent::{Agent, AgentState, ModelError};
use toolwire::executor::{Executor, ToolInput, ToolOutput};
use toolwire::lifecycle::Settings;
use toolwire::provider::Provider;
use toolwire::registry::ToolSpec;
use toolwire::store::MemoryStore;

use crate::{Ran, executor};

/// What a provider's model writes first: its reasoning, and one call of `note`.
fn first(provider: Provider) -> Value {
    let input = json!({"text": 1});
    let function = json!({"name": "note", "arguments": "{\"text\": 1}"});
    let call = json!({"id": "call00001", "type": "function", "function": function});
    match provider {
        Provider::OpenAi | Provider::Mistral => json!({"choices": [{"message": {
            "role": "assistant", "content": "", "reasoning_content": "Look.", "tool_calls": [call],
        }, "finish_reason": "tool_calls"}]}),
        Provider::Ollama => json!({"message": {"role": "assistant", "content": "",
            "thinking": "Look.", "tool_calls": [{"function": {"name": "note", "arguments": input}}],
        }, "done": true}),
        Provider::Cohere => json!({"message": {"role": "assistant", "tool_plan": "I will note.",
            "tool_calls": [call]}, "finish_reason": "TOOL_CALL"}),
        Provider::Anthropic => json!({"type": "message", "role": "assistant", "content": [
            {"type": "thinking", "thinking": "Look.", "signature": "c2lnbmVk"},
            {"type": "tool_use", "id": "toolu_1", "name": "note", "input": input},
        ], "stop_reason": "tool_use"}),
        Provider::Bedrock => json!({"output": {"message": {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "Look.", "signature": "c2lnbmVk"}}},
            {"toolUse": {"toolUseId": "tooluse_1", "name": "note", "input": input}},
        ]}}, "stopReason": "tool_use"}),
        Provider::Gemini => json!({"candidates": [{"content": {"role": "model", "parts": [
            {"functionCall": {"name": "note", "args": input}, "thoughtSignature": "c2lnbmVk"},
        ]}, "finishReason": "STOP"}]}),
        _ => json!({"object": "response", "output": [
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2lnbmVk"},
            {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "note",
                "arguments": "{\"text\": 1}"},
        ]}),
    }
}

/// What the model writes at the end.
fn last(provider: Provider) -> Value {
    match provider {
        Provider::OpenAi | Provider::Mistral => {
            json!({"choices": [{"message": {"role": "assistant", "content": "Noted."}}]})
        }
        Provider::Ollama | Provider::Cohere => {
            json!({"message": {"role": "assistant", "content": "Noted."}, "done": true})
        }
        Provider::Anthropic => json!({"type": "message", "role": "assistant",
            "content": [{"type": "text", "text": "Noted."}], "stop_reason": "end_turn"}),
        Provider::Bedrock => json!({"output": {"message": {"role": "assistant",
            "content": [{"text": "Noted."}]}}, "stopReason": "end_turn"}),
        Provider::Gemini => json!({"candidates": [{"content": {"role": "model",
            "parts": [{"text": "Noted."}]}}]}),
        _ => json!({"object": "response", "output": [{"type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": "Noted."}]}]}),
    }
}

#[test]
fn each_provider_gets_back_what_it_wrote_and_the_result_behind_it() {
    for provider in Provider::TALKING {
        let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
        let bodies = Arc::new(Mutex::new(Vec::<Value>::new()));
        let seen = Arc::clone(&bodies);
        let model = move |body: &Value| -> Result<Value, ModelError> {
            let mut seen = seen.lock().unwrap();
            seen.push(body.clone());
            Ok(if seen.len() == 1 { first(provider) } else { last(provider) })
        };
        let tools = executor(store.clone(), &ran);
        let agent = Agent::new(model, provider, "some-model", tools, store);
        let answer = agent.run(Some("Note."), "chat").unwrap();
        assert_eq!((answer.state, &*answer.text), (AgentState::Done, "Noted."), "{provider}");
        assert_eq!(ran.all(), ["note 1"], "{provider}");
        let body = bodies.lock().unwrap()[1].clone();
        let place = match provider {
            Provider::Gemini => "contents",
            Provider::OpenAiResponses => "input",
            _ => "messages",
        };
        let said = body[place].as_array().unwrap();
        let wrote = toolwire::provider::history(&first(provider)).unwrap();
        assert_eq!(&said[1..=wrote.len()], &wrote[..], "{provider}");
        assert_eq!(said.len(), wrote.len() + 2, "{provider}: {body}");
        assert!(said.last().unwrap().to_string().contains("noted"), "{provider}: {body}");
        assert!(body.get("tools").or_else(|| body.get("toolConfig")).is_some());
    }
}

#[test]
fn a_paused_turn_goes_back_as_it_is() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let search = json!({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}});
    let model = move |body: &Value| -> Result<Value, ModelError> {
        let messages = body["messages"].as_array().unwrap();
        let paused = json!({"type": "message", "role": "assistant", "content": [search],
            "stop_reason": "pause_turn"});
        if messages.len() == 1 {
            return Ok(paused);
        }
        assert_eq!(messages[1]["content"], json!([search]));
        assert_eq!(messages.len(), 2);
        Ok(last(Provider::Anthropic))
    };
    let tools = executor(store.clone(), &ran);
    let agent = Agent::new(model, Provider::Anthropic, "claude", tools, store);
    assert_eq!(agent.run(Some("Search."), "chat").unwrap().text, "Noted.");
    assert_eq!(ran.all(), [""; 0]);
}

/// A response of which the node at a place is another one.
fn damaged(response: &Value, place: usize, other: &Value) -> Value {
    fn walk(value: &mut Value, left: &mut usize, other: &Value) {
        if *left == 0 {
            *value = other.clone();
        }
        *left = left.wrapping_sub(1);
        match value {
            Value::Array(entries) => entries.iter_mut().for_each(|entry| walk(entry, left, other)),
            Value::Object(members) => {
                members.values_mut().for_each(|member| walk(member, left, other));
            }
            _ => {}
        }
    }
    let (mut damaged, mut left) = (response.clone(), place);
    walk(&mut damaged, &mut left, other);
    damaged
}

#[test]
fn a_response_with_anything_in_any_place_is_read_or_refused() {
    let call = json!({"id": "call00001", "type": "function",
        "function": {"name": "note", "arguments": "{\"text\": 1}"}});
    let others = [
        json!(null),
        json!("x"),
        json!(-1.5),
        json!([]),
        json!({}),
        json!([[{"id": 7}], null]),
        json!([call, call]),
    ];
    for provider in Provider::TALKING {
        for (place, other) in (0..30).flat_map(|place| others.iter().map(move |one| (place, one))) {
            let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
            let response = damaged(&first(provider), place, other);
            let model = move |_: &Value| -> Result<Value, ModelError> { Ok(response.clone()) };
            let tools = executor(store.clone(), &ran);
            let agent = Agent::new(model, provider, "some-model", tools, store);
            match agent.run(Some("Note."), "chat") {
                Ok(answer) => assert_eq!(agent.run(None, "chat").unwrap(), answer),
                Err(error) => assert_eq!(error.code().slug(), "answer_unreadable", "{error}"),
            }
            assert!(ran.all().len() <= 12, "{provider} {place} {other}");
        }
    }
}

#[test]
fn what_the_provider_asks_a_person_is_not_passed_over() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let asks = json!({"type": "mcp_approval_request", "id": "mcpr_1", "name": "send",
        "arguments": "{}", "server_label": "mail"});
    let model = move |_: &Value| -> Result<Value, ModelError> {
        Ok(json!({"object": "response", "output": [asks]}))
    };
    let tools = executor(store.clone(), &ran);
    let agent = Agent::new(model, Provider::OpenAiResponses, "gpt-5.2", tools, store);
    let error = agent.run(Some("Send."), "chat").unwrap_err();
    assert_eq!(error.code().slug(), "provider_asks");
    assert!(error.to_string().contains("mcp_approval_request"));
}

#[test]
fn a_tool_whose_name_the_provider_refuses_is_offered_by_another_one_and_found_by_it() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let mut tools = Executor::new(store.clone(), Settings::default());
    let noted = ran.clone();
    let handler = move |_: &ToolInput| {
        noted.add("noted".to_owned());
        Ok(ToolOutput::ok("noted"))
    };
    tools.register(ToolSpec::new("my notes/add").with_id("add"), handler).unwrap();
    let model = move |body: &Value| -> Result<Value, ModelError> {
        if body["messages"].as_array().unwrap().len() > 1 {
            return Ok(last(Provider::OpenAi));
        }
        let name = body["tools"][0]["function"]["name"].as_str().unwrap().to_owned();
        assert!(!name.contains([' ', '/']), "{name}");
        Ok(crate::calls(&[(&name, "{}")]))
    };
    let agent = Agent::new(model, Provider::OpenAi, "gpt-5.2", tools, store);
    assert_eq!(agent.run(Some("Note."), "chat").unwrap().text, "Noted.");
    assert_eq!(ran.all(), ["noted"]);
}
