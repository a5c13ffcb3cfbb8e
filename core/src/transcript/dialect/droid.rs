//! Factory's Droid.
//!
//! It reads events and tools as `droid exec --output-format stream-json` writes them. A line is not
//! an event if a field is missing, has the wrong type or comes twice.

use crate::json::value::Json;
use crate::transcript::action::{CallAction, FileChange};
use crate::transcript::dialect::shape::{
    either, file_edit, is_texts, optional, optional_text, text, todos,
};
use crate::transcript::dialect::{Dialect, Give, Rest};
use crate::transcript::event::{LogEvent, Role, ToolOutcome};

/// The reader of Droid's logs.
#[derive(Debug, Default)]
pub(super) struct Droid;

impl Dialect for Droid {
    fn weigh(line: Json<'_>) -> u32 {
        let has = |key: &str| line.get(key).is_some();
        match line.text_of("type").as_deref() {
            Some("tool_call" | "tool_result") if has("session_id") && has("toolId") => 9,
            Some("completion") if has("finalText") => 9,
            Some("message") if has("text") && has("role") => 9,
            Some("reasoning") if has("text") && has("session_id") => 4,
            Some("tool_call" | "tool_result" | "completion") if has("session_id") => 2,
            Some("system") if has("session_id") && !has("mcp_servers") => 1,
            _ => 0,
        }
    }

    fn items<'a>(&self, _: Json<'a>) -> Option<Json<'a>> {
        None
    }

    fn rest(&self) -> Rest {
        Rest::Told
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        if !line.is_object() {
            return false;
        }
        let fields = DroidFields::of(line);
        let read = match fields.text(DroidField::Type).as_deref() {
            Some("system") => fields.system(give),
            Some("message") => fields.message(give),
            Some("tool_call") => fields.tool_call(give),
            Some("tool_result") => fields.tool_result(give),
            Some("completion") => fields.completion(give),
            Some("error") => fields.error(give),
            _ => None,
        };
        read.or_else(|| logged_error(line, give)).is_some()
    }
}

/// The fields of an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DroidField {
    Type,
    SessionId,
    Timestamp,
    Id,
    Role,
    Text,
    MessageId,
    ToolId,
    ToolName,
    Parameters,
    IsError,
    Value,
    Error,
    Subtype,
    Cwd,
    Tools,
    Model,
    FinalText,
    NumTurns,
    DurationMs,
    Source,
    Message,
}

impl DroidField {
    /// How many fields there are.
    const COUNT: usize = Self::Message as usize + 1;

    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"type" => Self::Type,
            b"session_id" => Self::SessionId,
            b"timestamp" => Self::Timestamp,
            b"id" => Self::Id,
            b"role" => Self::Role,
            b"text" => Self::Text,
            b"messageId" => Self::MessageId,
            b"toolId" => Self::ToolId,
            b"toolName" => Self::ToolName,
            b"parameters" => Self::Parameters,
            b"isError" => Self::IsError,
            b"value" => Self::Value,
            b"error" => Self::Error,
            b"subtype" => Self::Subtype,
            b"cwd" => Self::Cwd,
            b"tools" => Self::Tools,
            b"model" => Self::Model,
            b"finalText" => Self::FinalText,
            b"numTurns" => Self::NumTurns,
            b"durationMs" => Self::DurationMs,
            b"source" => Self::Source,
            b"message" => Self::Message,
            _ => return None,
        })
    }
}

/// The fields of a line.
struct DroidFields<'a> {
    values: [Option<Json<'a>>; DroidField::COUNT],
    /// One bit for each field that comes twice.
    repeated: u32,
}

impl<'a> DroidFields<'a> {
    fn of(line: Json<'a>) -> Self {
        let mut fields = Self { values: [None; DroidField::COUNT], repeated: 0 };
        line.each_member(|name, value| {
            if let Some(field) = DroidField::named(name)
                && let Some(place) = fields.values.get_mut(field as usize)
                && place.replace(value).is_some()
            {
                fields.repeated |= 1 << field as u32;
            }
        });
        fields
    }

