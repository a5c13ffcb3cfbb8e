//! Finds what would notify, load, command or hide something in a text of Markdown.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::change::ChangeCode;
use super::command::{BREAK, Commands};
use super::markdown::{EDGE, is_shown};
use crate::redact::entity;
use crate::visible::hidden;

/// Parts that may need a change: an at sign before a name, also as an HTML entity; the start of a
/// tag, a comment or a declaration; an image; an entity of an invisible character.
///
/// An entity or a backslash after an at sign may be decoded to a part of a name. `&amp;` may be
/// repeated, because a text may be decoded more than once.
const SUSPECTS: &str = r"(?x)
    (?<at>@|&(?:amp;)*(?:\#0*64;|\#[xX]0*40;|commat;))
    (?:(?<name>[A-Za-z0-9][A-Za-z0-9-]*)(?<more>[/&\\_])? | [&\\])
  | (?<tag><)[A-Za-z/!?]
  | (?<image>!)\[
  | (?<entity>&)(?:\#(?<decimal>[0-9]{1,7}) | \#[xX](?<hex>[0-9A-Fa-f]{1,6}) | (?<named>[A-Za-z][A-Za-z0-9]{1,30}));";

/// A command: a slash before a word at the start of a line of text or of a table's cell.
///
/// Markup, a list's number, a footnote's label or an entity may stand before the slash.
const COMMANDS: &str = r"(?xm)
    (?:^|\|)(?:[^\p{L}\p{N}\n/]|[0-9]{1,9}[.)]|\[[^\]\n]{0,100}\]:?|&[\#A-Za-z0-9]{1,40};)*
    (?<slash>SLASH)[A-Za-z&]";

/// A command for a program that reads the text as it was typed, including code.
const TYPED_COMMANDS: &str = r"(?xm)^[\ \t]*(?<slash>/)[A-Za-z][A-Za-z0-9_-]*(?:\s|$)";

/// A slash that may begin a command at any place.
const ANY_COMMANDS: &str = r"(?x)(?:^|[^A-Za-z0-9/.])(?<slash>SLASH)[A-Za-z&]";

const SLASH: &str = r"/|&(?:amp;)*(?:\#0*47;|\#[xX]0*2[fF];|sol;)";

struct Expressions {
    suspects: Regex,
    commands: Regex,
    typed_commands: Regex,
    any_commands: Regex,
    mention: Regex,
}

static EXPRESSIONS: LazyLock<Option<Expressions>> = LazyLock::new(|| expressions().ok());

fn expressions() -> Result<Expressions, regex::Error> {
    Ok(Expressions {
        suspects: Regex::new(SUSPECTS)?,
        commands: Regex::new(&COMMANDS.replace("SLASH", SLASH))?,
        typed_commands: Regex::new(TYPED_COMMANDS)?,
        any_commands: Regex::new(&ANY_COMMANDS.replace("SLASH", SLASH))?,
        mention: Regex::new(r"(?:^|[^A-Za-z0-9])@([A-Za-z0-9][A-Za-z0-9-]*)([/_]?)")?,
    })
}

/// A replacement for a part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) at: Range<usize>,
    pub(super) with: &'static str,
    pub(super) code: ChangeCode,
}

/// What a program says of its comments.
pub(super) struct CommentRules<'o> {
    /// The names that may be notified.
    pub(super) mentions: &'o [String],
    /// The words that are commands.
    pub(super) commands: Commands,
}

/// The edits that a text needs outside of `code`.
pub(super) fn edits(text: &str, code: &[Range<usize>], rules: &CommentRules<'_>) -> Vec<Edit> {
    let Some(expressions) = EXPRESSIONS.as_ref() else { return Vec::new() };
    let is_code = |at: usize| {
        let next = code.partition_point(|span| span.end <= at);
        code.get(next).is_some_and(|span| span.contains(&at))
    };
    let mut edits = marks(&expressions.suspects, text, rules.mentions);
    edits.extend(slashes(&expressions.commands, text));
    edits.retain(|edit| !is_code(edit.at.start));
    edits.extend(slashes(&expressions.typed_commands, text));
    edits.extend(words(&rules.commands, text));
    in_order(edits)
}

/// The edits that a text needs, inside of code too.
pub(super) fn edits_everywhere(text: &str, rules: &CommentRules<'_>) -> Vec<Edit> {
    let Some(expressions) = EXPRESSIONS.as_ref() else { return Vec::new() };
    let mut edits = marks(&expressions.suspects, text, rules.mentions);
    for commands in [&expressions.commands, &expressions.any_commands] {
        edits.extend(slashes(commands, text));
    }
    edits.extend(words(&rules.commands, text));
    in_order(edits)
}

fn in_order(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| edit.at.start);
    edits.dedup_by_key(|edit| edit.at.start);
    edits
}

/// The edits for mentions, tags, images and invisible entities.
fn marks(suspects: &Regex, text: &str, mentions: &[String]) -> Vec<Edit> {
    let parts = [
        ("at", "@\u{200B}", ChangeCode::MentionBroken),
        ("tag", "&lt;", ChangeCode::HtmlEscaped),
        ("image", "", ChangeCode::ImageUnlinked),
        ("entity", "&amp;", ChangeCode::HtmlEscaped),
    ];
    let mut edits = Vec::new();
    let mut last_at = 0;
    for found in suspects.captures_iter(text) {
        for (group, with, code) in parts {
            let Some(part) = found.name(group) else { continue };
            let harmless = match group {
                "at" => {
                    let word = last_at..part.start();
                    last_at = part.end();
                    is_harmless(text, &found, word, mentions)
                }
                "entity" => !is_invisible(&found),
                "image" => is_escaped(text, part.start()),
                _ => false,
            };
            if !harmless {
                edits.push(Edit { at: part.range(), with, code });
            }
        }
    }
    edits
}

/// Whether an at sign notifies nobody, or only an allowed name; `before` is the text since the last
/// at sign.
fn is_harmless(
    text: &str,
    found: &Captures<'_>,
    before: Range<usize>,
    mentions: &[String],
) -> bool {
    let Some(name) = found.name("name") else { return false };
    let allowed = found.name("more").is_none() && is_known(name.as_str(), mentions);
    // An email address ends at the next at sign. The text after the link of an address starts anew.
    let is_first = before.start == 0
        || text.get(before.clone()).is_some_and(|before| before.contains(char::is_whitespace));
    let before = text.get(..before.end).and_then(|before| before.bytes().next_back());
    let is_plain = found.name("at").is_some_and(|at| at.len() == 1);
    allowed || (is_plain && is_first && before.is_some_and(|byte| byte.is_ascii_alphanumeric()))
}

fn is_known(name: &str, mentions: &[String]) -> bool {
    mentions.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether an entity stands for an invisible character.
fn is_invisible(found: &Captures<'_>) -> bool {
    let number = |group: &str, radix| u32::from_str_radix(found.name(group)?.as_str(), radix).ok();
    let number = number("decimal", 10).or_else(|| number("hex", 16));
    let is_hidden = |characters: &str| hidden(characters).next().is_some();
    let is_named_hidden =
        || found.name("named").and_then(|name| entity(name.as_str())).is_some_and(is_hidden);
    match number {
        Some(number) => {
            char::from_u32(number).is_some_and(|one| is_hidden(one.encode_utf8(&mut [0; 4])))
        }
        None => is_named_hidden(),
    }
}

/// Whether an odd number of backslashes stands before this offset.
fn is_escaped(text: &str, at: usize) -> bool {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

fn slashes(commands: &Regex, text: &str) -> impl Iterator<Item = Edit> {
    commands.captures_iter(text).filter_map(|found| {
        let at = found.name("slash")?.range();
        Some(Edit { at, with: "/\u{200B}", code: ChangeCode::CommandBroken })
    })
}

/// The edits for lines that begin with the words of a command.
fn words<'t>(commands: &'t Commands, text: &'t str) -> impl Iterator<Item = Edit> + 't {
    let whole = commands.find(text).filter(|found| found.broken.is_none());
    whole.map(|found| Edit {
        at: found.inside..found.inside,
        with: "\u{200B}",
        code: ChangeCode::CommandBroken,
    })
}

/// Whether the shown text, without its code, has no mention that is not allowed, no image, no HTML,
/// no command and no invisible character.
pub(super) fn is_clean(text: &str, rules: &CommentRules<'_>) -> bool {
    let Some(expressions) = EXPRESSIONS.as_ref() else { return false };
    is_shown(&without_breaks(text, &rules.commands), |line| {
        // One reader takes the line for cells of a table, another for a line with bars.
        !line.split('|').any(is_command)
            && removable(line, &rules.commands).is_empty()
            && expressions.mention.captures_iter(line).all(|found| {
                let [Some(name), Some(more)] = [1, 2].map(|group| found.get(group)) else {
                    return false;
                };
                more.is_empty() && is_known(name.as_str(), rules.mentions)
            })
    })
}

/// A text without the characters that keep its commands broken. A shown line may begin in another
/// place than the line of the text, where code has a line feed.
fn without_breaks<'t>(text: &'t str, commands: &Commands) -> Cow<'t, str> {
    let (mut kept, mut done) = (String::new(), 0);
    for at in commands.find(text).filter_map(|found| found.broken) {
        let before = text.get(done..at.start).unwrap_or_default();
        // Here the character keeps a mention broken too.
        if !before.ends_with(['@', '/']) {
            kept.push_str(before);
            done = at.end;
        }
    }
    let rest = text.get(done..).unwrap_or_default();
    if done == 0 { Cow::Borrowed(text) } else { Cow::Owned(kept + rest) }
}

/// Whether a part of a shown text begins with a command. A command may cross the edges of elements,
/// as in `/<a>word</a>`.
fn is_command(part: &str) -> bool {
    let mut first = part.chars().filter(|one| *one != EDGE).skip_while(|one| one.is_whitespace());
    first.next() == Some('/') && first.next().is_some_and(|one| one.is_ascii_alphabetic())
}

/// The invisible characters of a text, except those that keep mentions and commands broken.
pub(super) fn removable(text: &str, commands: &Commands) -> Vec<Range<usize>> {
    let mut hidden = hidden(text).peekable();
    if hidden.peek().is_none() {
        return Vec::new();
    }
    let breaks: Vec<_> = commands.find(text).filter_map(|found| found.broken).collect();
    let breaks_command = |start: usize| {
        let next = breaks.partition_point(|at| at.start < start);
        breaks.get(next).is_some_and(|at| at.start == start)
    };
    hidden
        .filter(|span| {
            let before = text.get(..span.start).and_then(|before| before.chars().next_back());
            let is_break = text.get(span.clone()).is_some_and(|one| one.chars().eq([BREAK]));
            let breaks = matches!(before, Some('@' | '/')) || breaks_command(span.start);
            !(is_break && breaks)
        })
        .collect()
}

#[test]
fn the_expressions_compile() {
    expressions().unwrap();
}
