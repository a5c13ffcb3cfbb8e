//! Antigravity's command line: the steps of its transcripts.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::json::parse::parse_json;
use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{has, moment};
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::outcome::ResultParts;
use crate::transcript::dialect::say::{ending, inside, say};
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::Role;

/// The reader of the steps. They have no ids: steps of the model answer its calls in order.
#[derive(Debug, Default)]
pub(super) struct Antigravity {
    /// The number of the last call, and of the last one that was answered.
    number: u64,
    answered: u64,
}

impl Dialect for Antigravity {
    fn weigh(line: Json<'_>) -> u32 {
        if has(line, &["step_index", "source", "status"]) { 9 } else { 0 }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let at = line.get("created_at").and_then(moment);
        let content = line.text_of("content").unwrap_or_default();
        let source = line.text_of("source");
        match (source.as_deref(), line.text_of("type").as_deref()) {
            (_, Some("USER_INPUT")) => {
                let is_person = source.as_deref().is_some_and(|name| name.starts_with("USER"));
                let role = if is_person { Role::User } else { Role::System };
                say(role, inside(&content, "USER_REQUEST").to_owned(), give);
            }
            (_, Some("PLANNER_RESPONSE")) => {
                let thought = line.text_of("thinking").unwrap_or_default();
                say(Role::Thinking, thought, give);
                say(Role::Assistant, content, give);
                for call in line.get("tool_calls").into_iter().flat_map(Json::items) {
                    self.call(call, at, give);
                }
            }
            (Some("SYSTEM"), Some("SYSTEM_MESSAGE" | "CHECKPOINT" | "ERROR_MESSAGE")) => {
                say(Role::System, content, give);
            }
            (Some("MODEL"), Some(kind)) => {
                if self.answered == self.number {
                    return false;
                }
                self.answered += 1;
                let id = format!("step_{}", self.answered);
                let status = line.text_of("status").unwrap_or_default();
                let ending = ending(&status).unwrap_or_default();
                let name = Some(Cow::Owned(kind.to_owned()));
                give(ResultParts { id: Some(id.into()), name, at, ending }.saying(content));
            }
            _ => return false,
        }
        true
    }
}

impl Antigravity {
    fn call<'a>(&mut self, call: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) {
        let Some(name) = call.text_of("name") else { return };
        self.number += 1;
        let id = format!("step_{}", self.number);
        // Each argument is JSON text.
        let mut plain = Map::new();
        for (key, value) in call.get("args").into_iter().flat_map(Json::members) {
            let text = value.text().unwrap_or_else(|| value.raw().into());
            let value = parse_json(text.as_bytes()).unwrap_or_else(|_| Value::from(&*text));
            plain.insert(key.into_owned(), value);
        }
        let raw = Value::Object(plain).to_string();
        nested(&raw, give, &mut |arguments, give| {
            let (id, name) = (id.clone().into(), name.clone().into_owned().into());
            give(CallParts { id, name, arguments: Some(arguments), at }.of_agent());
        });
    }
}
