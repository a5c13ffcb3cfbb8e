//! `DeepSeek`'s harness: the sessions that it stores.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::blocks::Blocks;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{at, has, text_at, written_at};
use crate::transcript::dialect::say::session;
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the sessions.
#[derive(Debug, Default)]
pub(super) struct Dsh;

impl Dialect for Dsh {
    fn weigh(line: Json<'_>) -> u32 {
        match line.text_of("type").as_deref() {
            Some("session") if has(line, &["delegationDepth"]) => 9,
            Some(kind) if kind.contains('/') && has(line, &["seq", "time"]) => 9,
            _ => 0,
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let kind = line.text_of("type");
        if kind.as_deref() == Some("session") {
            session(line, &["id"], give);
            return true;
        }
        let Some(data) = line.get("data") else { return false };
        let when = written_at(line);
        let (role, content) = match kind.as_deref() {
            Some("user/message") => {
                let is_person = text_at(data, &["source", "kind"]).as_deref() == Some("user");
                (if is_person { Role::User } else { Role::System }, data.get("content"))
            }
            Some("assistant/message") => {
                let tokens = data.get("usage").and_then(facts::tokens);
                if let Some(tokens) = tokens {
                    give(LogEvent::Usage(None, tokens));
                }
                give(LogEvent::About(About { at: when, tokens, ..About::default() }));
                (Role::Assistant, at(data, &["message", "content"]))
            }
            Some("tool/result") => (Role::System, at(data, &["message", "content"])),
            Some("request/context") => {
                let model = data.text_of("model");
                if let Some(model) = model {
                    give(LogEvent::Model(model));
                }
                return true;
            }
            Some("tool/call") => {
                give(LogEvent::Repeated);
                return true;
            }
            _ => return false,
        };
        content.is_some_and(|content| Blocks::of_agent(role, when).read(content, give))
    }
}
