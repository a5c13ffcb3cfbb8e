//! Claude Code: `claude -p --output-format stream-json`, and the sessions that it stores.

use crate::json::value::Json;
use crate::transcript::action::{CallAction, FileChange};
use crate::transcript::dialect::blocks::Blocks;
use crate::transcript::dialect::shape::{file_edit, optional_text, text, todos};
use crate::transcript::dialect::{Dialect, written_at};
use crate::transcript::event::{LogEvent, Role};

/// The reader of Claude Code's logs.
#[derive(Debug, Default)]
pub(super) struct ClaudeCode {
    /// The model's last text, which the log repeats on the line of the result.
    last: String,
}

impl Dialect for ClaudeCode {
    fn read<'a>(&mut self, line: Json<'a>, give: &mut dyn FnMut(LogEvent<'a>)) -> bool {
        let kind = line.text_of("type");
        if let Some(id) = line.text_of("session_id").or_else(|| line.text_of("sessionId"))
            && matches!(kind.as_deref(), Some("assistant" | "user" | "result"))
        {
            give(LogEvent::Session(id));
        }
        match kind.as_deref() {
            Some("system") if line.text_of("subtype").as_deref() == Some("init") => {
                line.text_of("model").into_iter().for_each(|model| give(LogEvent::Model(model)));
                true
            }
            Some("assistant") => self.message(line, Role::Assistant, give),
            Some("user") => self.message(line, Role::User, give),
            Some("result") => self.result(line, give),
            _ => false,
        }
    }
}

impl ClaudeCode {
    fn message<'a>(
        &mut self,
        line: Json<'a>,
        role: Role,
        give: &mut dyn FnMut(LogEvent<'a>),
    ) -> bool {
        let Some(content) = line.get("message").and_then(|message| message.get("content")) else {
            return false;
        };
        let blocks = Blocks { role, at: written_at(line), action };
        blocks.read(content, &mut |event| {
            if let LogEvent::Message { role: Role::Assistant, text } = &event {
                self.last.clear();
                self.last.push_str(text);
            }
            give(event);
        })
    }

    fn result<'a>(&mut self, line: Json<'a>, give: &mut dyn FnMut(LogEvent<'a>)) -> bool {
        let failed = line.get("is_error").and_then(Json::as_bool).unwrap_or_default();
        match (line.text_of("result"), line.text_of("subtype")) {
            (Some(text), _) if failed => give(LogEvent::Message { role: Role::Error, text }),
            (Some(text), _) if text != self.last => {
                give(LogEvent::Message { role: Role::Assistant, text });
            }
            (None, Some(text)) if text != "success" => {
                give(LogEvent::Message { role: Role::Error, text });
            }
            (Some(_), _) | (None, Some(_)) => {}
            (None, None) => return false,
        }
        true
    }
}

/// What a call does; none if the tool is unknown or the input does not fit it.
fn action(name: &str, input: Json<'_>) -> Option<CallAction> {
    Some(match name {
        "Read" => CallAction::FileRead { path: text(input, "file_path")? },
        "NotebookRead" => CallAction::FileRead { path: text(input, "notebook_path")? },
        "LS" => CallAction::FileRead { path: text(input, "path")? },
        "Grep" | "Glob" => CallAction::Search { query: text(input, "pattern")? },
        "Bash" => CallAction::Command { command: text(input, "command")? },
        "Edit" => {
            let change = FileChange::Edit {
                old: text(input, "old_string")?,
                new: text(input, "new_string")?,
            };
            file_edit(text(input, "file_path")?, vec![change])
        }
        "MultiEdit" => {
            let edit = |item: Json<'_>| {
                Some(FileChange::Edit {
                    old: text(item, "old_string")?,
                    new: text(item, "new_string")?,
                })
            };
            let changes = input.get("edits")?.items().map(edit).collect::<Option<_>>()?;
            file_edit(text(input, "file_path")?, changes)
        }
        "Write" => {
            file_edit(text(input, "file_path")?, vec![FileChange::Write(text(input, "content")?)])
        }
        "NotebookEdit" => {
            let source = optional_text(input, "new_source")?.unwrap_or_default();
            file_edit(
                text(input, "notebook_path")?,
                vec![FileChange::Edit { old: String::new(), new: source }],
            )
        }
        "TodoWrite" => CallAction::Todos(todos(input.get("todos")?)?),
        "WebFetch" => CallAction::WebFetch { url: text(input, "url")? },
        "WebSearch" => CallAction::WebFetch { url: text(input, "query")? },
        _ => return None,
    })
}
