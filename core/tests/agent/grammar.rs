//! Agents whose server holds the model to a grammar.

use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use toolwire::ErrorKind;
use toolwire::agent::{Agent, AgentGrammar, AgentLimits, AgentState};
use toolwire::provider::Provider;
use toolwire::store::MemoryStore;

use crate::{Ran, executor};

fn grammar(options: Value) -> Result<AgentGrammar, toolwire::Error> {
    let Value::Object(options) = options else { panic!("no options: {options}") };
    AgentGrammar::new(Provider::OpenAi, "qwen3-8b", &options)
}

/// A model that writes its calls as text, and the bodies that it was asked with.
fn agent(options: Value, ran: &Ran) -> (Agent, Arc<Mutex<Vec<Value>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let bodies = Arc::clone(&asked);
    let model = move |body: &Value| {
        bodies.lock().unwrap().push(body.clone());
        let has_result =
            body["messages"].as_array().unwrap().iter().any(|one| one["role"] == "tool");
        let call = r#"<tool_call>{"name": "note", "arguments": {"text": "red"}}</tool_call>"#;
        let said = if has_result { "Noted." } else { call };
        Ok(json!({"choices": [{"message": {"role": "assistant", "content": said}}]}))
    };
    let store = Arc::new(MemoryStore::default());
    let executor = executor(store.clone(), ran);
    let mut agent = Agent::new(model, Provider::OpenAi, "qwen3-8b", executor, store);
    agent.settings.grammar = Some(grammar(options).unwrap());
    (agent, asked)
}

#[test]
fn the_grammar_goes_with_each_request_and_the_text_names_the_tools() {
    let ran = Ran::default();
    let (mut agent, asked) = agent(json!({}), &ran);
    agent.settings.system = "Be short.".to_owned();
    agent.settings.options.insert("temperature".to_owned(), json!(0));
    let answer = agent.run(Some("Note red."), "chat").unwrap();
    assert_eq!((answer.state, &*answer.text), (AgentState::Done, "Noted."));
    assert_eq!(ran.all(), ["note \"red\""]);
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 2);
    for body in &*asked {
        assert_eq!(body["response_format"]["type"], "structural_tag");
        assert_eq!(body["skip_special_tokens"], false, "the server keeps the markers of calls");
        assert_eq!(body["temperature"], 0);
        assert!(body.get("tools").is_none() && body.get("tool_choice").is_none(), "{body}");
        let system = body["messages"][0]["content"].as_str().unwrap();
        assert!(system.starts_with("Be short.\n\nYou can call tools."), "{system}");
        assert!(system.contains(r#"{"name": "note""#) && system.contains(r#"{"name": "wipe""#));
    }
    let grammar = asked[0]["response_format"].to_string();
    assert!(grammar.contains("note") && grammar.contains("wipe"), "{grammar}");
}

#[test]
fn at_a_limit_the_grammar_has_no_calls() {
    let ran = Ran::default();
    let (mut agent, asked) = agent(json!({"backend": "gbnf", "server": "llama.cpp"}), &ran);
    agent.settings.limits = AgentLimits { turns: 1, ..AgentLimits::default() };
    let answer = agent.run(Some("Note red."), "chat").unwrap();
    assert_eq!(answer.state, AgentState::Stopped);
    let asked = asked.lock().unwrap();
    let grammars: Vec<_> = asked.iter().map(|body| body["grammar"].as_str().unwrap()).collect();
    assert!(grammars[0].contains("wipe"));
    assert!(!grammars[1].contains("wipe"), "{}", grammars[1]);
    assert!(ran.all().is_empty());
}

#[test]
fn options_that_do_not_go_together_are_refused_at_once() {
    for (options, kind) in [
        (json!({"tool_choice": "required"}), ErrorKind::InvalidOption),
        (json!({"text": false}), ErrorKind::InvalidOption),
        (json!({"server": "llama.cpp"}), ErrorKind::InvalidOption),
        (json!({"format": "hermes", "model": "qwen3"}), ErrorKind::InvalidOption),
        (json!({"colour": "red"}), ErrorKind::UnknownOption),
        (json!({"model": "nobody-knows-it"}), ErrorKind::UnknownModel),
        (json!({"backend": 1}), ErrorKind::WrongType),
    ] {
        assert_eq!(grammar(options.clone()).unwrap_err().kind(), kind, "{options}");
    }
    for provider in [Provider::Ollama, Provider::Anthropic, Provider::OpenAiResponses] {
        let error = AgentGrammar::new(provider, "qwen3-8b", &Map::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidOption);
    }
    assert!(grammar(json!({"format": "hermes"})).is_ok());
}
