//! Codex's rollouts, new and old: the sessions that Codex and its forks store.

use std::borrow::Cow;

use crate::json::tape::Tape;
use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::facts;
use crate::transcript::dialect::field::{at, first, has, list_in, text_at, written_at};
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message, words};
use crate::transcript::dialect::recall::RecallById;
use crate::transcript::dialect::responses;
use crate::transcript::dialect::say::session;
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// How many bytes of messages of events wait for an item that holds a message.
const MOST: usize = 8 << 20;

/// The reader of Codex's rollouts.
#[derive(Debug, Default)]
pub(super) struct CodexRollout {
    /// How calls ended, by id, as far as an event said it before the result came.
    ends: RecallById<CallEnd>,
    /// Messages of events, which count only if no item holds a message.
    told: Vec<(Role, Box<str>)>,
    bytes: usize,
    /// Who gives the messages, once that is sure.
    source: MessageSource,
    model: Option<Box<str>>,
    folder: Option<Box<str>>,
}

/// What holds the messages of the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MessageSource {
    /// No item has held a message so far.
    #[default]
    Open,
    Items,
    /// So many events held messages, and no item did, that no item will.
    Events,
}

/// How a call ended.
#[derive(Clone, Copy, Debug)]
struct CallEnd {
    failed: bool,
    code: Option<i32>,
}

/// The types of lines that only rollouts have.
const LINES: [&str; 8] = [
    "session_meta",
    "turn_context",
    "response_item",
    "event_msg",
    "compacted",
    "world_state",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
];

impl Dialect for CodexRollout {
    fn weigh(line: Json<'_>) -> u32 {
        let kind = line.text_of("type");
        match kind.as_deref() {
            Some(kind) if LINES.contains(&kind) && line.get("payload").is_some() => 9,
            None if has(line, &["session", "items"]) => WHOLE,
            None if line.get("record_type").is_some() => 9,
            None if has(line, &["id", "timestamp", "instructions"]) => 9,
            Some("local_shell_call") => 4,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["items"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        if let Some(id) = text_at(document, &["session", "id"]) {
            give(LogEvent::Session(id));
        }
    }

    fn read<'a>(&mut self, line: Json<'a>, give: Give<'_, 'a>) -> bool {
        let when = written_at(line);
        let Some(payload) = line.get("payload") else { return self.old(line, when, give) };
        match line.text_of("type").as_deref() {
            Some("session_meta") => {
                session(payload, &["id"], give);
                self.folder = payload.text_of("cwd").map(|folder| (&*folder).into());
                true
            }
            Some("turn_context") => {
                if let Some(model) = payload.text_of("model") {
                    self.model = Some((&*model).into());
                    give(LogEvent::Model(model));
                }
                true
            }
            Some("response_item") => self.item(payload, when, give),
            Some("event_msg") => self.event(payload, give),
            _ => false,
        }
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        for (role, text) in std::mem::take(&mut self.told) {
            give(LogEvent::Message { role, text: text.into_string().into() });
        }
    }
}

impl CodexRollout {
    /// A line of the old form: a bare item, or the session.
    fn old<'a>(&mut self, line: Json<'a>, when: Option<i64>, give: Give<'_, 'a>) -> bool {
        if line.get("type").is_some() {
            return self.item(line, when, give);
        }
        match line.text_of("id") {
            Some(id) if line.get("timestamp").is_some() => {
                give(LogEvent::Session(id));
                true
            }
            _ => {
                let kind = line.text_of("record_type");
                let is_state = kind.is_some();
                if let Some(kind) = kind {
                    give(LogEvent::Skipped(kind));
                }
                is_state
            }
        }
    }

