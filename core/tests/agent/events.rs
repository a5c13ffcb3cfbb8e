//! What a listener of an agent is told.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwire::Detector;
use toolwire::agent::{
    Agent, AgentEvent, AgentEventKind, AgentSettings, AgentState, Hearing, Model, ModelError,
};
use toolwire::lifecycle::Decision;
use toolwire::provider::Provider;
use toolwire::store::MemoryStore;

use super::{Ran, calls, executor, text};

/// A server that streams texts in pieces of this many bytes; a text that is not whole breaks off.
struct Streams {
    script: Mutex<Vec<&'static str>>,
    piece: usize,
}

impl Model for Streams {
    fn ask(&self, _: &Value) -> Result<Value, ModelError> {
        panic!("nobody asked for a stream")
    }

    fn ask_streamed(
        &self,
        body: &Value,
        heard: &mut dyn FnMut(&Value),
    ) -> Result<Value, ModelError> {
        assert_eq!(body["stream"], true);
        assert_eq!(body["stream_options"]["include_usage"], true);
        let said = self.script.lock().unwrap().remove(0);
        let (said, breaks) = said.strip_suffix('✂').map_or((said, false), |part| (part, true));
        let mut events: Vec<Value> = said
            .as_bytes()
            .chunks(self.piece)
            .map(|piece| {
                let delta = json!({"content": str::from_utf8(piece).unwrap()});
                json!({"choices": [{"index": 0, "delta": delta}]})
            })
            .collect();
        events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
        events.push(json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}));
        events.iter().for_each(&mut *heard);
        if breaks { Err(ModelError::unreachable("cut")) } else { Ok(Value::Array(events)) }
    }
}

fn heard(agent: &mut Agent) -> Arc<Mutex<Vec<AgentEvent>>> {
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    agent.listener = Some(Box::new(move |event| heard.lock().unwrap().push(event.clone())));
    told
}

/// The kinds and the texts, neighbours of one kind joined.
fn shown(events: &[AgentEvent]) -> Vec<(&'static str, String)> {
    let mut all: Vec<(&'static str, String)> = Vec::new();
    for event in events {
        let kind = event.kind.slug();
        let text = event.data["text"].as_str().unwrap_or_default();
        match all.last_mut() {
            Some((last, said)) if *last == kind && !text.is_empty() => said.push_str(text),
            _ => all.push((kind, text.to_owned())),
        }
    }
    all
}

#[test]
fn what_comes_in_pieces_is_told_as_it_comes() {
    for piece in [1, 3, 7, 1000] {
        let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
        let script = Mutex::new(vec![
            "<think>\nHm, note it.\n</think>\n\nI note it. <tool_call>{\"name\": \"note\", \
             \"arguments\": {\"text\": 1}}</tool_call>",
            "Nothing was noted✂",
            "Noted.",
        ]);
        let model = Streams { script, piece };
        let mut agent =
            Agent::new(model, Provider::OpenAi, "qwen3", executor(store.clone(), &ran), store);
        agent.settings.streams = true;
        agent.settings.detector = Some(Detector::for_model("qwen3").unwrap());
        let told = heard(&mut agent);
        let answer = agent.run(Some("Note."), "chat").unwrap();
        assert_eq!((answer.state, &*answer.text), (AgentState::Done, "Noted."));
        let told = told.lock().unwrap().clone();
        let of = |kind: &'static str, text: &str| (kind, text.to_owned());
        let mut live = shown(&told);
        // What may still begin a marker is held back.
        let broken = live.remove(6);
        assert!(broken.0 == "text" && "Nothing was noted".starts_with(&broken.1), "{broken:?}");
        assert_eq!(
            live,
            [
                of("user", "Note."),
                of("reasoning", "Hm, note it."),
                of("text", "I note it. "),
                of("call", ""),
                of("usage", ""),
                of("result", ""),
                of("retracted", ""),
                of("text", "Noted."),
                of("usage", ""),
            ],
            "{piece}"
        );
        if piece < 7 {
            let texts = told.iter().filter(|event| event.kind == AgentEventKind::Text).count();
            assert!(texts > 4, "it comes in pieces: {texts}");
        }
        let call = told.iter().find(|event| event.kind == AgentEventKind::Call).unwrap();
        let arguments = json!({"text": 1});
        let expected = json!({"message": 1, "index": 0, "name": "note", "arguments": arguments});
        assert_eq!(call.data, expected);
        // A page that is opened again shows the same, without what was taken back.
        let again = shown(&agent.events("chat").unwrap());
        live.remove(6);
        assert_eq!(again, live);
    }
}

#[test]
fn a_channel_that_holds_nothing_is_no_part_of_the_reasoning() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let script = Mutex::new(vec!["thought\n<channel|><|channel>thought\nHm.<channel|>Hi."]);
    let model = Streams { script, piece: 3 };
    let mut agent =
        Agent::new(model, Provider::OpenAi, "gemma4", executor(store.clone(), &ran), store);
    agent.settings.streams = true;
    agent.settings.detector = Some(Detector::for_model("gemma4").unwrap());
    let told = heard(&mut agent);
    agent.run(Some("Greet."), "chat").unwrap();
    let of = |kind: &'static str, text: &str| (kind, text.to_owned());
    let expected = [
        of("user", "Greet."),
        of("text", "thought\n"),
        of("retracted", ""),
        of("reasoning", "Hm."),
        of("text", "Hi."),
        of("usage", ""),
    ];
    assert_eq!(shown(&told.lock().unwrap()), expected);
}

