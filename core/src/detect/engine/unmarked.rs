//! Calls that have lost all markers around them, as where a server drops special tokens.
//!
//! Nothing but the name of a known tool tells them from prose, so they do not run. A message in
//! which nothing else was found is searched for them, so that no call is lost without a word.

use memchr::memmem;

use crate::call::{RejectionCode, Span};
use crate::detect::candidate::Refusal;
use crate::detect::engine::Engine;
use crate::detect::engine::config::Config;
use crate::json::reason::Reason;

/// What may stand in front of a name.
const PREFIXES: [&[u8]; 3] = [b"to=functions.", b"functions.", b"call:"];
/// The format of elements whose tags are names of tools.
const ELEMENTS: &str = "cline";
/// The most elements with the name of a tool whose end is searched for.
const MOST_ELEMENTS: usize = 8;
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
        let (mut pos, mut in_code, mut elements) = (start, false, 0);
        while pos < input.len() {
            let rest = input.get(pos..).unwrap_or_default();
            let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let line = rest.get(..length).unwrap_or(rest).trim_ascii_start();
            let at = pos + length - line.len();
            let fence = line.starts_with(b"```") || line.starts_with(b"~~~");
            in_code ^= fence;
            let here = input.get(at..).unwrap_or_default();
            let found = if in_code || fence || line.is_empty() {
                None
            } else {
                named(here, knows).map(|name| (name, false)).or_else(|| {
                    let name = element(here, knows)?;
                    elements += 1;
                    let end = [b"</", name, b">"].concat();
                    let inside = here.get(name.len() + 2..).unwrap_or_default();
                    let has_elements = inside.trim_ascii_start().first() == Some(&b'<');
                    (elements <= MOST_ELEMENTS && memmem::find(inside, &end).is_some())
                        .then_some((name, has_elements))
                })
            };
            if let Some((name, has_elements)) = found {
                let span = Span::new(at, at + line.trim_ascii_end().len());
                self.refuse(unmarked(name, has_elements, span), input);
                return;
            }
            pos += length;
        }
    }
}

/// The refusal of a call of this tool. Elements in an element could be read as Cline's form.
fn unmarked(name: &[u8], has_elements: bool, span: Span) -> Refusal {
    let name = String::from_utf8_lossy(name).into_owned();
    if has_elements {
        let message = "\" is written here as an element, which naming the format \"cline\" in \
                       formats would read";
        let reason = Reason::Naming("a call of \"", name.into(), message);
        return Refusal::new(ELEMENTS, RejectionCode::OtherFormat, span, reason);
    }
    let message = "\" is written here without the markers of a call";
    let reason = Reason::Naming("a call of \"", name.into(), message);
    Refusal { format: None, code: RejectionCode::Malformed, reason, span, claimed: None }
}

/// The name of a known tool with arguments behind it; a tag may stand in front of it.
fn named(line: &[u8], knows: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    let near = line.get(..LONGEST_TAG).unwrap_or(line);
    let behind_tag = match near.first() {
        Some(b'<') => memchr::memchr(b'>', near),
        Some(b'[') => memchr::memchr(b']', near),
        _ => None,
    };
    let line = behind_tag.and_then(|at| line.get(at + 1..)).unwrap_or(line).trim_ascii_start();
    let line = PREFIXES.iter().find_map(|prefix| line.strip_prefix(*prefix)).unwrap_or(line);
    let (name, rest) = split_name(line);
    if name.is_empty() || !knows(name) {
        return None;
    }
    let rest = match rest.strip_prefix(b":") {
        Some(number) => {
            let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
            number.get(digits..).filter(|_| digits > 0)?
        }
        None => rest,
    };
    begins_arguments(rest.trim_ascii_start()).then_some(name)
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
fn element(line: &[u8], knows: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    let (name, rest) = split_name(line.strip_prefix(b"<")?);
    (rest.first() == Some(&b'>') && knows(name)).then_some(name)
}

fn split_name(text: &[u8]) -> (&[u8], &[u8]) {
    let belongs = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let length = text.iter().take(128).take_while(belongs).count();
    text.split_at_checked(length).unwrap_or((text, b""))
}
