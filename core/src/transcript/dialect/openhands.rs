//! `OpenHands`: the events of both of its generations.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{at, first_text, has, list_in, text_at, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, words};
use crate::transcript::dialect::recall::RecallById;
use crate::transcript::dialect::say::{role, say};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the events.
#[derive(Debug, Default)]
pub(super) struct OpenHands {
    /// The id of the call of each action that has one, by the action's id.
    calls: RecallById<Box<str>>,
}

/// Actions that run nothing.
const QUIET: [&str; 9] = [
    "message",
    "system",
    "recall",
    "change_agent_state",
    "condensation",
    "think",
    "finish",
    "null",
    "condensation_request",
];

impl Dialect for OpenHands {
    fn weigh(record: Json<'_>) -> u32 {
        let is_event =
            has(record, &["source"]) && (has(record, &["action"]) || has(record, &["observation"]));
        match record.text_of("kind").as_deref() {
            Some(kind) if is_new(kind) && has(record, &["source"]) => 9,
            _ if is_event && has(record, &["id"]) => 8,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["history", "events"])
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let when = written_at(record);
        give(LogEvent::About(About { at: when, ..About::default() }));
        if let Some(kind) = record.text_of("kind") {
            return new_event(record, &kind, when, give);
        }
        if record.get("observation").is_some() {
            return self.observation(record, when, give);
        }
        let Some(action) = record.text_of("action") else { return false };
        self.action(record, &action, when, give)
    }
}

fn is_new(kind: &str) -> bool {
    ["Event", "Observation", "Condensation"].iter().any(|end| kind.contains(end))
}

impl OpenHands {
    fn action<'a>(
        &mut self,
        record: Json<'a>,
        action: &str,
        when: Option<i64>,
        give: Give<'_, 'a>,
    ) -> bool {
        let meta = record.get("tool_call_metadata").filter(|meta| !meta.is_null());
        if QUIET.contains(&action) && meta.is_none() {
            return quiet(record, action, give);
        }
        let arguments = record.get("args");
        if let Some(text) = arguments.and_then(|arguments| arguments.text_of("thought")) {
            say(Role::Assistant, text, give);
        }
        let call = meta.and_then(|meta| text_at(meta, &["tool_call_id"]));
        let number = record.get("id").and_then(Json::as_i64);
        let id = call.unwrap_or_else(|| {
            number.map_or(Cow::Borrowed(""), |number| format!("action_{number}").into())
        });
        if let Some(number) = number {
            self.calls.insert(&number.to_string(), (&*id).into(), id.len());
        }
        let name = meta.and_then(|meta| meta.text_of("function_name"));
        let name = name.unwrap_or_else(|| action.to_owned().into());
        let told = meta.and_then(|meta| written_arguments(meta, &id));
        give(CallParts { id, name, arguments: told.or(arguments), at: when }.of_agent());
        true
    }

    fn observation<'a>(&mut self, record: Json<'a>, when: Option<i64>, give: Give<'_, 'a>) -> bool {
        let kind = record.text_of("observation").unwrap_or_default();
        let cause = record.get("cause").and_then(Json::as_i64);
        let known = cause.and_then(|cause| self.calls.remove(&cause.to_string()));
        let id = text_at(record, &["tool_call_metadata", "tool_call_id"]);
        let Some(id) = known.map(|id| Cow::Owned(id.into_string())).or(id) else {
            let text = record.get("content").and_then(words).unwrap_or_default();
            if kind == "error" {
                say(Role::Error, text, give);
            } else {
                give(LogEvent::Skipped(kind));
            }
            return true;
        };
        let code = at(record, &["extras", "metadata", "exit_code"])
            .or_else(|| at(record, &["extras", "exit_code"]))
            .and_then(Json::as_i64)
            .and_then(|code| i32::try_from(code).ok());
        let failed =
            kind == "error" || record.get("success").and_then(Json::as_bool) == Some(false);
        let parts =
            ResultParts { id: Some(id), name: None, at: when, ending: CallEnding::failed(failed) };
        let content = record.get("content");
        give(match (code, content.and_then(words)) {
            (Some(code), Some(text)) => parts.of_command(text, Some(code)),
            (None, _) if kind == "user_rejected" => {
                let ending = CallEnding::Denied;
                let text = content.and_then(words).unwrap_or_default();
                ResultParts { ending, ..parts }.saying(text)
            }
            _ => parts.with(content),
        });
        true
    }
}

