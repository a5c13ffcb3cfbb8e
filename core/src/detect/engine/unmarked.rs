//! Calls that have lost all markers around them, as where a server drops special tokens.
//!
//! Nothing but the name of a known tool tells them from prose, so they do not run. A message in
//! which nothing else was found is searched for them, so that no call is lost without a word. So is
//! one in which JSON calls a known tool by keys that no format has.

use memchr::{memchr, memchr2, memmem, memrchr};

use crate::call::{RejectionCode, Span};
use crate::detect::candidate::Refusal;
use crate::detect::engine::Engine;
use crate::detect::engine::config::Config;
use crate::detect::engine::unmarked_json::{
    JsonCall, is_fence, is_in_code, json_call, split_name, tool_key,
};
use crate::json::reason::Reason;

/// What may stand in front of a name.
const PREFIXES: [&[u8]; 10] = [
    b"assistant",
    b"await ",
    b"print(",
    b"commentary ",
    b"to=",
    b"functions.",
    b"call:",
    b"default_api.",
    b"default_api:",
    b"tool:",
];
/// Words one of which stands in front of a colon and a name, as in `Tool call:`.
const LEADS: [&[u8]; 6] = [b"tool", b"call", b"function", b"action", b"invok", b"execut"];
/// What Gemini's models call their tools by, also within a line.
const MODULE: &[u8] = b"default_api";
/// What may stand between a name and its arguments.
const BETWEEN: [&[u8]; 16] = [
    b"[ARGS]",
    b"code",
    b"json",
    b":",
    b"]",
    b"=",
    b",",
    b"with",
    b"args",
    b"arguments",
    b"parameters",
    b"input",
    b"\"args\"",
    b"\"arguments\"",
    b"\"parameters\"",
    b"\"input\"",
];
/// The most of these that are passed.
const MOST_BETWEEN: usize = 4;

/// A form of calls that a format reads when it is named.
struct UnreadForm {
    format: &'static str,
    message: &'static str,
}

/// Elements whose tags are names of tools.
const ELEMENTS: UnreadForm = UnreadForm {
    format: "cline",
    message: "\" is written here as an element, which naming the format \"cline\" in formats would \
              read",
};
/// Lines that begin with words.
const REACT_FORM: UnreadForm = UnreadForm {
    format: "react",
    message: "\" is written here in lines, which naming the format \"react\" in formats would read",
};
/// What stands in front of the name and of the arguments in `ReAct`'s form.
const REACT: (&[u8], &[u8]) = (b"Action:", b"Action Input:");
/// The languages of code blocks that call tools.
const TOOL_CODE: [&[u8]; 3] = [b"tool_code", b"tool_call", b"tool"];
/// The number of characters of a fence.
const FENCE: usize = 3;
/// How far behind a name the arguments of that form are looked for, in bytes.
const FURTHEST_INPUT: usize = 1024;
/// The most elements with the name of a tool whose end is searched for.
const MOST_ELEMENTS: usize = 8;
/// How far behind the start of a line the bracket of arguments is looked for, in bytes.
const FURTHEST_BRACKET: usize = 512;
/// The longest tag in front of a name that is passed.
const LONGEST_TAG: usize = 32;

impl Engine {
    /// Refuses the first call without markers, if the whole text holds nothing else that was found.
    pub(super) fn tell_unmarked(&mut self, config: &Config, input: &[u8]) {
        let findings = &self.recorder.findings;
        let is_empty = findings.calls.is_empty() && findings.rejections.is_empty();
        if !is_empty || self.probe.is_some() || !config.markers.tells_unread() {
            return;
        }
        let Some(tools) = &config.rules.tools else { return };
        let knows = |name: &[u8]| std::str::from_utf8(name).is_ok_and(|name| tools.contains(name));
        let start = self.recorder.unseen.min(input.len());
        let found = at_line_start(input, start, knows)
            .or_else(|| in_json(input, start, knows))
            .or_else(|| in_module(input, start, knows));
        if let Some(refusal) = found {
            self.refuse(refusal, input);
        }
    }
}

