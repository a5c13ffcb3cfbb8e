//! Agents: a model of the tests that is as strict about its history as a provider, real stores, and
//! processes that die at each step.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "these are tests"
)]
#![allow(clippy::disallowed_methods, reason = "tests read their own JSON")]

mod answers;
mod dies;
mod events;
#[path = "../doubles/failing_store.rs"]
mod failing_store;
mod grammar;
mod limits;
mod providers;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwire::agent::{Agent, ModelError};
use toolwire::executor::{Executor, ToolInput, ToolOutput};
use toolwire::lifecycle::Settings;
use toolwire::provider::Provider;
use toolwire::registry::ToolSpec;
use toolwire::store::Store;

/// How often each tool ran, for which arguments.
#[derive(Clone, Default)]
pub(crate) struct Ran(Arc<Mutex<Vec<String>>>);

impl Ran {
    pub(crate) fn add(&self, what: String) {
        self.0.lock().unwrap().push(what);
    }

    pub(crate) fn all(&self) -> Vec<String> {
        let mut all = self.0.lock().unwrap().clone();
        all.sort();
        all
    }
}

/// An executor with a tool that runs at once and one that a person approves.
pub(crate) fn executor(store: Arc<dyn Store>, ran: &Ran) -> Executor {
    let mut executor = Executor::new(store, Settings::default());
    let (noted, wiped) = (ran.clone(), ran.clone());
    let schema = json!({"type": "object", "properties": {"text": {}}, "required": ["text"]});
    let note = ToolSpec::new("note").with_schema(&schema).unwrap();
    executor
        .register(note, move |input: &ToolInput| {
            noted.add(format!("note {}", input.arguments["text"]));
            Ok(ToolOutput::ok(json!({"noted": input.arguments["text"]})))
        })
        .unwrap();
    let wipe = ToolSpec { requires_approval: true, ..ToolSpec::new("wipe") };
    executor
        .register(wipe, move |input: &ToolInput| {
            wiped.add(format!("wipe {}", input.arguments["disk"]));
            Ok(ToolOutput::ok("wiped"))
        })
        .unwrap();
    executor
}

/// A response of chat completions with these calls, each a name and its arguments.
pub(crate) fn calls(calls: &[(&str, &str)]) -> Value {
    let calls: Vec<_> = calls
        .iter()
        .enumerate()
        .map(|(index, (name, arguments))| {
            json!({"id": format!("call_{index}"), "type": "function",
                "function": {"name": name, "arguments": arguments}})
        })
        .collect();
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    json!({"choices": [{"message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2}})
}

/// A response of chat completions with this text.
pub(crate) fn text(text: &str) -> Value {
    json!({"choices": [{"message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2}})
}

/// Fails as a provider does where a call has no result directly behind its message, or a result has
/// no call, and gives how often the model wrote.
pub(crate) fn checked(body: &Value) -> usize {
    let messages = body["messages"].as_array().unwrap();
    let (mut open, mut wrote) = (Vec::new(), 0);
    for message in messages {
        if message["role"] == "tool" {
            assert!(!open.is_empty(), "a result without a call: {body}");
            assert_eq!(open.remove(0), message["tool_call_id"], "results in another order: {body}");
            continue;
        }
        assert!(open.is_empty(), "a call without a result: {body}");
        if message["role"] == "assistant" {
            wrote += 1;
            let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
            open = calls.iter().map(|call| call["id"].clone()).collect();
        }
    }
    assert!(open.is_empty(), "a call without a result: {body}");
    wrote
}

/// The last request that a model got.
pub(crate) type Heard = Arc<Mutex<Value>>;

/// An agent whose model gives these responses, one after the other, as the history says.
pub(crate) fn agent(store: Arc<dyn Store>, ran: &Ran, script: Vec<Value>) -> Agent {
    heard_agent(store, ran, script, Heard::default())
}

/// The same, of which the test sees the last request.
pub(crate) fn heard_agent(
    store: Arc<dyn Store>,
    ran: &Ran,
    script: Vec<Value>,
    heard: Heard,
) -> Agent {
    let model = move |body: &Value| -> Result<Value, ModelError> {
        *heard.lock().unwrap() = body.clone();
        let wrote = checked(body);
        Ok(script.get(wrote).or(script.last()).unwrap().clone())
    };
    let tools = executor(Arc::clone(&store), ran);
    Agent::new(model, Provider::OpenAi, "qwen3", tools, store)
}

/// A counter that tests share with closures.
#[derive(Clone, Default)]
pub(crate) struct Count(Arc<AtomicUsize>);

impl Count {
    pub(crate) fn next(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst)
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}
