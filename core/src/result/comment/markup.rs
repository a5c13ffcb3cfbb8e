//! What in a text of Markdown would ping, load or hide something, outside of code.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, Options, Parser, Tag};
use regex::{Captures, Regex};

use super::publish::ChangeCode;

/// What may have to be changed: an at sign, also as HTML has it, before a name; what begins a tag, a comment
/// or a declaration; an image.
const SUSPECTS: &str = r"(?x)
    (?<at>@|&\#0*64;|&\#[xX]0*40;|&commat;)(?<name>[A-Za-z0-9][A-Za-z0-9-]*)(?<team>/)?
  | (?<tag><)[A-Za-z/!?]
  | (?<image>!)\[";

static SUSPECT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SUSPECTS).ok());

/// A part of a text that must become another.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) at: Range<usize>,
    pub(super) with: &'static str,
    pub(super) code: ChangeCode,
}

/// Where code stands, in order: nothing in it is a mention, a tag or an image.
pub(super) fn code_spans(text: &str) -> Vec<Range<usize>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut spans: Vec<Range<usize>> = Vec::new();
    for (event, span) in Parser::new_ext(text, options).into_offset_iter() {
        let is_code = matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_)));
        if is_code && spans.last().is_none_or(|last| last.end <= span.start) {
            spans.push(span);
        }
    }
    spans
}

/// The edits that a text needs outside of `code`; `mentions` are names that may be pinged.
pub(super) fn edits(text: &str, code: &[Range<usize>], mentions: &[String]) -> Vec<Edit> {
    let Some(suspect) = SUSPECT.as_ref() else { return Vec::new() };
    let mut code = code.iter().peekable();
    let mut edits = Vec::new();
    for found in suspect.captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        while code.next_if(|span| span.end <= whole.start()).is_some() {}
        if code.peek().is_some_and(|span| span.contains(&whole.start())) {
            continue;
        }
        let parts = [
            // A zero-width space keeps GitHub from seeing a mention; nothing is seen of it.
            ("at", "@\u{200B}", ChangeCode::MentionBroken),
            ("tag", "&lt;", ChangeCode::HtmlEscaped),
            ("image", "", ChangeCode::ImageUnlinked),
        ];
        for (group, with, change) in parts {
            let Some(part) = found.name(group) else { continue };
            if change == ChangeCode::MentionBroken && is_harmless(text, &found, part.range(), mentions) {
                continue;
            }
            edits.push(Edit { at: part.range(), with, code: change });
        }
    }
    edits
}

/// Whether an at sign pings nobody, or somebody who may be.
fn is_harmless(text: &str, found: &Captures<'_>, at: Range<usize>, mentions: &[String]) -> bool {
    let before = text.get(..at.start).and_then(|before| before.bytes().next_back());
    let in_a_word = before.is_some_and(|byte| byte.is_ascii_alphanumeric()) && at.len() == 1;
    let name = found.name("name").map_or("", |name| name.as_str());
    let allowed =
        found.name("team").is_none() && mentions.iter().any(|known| known.eq_ignore_ascii_case(name));
    in_a_word || allowed
}

#[test]
fn the_expression_compiles() {
    Regex::new(SUSPECTS).unwrap();
}