/// The refusal of the first call that begins a line outside of other code.
fn at_line_start(
    input: &[u8],
    start: usize,
    knows: impl Fn(&[u8]) -> bool + Copy,
) -> Option<Refusal> {
    let (mut pos, mut elements) = (start, 0);
    // Whether a code block is open, and whether it holds code of a tool.
    let (mut in_block, mut is_of_tool) = (false, false);
    let mut bracket = start;
    while pos < input.len() {
        let rest = input.get(pos..)?;
        let length = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let line = rest.get(..length)?.trim_ascii_start();
        let at = pos + length - line.len();
        let fence = is_fence(line);
        if fence {
            in_block ^= true;
            is_of_tool = in_block && opens_tool_code(line);
        }
        let span = Span::new(at, at + line.trim_ascii_end().len());
        let text = input.get(at..)?;
        if in_block && !is_of_tool {
            if let Some(name) = tool_key(text, knows) {
                return Some(Refusal { code: RejectionCode::InCode, ..unmarked(name, span) });
            }
        } else if !fence && !line.is_empty() {
            bracket = next_bracket(input, at, bracket);
            // Most lines of prose have no bracket near by, which takes less time to see.
            let is_near = bracket - at < FURTHEST_BRACKET && bracket < input.len();
            if let Some(name) = is_near.then(|| named(text, knows)).flatten() {
                return Some(unmarked(name, span));
            }
            let found = call_at(text, span, knows, &mut elements);
            if found.is_some() {
                return found;
            }
        }
        pos += length;
    }
    None
}

/// Whether a fence opens a block of code that calls tools, as Gemini and Gemma write it.
fn opens_tool_code(fence: &[u8]) -> bool {
    let info = fence.trim_ascii_start().get(FENCE..).unwrap_or_default().trim_ascii();
    TOOL_CODE.contains(&info)
}

/// Where the first bracket of arguments stands behind a place, or the end of the text; `known` is
/// that of a place in front of it.
fn next_bracket(input: &[u8], at: usize, known: usize) -> usize {
    if known > at {
        return known;
    }
    let rest = input.get(at..).unwrap_or_default();
    at + memchr2(b'{', b'(', rest).unwrap_or(rest.len())
}

/// The refusal of the call with which a line begins, where its name and its arguments do not stand
/// side by side.
fn call_at(
    text: &[u8],
    line: Span,
    knows: impl Fn(&[u8]) -> bool + Copy,
    elements: &mut usize,
) -> Option<Refusal> {
    // Most lines of prose begin with another byte, which takes less time to see.
    match text.first()? {
        b'A' | b'*' | b'`' => behind_action(text, line, knows),
        b'{' => tool_key(text, knows).map(|name| unmarked(name, line)),
        b'<' => match attributes(text.get(..line.end - line.start)?, knows) {
            Some(name) => Some(unmarked(name, line)),
            None => whole_element(text, line, knows, elements),
        },
        _ => None,
    }
}

/// The refusal of the element with which a line begins; `elements` counts those with a tool's name.
fn whole_element(
    text: &[u8],
    line: Span,
    knows: impl Fn(&[u8]) -> bool,
    elements: &mut usize,
) -> Option<Refusal> {
    let name = element(text, knows)?;
    *elements += 1;
    let inside = text.get(name.len() + 2..)?;
    if *elements > MOST_ELEMENTS || memmem::find(inside, &[b"</", name, b">"].concat()).is_none() {
        return None;
    }
    if inside.trim_ascii_start().first() == Some(&b'<') {
        return Some(of_format(&ELEMENTS, name, line));
    }
    Some(unmarked(name, line))
}

/// The refusal of the first call in JSON.
fn in_json(input: &[u8], start: usize, knows: impl Fn(&[u8]) -> bool) -> Option<Refusal> {
    let text = input.get(start..)?;
    let JsonCall { name, at } = json_call(text, knows)?;
    within_line(input, start, name, at)
}

