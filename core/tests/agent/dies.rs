//! A process that dies at any operation on its store, before or after the store has made it:
//! another process goes on, no call runs twice, and the answer is the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::Value;
use toolwire::agent::{Agent, AgentAnswer, AgentCode, AgentState, ModelError, OnInterrupted};
use toolwire::executor::{Executor, ToolInput, ToolOutput};
use toolwire::lifecycle::{Decision, RunState, Settings};
use toolwire::provider::Provider;
use toolwire::registry::ToolSpec;
use toolwire::store::{Condition, MemoryStore, SqliteOptions, SqliteStore, Store, Write};

use crate::failing_store::{FailingStore, Outage};
use crate::{Heard, Ran, agent, calls, heard_agent, text};

/// The store of a process that dies at an operation.
fn dead_store(store: Arc<dyn Store>, at: usize, after: bool) -> Arc<FailingStore> {
    let outage = Outage { left: at, times: usize::MAX, is_made: after, ..Outage::default() };
    Arc::new(FailingStore::new(store, outage))
}

fn script() -> Vec<Value> {
    vec![
        calls(&[("note", r#"{"text": 1}"#), ("wipe", r#"{"disk": 7}"#)]),
        calls(&[("note", r#"{"text": 2}"#)]),
        text("all done"),
    ]
}

/// Ends the leases of the store's runs, as a minute does.
fn end_leases(store: &dyn Store) {
    let now = toolwire::executor::clock::now();
    for (key, entry) in store.scan("", None, 1000, now).unwrap() {
        let Ok(mut record) = serde_json::from_slice::<Value>(&entry.value) else { continue };
        let Some(until) = record.pointer_mut("/lease/until") else { continue };
        *until = "2020-01-01T00:00:00Z".into();
        let value = serde_json::to_vec(&record).unwrap();
        let write = Write { value: &value, expect: Condition::Any, expires_at: entry.expires_at };
        store.put(&key, write, now).unwrap();
    }
}

/// Goes on as the next process does: with the text if the conversation never began.
fn go_on(agent: &Agent, store: &dyn Store) -> AgentAnswer {
    for _ in 0..6 {
        let answer = match agent.run(None, "chat") {
            Ok(answer) => answer,
            Err(error) => {
                assert_eq!(error.code().slug(), "unknown_conversation", "{error}");
                agent.run(Some("Wipe."), "chat").unwrap()
            }
        };
        if answer.state != AgentState::Waiting {
            return answer;
        }
        for call in &answer.waiting {
            match (&call.approval_id, call.state) {
                (Some(request), RunState::Waiting) => {
                    agent.executor().approve(request, &Decision::approved()).unwrap();
                }
                _ => end_leases(store),
            }
        }
    }
    panic!("the conversation does not end")
}

fn dies_everywhere(make_store: impl Fn() -> Arc<dyn Store>, stride: usize) {
    let mut steps = 0;
    for makes_last in [false, true] {
        for at in (0..).step_by(stride) {
            let (store, ran) = (make_store(), Ran::default());
            let mortal = dead_store(Arc::clone(&store), at, makes_last);
            // The first process dies while it goes to the approval, or on the way from there.
            let first = agent(mortal.clone(), &ran, script());
            let mut died = first.run(Some("Wipe."), "chat").is_err();
            if !died {
                let waiting = first.run(None, "chat");
                died = waiting.is_err();
                if let Some(request) =
                    waiting.ok().and_then(|answer| answer.waiting[0].approval_id.clone())
                {
                    died = first.executor().approve(&request, &Decision::approved()).is_err()
                        || first.run(None, "chat").is_err();
                }
            }
            let heard = Heard::default();
            let mut second = heard_agent(Arc::clone(&store), &ran, script(), heard.clone());
            second.interrupted = OnInterrupted::Tell;
            let answer = go_on(&second, &*store);
            assert_eq!((answer.state, &*answer.text), (AgentState::Done, "all done"), "{at}");
            let mut once = ran.all();
            once.dedup();
            assert_eq!(ran.all(), once, "a call ran twice after a death at {at}");
            // A handler that was about to start may have run, for all that the next process knows.
            let unknown = heard.lock().unwrap().to_string().matches("was interrupted").count();
            assert!(unknown <= 1 && once.len() + unknown >= 3, "{at}: {once:?}, {unknown}");
            steps += 1;
            if !died {
                break;
            }
        }
    }
    assert!(steps * stride > 60, "{steps}");
}

#[test]
fn a_process_that_dies_at_any_operation_loses_nothing() {
    dies_everywhere(|| Arc::new(MemoryStore::default()), 1);
}

#[test]
fn nor_does_one_over_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let number = AtomicI64::new(0);
    let make = || -> Arc<dyn Store> {
        let name = format!("{}.db", number.fetch_add(1, Ordering::SeqCst));
        Arc::new(SqliteStore::open(folder.path().join(name), SqliteOptions::default()).unwrap())
    };
    dies_everywhere(make, 7);
}

#[test]
fn a_call_whose_process_died_runs_once_more_only_if_a_person_says_so() {
    for interrupted in [OnInterrupted::Ask, OnInterrupted::Tell] {
        let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
        let mortal = dead_store(store.clone(), usize::MAX, false);
        let mut tools = Executor::new(mortal.clone(), Settings::default());
        let dies = Arc::clone(&mortal);
        let handler = move |_: &ToolInput| {
            dies.fail(Outage { times: usize::MAX, ..Outage::default() });
            Ok(ToolOutput::ok("lost"))
        };
        tools.register(ToolSpec::new("note"), handler).unwrap();
        let call = calls(&[("note", r#"{"text": 1}"#)]);
        let model = move |_: &Value| -> Result<Value, ModelError> { Ok(call.clone()) };
        let first = Agent::new(model, Provider::OpenAi, "qwen3", tools, mortal);
        assert_eq!(first.run(Some("Note."), "chat").unwrap_err().code(), AgentCode::Failed);

        let script = vec![calls(&[("note", r#"{"text": 1}"#)]), text("all done")];
        let mut second = agent(store.clone(), &ran, script);
        second.interrupted = interrupted;
        let running = second.run(None, "chat").unwrap();
        assert_eq!(running.waiting[0].state, RunState::Running);
        end_leases(&*store);
        let answer = second.run(None, "chat").unwrap();
        if interrupted == OnInterrupted::Tell {
            assert_eq!((&*answer.text, ran.all().len()), ("all done", 0));
            continue;
        }
        assert_eq!(answer.waiting[0].state, RunState::Interrupted);
        second.executor().retry(&answer.waiting[0].run).unwrap();
        assert_eq!(second.run(None, "chat").unwrap().text, "all done");
        assert_eq!(ran.all(), ["note 1"]);
    }
}