#[test]
fn what_waits_and_what_is_refused_is_told() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let script = Mutex::new(vec![
        calls(&[("wipe", r#"{"disk": 7}"#), ("note", r#"{"text": "#)]),
        text("Wiped."),
    ]);
    let model =
        move |_: &Value| -> Result<Value, ModelError> { Ok(script.lock().unwrap().remove(0)) };
    let mut agent = Agent::new(model, Provider::OpenAi, "m", executor(store.clone(), &ran), store);
    let told = heard(&mut agent);
    let answer = agent.run(Some("Wipe."), "chat").unwrap();
    let kinds =
        |told: &[AgentEvent]| shown(told).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>();
    assert_eq!(kinds(&told.lock().unwrap()), ["user", "call", "rejected", "usage", "waiting"]);
    let waiting = told.lock().unwrap().last().unwrap().data.clone();
    assert_eq!((&waiting["name"], &waiting["state"]), (&json!("wipe"), &json!("waiting")));
    let request = answer.waiting[0].approval_id.clone().unwrap();
    assert_eq!(waiting["approval_id"], request.as_str());
    told.lock().unwrap().clear();
    agent.executor().approve(&request, &Decision::approved()).unwrap();
    agent.run(None, "chat").unwrap();
    assert_eq!(kinds(&told.lock().unwrap()), ["result", "text", "usage"]);
    let result = told.lock().unwrap()[0].data.clone();
    assert_eq!((&result["success"], &result["data"]), (&json!(true), &json!("wiped")));
    assert!(agent.events("other").unwrap().is_empty());
}

/// A server whose stream says something and does not end.
struct Endless;

impl Model for Endless {
    fn ask(&self, _: &Value) -> Result<Value, ModelError> {
        panic!("nobody asked for a stream")
    }

    fn ask_streamed(&self, _: &Value, heard: &mut dyn FnMut(&Value)) -> Result<Value, ModelError> {
        heard(&json!({"choices": [{"index": 0, "delta": {"content": "Half a te"}}]}));
        let more = json!({"choices": [{"index": 0, "delta": {"content": ""}}]});
        (0..1 << 18).for_each(|_| heard(&more));
        Ok(json!([]))
    }
}

#[test]
fn what_was_told_of_a_stream_that_is_too_long_is_taken_back() {
    let (store, ran) = (Arc::new(MemoryStore::default()), Ran::default());
    let tools = executor(store.clone(), &ran);
    let mut agent = Agent::new(Endless, Provider::OpenAi, "m", tools, store);
    agent.settings.streams = true;
    let told = heard(&mut agent);
    let failed = agent.run(Some("Tell me."), "chat").unwrap_err();
    assert_eq!(failed.code().slug(), "too_long");
    let kinds: Vec<_> = told.lock().unwrap().iter().map(|event| event.kind.slug()).collect();
    assert_eq!(kinds, ["user", "text", "retracted"]);
}

#[test]
fn a_stream_that_does_not_end_is_too_long() {
    let event = json!({"choices": [{"index": 0, "delta": {"content": ""}}]});
    let settings = AgentSettings::new(Provider::OpenAi, "m");
    let mut hearing = Hearing::new(&settings, 0);
    let heard = (0..300_000).map_while(|_| hearing.hear(&event).ok()).count();
    assert_eq!(heard, 1 << 18);
    assert_eq!(hearing.hear(&event).unwrap_err().code().slug(), "too_long");
}