/// The refusal of the first call of a tool by Gemini's module, within a line.
fn in_module(input: &[u8], start: usize, knows: impl Fn(&[u8]) -> bool + Copy) -> Option<Refusal> {
    let text = input.get(start..)?;
    let (at, name) = memmem::find_iter(text, MODULE)
        .find_map(|at| Some((at, named(text.get(at..)?, knows)?)))?;
    within_line(input, start, name, at)
}

/// The refusal of the call that stands at a place of the text behind `start`.
fn within_line(input: &[u8], start: usize, name: &[u8], at: usize) -> Option<Refusal> {
    let text = input.get(start..)?;
    let before = memrchr(b'\n', text.get(..at)?).map_or(0, |at| at + 1);
    let line = text.get(before..)?;
    let line = line.get(..memchr(b'\n', line).unwrap_or(line.len()))?;
    let from = start + before + line.len() - line.trim_ascii_start().len();
    let span = Span::new(from, start + before + line.trim_ascii_end().len());
    let refusal = unmarked(name, span);
    let code = if is_in_code(text, at) { RejectionCode::InCode } else { refusal.code };
    Some(Refusal { code, ..refusal })
}

/// The refusal of a call of this tool.
fn unmarked(name: &[u8], span: Span) -> Refusal {
    let name = String::from_utf8_lossy(name).into_owned();
    let message = "\" is written here without the markers of a call";
    let reason = Reason::Naming("a call of \"", name.into(), message);
    Refusal { format: None, code: RejectionCode::Malformed, reason, span, claimed: None }
}

/// The refusal of a call of this tool in the form of a format that would read it.
fn of_format(form: &UnreadForm, name: &[u8], span: Span) -> Refusal {
    let name = String::from_utf8_lossy(name).into_owned();
    let reason = Reason::Naming("a call of \"", name.into(), form.message);
    Refusal::new(form.format, RejectionCode::OtherFormat, span, reason)
}

/// The refusal of a call of a known tool behind `Action:`.
fn behind_action(text: &[u8], line: Span, knows: impl Fn(&[u8]) -> bool) -> Option<Refusal> {
    let (action, input) = REACT;
    let (name, rest) = split_name(without_marks(without_marks(text).strip_prefix(action)?));
    let near = rest.get(..FURTHEST_INPUT).unwrap_or(rest);
    if !knows(name) {
        return None;
    }
    if memmem::find(near, input).is_some() {
        return Some(of_format(&REACT_FORM, name, line));
    }
    // In the first papers on this form, brackets hold the input.
    rest.starts_with(b"[").then(|| unmarked(name, line))
}

/// A text without the marks of Markdown with which it begins.
fn without_marks(text: &[u8]) -> &[u8] {
    let marks = text.iter().take_while(|byte| matches!(byte, b'*' | b'`' | b' ' | b'\t')).count();
    text.get(marks..).unwrap_or_default()
}

/// The name of a known tool with arguments behind it; a tag may stand in front of it.
pub(super) fn named(line: &[u8], knows: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    let near = line.get(..LONGEST_TAG).unwrap_or(line);
    let behind_tag = match near.first() {
        Some(b'<') => memchr(b'>', near),
        Some(b'[') => memchr(b']', near),
        _ => None,
    };
    let behind_tag = behind_tag.and_then(|at| line.get(at + 1..));
    let bare = line.strip_prefix(b"[");
    [Some(line), behind_tag, bare].into_iter().flatten().find_map(|line| {
        let line = line.trim_ascii_start();
        let stripped = without_prefixes(line);
        // A tool may have the name of a prefix.
        let stripped = (stripped.len() < line.len()).then_some(stripped);
        [Some(line), stripped, behind_lead(line)].into_iter().flatten().find_map(|line| {
            let (name, rest) = split_name(line.trim_ascii_start());
            // Most words begin no arguments, which takes less time to see.
            (begins_arguments(behind_name(rest)) && knows(name)).then_some(name)
        })
    })
}

fn without_prefixes(mut line: &[u8]) -> &[u8] {
    for prefix in PREFIXES {
        line = line.strip_prefix(prefix).unwrap_or(line);
    }
    line
}

