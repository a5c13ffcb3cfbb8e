//! Claude Code: `claude -p --output-format stream-json`, the sessions that it stores, and programs
//! that write the same.

use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::action::{CallAction, FileChange};
use crate::transcript::dialect::blocks::Blocks;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{list_in, moment};
use crate::transcript::dialect::outcome::CallEnding;
use crate::transcript::dialect::path::{MessagePath, went_back};
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::repeated_calls::RepeatedCalls;
use crate::transcript::dialect::shape::{file_edit, optional_text, text, todos};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// The reader of Claude Code's logs.
#[derive(Debug, Default)]
pub(super) struct ClaudeCode {
    /// The model's last text, which the log repeats on the line of the result.
    last: String,
    seen: SeenIds,
    calls: RepeatedCalls,
    /// The messages from the last one to the first; a prompt names the one before it.
    path: MessagePath,
}

/// Records of bookkeeping that only Claude Code writes.
const BOOKKEEPING: [&str; 10] = [
    "file-history-snapshot",
    "file-history-delta",
    "queue-operation",
    "permission-mode",
    "ai-title",
    "last-prompt",
    "stream_event",
    "custom-title",
    "agent-name",
    "pr-link",
];

impl Dialect for ClaudeCode {
    fn weigh(line: Json<'_>) -> u32 {
        let has = |key: &str| line.get(key).is_some();
        let kind = line.text_of("type");
        let content = || line.get("message").and_then(|message| message.get("content"));
        match kind.as_deref() {
            Some("assistant" | "user") if content().is_some() => {
                let keys = ["uuid", "parent_tool_use_id", "isSidechain", "parentUuid"];
                if keys.into_iter().any(has) { 9 } else { 3 }
            }
            Some("system") if line.text_of("subtype").as_deref() == Some("init") => {
                match (has("mcp_servers"), has("permissionMode")) {
                    (true, _) => 9,
                    (false, true) => 4,
                    _ => 0,
                }
            }
            Some("result") if has("session_id") && has("subtype") => 3,
            Some("summary") if has("leafUuid") => 9,
            Some(kind) if BOOKKEEPING.contains(&kind) => 3,
            None if line.get("loglines").is_some_and(Json::is_array) => WHOLE,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["loglines"])
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let fields = ClaudeLine::of(line);
        if let Some(id) = fields.uuid.and_then(Json::text)
            && !self.seen.is_new(&id)
        {
            give(LogEvent::Repeated);
            return true;
        }
        let kind = fields.kind.and_then(Json::text);
        if let Some(id) = fields.session.and_then(Json::text)
            && matches!(kind.as_deref(), Some("assistant" | "user" | "result"))
        {
            give(LogEvent::Session(id));
        }
        match kind.as_deref() {
            Some("system") => system(line, give),
            Some("assistant") => self.message(&fields, Role::Assistant, give),
            Some("user") => self.message(&fields, Role::User, give),
            Some("result") => self.result(line, give),
            _ => false,
        }
    }
}

/// The fields of a line, found in one pass.
#[derive(Default)]
struct ClaudeLine<'a> {
    kind: Option<Json<'a>>,
    uuid: Option<Json<'a>>,
    /// The line before this one, in stored sessions.
    before: Option<Json<'a>>,
    session: Option<Json<'a>>,
    message: Option<Json<'a>>,
    timestamp: Option<Json<'a>>,
    parent: Option<Json<'a>>,
    agent: Option<Json<'a>>,
    folder: Option<Json<'a>>,
    /// The lines whose place the line takes.
    supersedes: Option<Json<'a>>,
    /// Whether the program wrote what the line has as the person's.
    is_of_program: bool,
    is_sidechain: bool,
    is_denied: bool,
}

impl<'a> ClaudeLine<'a> {
    fn of(line: Json<'a>) -> Self {
        let mut fields = Self::default();
        line.each_member(|name, value| match name {
            b"type" => fields.kind = Some(value),
            b"uuid" => fields.uuid = Some(value),
            b"parentUuid" => fields.before = Some(value),
            b"session_id" | b"sessionId" => fields.session = Some(value),
            b"message" => fields.message = Some(value),
            b"timestamp" => fields.timestamp = Some(value),
            b"parent_tool_use_id" => {
                fields.parent = Some(value);
                fields.is_of_program |= value.is_text();
            }
            b"agentId" => fields.agent = Some(value),
            b"cwd" => fields.folder = Some(value),
            b"supersedes" => fields.supersedes = Some(value),
            b"isMeta" | b"isCompactSummary" | b"isReplay" => {
                fields.is_of_program |= value.as_bool() == Some(true);
            }
            b"isSidechain" => {
                fields.is_sidechain = value.as_bool() == Some(true);
                fields.is_of_program |= fields.is_sidechain;
            }
            b"toolDenialKind" => fields.is_denied = true,
            _ => {}
        });
        fields
    }
}

