//! Writes a whole message, and says which part of it a profile cannot hold.

use crate::detect::format::Format;
use crate::detect::format::example::CallsGap;
use crate::detect::format::marker::Marker;
use crate::detect::profile::{Profile, ReasoningStyle};
use crate::detect::rule::tools::Tools;
use crate::detect::write::message_proof::{MessageParts, MessageProof};
use crate::detect::write::new_call::Call;
use crate::detect::write::new_message::NewMessage;
use crate::detect::write::plain::spelled;
use crate::detect::write::render::Writer;
use crate::error::{Error, ErrorKind};

/// What may stand between a text and the calls behind it, where the format does not say; the best
/// first.
const GAPS: [&str; 3] = ["\n", "", "\n\n"];
/// The same where the calls begin with a token, with which a model goes on at once.
const TOKEN_GAPS: [&str; 3] = ["", "\n", "\n\n"];
/// How the tokens begin.
const TOKENS: [&str; 4] = ["<|", "<｜", "[TOOL_CALLS]", "]<]"];

/// Writes a message as a model of this profile writes it behind its prompt: the reasoning, the
/// text, the calls, and the tokens that frame them and end the turn.
///
/// A detector for this profile reads the same message: the reasoning and the text without the white
/// space at their ends, and the calls as [`render_calls`](crate::detect::render_calls) says. Where
/// the prompt has begun the reasoning, the message begins behind the marker that opens it. Of the
/// formats of the profile, the first that can hold the calls is written.
///
/// ```
/// use toolwire::detect::{NewCall, NewMessage, Profile, render_message};
///
/// let message = NewMessage {
///     reasoning: "I add.".to_owned(),
///     text: "One moment.".to_owned(),
///     calls: vec![NewCall::new("add", r#"{"n": 5}"#)],
/// };
/// let text = render_message(&message, &Profile::named("Qwen/Qwen3-8B")?, None)?;
/// assert_eq!(
///     text,
///     "<think>\nI add.\n</think>\n\nOne moment.\n\
///      <tool_call>\n{\"name\": \"add\", \"arguments\": {\"n\": 5}}\n</tool_call><|im_end|>"
/// );
/// # Ok::<(), toolwire::Error>(())
/// ```
///
/// # Errors
/// `invalid_arguments` when arguments are not a JSON object. `cannot_render` when the profile
/// cannot hold a part; the message says which one. `invalid_profile` when the example of a format
/// is no call of it.
pub fn render_message(
    message: &NewMessage,
    profile: &Profile,
    tools: Option<&Tools>,
) -> Result<String, Error> {
    let calls = message.calls.iter().map(Call::read).collect::<Result<Vec<_>, _>>()?;
    let parts = MessageParts {
        reasoning: message.reasoning.trim_ascii(),
        text: message.text.trim_ascii(),
        calls: &calls,
    };
    let proof = MessageProof::new(&calls, profile, tools)?;
    let writer = |format| Writer::of_profile(format, profile, tools);
    let writers = profile.formats().iter().map(writer).collect::<Result<_, _>>()?;
    let writer = MessageWriter { profile, proof, writers };
    match writer.problem(parts) {
        None => writer.write(parts).ok_or_else(|| writer.fault(parts)),
        Some(problem) => Err(writer.error(problem)),
    }
}

/// Writes messages of one profile.
struct MessageWriter<'p> {
    profile: &'p Profile,
    proof: MessageProof,
    /// One for each format of the profile.
    writers: Vec<Writer<'p>>,
}

