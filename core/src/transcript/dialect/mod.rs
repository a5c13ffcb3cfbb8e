//! How agents write their logs.
//!
//! A [`Dialect`] turns a line's JSON into [`LogEvent`]s. [`DialectName::recognise`] finds the
//! dialect of a line, if the line shows it.

mod anthropic;
mod blocks;
mod claude_code;
mod codex;
mod droid;
mod openai;
mod shape;

use crate::error::{Error, ErrorKind};
use crate::json::value::Json;
use crate::slug::slugs;
use crate::transcript::event::LogEvent;

/// Reads the lines of one agent's logs.
pub trait Dialect: Send {
    /// Gives the events of a line, one after the other. Returns false, and gives no event, if the
    /// line is not of this dialect.
    fn read<'a>(&mut self, line: Json<'a>, give: &mut dyn FnMut(LogEvent<'a>)) -> bool;
}

/// Declares the dialects with slug and implementation.
macro_rules! dialects {
    ($($(#[$doc:meta])* $name:ident, $slug:literal, $type:ty;)+) => {
        slugs! {
            /// The dialects.
            #[non_exhaustive]
            pub enum DialectName { $($(#[$doc])* $name => $slug,)+ }
        }

        impl DialectName {
            /// A reader of the dialect.
            #[must_use]
            pub fn reader(self) -> Box<dyn Dialect> {
                match self { $(Self::$name => Box::<$type>::default(),)+ }
            }
        }
    };
}

dialects! {
    /// Factory's Droid, `droid exec --output-format stream-json`.
    Droid, "droid", droid::Droid;
    /// Claude Code, `claude -p --output-format stream-json`, and its stored sessions.
    ClaudeCode, "claude_code", claude_code::ClaudeCode;
    /// Codex, `codex exec --json`.
    Codex, "codex", codex::Codex;
    /// Messages in the form of OpenAI's chat completions, one a line.
    OpenAi, "openai", openai::OpenAi;
    /// Messages in the form of Anthropic's API, one a line.
    Anthropic, "anthropic", anthropic::Anthropic;
}

impl DialectName {
    /// The dialect with a slug; none for `auto`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidOption`] for any other word.
    pub fn named(slug: &str) -> Result<Option<Self>, Error> {
        if slug == "auto" {
            return Ok(None);
        }
        Self::from_slug(slug).map(Some).ok_or_else(|| {
            let known = [&["auto"], Self::SLUGS].concat();
            Error::unknown(ErrorKind::InvalidOption, "dialect", slug, &known)
        })
    }

    /// The dialect of a line, if the line shows it for certain.
    #[must_use]
    pub fn recognise(line: Json<'_>) -> Option<Self> {
        let kind = line.text_of("type");
        match kind.as_deref() {
            Some("tool_call" | "tool_result" | "completion")
                if line.get("session_id").is_some() =>
            {
                Some(Self::Droid)
            }
            Some("message") if line.get("text").is_some() => Some(Self::Droid),
            Some("assistant" | "user") if line.get("message").is_some_and(Json::is_object) => {
                Some(Self::ClaudeCode)
            }
            Some("result") if line.get("session_id").is_some() => Some(Self::ClaudeCode),
            // Droid's first line is alike, but it lacks these keys.
            Some("system") if line.get("mcp_servers").or(line.get("permissionMode")).is_some() => {
                Some(Self::ClaudeCode)
            }
            Some(kind)
                if kind.starts_with("thread.")
                    || kind.starts_with("turn.")
                    || kind.starts_with("item.") =>
            {
                Some(Self::Codex)
            }
            _ => Self::of_message(line),
        }
    }

    /// The dialect of a message, if its parts show it.
    fn of_message(line: Json<'_>) -> Option<Self> {
        let role = line.text_of("role")?;
        if line.get("tool_calls").is_some() || matches!(&*role, "tool" | "system" | "developer") {
            return Some(Self::OpenAi);
        }
        let anthropic = |block: Json<'_>| {
            matches!(
                block.text_of("type").as_deref(),
                Some("tool_use" | "tool_result" | "thinking")
            )
        };
        line.get("content")?.items().any(anthropic).then_some(Self::Anthropic)
    }

    /// Whether a line may be a message of [`OpenAi`](Self::OpenAi) or of
    /// [`Anthropic`](Self::Anthropic).
    pub(super) fn is_message(line: Json<'_>) -> bool {
        line.get("type").is_none_or(|kind| kind.text().as_deref() == Some("message"))
            && line.get("role").is_some_and(Json::is_text)
            && line.get("content").is_some()
    }
}

/// When a line was written: a text as in RFC 3339, or a number of milliseconds.
fn written_at(line: Json<'_>) -> Option<i64> {
    let at = line.get("timestamp")?;
    at.as_i64().or_else(|| Some(at.text()?.parse::<jiff::Timestamp>().ok()?.as_millisecond()))
}