/// An action that runs nothing.
fn quiet<'a>(record: Json<'a>, action: &str, give: Give<'_, 'a>) -> bool {
    let text = record
        .get("args")
        .and_then(|arguments| first_text(arguments, &["content", "thought", "final_thought"]))
        .or_else(|| record.text_of("message"));
    let role = match (action, record.text_of("source").as_deref()) {
        ("message", Some("user")) => Role::User,
        ("message" | "finish", _) => Role::Assistant,
        ("think", _) => Role::Thinking,
        ("system", _) => Role::System,
        _ => {
            give(LogEvent::Skipped(action.to_owned().into()));
            return true;
        }
    };
    if let Some(text) = text {
        say(role, text, give);
    }
    true
}

/// The arguments as the model wrote them.
fn written_arguments<'a>(meta: Json<'a>, id: &str) -> Option<Json<'a>> {
    let choice = at(meta, &["model_response", "choices"])?.items().next()?;
    let calls = at(choice, &["message", "tool_calls"])?;
    let call = calls.items().find(|call| call.text_of("id").as_deref() == Some(id))?;
    at(call, &["function", "arguments"])
}

/// An event of the newer generation.
fn new_event<'a>(record: Json<'a>, kind: &str, when: Option<i64>, give: Give<'_, 'a>) -> bool {
    let id = record.text_of("tool_call_id");
    let parts = |ending| ResultParts { id: id.clone(), name: None, at: when, ending };
    match kind {
        "MessageEvent" => {
            let Some(message) = record.get("llm_message") else { return false };
            let name = message.text_of("role").unwrap_or_default();
            let text = message.get("content").and_then(words).unwrap_or_default();
            say(role(&name), text, give);
        }
        "ActionEvent" => {
            if let Some(text) = record.text_of("reasoning_content") {
                say(Role::Thinking, text, give);
            }
            let thought = record.get("thought").and_then(words).unwrap_or_default();
            say(Role::Assistant, thought, give);
            let call = record.get("tool_call");
            let name = record.text_of("tool_name").or_else(|| call?.text_of("name"));
            let arguments = call.and_then(|call| call.get("arguments"));
            let arguments = arguments.or(record.get("action"));
            let (id, name) = (id.unwrap_or_default(), name.unwrap_or_default());
            give(CallParts { id, name, arguments, at: when }.of_agent());
        }
        "ObservationEvent" => {
            let observation = record.get("observation");
            let inner = |key: &str| observation.and_then(|observation| observation.get(key));
            let failed = inner("is_error").and_then(Json::as_bool).unwrap_or_default();
            let code = inner("exit_code").and_then(Json::as_i64).is_some_and(|code| code != 0);
            let content = inner("content").or(inner("output")).or(observation);
            give(parts(CallEnding::failed(failed || code)).with(content));
        }
        "UserRejectObservation" => {
            let text = record.text_of("rejection_reason").unwrap_or_default();
            give(parts(CallEnding::Denied).saying(text));
        }
        "AgentErrorEvent" => {
            let text = record.text_of("error").unwrap_or_default();
            give(parts(CallEnding::Failed).saying(text));
        }
        "SystemPromptEvent" => {
            let text = record.get("system_prompt").and_then(words).unwrap_or_default();
            say(Role::System, text, give);
        }
        _ => return false,
    }
    true
}
