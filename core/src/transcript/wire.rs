//! Entries and patches as JSON, in one shape for the logs of all agents.

use crate::json::value::{Numbers, value};
use crate::transcript::action::{CallAction, Todo};
use crate::transcript::command;
use crate::transcript::entry::{Entry, Given, ToolUse, WrittenChange};
use crate::transcript::event::Role;
use crate::transcript::patch::Patch;

impl Entry {
    /// Appends the entry as JSON: `{"timestamp", "entry_type", "content", "metadata"}`.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(br#"{"timestamp":null,"entry_type":{"type":"#);
        write_text(self.entry_type(), out);
        match self {
            Self::Message { role: Role::Error, .. } => {
                out.extend_from_slice(br#","error_type":{"type":"other"}"#);
            }
            Self::Message { .. } => {}
            Self::ToolUse(tool_use) => tool_use.write_type(out),
        }
        out.extend_from_slice(br#"},"content":"#);
        write_text(&self.content(), out);
        out.extend_from_slice(br#","metadata":"#);
        match self
            .tool_use()
            .filter(|tool_use| !tool_use.form.omits_errors)
            .and_then(ToolUse::error)
        {
            Some((kind, message)) => {
                out.extend_from_slice(br#"{"error":{"kind":"#);
                write_text(&kind, out);
                write_member("message", &message, out);
                out.extend_from_slice(b"}}");
            }
            None => out.extend_from_slice(b"null"),
        }
        out.push(b'}');
    }
}

impl Patch {
    /// Appends the patch as an operation of JSON Patch (RFC 6902).
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(br#"{"op":"#);
        write_text(self.op.slug(), out);
        write_member("path", &self.path(), out);
        out.extend_from_slice(br#","value":{"type":"NORMALIZED_ENTRY","content":"#);
        self.entry.write_json(out);
        out.extend_from_slice(b"}}");
    }
}

impl ToolUse {
    /// Appends the members of the entry's type that follow the first.
    fn write_type(&self, out: &mut Vec<u8>) {
        write_member("tool_name", self.tool_name(), out);
        out.extend_from_slice(br#","action_type":"#);
        self.write_action(out);
        out.extend_from_slice(br#","status":{"status":"#);
        write_text(self.status.slug(), out);
        out.push(b'}');
    }

    /// Appends what the call does as a JSON object.
    pub fn write_action(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(br#"{"action":"#);
        match &self.call.action {
            CallAction::FileRead { path } => {
                write_text("file_read", out);
                write_member("path", path, out);
            }
            CallAction::FileEdit { path, .. } | CallAction::FilePatch { path } => {
                write_text("file_edit", out);
                write_member("path", path, out);
                out.extend_from_slice(br#","changes":"#);
                write_list(&self.changes(), out, write_change);
            }
            CallAction::Command { command } => self.write_command(command, out),
            CallAction::Search { query } => {
                write_text("search", out);
                write_member("query", query, out);
            }
            CallAction::WebFetch { url } => {
                write_text("web_fetch", out);
                write_member("url", url, out);
            }
            CallAction::Todos(todos) => {
                out.extend_from_slice(br#""todo_management","todos":"#);
                write_list(todos, out, write_todo);
                write_member("operation", "update", out);
            }
            CallAction::Tool => self.write_tool(out),
        }
        out.push(b'}');
    }

    fn write_command(&self, command: &str, out: &mut Vec<u8>) {
        write_text("command_run", out);
        write_member("command", command, out);
        out.extend_from_slice(br#","result":"#);
        let given = self.result.as_ref().map(|result| &result.given);
        let output = given.map(|given| given.text(self.form)).filter(|output| !output.is_empty());
        let code = given.and_then(|given| given.exit_code(self.form));
        if output.is_none() && code.is_none() {
            out.extend_from_slice(b"null");
        } else {
            out.extend_from_slice(br#"{"exit_status":"#);
            match code {
                Some(code) => {
                    out.extend_from_slice(br#"{"type":"exit_code","code":"#);
                    out.extend_from_slice(itoa::Buffer::new().format(code).as_bytes());
                    out.push(b'}');
                }
                None => out.extend_from_slice(b"null"),
            }
            write_optional("output", output.as_deref(), out);
            out.push(b'}');
        }
        write_member("category", command::category(command), out);
    }

    fn write_tool(&self, out: &mut Vec<u8>) {
        write_text("tool", out);
        write_member("tool_name", &self.call.name, out);
        out.extend_from_slice(br#","arguments":"#);
        self.write_value(&self.call.arguments, out);
        out.extend_from_slice(br#","result":"#);
        match self.result.as_ref().map(|result| &result.given) {
            None => out.extend_from_slice(b"null"),
            Some(Given::Value(raw) | Given::Marked(raw)) if !raw.starts_with('"') => {
                out.extend_from_slice(br#"{"type":{"type":"json"},"value":"#);
                self.write_value(raw, out);
                out.push(b'}');
            }
            Some(given) => {
                out.extend_from_slice(br#"{"type":{"type":"markdown"}"#);
                write_member("value", &given.text(self.form), out);
                out.push(b'}');
            }
        }
    }

    /// Appends JSON text, written as the form asks.
    fn write_value(&self, raw: &str, out: &mut Vec<u8>) {
        if self.form.numbers == Numbers::Exact {
            out.extend_from_slice(raw.as_bytes());
        } else {
            write_json(&value(raw, self.form.numbers), out);
        }
    }
}

fn write_change(change: &WrittenChange, out: &mut Vec<u8>) {
    match change {
        WrittenChange::Whole(content) => {
            out.extend_from_slice(br#"{"action":"write""#);
            write_member("content", content, out);
            out.push(b'}');
        }
        WrittenChange::Diff { diff, has_line_numbers } => {
            out.extend_from_slice(br#"{"action":"edit""#);
            write_member("unified_diff", diff, out);
            out.extend_from_slice(br#","has_line_numbers":"#);
            out.extend_from_slice(if *has_line_numbers { b"true" } else { b"false".as_slice() });
            out.push(b'}');
        }
    }
}

fn write_todo(todo: &Todo, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"content":"#);
    write_text(&todo.content, out);
    write_member("status", &todo.status, out);
    write_optional("priority", todo.priority.as_deref(), out);
    out.push(b'}');
}

fn write_list<T>(items: &[T], out: &mut Vec<u8>, write: impl Fn(&T, &mut Vec<u8>)) {
    out.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(item, out);
    }
    out.push(b']');
}

fn write_member(key: &str, text: &str, out: &mut Vec<u8>) {
    write_optional(key, Some(text), out);
}

fn write_optional(key: &str, text: Option<&str>, out: &mut Vec<u8>) {
    out.push(b',');
    write_text(key, out);
    out.push(b':');
    match text {
        Some(text) => write_text(text, out),
        None => out.extend_from_slice(b"null"),
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    write_json(text, out);
}

fn write_json<T: serde::Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) {
    // Writing to a `Vec` cannot fail, and every key of the values is a text.
    let _ = serde_json::to_writer(out, value);
}
