//! Each limit ends a conversation with a last answer, and no call runs behind it.

use std::sync::Arc;

use serde_json::Value;
use toolwire::agent::{AgentAnswer, AgentLimit, AgentLimits, AgentState};
use toolwire::store::MemoryStore;

use crate::{Ran, agent, calls, text};

fn limited(limits: AgentLimits, script: Vec<Value>) -> (AgentAnswer, Vec<String>) {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let mut agent = agent(store, &ran, script);
    agent.settings.limits = limits;
    let answer = agent.run(Some("Note."), "chat").unwrap();
    assert_eq!(agent.run(None, "chat").unwrap(), answer, "a limit is not counted anew");
    (answer, ran.all())
}

fn note(number: usize) -> Value {
    calls(&[("note", &format!("{{\"text\": {number}}}"))])
}

#[test]
fn each_limit_stops() {
    let limits = AgentLimits::default();
    let ended = |script: &mut Vec<Value>| script.push(text("That is all."));
    for (limits, count, limit, ran) in [
        (AgentLimits { turns: 3, ..limits }, 3, AgentLimit::Turns, 2),
        (AgentLimits { calls: 2, ..limits }, 3, AgentLimit::Calls, 2),
        (AgentLimits { tokens: Some(24), ..limits }, 2, AgentLimit::Tokens, 1),
        (AgentLimits { seconds: 0, ..limits }, 1, AgentLimit::Seconds, 0),
    ] {
        let mut script: Vec<_> = (0..count).map(note).collect();
        ended(&mut script);
        let (answer, did) = limited(limits, script);
        assert_eq!((answer.state, answer.reason), (AgentState::Stopped, Some(limit)));
        assert_eq!(answer.text, "That is all.");
        assert_eq!(did.len(), ran, "{limit}");
    }
}

#[test]
fn a_model_that_goes_on_calling_is_stopped_without_a_text() {
    let limits = AgentLimits { turns: 2, ..AgentLimits::default() };
    let (answer, ran) = limited(limits, vec![note(0), note(1), note(2), note(3)]);
    assert_eq!((answer.state, answer.reason), (AgentState::Stopped, Some(AgentLimit::Turns)));
    assert_eq!((&*answer.text, ran.len()), ("", 1));
}

#[test]
fn the_same_call_with_the_same_result_stops() {
    let (answer, ran) = limited(AgentLimits::default(), vec![note(7)]);
    assert_eq!(answer.reason, Some(AgentLimit::SameCall));
    assert_eq!(ran.len(), 3);
}

#[test]
fn calls_that_cannot_be_read_stop() {
    let (answer, ran) = limited(AgentLimits::default(), vec![calls(&[("note", "{\"text\":")])]);
    assert_eq!(answer.reason, Some(AgentLimit::Repairs));
    assert_eq!(ran, [""; 0]);
}

#[test]
fn a_new_text_begins_a_new_count() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let script = vec![note(0), text("one"), note(1), text("two")];
    let mut agent = agent(store, &ran, script);
    agent.settings.limits = AgentLimits { turns: 2, calls: 1, ..AgentLimits::default() };
    assert_eq!(agent.run(Some("One."), "chat").unwrap().state, AgentState::Done);
    let answer = agent.run(Some("Two."), "chat").unwrap();
    assert_eq!((answer.state, &*answer.text), (AgentState::Done, "two"));
}
