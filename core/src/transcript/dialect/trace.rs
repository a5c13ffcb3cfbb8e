//! What the readers of traces share: spans of tools, and messages that spans repeat.

use std::borrow::Cow;

use crate::json::value::Json;
use crate::transcript::dialect::Give;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{at, first, first_text};
use crate::transcript::dialect::nested::either;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, message, words};
use crate::transcript::dialect::parts::unwrapped;
use crate::transcript::dialect::repeat::SeenIds;
use crate::transcript::dialect::say::{role, say};
use crate::transcript::event::Role;

/// The call of a tool as a span has it, with its result.
pub(super) struct ToolSpan<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    pub(super) arguments: Option<Json<'a>>,
    pub(super) output: Option<Json<'a>>,
    pub(super) error: Option<Cow<'a, str>>,
    pub(super) start: Option<i64>,
    pub(super) end: Option<i64>,
}

impl<'a> ToolSpan<'a> {
    /// Gives the call and its result.
    pub(super) fn give(self, give: Give<'_, 'a>) {
        let Self { id, name, arguments, output, error, start, end } = self;
        give(CallParts { id: id.clone(), name, arguments, at: start }.plain());
        let ending = CallEnding::failed(error.is_some());
        let parts = ResultParts { id: Some(id), name: None, at: end, ending };
        give(match error {
            Some(error) if !error.is_empty() => parts.saying(error),
            _ => parts.with(output.map(shown)),
        });
    }
}

/// What a tool gave, without what it is wrapped in.
fn shown(output: Json<'_>) -> Json<'_> {
    let inner = first(output, &["content", "output", "result"]).filter(|_| output.is_object());
    match inner {
        Some(inner) if inner.is_object() && inner.get("content").is_some() => {
            inner.get("content").unwrap_or(inner)
        }
        Some(inner) => inner,
        None => unwrapped(output),
    }
}

/// The messages of spans, of which each span repeats those before it.
#[derive(Debug, Default)]
pub(super) struct SpanMessages {
    known: SeenIds,
}

impl SpanMessages {
    /// Gives the words of a list of messages, or of one, that are new.
    pub(super) fn read<'a>(&mut self, value: Json<'a>, plain: Role, give: Give<'_, 'a>) {
        let is_json = value.text().is_none_or(|text| text.trim_start().starts_with(['{', '[']));
        if !is_json {
            return self.say(plain, &value.text().unwrap_or_default(), give);
        }
        either(value, give, &mut |value, give| {
            self.list(value, plain, give);
        });
    }

    fn list(&mut self, value: Json<'_>, plain: Role, give: Give<'_, '_>) {
        let inner = first(value, &["messages", "prompt", "output", "choices", "input"]);
        if let Some(inner) = inner.filter(|_| value.get("role").is_none()) {
            if let Some(text) = inner.text() {
                let is_words = value.get("toolName").is_none() && !text.starts_with(['{', '[']);
                if is_words {
                    self.say(plain, &text, give);
                }
                return;
            }
            return self.list(inner, plain, give);
        }
        if value.is_array() {
            {
                for item in value.items() {
                    self.list(item, plain, give);
                }
                return;
            }
        }
        let value = value.get("message").unwrap_or(value);
        let named = value.text_of("role").map(|name| role(&name));
        let content = first(value, &["content", "parts"]);
        let text = content.and_then(|content| words(content).or_else(|| parts(content)));
        if let Some(text) = text
            && matches!(named, Some(Role::User | Role::Assistant | Role::System) | None)
            && first_text(value, &["tool_call_id"]).is_none()
        {
            self.say(named.unwrap_or(plain), &text, give);
        }
    }

    fn say(&mut self, role: Role, text: &str, give: Give<'_, '_>) {
        if self.known.is_new(&format!("{role:?} {text}")) {
            say(role, text.to_owned(), give);
        }
    }
}

/// The texts of parts among others.
fn parts(content: Json<'_>) -> Option<Cow<'_, str>> {
    let is_text = |part: &Json<'_>| {
        matches!(part.text_of("type").as_deref(), Some("text" | "input_text" | "output_text"))
    };
    let texts = content.items().filter(is_text);
    let texts: Vec<_> = texts.filter_map(|part| first_text(part, &["text", "content"])).collect();
    if texts.is_empty() { None } else { Some(texts.join("\n").into()) }
}

/// The words of an error, if there is one.
pub(super) fn error_of(span: Json<'_>, path: &[&str]) -> Option<String> {
    let error = at(span, path).filter(|error| !error.is_null())?;
    Some(message(error).into_owned()).filter(|text| !text.is_empty())
}
