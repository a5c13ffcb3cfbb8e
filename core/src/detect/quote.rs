//! Quotes texts of strangers so that nothing in them is a call.
//!
//! A call of a built-in format always holds one of these: a marker, a key of arguments in JSON, an
//! attribute of an element, a tag with `_` in its name, or the first name of a list of Python
//! calls. Each of them gets a mark after its first character. A tag of another name stays, since
//! HTML has such tags: in `cline`, which `auto` does not read, `<search>` could call the tool
//! `search`. A text that could continue a call that another text opens gets a mark in front. A text
//! that ends inside a marker gets a mark at its end. A start tag of HTML that the text does not
//! close gets a mark after its `<`: the tag would go on into the next text. All else stays, byte
//! for byte.
//!
//! So a quoted text is no part of a call by itself, between other complete texts, beside another
//! quoted text, or after the opening of a call up to its arguments. It can be part of a call that
//! somebody writes around it without quoting, with the arguments before or after it. A model can
//! also be persuaded by what it reads. The module promises only that the text is no call.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::block::markup::tag::TagReader;
use super::format::Format;
use super::format::marker::Marker;
use super::format::near_token::NearTokens;
use super::format::shape::{Body, Marked, Syntax};

/// What is put into a text; no marker, key or name holds it.
const MARK: &str = "⟨quoted⟩";

/// The pattern of a name.
const NAME: &str = r"[A-Za-z0-9_.:/-]{1,128}";
/// The pattern of a tag that can be the name of a tool: no element of HTML has such a name.
const TOOL_TAG: &str = r"</?[A-Za-z0-9.:/-]*_[A-Za-z0-9_.:/-]*>";
const SPACE: &str = r"[ \t\r\n\f\x0B]*";
/// White space within a line. A line break begins a match, so that no match overlaps many others.
const BLANK: &str = r"[ \t\r\f\x0B]*";

/// The pattern of the start of a special token, which is also read when it is damaged.
const TOKEN: &str = "<[/ ]?(?:[|\u{A6}\u{2502}\u{2223}\u{2758}\u{FF5C}])|\
    <[/ ]?[A-Za-z0-9_ \u{2581}-]{1,62}[|\u{A6}\u{2502}\u{2223}\u{2758}\u{FF5C}]";
/// The pattern of what may stand between the letters of a tag.
const GAPS: &str = "[_ \u{2581}-]*";

/// The pattern of what follows a key: a colon, or a comment before one, which may be cut off.
const BEHIND: &str = r"[ \t\r\n\f\x0B]*(?::|/(?:[/*]|\z))";

/// The signs of a call in the built-in formats.
struct Signs {
    /// The texts of markers, without those that are plain punctuation.
    texts: BTreeSet<&'static [u8]>,
    /// The signs that get a mark after their first character.
    inside: Regex,
    /// The start of a text that could continue an open call.
    front: Regex,
    /// The tokens of markers, of which such a text may be the end.
    tokens: NearTokens,
}

static SIGNS: LazyLock<Option<Signs>> = LazyLock::new(|| Signs::new(Format::all()).ok());

