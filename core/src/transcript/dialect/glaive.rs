//! Glaive's data set of function calls: whole conversations as text.

use crate::call::RejectionCode;
use crate::json::value::Json;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::has;
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts};
use crate::transcript::dialect::say::say;
use crate::transcript::dialect::written_call::DamagedCall;
use crate::transcript::dialect::{Dialect, Give};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the conversations.
#[derive(Debug, Default)]
pub(super) struct Glaive {
    has_begun: bool,
}

/// Whose turn begins with which words.
const TURNS: [&str; 3] = ["USER:", "ASSISTANT:", "FUNCTION RESPONSE:"];

impl Dialect for Glaive {
    fn weigh(record: Json<'_>) -> u32 {
        let is_chat = record.text_of("chat").is_some_and(|chat| chat.contains("USER:"));
        if is_chat && has(record, &["system"]) { 30 } else { 0 }
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(chat) = record.text_of("chat") else { return false };
        if std::mem::replace(&mut self.has_begun, true) {
            give(LogEvent::Boundary);
        }
        let system = record.text_of("system");
        if let Some(text) = system {
            say(Role::System, text, give);
        }
        let mut rest = &*chat;
        while let Some((turn, text, behind)) = next(rest) {
            let text = text.replace("<|endoftext|>", "");
            match turn {
                "USER:" => say(Role::User, text.trim().to_owned(), give),
                "ASSISTANT:" => said(text.trim(), give),
                _ => {
                    let parts =
                        ResultParts { ending: CallEnding::Success, ..ResultParts::default() };
                    give(parts.saying(text.trim().to_owned().into()));
                }
            }
            rest = behind;
        }
        true
    }
}

/// The next turn: whose it is, its text, and what stands behind it.
fn next(text: &str) -> Option<(&'static str, &str, &str)> {
    let start = |text: &str| {
        let places = TURNS.iter().filter_map(|turn| Some((text.find(turn)?, *turn)));
        places.min()
    };
    let (place, turn) = start(text)?;
    let behind = text.get(place + turn.len()..)?;
    let end = start(behind).map_or(behind.len(), |(place, _)| place);
    let (inner, rest) = behind.split_at_checked(end)?;
    Some((turn, inner, rest))
}

/// Words of the model, or a call: its arguments stand between single quotes.
fn said(text: &str, give: Give<'_, '_>) {
    let Some((before, call)) = text.split_once("<functioncall>") else {
        return say(Role::Assistant, text.to_owned(), give);
    };
    say(Role::Assistant, before.trim().to_owned(), give);
    let call = call.trim();
    let plain = match (call.find('\''), call.rfind('\'')) {
        (Some(start), Some(end)) if start < end => {
            let inner = call.get(start + 1..end).unwrap_or_default();
            let (head, tail) = (call.get(..start), call.get(end + 1..));
            let quoted = serde_json::Value::from(inner).to_string();
            format!("{}{quoted}{}", head.unwrap_or_default(), tail.unwrap_or_default())
        }
        _ => call.to_owned(),
    };
    let read = nested(&plain, give, &mut |call, give| {
        let name = call.text_of("name").unwrap_or_default();
        let arguments = call.get("arguments");
        give(CallParts { id: "".into(), name, arguments, at: None }.plain());
    });
    if !read {
        give(DamagedCall::new(RejectionCode::BadJson, 0, call).event());
    }
}