    fn item<'a>(&mut self, item: Json<'a>, when: Option<i64>, give: Give<'_, 'a>) -> bool {
        let kind = item.text_of("type");
        let skipped = ["agent_message", "ghost_snapshot", "compaction", "compaction_summary"];
        if kind.as_deref().is_some_and(|kind| skipped.contains(&kind)) {
            return false;
        }
        give(LogEvent::About(About {
            at: when,
            model: self.model.clone(),
            folder: self.folder.clone(),
            ..About::default()
        }));
        if kind.as_deref().is_some_and(|kind| kind.ends_with("_output")) {
            let id = item.text_of("call_id");
            let end = id.as_deref().and_then(|id| self.ends.remove(id));
            give(result(item, id, when, end));
            return true;
        }
        if kind.as_deref() == Some("message") {
            if self.source == MessageSource::Events {
                give(LogEvent::Repeated);
                return true;
            }
            self.source = MessageSource::Items;
            for _ in self.told.drain(..) {
                give(LogEvent::Repeated);
            }
        }
        responses::item(item, when, &mut |event| match event {
            LogEvent::Message { role: Role::User, text } if is_of_program(&text) => {
                give(LogEvent::Message { role: Role::System, text });
            }
            event => give(event),
        })
    }

    /// An event: it repeats the conversation, and says how calls ended.
    fn event<'a>(&mut self, event: Json<'a>, give: Give<'_, 'a>) -> bool {
        let kind = event.text_of("type").unwrap_or_default();
        let role = match &*kind {
            "user_message" => Role::User,
            "agent_message" => Role::Assistant,
            "agent_reasoning" => Role::Thinking,
            "error" | "stream_error" => {
                let Some(text) = event.text_of("message") else { return false };
                give(LogEvent::Message { role: Role::Error, text });
                return true;
            }
            "token_count" => {
                let total = at(event, &["info", "total_token_usage"]);
                match total.and_then(facts::tokens) {
                    Some(tokens) => give(LogEvent::Usage(Some("total".into()), tokens)),
                    None => give(LogEvent::Skipped(kind)),
                }
                return true;
            }
            _ => {
                if let (Some(id), Some(end)) = (event.text_of("call_id"), ended(event, &kind)) {
                    self.ends.insert(&id, end, size_of::<CallEnd>());
                }
                give(LogEvent::Skipped(kind));
                return true;
            }
        };
        let text = event.text_of("message").or(event.text_of("text"));
        match (self.source, text) {
            (MessageSource::Items, _) => give(LogEvent::Repeated),
            (MessageSource::Events, Some(text)) => give(LogEvent::Message { role, text }),
            (MessageSource::Open, Some(text)) => {
                self.bytes += text.len() + size_of::<(Role, Box<str>)>();
                self.told.push((role, (&*text).into()));
                if self.bytes > MOST {
                    self.source = MessageSource::Events;
                    for (role, text) in std::mem::take(&mut self.told) {
                        give(LogEvent::Message { role, text: text.into_string().into() });
                    }
                }
            }
            (_, None) => {}
        }
        true
    }
}

/// How a call ended, as an event says it.
fn ended(event: Json<'_>, kind: &str) -> Option<CallEnd> {
    let number = |key: &str| i32::try_from(event.get(key)?.as_i64()?).ok();
    let failed = match kind {
        "exec_command_end" => number("exit_code")? != 0,
        "patch_apply_end" => !event.get("success")?.as_bool()?,
        "mcp_tool_call_end" => {
            let result = event.get("result")?;
            result.get("Err").is_some()
                || at(result, &["Ok", "isError"]).and_then(Json::as_bool).unwrap_or_default()
        }
        _ => return None,
    };
    Some(CallEnd { failed, code: number("exit_code") })
}

