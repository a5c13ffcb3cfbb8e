//! Makes the events of results.

use std::borrow::Cow;

use crate::json::text::decoded;
use crate::json::value::Json;
use crate::transcript::dialect::field::first_text;
use crate::transcript::event::{CANCELLED, DENIED, LogEvent, ToolOutcome};

/// How a call ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CallEnding {
    /// The tool ran.
    #[default]
    Success,
    /// The tool failed.
    Failed,
    /// The person refused the call.
    Denied,
    /// The call was stopped.
    Cancelled,
}

impl CallEnding {
    /// Failed if the log says so.
    pub(super) fn failed(is_error: bool) -> Self {
        if is_error { Self::Failed } else { Self::Success }
    }

    /// The program's word for the kind of error.
    fn kind(self) -> &'static str {
        match self {
            Self::Success | Self::Failed => "tool_error",
            Self::Denied => DENIED,
            Self::Cancelled => CANCELLED,
        }
    }
}

/// A result as a record has it.
#[derive(Clone, Debug, Default)]
pub(super) struct ResultParts<'a> {
    /// The id of its call.
    pub(super) id: Option<Cow<'a, str>>,
    /// The tool's name, if there is no id.
    pub(super) name: Option<Cow<'a, str>>,
    /// When the result came.
    pub(super) at: Option<i64>,
    /// How the call ended.
    pub(super) ending: CallEnding,
}

impl<'a> ResultParts<'a> {
    /// The result that gives a value.
    pub(super) fn with(self, content: Option<Json<'a>>) -> LogEvent<'a> {
        let Some(content) = content.filter(|content| !content.is_null()) else {
            return self.saying("".into());
        };
        let is_error = self.ending != CallEnding::Success;
        if !is_error && content.is_text() {
            return self.event(ToolOutcome::Value(content));
        }
        match words(content) {
            Some(text) => self.saying(text),
            None if is_error => {
                let message = message(content);
                self.saying(message)
            }
            _ => self.event(ToolOutcome::Value(content)),
        }
    }

    /// The result that gives an error if there is one, else a value.
    pub(super) fn error_or(
        self,
        error: Option<Json<'a>>,
        content: Option<Json<'a>>,
    ) -> LogEvent<'a> {
        match error.filter(|error| !error.is_null()) {
            Some(error) => self.saying(message(error)),
            None => self.with(content),
        }
    }

    /// The result that gives a text.
    pub(super) fn saying(self, text: Cow<'a, str>) -> LogEvent<'a> {
        let outcome = match self.ending {
            CallEnding::Success => ToolOutcome::Text(text),
            ending => ToolOutcome::Error { kind: ending.kind().into(), message: text },
        };
        self.event(outcome)
    }

    /// The result of a command.
    pub(super) fn of_command(mut self, output: Cow<'a, str>, code: Option<i32>) -> LogEvent<'a> {
        if self.ending == CallEnding::Success && code.is_some_and(|code| code != 0) {
            self.ending = CallEnding::Failed;
        }
        if matches!(self.ending, CallEnding::Denied | CallEnding::Cancelled) {
            return self.saying(output);
        }
        self.event(ToolOutcome::Command { output, code })
    }

    /// The result with an outcome.
    pub(super) fn event(self, outcome: ToolOutcome<'a>) -> LogEvent<'a> {
        let Self { id, name, at, ending } = self;
        LogEvent::ToolResult { id, name, is_error: ending != CallEnding::Success, outcome, at }
    }
}

/// A text, or the texts of a list of parts, one per line. `None` if there is no text among them.
pub(super) fn words(content: Json<'_>) -> Option<Cow<'_, str>> {
    if content.is_text() {
        return content.text();
    }
    if !content.is_array() {
        return part(content).filter(|_| content.get("type").is_some());
    }
    let mut texts: Vec<Cow<'_, str>> = Vec::new();
    let mut others = 0;
    for item in content.items() {
        match part(item) {
            Some(text) => texts.push(text),
            None if is_blob(item) => {
                let kind = item.text_of("type").unwrap_or_default();
                texts.push(format!("[{kind}]").into());
            }
            None => others += 1,
        }
    }
    if others > 0 {
        return None;
    }
    match texts.len() {
        1 => texts.pop(),
        _ => Some(texts.join("\n").into()),
    }
}

/// The text of a part.
fn part(part: Json<'_>) -> Option<Cow<'_, str>> {
    if part.is_text() {
        return part.text();
    }
    let kind = part.text_of("type");
    match kind.as_deref() {
        Some("text" | "input_text" | "output_text" | "summary_text" | "reasoning_text") => {
            first_text(part, &["text", "content"])
        }
        Some("content") => part.get("content").and_then(words),
        // Cohere's results are documents.
        Some("document") => {
            let data = part.get("document")?.get("data")?;
            Some(data.text().unwrap_or_else(|| data.raw().into()))
        }
        None => {
            let one = part.members().count() == 1;
            let text = first_text(part, &["text", "Text"]).filter(|_| one);
            text.or_else(|| {
                let inner = part.get("Json").or(part.get("json")).filter(|_| one)?;
                Some(inner.raw().into())
            })
        }
        _ => None,
    }
}

/// Whether a part is a picture or a file.
fn is_blob(part: Json<'_>) -> bool {
    let kind = part.text_of("type");
    let known = kind.as_deref().is_some_and(|kind| {
        ["image", "document", "file", "audio", "resource", "tool_reference", "diff", "terminal"]
            .iter()
            .any(|known| kind.contains(known))
    });
    known || part.get("inlineData").is_some() || part.get("image").is_some()
}

/// The words of an error that is an object or a list.
pub(super) fn message(error: Json<'_>) -> Cow<'_, str> {
    let keys =
        ["message", "errorMessage", "error", "reason", "text", "output", "stderr", "content"];
    if let Some(text) = words(error) {
        return text;
    }
    let inner = keys.iter().find_map(|key| error.get(key).filter(|inner| !inner.is_null()));
    match inner {
        Some(inner) if inner.is_text() && !inner.text().is_some_and(|text| text.is_empty()) => {
            inner.text().unwrap_or_default()
        }
        Some(inner) if inner.is_object() => message(inner),
        _ => error.raw().into(),
    }
}

/// The beginning of a text, which tells how a call ended; a long text is not decoded for it.
pub(super) fn head(content: Json<'_>) -> Option<Cow<'_, str>> {
    const MOST: usize = 400;
    let raw = content.raw();
    if !content.is_text() || raw.len() <= MOST {
        return words(content);
    }
    let start = raw.get(1..raw.floor_char_boundary(MOST))?;
    // An escape is not cut.
    let end = start.rfind('\\').filter(|place| start.len() - place < 12).unwrap_or(start.len());
    Some(decoded(start.get(..end)?.trim_end_matches('\\')).into())
}
