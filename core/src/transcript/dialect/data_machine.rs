//! Data Machine's chats: messages whose calls are joined by tool and turn.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{at, first, has, list_in, moment, text_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message};
use crate::transcript::dialect::say::{role, say, session};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::LogEvent;

/// The reader of the chats.
#[derive(Debug, Default)]
pub(super) struct DataMachine;

/// The kind of a message, and the object that has its details.
fn inner(record: Json<'_>) -> Option<(Cow<'_, str>, Json<'_>)> {
    let payload = record.get("payload").filter(|payload| payload.is_object() || payload.is_array());
    if let (Some(payload), Some(kind)) = (payload, record.text_of("type")) {
        return Some((kind, payload));
    }
    let metadata = record.get("metadata")?;
    Some((metadata.text_of("type")?, metadata))
}

impl Dialect for DataMachine {
    fn weigh(record: Json<'_>) -> u32 {
        let has_role = has(record, &["role", "content"]);
        match inner(record) {
            Some((kind, _)) if has_role && matches!(&*kind, "tool_call" | "tool_result") => 14,
            Some((kind, _)) if has_role && kind == "text" => 9,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["messages"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        session(document, &["session_id"], give);
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(name) = record.text_of("role") else { return false };
        let when = at(record, &["metadata", "timestamp"]).and_then(moment);
        give(LogEvent::About(About { at: when, ..About::default() }));
        let inner = inner(record);
        match inner.as_ref().map(|(kind, payload)| (&**kind, *payload)) {
            Some(("tool_call", payload)) => {
                let Some(name) = payload.text_of("tool_name") else { return false };
                let id = call_id(record, payload).unwrap_or_default();
                let arguments = payload.get("parameters");
                give(CallParts { id, name, arguments, at: when }.plain());
            }
            Some(("tool_result", payload)) => give(result(record, payload, when)),
            _ => {
                let text = record.text_of("content").unwrap_or_default();
                say(role(&name), text, give);
            }
        }
        true
    }
}

/// The id of a call; without one, the tool and the turn name it.
fn call_id<'a>(record: Json<'a>, payload: Json<'a>) -> Option<Cow<'a, str>> {
    let given = payload.text_of("tool_call_id");
    let given = given.or_else(|| text_at(record, &["metadata", "tool_call_id"]));
    given.or_else(|| {
        let (name, turn) = (payload.text_of("tool_name")?, payload.get("turn")?);
        Some(format!("{name} in turn {}", turn.raw()).into())
    })
}

fn result<'a>(record: Json<'a>, payload: Json<'a>, at: Option<i64>) -> LogEvent<'a> {
    let succeeded = payload.get("success").and_then(Json::as_bool).unwrap_or(true);
    let name = payload.text_of("tool_name");
    let ending = CallEnding::failed(!succeeded);
    let parts = ResultParts { id: call_id(record, payload), name, at, ending };
    let error = first(payload, &["error"]).filter(|_| !succeeded);
    match error {
        Some(error) => {
            let text = message(error);
            parts.saying(text)
        }
        None => {
            parts.with(first(payload, &["tool_data", "data", "result"]).or(record.get("content")))
        }
    }
}
