//! `CrewAI`: the events of its bus, a line each, and the log of tasks, `output_log_file`.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::facts::tokens;
use crate::transcript::dialect::field::{first, first_text, has, moment};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message};
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::{role, say};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the events and of the log of tasks.
#[derive(Debug, Default)]
pub(super) struct CrewAi {
    events: SeenIds,
    /// Whether a model's words were told since an agent began.
    answered: bool,
}

/// What the types of events begin with.
const SUBJECTS: [&str; 9] = [
    "tool_",
    "llm_",
    "agent_",
    "lite_agent_",
    "task_",
    "crew_",
    "flow_",
    "memory_",
    "conversation_",
];

/// Whether a record is an event: all of them have these two keys.
fn is_event(record: Json<'_>) -> bool {
    has(record, &["source_fingerprint", "source_type"])
}

/// Whether a record is a line of the log of tasks.
fn is_task(record: Json<'_>) -> bool {
    has(record, &["task_name", "task", "agent", "status", "timestamp"])
}

impl Dialect for CrewAi {
    fn weigh(record: Json<'_>) -> u32 {
        if is_task(record) && !has(record, &["type"]) {
            return 8;
        }
        let kind = record.text_of("type").unwrap_or_default();
        let is_known = SUBJECTS.iter().any(|subject| kind.starts_with(subject));
        if is_known && is_event(record) { 10 } else { 0 }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        if record.text_of("event_id").is_some_and(|id| !self.events.is_new(&id)) {
            give(LogEvent::Repeated);
            return true;
        }
        let at = record.get("timestamp").and_then(moment);
        let agent = first_text(record, &["agent_role", "agent"]).map(|role| (&*role).into());
        let about = About { at, agent, ..About::default() };
        match record.text_of("type") {
            Some(kind) if is_event(record) => self.event(record, &kind, about, give),
            None if is_task(record) => task(record, about, give),
            _ => false,
        }
    }
}

impl CrewAi {
    fn event<'a>(
        &mut self,
        record: Json<'a>,
        kind: &str,
        about: About,
        give: Give<'_, 'a>,
    ) -> bool {
        match kind {
            "llm_call_completed" => {
                self.answered |= answer(record, about, give);
                return true;
            }
            "tool_usage_started" | "tool_usage_finished" | "tool_usage_error" => {
                give(LogEvent::About(about));
                tool(record, kind, give);
                return true;
            }
            _ => {}
        }
        let text = |keys: &[&str]| first_text(record, keys).unwrap_or_default();
        let (role, text) = match kind {
            "agent_execution_started" => {
                self.answered = false;
                (Role::User, text(&["task_prompt"]))
            }
            // What the agent gives is what its model said last.
            "agent_execution_completed" | "lite_agent_execution_completed" if self.answered => {
                return false;
            }
            "agent_execution_completed" | "lite_agent_execution_completed" => {
                (Role::Assistant, text(&["output"]))
            }
            "conversation_message_added" => (role(&text(&["role"])), text(&["content"])),
            // The event of a tool that raised comes beside the end of its call.
            "tool_execution_error" | "tool_failure_detected" => return false,
            _ => match first(record, &["error"]) {
                Some(error) => (Role::Error, message(error)),
                None => return false,
            },
        };
        give(LogEvent::About(about));
        say(role, text, give);
        true
    }
}

/// A task that begins with its description, or ends with what the agent said.
fn task<'a>(record: Json<'a>, about: About, give: Give<'_, 'a>) -> bool {
    give(LogEvent::About(about));
    let (role, key) = match record.text_of("status").as_deref() {
        Some("started") => (Role::User, "task"),
        Some("completed") => (Role::Assistant, "output"),
        _ => (Role::Error, "output"),
    };
    say(role, record.text_of(key).unwrap_or_default(), give);
    true
}

/// What the model said; false if it said nothing. Its calls are events of their own.
fn answer<'a>(record: Json<'a>, mut about: About, give: Give<'_, 'a>) -> bool {
    about.model = record.text_of("model").map(|model| (&*model).into());
    about.stop = record.text_of("finish_reason").map(|reason| (&*reason).into());
    give(LogEvent::About(about));
    if let Some(tokens) = record.get("usage").and_then(tokens) {
        give(LogEvent::Usage(first_text(record, &["response_id", "call_id"]), tokens));
    }
    let text = record.text_of("response").unwrap_or_default();
    let says = !text.trim().is_empty();
    say(Role::Assistant, text, give);
    says
}

/// A call when it begins, and its end, which names the event of the beginning. Older versions have
/// no such name, and are joined by the tool's.
fn tool<'a>(record: Json<'a>, kind: &str, give: Give<'_, 'a>) {
    let name = record.text_of("tool_name");
    let at = first(record, &["finished_at", "timestamp"]).and_then(moment);
    if kind == "tool_usage_started" {
        let id = record.text_of("event_id").unwrap_or_default();
        let (name, arguments) = (name.unwrap_or_default(), record.get("tool_args"));
        give(CallParts { id, name, arguments, at }.plain());
        return;
    }
    let failure = first(record, &["error", "failure"]);
    let ending = CallEnding::failed(failure.is_some());
    let id = record.text_of("started_event_id");
    give(ResultParts { id, name, at, ending }.error_or(failure, record.get("output")));
}
