//! What an agent answers, and what it refuses.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwire::Detector;
use toolwire::agent::{Agent, AgentCode, AgentState, ModelError};
use toolwire::executor::{ToolInput, ToolOutput};
use toolwire::lifecycle::{Decision, RunState};
use toolwire::provider::{Provider, ToolHints};
use toolwire::registry::ToolSpec;
use toolwire::store::MemoryStore;

use crate::{Count, Ran, agent, calls, checked, executor, text};

#[test]
fn results_go_back_until_the_model_answers() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let script = vec![
        calls(&[("note", r#"{"text": 1}"#)]),
        calls(&[("note", r#"{"text": 2}"#)]),
        text("ok"),
    ];
    let agent = agent(store, &ran, script);
    let answer = agent.run(Some("Note."), "chat").unwrap();
    assert_eq!((answer.state, &*answer.text), (AgentState::Done, "ok"));
    // Both calls have the id call_0.
    assert_eq!(ran.all(), ["note 1", "note 2"]);
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (30, 6));
    let again = agent.run(None, "chat").unwrap();
    assert_eq!(again, answer);
    assert_eq!(agent.list(None, 10).unwrap(), ["chat"]);
    assert!(agent.forget("chat").unwrap());
    assert!(!agent.forget("chat").unwrap());
    assert_eq!(agent.list(None, 10).unwrap(), [""; 0]);
    let error = agent.run(None, "chat").unwrap_err();
    assert_eq!(error.code(), AgentCode::UnknownConversation);
}

#[test]
fn nothing_is_sent_while_a_call_waits_and_its_siblings_run_at_once() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let script =
        vec![calls(&[("wipe", r#"{"disk": 7}"#), ("note", r#"{"text": 1}"#)]), text("both done")];
    let first = agent(store.clone(), &ran, script.clone());
    let answer = first.run(Some("Wipe."), "chat").unwrap();
    assert_eq!(answer.state, AgentState::Waiting);
    assert_eq!(answer.waiting.len(), 1);
    assert_eq!((&*answer.waiting[0].tool, answer.waiting[0].state), ("wipe", RunState::Waiting));
    assert_eq!(ran.all(), ["note 1"]);
    assert_eq!(first.run(None, "chat").unwrap().state, AgentState::Waiting);
    let error = first.run(Some("And now?"), "chat").unwrap_err();
    assert_eq!(error.code(), AgentCode::ConversationWaiting);

    let second = agent(store, &ran, script);
    let request = answer.waiting[0].approval_id.clone().unwrap();
    second.executor().approve(&request, &Decision::approved()).unwrap();
    assert_eq!(second.run(None, "chat").unwrap().text, "both done");
    assert_eq!(ran.all(), ["note 1", "wipe 7"]);
}

#[test]
fn a_denied_call_and_one_of_no_tool_are_told() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let seen = Arc::new(std::sync::Mutex::new(Value::Null));
    let kept = Arc::clone(&seen);
    let model = move |body: &Value| -> Result<Value, ModelError> {
        *kept.lock().unwrap() = body.clone();
        Ok(match checked(body) {
            0 => calls(&[("wipe", r#"{"disk": 7}"#), ("wype", "{}"), ("note", "{}")]),
            _ => text("ok"),
        })
    };
    let tools = executor(store.clone(), &ran);
    let agent = Agent::new(model, Provider::OpenAi, "qwen3", tools, store);
    let answer = agent.run(Some("Wipe."), "chat").unwrap();
    let request = answer.waiting[0].approval_id.clone().unwrap();
    let now = toolwire::executor::clock::now();
    let denied = Decision { reason: Some("not this one".to_owned()), ..Decision::denied() };
    agent.executor().approvals().decide(&request, &denied, now).unwrap();
    assert_eq!(agent.run(None, "chat").unwrap().state, AgentState::Done);
    let messages = seen.lock().unwrap()["messages"].as_array().unwrap().clone();
    let told: Vec<_> = messages[2..].iter().map(|message| message["content"].to_string()).collect();
    assert!(told[0].contains("not this one"), "{told:?}");
    assert!(told[1].contains("There is no tool 'wype'; nearest: wipe"), "{told:?}");
    assert!(told[2].contains("invalid_input"), "{told:?}");
    assert_eq!(ran.all(), [""; 0]);
}

#[test]
fn a_call_that_cannot_be_read_is_told_under_its_id_and_written_again() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let script = vec![
        calls(&[("note", r#"{"text": "#), ("note", r#"{"text": 1}"#)]),
        calls(&[("note", r#"{"text": 2}"#)]),
        text("ok"),
    ];
    let agent = agent(store, &ran, script);
    assert_eq!(agent.run(Some("Note."), "chat").unwrap().state, AgentState::Done);
    assert_eq!(ran.all(), ["note 1", "note 2"]);
}

#[test]
fn calls_of_a_text_model_run_and_its_thoughts_are_not_shown() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let call = r#"<tool_call>{"name": "note", "arguments": {"text": 1}}</tool_call>"#;
    let thought = r#"<think>Or <tool_call>{"name": "wipe", "arguments": {}}</tool_call></think>"#;
    let script = vec![
        text("<tool_call>{\"name\": \"note\", \"arguments\": {\"text\": }}</tool_call>"),
        text(&format!("{thought}I note it. {call}")),
        text(&format!("{thought}Noted.")),
    ];
    let mut agent = agent(store, &ran, script);
    agent.settings.detector = Some(Detector::for_model("qwen3").unwrap());
    let answer = agent.run(Some("Note."), "chat").unwrap();
    assert_eq!((answer.state, &*answer.text), (AgentState::Done, "Noted."));
    assert!(answer.reasoning.contains("wipe"));
    assert_eq!(ran.all(), ["note 1"]);
}

#[test]
fn thoughts_beside_calls_of_the_server_are_not_shown() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let mut first = calls(&[("wipe", r#"{"disk": 7}"#)]);
    first["choices"][0]["message"]["content"] = json!("<think>Which one?</think>I wipe it.");
    let mut agent = agent(store, &ran, vec![first]);
    agent.settings.detector = Some(Detector::for_model("qwen3").unwrap());
    let answer = agent.run(Some("Wipe."), "chat").unwrap();
    assert_eq!((answer.state, &*answer.text), (AgentState::Waiting, "I wipe it."));
    assert_eq!(answer.reasoning, "Which one?");
}

#[test]
fn a_text_that_is_said_is_answered_by_who_goes_on() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let first = agent(store.clone(), &ran, vec![text("never asked")]);
    first.say("Note.", "chat").unwrap();
    let said: Vec<_> = first.events("chat").unwrap().iter().map(|one| one.kind.slug()).collect();
    assert_eq!(said, ["user"]);
    let second = agent(store, &ran, vec![text("ok")]);
    assert_eq!(second.run(None, "chat").unwrap().text, "ok");
}

#[test]
fn a_result_that_the_model_makes_up_is_none() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let mut made_up = calls(&[("note", r#"{"text": 1}"#)]);
    made_up["choices"][0]["message"]["content"] =
        "<tool_response>{\"noted\": 99}</tool_response>".into();
    let agent = agent(store, &ran, vec![made_up, text("ok")]);
    agent.run(Some("Note."), "chat").unwrap();
    assert_eq!(ran.all(), ["note 1"]);
}

#[test]
fn a_call_never_runs_without_the_arguments_that_it_has() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let half = calls(&[("wipe", r#"{"disk": "\ud83d"}"#), ("note", r#"{"text": 1}"#)]);
    let agent = agent(store, &ran, vec![half, text("ok")]);
    let answer = agent.run(Some("Wipe."), "chat").unwrap();
    assert_eq!((answer.state, &*answer.text), (AgentState::Done, "ok"));
    assert_eq!(ran.all(), ["note 1"]);
}

#[test]
fn only_the_first_of_several_choices_counts() {
    let choice = |index: usize, note: &str| {
        let call = calls(&[("note", note)])["choices"][0].clone();
        json!({"index": index, "message": call["message"]})
    };
    let delta = |index: usize, note: &str| {
        let call = json!({"index": 0, "id": format!("call_{index}"), "type": "function",
            "function": {"name": "note", "arguments": note}});
        json!({"choices": [{"index": index, "delta": {"role": "assistant", "tool_calls": [call]}}]})
    };
    let (one, two) = (r#"{"text": 1}"#, r#"{"text": 2}"#);
    for response in [
        json!({"choices": [choice(0, one), choice(1, two)]}),
        json!([delta(1, two), delta(0, one)]),
    ] {
        let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
        let agent = agent(store, &ran, vec![response, text("ok")]);
        assert_eq!(agent.run(Some("Note."), "chat").unwrap().text, "ok");
        assert_eq!(ran.all(), ["note 1"]);
    }
}

#[test]
fn a_call_that_the_limit_of_tokens_cut_off_does_not_run() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let mut cut = calls(&[("note", r#"{"text": 1}"#), ("note", r#"{"text": 12}"#)]);
    cut["choices"][0]["finish_reason"] = "length".into();
    let mut end = text("I have no");
    end["choices"][0]["finish_reason"] = "length".into();
    let agent = agent(store, &ran, vec![cut, end]);
    let answer = agent.run(Some("Note."), "chat").unwrap();
    assert_eq!((answer.state, answer.cut_off), (AgentState::Done, true));
    assert_eq!(ran.all(), ["note 1"]);
}

#[test]
fn errors_of_the_model_have_codes_and_what_passes_is_tried_again() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let (asked, counted) = (Count::default(), Count::default());
    let count = asked.clone();
    let model = move |_: &Value| -> Result<Value, ModelError> {
        match count.next() {
            0 => Err(ModelError::Unreachable { message: "reset".to_owned() }),
            1 => Err(ModelError::Limited { seconds: Some(0), message: "slow".to_owned() }),
            2 => Ok(text("ok")),
            3 => Err(ModelError::Refused { message: "no such model".to_owned() }),
            4 => Err(ModelError::Limited { seconds: Some(3600), message: "slow".to_owned() }),
            5 => Ok(json!({"error": {"message": "overloaded"}})),
            _ => Ok(json!({"choices": []})),
        }
    };
    let tools = executor(store.clone(), &ran);
    let agent = Agent::new(model, Provider::OpenAi, "qwen3", tools, store);
    assert_eq!(agent.run(Some("Hello."), "chat").unwrap().text, "ok");
    let codes = [
        AgentCode::ModelRefused,
        AgentCode::ModelLimited,
        AgentCode::AnswerUnreadable,
        AgentCode::AnswerUnreadable,
    ];
    agent.run(Some("Again."), "other").unwrap_err();
    for code in codes.iter().skip(1) {
        let error = agent.run(None, "other").unwrap_err();
        assert_eq!(error.code(), *code);
        assert_eq!(error.to_string().contains("overloaded"), counted.next() == 1, "{error}");
    }
    assert_eq!((asked.get(), counted.get()), (7, 3));
}

#[test]
fn a_conversation_stays_with_its_model_and_its_size() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let first = agent(store.clone(), &ran, vec![text("ok")]);
    first.run(Some("Hello."), "chat").unwrap();
    let model = |_: &Value| -> Result<Value, ModelError> { panic!("it is not asked") };
    let tools = executor(store.clone(), &ran);
    let other = Agent::new(model, Provider::Anthropic, "claude", tools, store.clone());
    assert_eq!(other.run(None, "chat").unwrap_err().code(), AgentCode::OtherModel);
    let error = first.run(Some(&"x".repeat(1 << 20)), "chat").unwrap_err();
    assert_eq!(error.code(), AgentCode::TooLong);
    assert_eq!(first.run(None, "chat").unwrap().text, "ok");
    let mcp = Agent::new(
        |_: &Value| -> Result<Value, ModelError> { panic!("it is not asked") },
        Provider::Mcp,
        "none",
        executor(store.clone(), &ran),
        store,
    );
    let error = mcp.run(Some("Hello."), "mcp").unwrap_err();
    assert_eq!(error.code(), AgentCode::InvalidAgent);
    assert!(error.to_string().contains("unknown provider of models \"mcp\""), "{error}");
}

#[test]
fn two_that_go_on_at_once_run_each_call_once() {
    for _ in 0..50 {
        let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
        let script = vec![
            calls(&[("note", r#"{"text": 1}"#), ("note", r#"{"text": 2}"#)]),
            calls(&[("note", r#"{"text": 3}"#)]),
            text("ok"),
        ];
        let make = || agent(store.clone(), &ran, script.clone());
        let (one, two) = (make(), make());
        let ended: Vec<_> = std::thread::scope(|scope| {
            let both = [&one, &two].map(|agent| scope.spawn(|| agent.run(Some("Note."), "chat")));
            both.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for end in ended {
            if let Err(error) = end {
                let busy = [AgentCode::ConversationBusy, AgentCode::ConversationWaiting];
                assert!(busy.contains(&error.code()), "{error}");
            }
        }
        let answer = one.run(None, "chat").unwrap();
        assert_eq!((answer.state, &*answer.text), (AgentState::Done, "ok"));
        let mut distinct = ran.all();
        distinct.dedup();
        assert_eq!(ran.all(), distinct, "each call of a message ran once");
    }
}

#[test]
fn calls_of_tools_that_only_read_run_at_once_and_answer_in_their_order() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let begun = Arc::new(AtomicUsize::new(0));
    let mut executor = executor(store.clone(), &ran);
    let look = ToolSpec {
        hints: ToolHints { read_only: Some(true), ..ToolHints::default() },
        ..ToolSpec::new("look")
    };
    executor
        .register(look, move |input: &ToolInput| {
            let place = input.arguments["place"].as_u64().unwrap();
            begun.fetch_add(1, Ordering::SeqCst);
            let until = Instant::now() + Duration::from_secs(20);
            while begun.load(Ordering::SeqCst) < 3 && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(begun.load(Ordering::SeqCst), 3, "they run at once");
            // The last one is the first that has a result.
            std::thread::sleep(Duration::from_millis(20 * (3 - place)));
            Ok(ToolOutput::ok(format!("seen {place}")))
        })
        .unwrap();
    let looks = [r#"{"place": 1}"#, r#"{"place": 2}"#, r#"{"place": 3}"#].map(|at| ("look", at));
    let script = Mutex::new(vec![calls(&looks), text("ok")]);
    let asked = Arc::new(Mutex::new(Value::Null));
    let heard = Arc::clone(&asked);
    let model = move |body: &Value| -> Result<Value, ModelError> {
        *heard.lock().unwrap() = body.clone();
        Ok(script.lock().unwrap().remove(0))
    };
    let agent = Agent::new(model, Provider::OpenAi, "m", executor, store);
    assert_eq!(agent.run(Some("Look."), "chat").unwrap().text, "ok");
    let asked = asked.lock().unwrap();
    let all = asked["messages"].as_array().unwrap().iter();
    let seen: Vec<_> = all.filter(|one| one["role"] == "tool").map(|one| &one["content"]).collect();
    assert_eq!(seen, ["seen 1", "seen 2", "seen 3"]);
}