    fn get(&self, field: DroidField) -> Option<Json<'a>> {
        self.values.get(field as usize).copied().flatten()
    }

    fn text(&self, field: DroidField) -> Option<std::borrow::Cow<'a, str>> {
        self.get(field)?.text()
    }

    /// Checks that a field is there and is a text.
    fn has_text(&self, field: DroidField) -> Option<()> {
        self.get(field)?.is_text().then_some(())
    }

    /// Checks that no field of the event comes twice.
    fn once(&self, fields: &[DroidField]) -> Option<()> {
        let known = fields
            .iter()
            .fold(1 << DroidField::Type as u32, |bits, field| bits | 1 << *field as u32);
        (self.repeated & known == 0).then_some(())
    }

    /// The time, which must be there.
    fn at(&self) -> Option<i64> {
        let at = self.get(DroidField::Timestamp)?.as_u64()?;
        Some(i64::try_from(at).unwrap_or(i64::MAX))
    }

    /// Checks that a field is absent, null, or fits.
    fn optional(&self, field: DroidField, fits: impl Fn(Json<'a>) -> bool) -> Option<()> {
        self.get(field).is_none_or(|value| value.is_null() || fits(value)).then_some(())
    }

    fn system(&self, give: &mut dyn FnMut(LogEvent<'a>)) -> Option<()> {
        self.once(&[
            DroidField::SessionId,
            DroidField::Subtype,
            DroidField::Cwd,
            DroidField::Tools,
            DroidField::Model,
        ])?;
        self.has_text(DroidField::SessionId)?;
        self.optional(DroidField::Subtype, Json::is_text)?;
        self.optional(DroidField::Cwd, Json::is_text)?;
        self.optional(DroidField::Tools, is_texts)?;
        self.optional(DroidField::Model, Json::is_text)?;
        if let Some(model) = self.text(DroidField::Model) {
            give(LogEvent::Model(model));
        }
        Some(())
    }

    fn message(&self, give: &mut dyn FnMut(LogEvent<'a>)) -> Option<()> {
        self.once(&[
            DroidField::Role,
            DroidField::Id,
            DroidField::Text,
            DroidField::Timestamp,
            DroidField::SessionId,
        ])?;
        let (role, text) = (self.text(DroidField::Role)?, self.text(DroidField::Text)?);
        self.has_text(DroidField::Id)?;
        self.at()?;
        give(LogEvent::Session(self.text(DroidField::SessionId)?));
        let role = match &*role {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => Role::System,
        };
        give(LogEvent::Message { role, text });
        Some(())
    }

    fn tool_call(&self, give: &mut dyn FnMut(LogEvent<'a>)) -> Option<()> {
        self.once(&[
            DroidField::Id,
            DroidField::MessageId,
            DroidField::ToolId,
            DroidField::ToolName,
            DroidField::Parameters,
            DroidField::Timestamp,
            DroidField::SessionId,
        ])?;
        let (id, name) = (self.text(DroidField::Id)?, self.text(DroidField::ToolName)?);
        self.has_text(DroidField::MessageId)?;
        self.has_text(DroidField::ToolId)?;
        let parameters = self.get(DroidField::Parameters)?;
        let at = Some(self.at()?);
        give(LogEvent::Session(self.text(DroidField::SessionId)?));
        let action = action(&name, parameters).unwrap_or(CallAction::Tool);
        give(LogEvent::ToolCall { id, name, arguments: parameters.raw().into(), action, at });
        Some(())
    }

    fn tool_result(&self, give: &mut dyn FnMut(LogEvent<'a>)) -> Option<()> {
        self.once(&[
            DroidField::Id,
            DroidField::MessageId,
            DroidField::ToolId,
            DroidField::IsError,
            DroidField::Timestamp,
            DroidField::SessionId,
            DroidField::Value,
            DroidField::Error,
        ])?;
        self.optional(DroidField::Id, Json::is_text)?;
        self.has_text(DroidField::MessageId)?;
        self.has_text(DroidField::ToolId)?;
        let (is_error, at) = (self.get(DroidField::IsError)?.as_bool()?, Some(self.at()?));
        let outcome = match self.get(DroidField::Value) {
            Some(value) => ToolOutcome::Marked(value),
            None => failure(self.get(DroidField::Error)?)?,
        };
        give(LogEvent::Session(self.text(DroidField::SessionId)?));
        let (id, name) = (self.text(DroidField::Id), None);
        give(LogEvent::ToolResult { id, name, is_error, outcome, at });
        Some(())
    }

    fn completion(&self, give: &mut dyn FnMut(LogEvent<'a>)) -> Option<()> {
        self.once(&[
            DroidField::FinalText,
            DroidField::SessionId,
            DroidField::NumTurns,
            DroidField::DurationMs,
            DroidField::Timestamp,
        ])?;
        let text = self.text(DroidField::FinalText)?;
        let is_turns =
            |turns: Json<'a>| turns.as_u64().is_some_and(|turns| u32::try_from(turns).is_ok());
        self.optional(DroidField::NumTurns, is_turns)?;
        self.optional(DroidField::DurationMs, |duration| duration.as_u64().is_some())?;
        self.optional(DroidField::Timestamp, |at| at.as_u64().is_some())?;
        give(LogEvent::Session(self.text(DroidField::SessionId)?));
        give(LogEvent::Completion(text));
        Some(())
    }

    fn error(&self, give: &mut dyn FnMut(LogEvent<'a>)) -> Option<()> {
        self.once(&[DroidField::Source, DroidField::Message, DroidField::Timestamp])?;
        self.has_text(DroidField::Source)?;
        self.at()?;
        give(LogEvent::Message { role: Role::Error, text: self.text(DroidField::Message)? });
        Some(())
    }
}

/// The error of a result.
fn failure(error: Json<'_>) -> Option<ToolOutcome<'_>> {
    let once = |key: &str| error.members().filter(|(name, _)| name == key).count() == 1;
    if !once("type") || !once("message") {
        return None;
    }
    Some(ToolOutcome::Error { kind: error.text_of("type")?, message: error.text_of("message")? })
}

/// An error in the form of Droid's own log.
fn logged_error<'a>(line: Json<'a>, give: &mut dyn FnMut(LogEvent<'a>)) -> Option<()> {
    line.text_of("level")?;
    let error = line.get("error")?;
    let message = error.text_of("message")?;
    for (object, key) in [(error, "name"), (error, "stack"), (line, "path"), (line, "msg")] {
        optional_text(object, key)?;
    }
    give(LogEvent::Message { role: Role::Error, text: message });
    Some(())
}

/// What a call does; none if the tool is unknown or the parameters do not fit it.
fn action(name: &str, parameters: Json<'_>) -> Option<CallAction> {
    let parameters = Some(parameters).filter(|parameters| parameters.is_object())?;
    Some(match name {
        "Read" => CallAction::FileRead { path: either(parameters, "file_path", "path")? },
        "LS" => {
            optional(parameters, "ignorePatterns", is_texts)?;
            CallAction::FileRead { path: text(parameters, "directory_path")? }
        }
        "Grep" => {
            text(parameters, "pattern")?;
            optional(parameters, "caseSensitive", |flag| flag.as_bool().is_some())?;
            CallAction::FileRead { path: optional_text(parameters, "path")?.unwrap_or_default() }
        }
        "Glob" => {
            text(parameters, "folder")?;
            optional(parameters, "excludePatterns", is_texts)?;
            let patterns = parameters.get("patterns").filter(|patterns| is_texts(*patterns))?;
            let patterns: Vec<_> = patterns.items().filter_map(Json::text).collect();
            CallAction::Search { query: patterns.join(", ") }
        }
        "Execute" => {
            optional(parameters, "timeout", |timeout| timeout.as_u64().is_some())?;
            CallAction::Command { command: text(parameters, "command")? }
        }
        "Edit" => {
            let path = either(parameters, "file_path", "path")?;
            let old = either(parameters, "old_string", "old_str")?;
            let new = either(parameters, "new_string", "new_str")?;
            file_edit(path, vec![FileChange::Edit { old, new }])
        }
        "MultiEdit" => file_edit(either(parameters, "file_path", "path")?, edits(parameters)?),
        "Create" => {
            let path = either(parameters, "file_path", "path")?;
            file_edit(path, vec![FileChange::Write(text(parameters, "content")?)])
        }
        "ApplyPatch" => {
            CallAction::FilePatch { path: patched_path(&text(parameters, "input")?).to_owned() }
        }
        "TodoWrite" => CallAction::Todos(todos(parameters.get("todos")?)?),
        "ExitSpecMode" => {
            optional_text(parameters, "reason")?;
            CallAction::Todos(Vec::new())
        }
        "WebSearch" => {
            let is_count =
                |count: Json<'_>| count.as_u64().is_some_and(|count| u32::try_from(count).is_ok());
            optional(parameters, "max_results", is_count)?;
            CallAction::WebFetch { url: text(parameters, "query")? }
        }
        "FetchUrl" => {
            optional_text(parameters, "method")?;
            CallAction::WebFetch { url: text(parameters, "url")? }
        }
        _ => return None,
    })
}

/// The edits of a `MultiEdit`; an item with neither an old nor a new text changes nothing.
fn edits(parameters: Json<'_>) -> Option<Vec<FileChange>> {
    let items = match (parameters.get("edits"), parameters.get("changes")) {
        (Some(items), None) | (None, Some(items)) if items.is_array() => items,
        _ => return None,
    };
    let side = |item: Json<'_>, long: &str, short: &str| match (item.get(long), item.get(short)) {
        (Some(_), Some(_)) => None,
        (Some(_), None) => optional_text(item, long),
        _ => optional_text(item, short),
    };
    let mut changes = Vec::new();
    for item in items.items() {
        let item = Some(item).filter(|item| item.is_object())?;
        let (old, new) =
            (side(item, "old_string", "old_str")?, side(item, "new_string", "new_str")?);
        if old.is_some() || new.is_some() {
            changes.push(FileChange::Edit {
                old: old.unwrap_or_default(),
                new: new.unwrap_or_default(),
            });
        }
    }
    Some(changes)
}

/// The path of the first file that a patch updates or adds; empty if there is none.
fn patched_path(patch: &str) -> &str {
    let is_head =
        |line: &&str| line.starts_with("*** Update File:") || line.starts_with("*** Add File:");
    patch.lines().find(is_head).and_then(|line| line.split(':').nth(1)).unwrap_or_default().trim()
}