/// What stands behind words such as `Tool call:` at the start of a line.
fn behind_lead(line: &[u8]) -> Option<&[u8]> {
    let line = without_marks(line);
    let near = line.get(..LONGEST_TAG).unwrap_or(line);
    // Few lines have a colon so near to their start, which takes less time to see.
    let at = near.iter().position(|byte| *byte == b':')?;
    let lead = near.get(..at).filter(|lead| lead.iter().all(|byte| is_of_lead(*byte)))?;
    let lead = lead.to_ascii_lowercase();
    let is_lead = LEADS.iter().any(|word| memmem::find(&lead, word).is_some());
    line.get(at + 1..).filter(|_| is_lead).map(without_marks)
}

fn is_of_lead(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'_' | b'-')
}

/// What stands behind a name, without its number and the tokens in front of its arguments.
fn behind_name(text: &[u8]) -> &[u8] {
    let mut rest = text;
    if let Some(number) = rest.strip_prefix(b":") {
        let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest = number.get(digits..).unwrap_or_default();
    }
    for _ in 0..MOST_BETWEEN {
        rest = rest.trim_ascii_start();
        if !rest.first().is_some_and(|byte| may_stand_between(*byte)) {
            break;
        }
        let token = rest.get(..LONGEST_TAG).unwrap_or(rest);
        let token = memchr(b'>', token).filter(|_| rest.starts_with(b"<|"));
        let mut begun = BETWEEN.iter().filter(|word| word.first() == rest.first());
        let word = begun.find_map(|word| rest.strip_prefix(*word));
        // A model that fails writes a word of another language there.
        let foreign = rest.iter().take(LONGEST_TAG).take_while(|byte| !byte.is_ascii()).count();
        let foreign = rest.get(foreign..).filter(|_| foreign > 0);
        match token.and_then(|at| rest.get(at + 1..)).or(word).or(foreign) {
            Some(behind) => rest = behind,
            None => break,
        }
    }
    rest
}

/// Whether what stands between a name and its arguments may begin with a byte. Most words of prose
/// are told by it.
fn may_stand_between(byte: u8) -> bool {
    let of_words = matches!(byte, b'a' | b'c' | b'i' | b'j' | b'p' | b'w');
    of_words || matches!(byte, b'[' | b']' | b':' | b'=' | b',' | b'"' | b'<') || !byte.is_ascii()
}

/// Whether arguments begin here: an object, or keywords in round brackets.
fn begins_arguments(text: &[u8]) -> bool {
    let Some((bracket, inside)) = text.split_first() else { return false };
    let inside = inside.trim_ascii_start();
    let behind_key = split_name(inside).1.trim_ascii_start().first();
    match bracket {
        b'{' => {
            matches!(inside.first(), Some(b'"' | b'\'' | b'}'))
                || (behind_key == Some(&b':') && inside.first() != Some(&b':'))
        }
        b'(' => {
            matches!(inside.first(), Some(b'{'))
                || (behind_key == Some(&b'=') && inside.first() != Some(&b'='))
        }
        _ => false,
    }
}

/// The name of a known tool in the start tag that stands here.
pub(super) fn element(line: &[u8], knows: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    let (name, rest) = split_name(line.strip_prefix(b"<")?);
    (rest.first() == Some(&b'>') && knows(name)).then_some(name)
}

/// The name of a known tool in a tag that stands alone in a line, with arguments in its attributes.
///
/// A tag that may be one of HTML must be empty.
fn attributes(line: &[u8], knows: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    let (name, rest) = split_name(line.strip_prefix(b"<")?);
    let (_, behind_key) = split_name(rest.trim_ascii_start());
    let holds = rest.first().is_some_and(u8::is_ascii_whitespace)
        && matches!(behind_key.get(..2), Some(b"=\"" | b"='"));
    let is_html = name.iter().all(u8::is_ascii_lowercase);
    let ends = line.ends_with(b"/>") || !is_html && line.ends_with(b">");
    (holds && ends && knows(name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_between_a_name_and_its_arguments_is_looked_for() {
        assert!(BETWEEN.iter().all(|word| may_stand_between(word[0])));
    }
}