impl MessageWriter<'_> {
    /// The first text that gives the same parts; `None` when there is none.
    fn write(&self, parts: MessageParts<'_>) -> Option<String> {
        if parts.calls.is_empty() {
            let text = self.composed(parts, "", "");
            return Some(text).filter(|text| self.proof.holds(text, parts, None));
        }
        self.writers.iter().find_map(|writer| {
            writer.forms(parts.calls).find_map(|calls| {
                let gaps = self.gaps(writer.format, parts, &calls);
                let mut texts = gaps.iter().map(|gap| self.composed(parts, gap, &calls));
                texts.find(|text| self.proof.holds(text, parts, Some(writer.format)))
            })
        })
    }

    /// What may stand in front of the calls, the best first.
    fn gaps<'g>(
        &'g self,
        format: &'g Format,
        parts: MessageParts<'_>,
        calls: &str,
    ) -> Vec<&'g str> {
        let known = gap_of(format, Some(self.profile));
        let is_token = TOKENS.iter().any(|token| calls.starts_with(token));
        let (known, others) = match (parts.text.is_empty(), is_token) {
            (true, _) => (known.map(|gap| &*gap.alone), &[""][..]),
            (false, true) => (known.map(|gap| &*gap.behind_text), &TOKEN_GAPS[..]),
            (false, false) => (known.map(|gap| &*gap.behind_text), &GAPS[..]),
        };
        known.into_iter().chain(others.iter().copied()).collect()
    }

    /// The parts with what the profile writes round them.
    fn composed(&self, parts: MessageParts<'_>, gap: &str, calls: &str) -> String {
        let framing = self.profile.framing();
        let mut out = String::new();
        let begun = self.profile.reasoning_begun().is_some();
        if let Some(style) = self.style().filter(|_| begun || !parts.reasoning.is_empty()) {
            let [front, back] = sides(style);
            out.push_str(if begun { "" } else { &front });
            out.push_str(parts.reasoning);
            out.push_str(&back);
            if !parts.text.is_empty() {
                out.push_str(framing.behind_reasoning.as_deref().unwrap_or_default());
            }
        }
        let before_calls = framing.preamble.as_ref().filter(|_| !calls.is_empty());
        let [front, back] = match before_calls.or(framing.text.as_ref()) {
            Some([front, back]) if !parts.text.is_empty() => [&**front, &**back],
            _ => ["", ""],
        };
        for part in [front, parts.text, back, gap, calls] {
            out.push_str(part);
        }
        if let Some(begun) = &framing.begins_behind
            && let Some(rest) = out.strip_prefix(&**begun)
        {
            out = rest.to_owned();
        }
        let behind_calls = framing.end_behind_calls.as_ref().filter(|_| !calls.is_empty());
        out.push_str(behind_calls.or(framing.end.as_ref()).map_or("", |end| end));
        out
    }

    /// The style in which the profile reasons first.
    fn style(&self) -> Option<&ReasoningStyle> {
        let message = self.profile.message();
        message.reasoning.get(message.begun.unwrap_or_default())
    }

    /// A part that no message of the profile has.
    fn problem(&self, parts: MessageParts<'_>) -> Option<&'static str> {
        if self.profile.is_automatic() {
            Some("a message, since it is of no family of models")
        } else if !parts.reasoning.is_empty() && self.style().is_none() {
            Some("reasoning")
        } else if !parts.calls.is_empty() && self.writers.is_empty() {
            Some("calls")
        } else {
            None
        }
    }

    /// The error for parts that cannot be written.
    fn fault(&self, parts: MessageParts<'_>) -> Error {
        let none = MessageParts { reasoning: "", text: "", calls: &[] };
        let message = self.profile.message();
        let styles = || message.reasoning.iter();
        if self.write(MessageParts { reasoning: parts.reasoning, ..none }).is_none() {
            let ends = styles().flat_map(|style| style.close.iter().chain(&style.ends_at));
            let held = held(ends.chain(&message.frames), parts.reasoning);
            return self.error(&format!("the reasoning, which is read otherwise{held}"));
        }
        if self.write(MessageParts { text: parts.text, ..none }).is_none() {
            let markers = styles().flat_map(|style| style.open.iter().chain(&style.close));
            let held = held(markers.chain(&message.frames), parts.text);
            return self.error(&format!("the text, which is read otherwise{held}"));
        }
        if self.write(MessageParts { calls: parts.calls, ..none }).is_none()
            && let Some(writer) = self.writers.first()
        {
            return writer.fault(parts.calls);
        }
        self.error("the parts, which are read otherwise when they stand together")
    }

    fn error(&self, problem: &str) -> Error {
        let message = format!("the profile {} cannot hold {problem}", self.profile.slug());
        Error::new(ErrorKind::CannotRender, message)
    }
}

/// The white space in front of calls, where the profile or the format says it.
pub(super) fn gap_of<'g>(format: &'g Format, profile: Option<&'g Profile>) -> Option<&'g CallsGap> {
    let own = profile.and_then(|profile| profile.example(format)?.gap.as_ref());
    own.or(format.data.example.gap.as_ref())
}

/// What a model writes round reasoning of this style.
pub(super) fn sides(style: &ReasoningStyle) -> [String; 2] {
    let first = |markers: &[Marker]| {
        markers.first().map(|marker| spelled(marker, "", "")).unwrap_or_default()
    };
    match &style.written {
        Some([front, back]) => [front.to_string(), back.to_string()],
        None => [first(&style.open), first(&style.close)],
    }
}

/// Names the first of the markers that stands in a text.
fn held<'m>(markers: impl Iterator<Item = &'m Marker>, text: &str) -> String {
    let found = markers.filter_map(|marker| {
        Marker::find(std::slice::from_ref(marker), text.as_bytes())
            .and_then(|(at, length)| text.get(at..at + length).map(|text| (at, text)))
    });
    let first = found.min_by_key(|(at, _)| *at);
    first.map(|(_, text)| format!(": it holds \"{}\"", text.escape_debug())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(model: &str, begun: bool, reasoning: &str) -> Result<String, Error> {
        let message = NewMessage {
            reasoning: reasoning.to_owned(),
            text: "Done.".to_owned(),
            calls: Vec::new(),
        };
        let profile = Profile::named(model).unwrap().with_reasoning_begun(begun);
        render_message(&message, &profile, None)
    }

    #[test]
    fn the_prompt_decides_what_is_written_of_reasoning() {
        let end = "Done.<｜end▁of▁sentence｜>";
        assert_eq!(written("deepseek-v4", false, "").unwrap(), end);
        assert_eq!(written("deepseek-v4", true, "").unwrap(), format!("</think>{end}"));
        assert_eq!(written("deepseek-v4", true, "Hm.").unwrap(), format!("Hm.</think>{end}"));
        assert_eq!(written("minimax-m2", false, "").unwrap(), "Done.[e~[");
        assert_eq!(written("minimax-m2", true, "Hm.").unwrap(), "Hm.\n</think>\n\nDone.[e~[");
        let whole = "<think>\nHm.\n</think>\n\nDone.[e~[";
        assert_eq!(written("minimax-m2", false, "Hm.").unwrap(), whole);
    }
}