impl Signs {
    fn new(formats: &'static [Format]) -> Result<Self, regex::Error> {
        let (mut texts, mut keys) = (BTreeSet::new(), BTreeSet::new());
        let mut tokens = Vec::new();
        let mut inside = format!(r"\[{SPACE}{NAME}{SPACE}\(|{TOKEN}|{TOOL_TAG}");
        for format in formats {
            match &format.data.syntax {
                Syntax::Bare(shape) => keys.extend(shape.arguments.iter().map(|key| &**key)),
                Syntax::Element(attributes) => {
                    for name in [&attributes.name, &attributes.arguments] {
                        // Writing to a string cannot fail.
                        let _ = write!(inside, "|(?i:{})", regex::escape(name));
                    }
                }
                Syntax::Marked(marked) => {
                    tokens.extend(markers(marked));
                    texts.extend(
                        markers(marked).flat_map(Marker::texts).filter(|text| telling(text)),
                    );
                }
            }
        }
        for key in &keys {
            let letters: String = key.chars().map(letter).collect();
            let _ = write!(inside, r#"|["']{letters}["']"#);
        }
        // A repair adds the quotes of a key, and drops the comments around it.
        let bare = format!("(?:{}){BEHIND}", keys.iter().copied().collect::<Vec<_>>().join("|"));
        let _ = write!(inside, r"|(?:[{{,/]{SPACE}|\n{BLANK}){bare}");
        for text in texts.iter().filter_map(|text| str::from_utf8(text).ok()) {
            let _ = write!(inside, "|{}", regex::escape(text));
        }
        let fence = format!(r"```[a-z]*{SPACE}");
        let object = format!(r"(?:>{SPACE})?[\[{{]|{NAME}{SPACE}(?:>{SPACE}|{fence})?\{{");
        let call = format!(r"(?:{NAME}{SPACE})?\({SPACE}(?:\)|\{{|\w+{SPACE}=)");
        // The end of a key or an attribute: another quoted text may hold its start.
        let ends =
            keys.iter().flat_map(|key| key.char_indices().filter_map(|(at, _)| key.get(at..)));
        let bare_end = format!("(?:{})?{BEHIND}", ends.collect::<Vec<_>>().join("|"));
        let rest = format!(r#"[\w\\]*["']{BEHIND}|[\w-]*{SPACE}=|{bare_end}"#);
        let front = format!(r"\A{SPACE}(?:{fence})?(?:{object}|{call}|{rest})");
        let tokens = NearTokens::new(tokens.into_iter().enumerate());
        for tag in tokens.tags() {
            let letters: Vec<String> = tag.chars().map(String::from).collect();
            let _ = write!(inside, "|<[/ ]?{GAPS}(?i:{}){GAPS}>", letters.join(GAPS));
        }
        let (inside, front) = (Regex::new(&inside)?, Regex::new(&front)?);
        Ok(Self { texts, inside, front, tokens })
    }

    /// Whether the text could continue a call that is open in front of it.
    fn could_continue(&self, text: &[u8]) -> bool {
        let ends = |marker: &[u8]| {
            let closed = marker.last().is_some_and(u8::is_ascii_punctuation);
            let mut cuts = 1..marker.len();
            // An end that begins with `<` is a marker of its own, or no marker.
            closed
                && cuts.any(|cut| {
                    marker
                        .get(cut..)
                        .is_some_and(|end| !end.starts_with(b"<") && text.starts_with(end))
                })
        };
        let known = self.front.is_match(text) || self.tokens.may_end(text);
        known || self.texts.iter().any(|marker| ends(marker))
    }

    /// Whether the text ends inside a marker, which may be damaged.
    fn breaks_off(&self, text: &[u8]) -> bool {
        let begins = |marker: &[u8]| {
            let least = if matches!(marker.first(), Some(b'<' | b'[')) { 1 } else { 3 };
            (least..marker.len())
                .any(|cut| marker.get(..cut).is_some_and(|start| text.ends_with(start)))
        };
        self.tokens.has_begun(text) || self.texts.iter().any(|marker| begins(marker))
    }
}

/// Every marker of a format.
fn markers(marked: &Marked) -> impl Iterator<Item = &Marker> {
    let wrapper =
        marked.wrapper.iter().flat_map(|wrapper| wrapper.open.iter().chain(&wrapper.close));
    let call = [&marked.call.open, &marked.call.name_end, &marked.call.close];
    let parameter = match &marked.body {
        Body::Tagged(parameter) => [&parameter.open, &parameter.key_end, &parameter.close].to_vec(),
        Body::Json(_) | Body::Named | Body::Literal(_) => Vec::new(),
    };
    wrapper.chain(call.into_iter().chain(parameter).flatten())
}

/// Whether a marker's text is more than a word, punctuation, white space or a code fence.
fn telling(text: &[u8]) -> bool {
    let mixed =
        text.iter().any(u8::is_ascii_alphanumeric) && !text.iter().all(u8::is_ascii_alphanumeric);
    let marker =
        (mixed || text.starts_with(b">>>")) && !text.starts_with(b"`") && !text.starts_with(b" ");
    // A word and `>` end a tag whose start is a marker already.
    marker
        && !matches!(text, [word @ .., b'>'] if word.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'))
}

/// The pattern of a letter of a key, written plainly or as an escape of JSON.
fn letter(letter: char) -> String {
    format!(r"(?:{}|\\u(?i:{:04x}))", regex::escape(&letter.to_string()), u32::from(letter))
}

/// Whether a code block may be open at the end of the text with nothing in it yet, so that a call
/// in the text that follows could fill it.
///
/// A text is taken to begin its line, as a result does: only a mark in front says that a fence in
/// the first line opens no block.
fn opens_fence_at_end(text: &[u8], marked: bool) -> bool {
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    fence_stays_open(lines.skip(usize::from(marked)))
}

fn fence_stays_open<'l>(lines: impl Iterator<Item = &'l [u8]>) -> bool {
    let (mut open, mut is_empty) = (None, true);
    for line in lines.filter(|line| !line.is_empty()) {
        match (open, fence(line)) {
            (None, Some((byte, length, info))) if !(byte == b'`' && info.contains(&b'`')) => {
                // With a mark at its end, the line of a call behind it is no line of its own.
                (open, is_empty) = (Some((byte, length)), !info.ends_with(MARK.as_bytes()));
            }
            (Some((byte, least)), Some((other, length, [])))
                if byte == other && length >= least =>
            {
                open = None;
            }
            (None, _) => {}
            (Some(_), _) => is_empty = false,
        }
    }
    open.is_some() && is_empty
}

/// The byte of the fence that a line begins with, how often it stands there, and what follows.
fn fence(line: &[u8]) -> Option<(u8, usize, &[u8])> {
    let byte = *line.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = line.iter().take_while(|other| **other == byte).count();
    let info = line.get(length..).unwrap_or_default();
    (length >= 3).then_some((byte, length, info))
}

/// The places of the start tags that the text does not close. A `<` at a marked place, which are in
/// their order, begins none.
///
/// What stands in an open tag is not read twice: behind the first one, each start counts as open.
fn open_tags(text: &[u8], marked: &[usize]) -> Vec<usize> {
    let (mut open, mut from) = (Vec::new(), 0);
    while let Some(found) = memchr::memchr(b'<', text.get(from..).unwrap_or_default()) {
        let start = from + found;
        from = start + 1;
        let is_start = text.get(from).is_some_and(u8::is_ascii_alphabetic);
        if !is_start || marked.binary_search(&start).is_ok() {
            continue;
        }
        let end = if open.is_empty() { TagReader::new(from).step(text).ok() } else { None };
        match end {
            Some(end) => from = end,
            None => open.push(start),
        }
    }
    open
}

/// Quotes the text of a stranger so that no built-in format finds a call in it.
///
/// A part that could belong to a call stays readable, with the mark `⟨quoted⟩` in it. A text
/// without such a part is borrowed. A second quoting changes nothing.
///
/// ```
/// use toolwire::detect::quote;
/// use toolwire::Detector;
///
/// let quoted = quote(b"Try <tool:a>{}</tool>.");
/// assert_eq!(quoted, "Try <⟨quoted⟩tool:a>{}<⟨quoted⟩/tool>.".as_bytes());
/// assert!(Detector::default().detect(&quoted).calls.is_empty());
/// assert_eq!(quote(b"No call, {\"a\": 1}"), &b"No call, {\"a\": 1}"[..]);
/// ```
#[must_use]
pub fn quote(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(signs) = SIGNS.as_ref() else { return Cow::Owned(MARK.into()) };
    let (mut made, mut done, mut from) = (Vec::new(), 0, 0);
    let in_front = signs.could_continue(text);
    if in_front {
        made.extend_from_slice(MARK.as_bytes());
    }
    let mut signs_at = Vec::new();
    // Markers may overlap, so the search goes on inside each one.
    while let Some(found) = signs.inside.find_at(text, from) {
        from = found.start() + 1;
        signs_at.push(found.start());
    }
    signs_at.extend(open_tags(text, &signs_at));
    signs_at.sort_unstable();
    for at in signs_at {
        made.extend_from_slice(text.get(done..=at).unwrap_or_default());
        made.extend_from_slice(MARK.as_bytes());
        done = at + 1;
    }
    let broken = signs.breaks_off(text) || opens_fence_at_end(text, in_front);
    if made.is_empty() && !broken {
        return Cow::Borrowed(text);
    }
    made.extend_from_slice(text.get(done..).unwrap_or_default());
    if broken {
        made.extend_from_slice(MARK.as_bytes());
    }
    Cow::Owned(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formats_are_known() {
        let signs = Signs::new(Format::all()).unwrap();
        // A mark goes after the first byte, which must be a whole character.
        assert!(signs.texts.iter().all(|text| text.first().is_some_and(u8::is_ascii)));
        assert!(signs.texts.len() > 50);
    }
}
