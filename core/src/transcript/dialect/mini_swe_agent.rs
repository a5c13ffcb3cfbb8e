//! mini-swe-agent: trajectories, whose commands stand in code blocks.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::action::CallAction;
use crate::transcript::dialect::field::{any, at, has, list_in, written_at};
use crate::transcript::dialect::openai;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, words};
use crate::transcript::dialect::say::{role, say};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of the trajectories.
#[derive(Debug, Default)]
pub(super) struct MiniSweAgent {
    number: u64,
    /// The number of the first command that waits, and how many wait.
    waiting: Option<u64>,
}

/// The beginnings of code blocks that hold a command.
const BLOCKS: [&str; 3] = ["```mswea_bash_command\n", "```bash\n", "```sh\n"];

impl Dialect for MiniSweAgent {
    fn weigh(record: Json<'_>) -> u32 {
        let format = record.text_of("trajectory_format");
        if format.is_some_and(|format| format.starts_with("mini-swe-agent")) {
            return WHOLE;
        }
        let text = record.get("content").and_then(words).unwrap_or_default();
        match record.text_of("role").as_deref() {
            Some("assistant") if at(record, &["extra", "actions"]).is_some() => 9,
            Some("assistant" | "system") if text.contains(BLOCKS[0].trim_end()) => 9,
            Some("user") if text.trim_start().starts_with("<returncode>") => 9,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["messages"])
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        let Some(name) = record.text_of("role") else { return false };
        if name == "tool" || any(record.get("tool_calls"), |_| true) {
            return openai::read(record, give);
        }
        let when = record.get("extra").and_then(written_at);
        let cost = at(record, &["extra", "cost"]).map(|cost| cost.raw().into());
        give(LogEvent::About(About { at: when, cost, ..About::default() }));
        let text = record.get("content").and_then(words).unwrap_or_default();
        let role = role(&name);
        if role == Role::Assistant {
            let commands = commands(record, &text);
            say(role, text, give);
            self.waiting = None;
            for command in commands {
                self.number += 1;
                self.waiting.get_or_insert(self.number);
                give(call(self.number, command, when));
            }
            return true;
        }
        match self.waiting.take() {
            Some(first) if role == Role::User && is_result(record, &text) => {
                for number in first..=self.number {
                    give(result(record, number, &text, when));
                }
            }
            _ => say(role, text, give),
        }
        true
    }
}

/// Whether a message is what a command gave; the last command has no result.
fn is_result(record: Json<'_>, text: &str) -> bool {
    let text = text.trim_start();
    at(record, &["extra", "returncode"]).is_some()
        || ["<returncode>", "<output>", "The last command "]
            .iter()
            .any(|mark| text.starts_with(mark))
}

/// The commands of a message.
fn commands(record: Json<'_>, text: &str) -> Vec<String> {
    let listed = at(record, &["extra", "actions"]).into_iter().flat_map(Json::items);
    let listed: Vec<_> = listed.filter_map(|one| one.text_of("command")).map(Into::into).collect();
    if !listed.is_empty() || has(record, &["extra"]) && at(record, &["extra", "actions"]).is_some()
    {
        return listed;
    }
    let last = BLOCKS.iter().find_map(|block| text.rsplit_once(block));
    let command = last.and_then(|(_, behind)| behind.rsplit_once("\n```").or(Some((behind, ""))));
    command.map(|(command, _)| command.trim().to_owned()).into_iter().collect()
}

fn call(number: u64, command: String, at: Option<i64>) -> LogEvent<'static> {
    let arguments = serde_json::json!({"command": command}).to_string().into();
    LogEvent::ToolCall {
        id: format!("step_{number}").into(),
        name: "bash".into(),
        arguments,
        action: CallAction::Command { command },
        at,
    }
}

/// The result of a command: the next message of the person's role.
fn result<'a>(record: Json<'a>, number: u64, text: &str, when: Option<i64>) -> LogEvent<'a> {
    let marked = text.trim_start().strip_prefix("<returncode>");
    let marked = marked.and_then(|rest| rest.split_once("</returncode>"));
    let code = at(record, &["extra", "returncode"]).and_then(Json::as_i64);
    let code = code.or_else(|| marked.and_then(|(code, _)| code.trim().parse().ok()));
    let body = marked.map_or(text, |(_, body)| body.trim_start());
    let body = body.strip_prefix("<output>").map_or(body, |body| {
        body.trim_start_matches('\n').trim_end().strip_suffix("</output>").unwrap_or(body)
    });
    let id = Some(format!("step_{number}").into());
    let parts = ResultParts { id, name: None, at: when, ending: CallEnding::Success };
    match code.and_then(|code| i32::try_from(code).ok()) {
        Some(code) => parts.of_command(body.to_owned().into(), Some(code)),
        None => parts.saying(body.to_owned().into()),
    }
}