/// The result that an output holds.
fn result<'a>(
    item: Json<'a>,
    id: Option<Cow<'a, str>>,
    at: Option<i64>,
    end: Option<CallEnd>,
) -> LogEvent<'a> {
    let output = first(item, &["output", "tools", "content"]);
    let inner = output.map(|output| output.get("content").unwrap_or(output));
    let mut parts = ResultParts { id, name: None, at, ending: CallEnding::Success };
    let succeeded = output.and_then(|output| output.get("success")).and_then(Json::as_bool);
    if end.is_some_and(|end| end.failed) || succeeded == Some(false) {
        parts.ending = CallEnding::Failed;
    }
    let Some(text) = inner.and_then(words) else { return parts.with(inner) };
    if let Some((words, code)) = json_output(&text) {
        return parts.of_command(words.into(), code);
    }
    let head = Head::of(&text);
    parts.ending = head.ending.unwrap_or(parts.ending);
    let code = head.code.or(end.and_then(|end| end.code));
    if code.is_none() {
        return if inner.is_some_and(Json::is_text) && parts.ending == CallEnding::Success {
            parts.with(inner)
        } else {
            parts.saying(text)
        };
    }
    let body = match (head.body, text) {
        (Some(start), Cow::Borrowed(text)) => text.get(start..).unwrap_or_default().into(),
        (Some(start), Cow::Owned(text)) => text.get(start..).unwrap_or_default().to_owned().into(),
        (None, text) => text,
    };
    parts.of_command(body, code)
}

/// The words and the exit code of an output that is JSON text.
fn json_output(text: &str) -> Option<(String, Option<i32>)> {
    if !text.starts_with("{\"output\"") && !text.starts_with("{\"metadata\"") {
        return None;
    }
    let mut tape = Tape::default();
    let whole = tape.read(text.trim())?;
    let code = at(whole, &["metadata", "exit_code"])?.as_i64();
    let words = whole.get("output").map(message)?.into_owned();
    Some((words, code.and_then(|code| i32::try_from(code).ok())))
}

/// What the lines before `Output:` say of a command.
#[derive(Default)]
struct Head {
    code: Option<i32>,
    ending: Option<CallEnding>,
    /// Where the words begin.
    body: Option<usize>,
}

impl Head {
    fn of(text: &str) -> Self {
        let starts = |marks: &[&str]| marks.iter().any(|mark| text.starts_with(mark));
        if starts(&["aborted by user after "]) {
            return Self::ended(CallEnding::Cancelled);
        }
        if starts(&["exec command rejected by user", "patch rejected by user"]) {
            return Self::ended(CallEnding::Denied);
        }
        if starts(&[
            "failed to parse function arguments: ",
            "unsupported call: ",
            "apply_patch verification failed: ",
            "apply_patch handler received ",
            "execution error: ",
        ]) {
            return Self::ended(CallEnding::Failed);
        }
        Self::of_lines(text)
    }

    fn ended(ending: CallEnding) -> Self {
        Self { ending: Some(ending), ..Self::default() }
    }

    fn of_lines(text: &str) -> Self {
        let (mut head, mut place) = (Self::default(), 0);
        for line in text.split_inclusive('\n').take(8) {
            place += line.len();
            let line = line.trim_end();
            if line == "Output:" {
                head.body = Some(place);
                return head;
            }
            let code = line
                .strip_prefix("Exit code: ")
                .or_else(|| line.strip_prefix("Process exited with code "));
            if let Some(code) = code {
                head.code = code.parse().ok();
            } else if line == "aborted by user" {
                return Self::ended(CallEnding::Cancelled);
            } else if !["Wall time: ", "Chunk ID: ", "Process running with session ID "]
                .iter()
                .chain(&["Original token count: ", "Total output lines: "])
                .any(|mark| line.starts_with(mark))
            {
                return Self::default();
            }
        }
        Self::default()
    }
}

/// Whether the program put a text into the person's mouth.
fn is_of_program(text: &str) -> bool {
    const STARTS: [&str; 7] = [
        "<environment_context>",
        "<user_instructions>",
        "<permissions instructions>",
        "# AGENTS.md instructions",
        "<turn_aborted>",
        "<user_shell_command>",
        "<skill>",
    ];
    STARTS.iter().any(|start| text.trim_start().starts_with(start))
}