/// A record of the program itself.
fn system<'a>(line: Json<'a>, give: Give<'_, 'a>) -> bool {
    let subtype = line.text_of("subtype");
    match subtype.as_deref() {
        Some("init") => {
            if let Some(model) = line.text_of("model") {
                give(LogEvent::Model(model));
            }
            true
        }
        Some("compact_boundary" | "api_error" | "informational") => {
            let Some(text) = line.text_of("content") else { return false };
            give(LogEvent::Message { role: Role::System, text });
            true
        }
        Some(kind) => {
            give(LogEvent::Skipped(format!("system {kind}").into()));
            true
        }
        None => false,
    }
}

impl ClaudeCode {
    fn message<'a>(&mut self, line: &ClaudeLine<'a>, role: Role, give: Give<'_, 'a>) -> bool {
        let Some(message) = line.message else { return false };
        let Some(content) = message.get("content") else { return false };
        let at = line.timestamp.and_then(moment);
        if let Some(list) = line.supersedes {
            went_back(list.items().count(), give);
        }
        self.follow(line, role, content, give);
        // Facts of results are of no entry.
        let has_words =
            content.is_text() || content.items().any(|block| block.get("tool_use_id").is_none());
        if role == Role::Assistant || has_words {
            about(line, message, at, give);
        }
        let role = if role == Role::User && line.is_of_program { Role::System } else { role };
        let ending: fn(&str) -> CallEnding =
            if line.is_denied { |_| CallEnding::Denied } else { ending };
        let blocks = Blocks { role, at, action, ending };
        let session = line.session.and_then(Json::text).unwrap_or_default();
        blocks.read(content, &mut |event| match event {
            LogEvent::Message { role: Role::User, text } if is_of_program(&text) => {
                give(LogEvent::Message { role: Role::System, text });
            }
            event if self.calls.is_repeated(&session, &event) => give(LogEvent::Repeated),
            event => {
                if let LogEvent::Message { role: Role::Assistant, text } = &event {
                    self.last.clear();
                    self.last.push_str(text);
                }
                give(event);
            }
        })
    }

    /// Follows the conversation. It goes back only at a prompt: results of calls that ran side by
    /// side name another line than the last one too.
    fn follow(&mut self, line: &ClaudeLine<'_>, role: Role, content: Json<'_>, give: Give<'_, '_>) {
        let (Some(id), Some(before)) = (line.uuid.and_then(Json::text), line.before) else {
            return;
        };
        if line.is_sidechain {
            return;
        }
        let is_result = content.items().any(|block| block.get("tool_use_id").is_some());
        if role == Role::User && !line.is_of_program && !is_result {
            self.path.follow(&id, &before.text().unwrap_or_default(), true, give);
        } else {
            self.path.add(&id, true);
        }
    }

    fn result<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let failed = line.get("is_error").and_then(Json::as_bool).unwrap_or_default();
        let errors = line.get("errors").into_iter().flat_map(Json::items);
        for text in errors.filter_map(Json::text) {
            give(LogEvent::Message { role: Role::Error, text });
        }
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

/// Gives the facts of a message.
fn about<'a>(line: &ClaudeLine<'a>, message: Json<'a>, at: Option<i64>, give: Give<'_, 'a>) {
    let own = |text: Option<Json<'_>>| text.and_then(Json::text).map(|text| Box::from(&*text));
    let (mut id, mut usage) = (None, None);
    let mut facts = About { at, folder: own(line.folder), ..About::default() };
    message.each_member(|name, value| match name {
        b"id" => id = value.text(),
        b"usage" => usage = Some(value),
        b"model" => facts.model = own(Some(value)),
        b"stop_reason" => facts.stop = own(Some(value)),
        _ => {}
    });
    facts.tokens = usage.and_then(facts::tokens);
    if let Some(tokens) = facts.tokens {
        give(LogEvent::Usage(id, tokens));
    }
    facts.agent = own(line.agent);
    facts.parent = own(line.parent).or_else(|| facts.agent.clone());
    give(LogEvent::About(facts));
}

/// Whether the program put a text into the person's mouth.
fn is_of_program(text: &str) -> bool {
    const STARTS: [&str; 7] = [
        "<command-name>",
        "<command-message>",
        "<local-command-stdout>",
        "<local-command-stderr>",
        "<system-reminder>",
        "Caveat: The messages below were generated by the user",
        "[Request interrupted by user",
    ];
    STARTS.iter().any(|start| text.starts_with(start))
}

/// How a call ended whose result says that it did not run.
fn ending(text: &str) -> CallEnding {
    if text.starts_with("The user doesn't want to proceed with this tool use") {
        CallEnding::Denied
    } else if text.starts_with("[Request interrupted by user") {
        CallEnding::Cancelled
    } else {
        CallEnding::Success
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
