//! Words by which a line of a comment is a command for a program that reads comments.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::error::{Error, ErrorKind};

/// Words that begin a command where a line begins with them, whatever their case.
///
/// GitHub closes an issue as a duplicate by the first one. The others are read by programs that
/// merge or test: bors and homu, bots that choose a reviewer, Jenkins. A word with which honest
/// lines begin, such as `recheck`, is left to the program that knows its readers.
pub const COMMANDS: &[&str] = &[
    "duplicate of",
    "bors",
    "homu",
    "r?",
    "add to whitelist",
    "ok to test",
    "retest this please",
    "test this please",
];

/// A zero-width space, which is invisible, keeps programs from seeing a mention or a command.
pub(super) const BREAK: char = '\u{200B}';

/// The most commands that a program may add.
const MOST: usize = 100;

/// The longest command that a program may add, in bytes.
const LONGEST: usize = 100;

/// What may stand before the command in its line: white space, the signs of Markdown, signs that
/// are written as entities.
const BEFORE: &str = r"^(?:&[\#A-Za-z0-9]{1,40};|[^\p{L}\p{N}\n]|[0-9]{1,9}[.)])*?";

/// Checks the commands that a program adds.
///
/// # Errors
///
/// `invalid_option` for more than 100 commands, for one longer than 100 bytes, and for one that is
/// empty or begins with a space.
pub(super) fn checked(name: &str, added: Vec<String>) -> Result<Vec<String>, Error> {
    if added.len() > MOST {
        return Err(invalid(format!("{name} must have at most {MOST} commands")));
    }
    let begins = |one: &String| one.chars().next().is_some_and(|first| !first.is_whitespace());
    if !added.iter().all(|one| one.len() <= LONGEST && begins(one)) {
        let allowed = format!("texts of 1 to {LONGEST} bytes that do not begin with a space");
        return Err(invalid(format!("{name} must hold {allowed}")));
    }
    Ok(added)
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidOption, message)
}

/// Finds the commands of a text.
#[derive(Clone, Debug)]
pub(super) struct Commands(Option<Regex>);

static BUILT_IN: LazyLock<Commands> = LazyLock::new(|| Commands::made(&[]));

/// A command, and whether it is broken already.
pub(super) struct FoundCommand {
    /// The offset behind the first character of the command.
    pub(super) inside: usize,
    /// The break that stands there, if one does.
    pub(super) broken: Option<Range<usize>>,
}

impl Commands {
    /// The built-in commands and those that a program adds.
    pub(super) fn with(added: &[String]) -> Self {
        if added.is_empty() { BUILT_IN.clone() } else { Self::made(added) }
    }

    fn made(added: &[String]) -> Self {
        let added = added.iter().map(String::as_str).take(MOST).filter(|one| one.len() <= LONGEST);
        let words: Vec<_> = COMMANDS.iter().copied().chain(added).filter_map(pattern).collect();
        Self(Regex::new(&format!("(?im){BEFORE}(?:{})", words.join("|"))).ok())
    }

    /// Finds the commands, broken or not.
    pub(super) fn find<'c>(&'c self, text: &'c str) -> impl Iterator<Item = FoundCommand> + 'c {
        let found = self.0.iter().flat_map(|commands| commands.captures_iter(text));
        found.filter_map(|found| {
            let named = |group: usize| found.get(group).map(|part| part.range());
            // The groups are pairs: the first character of a command, and the break behind it.
            let first = (1..found.len()).step_by(2).find(|group| found.get(*group).is_some())?;
            let inside = named(first)?.end;
            Some(FoundCommand { inside, broken: named(first + 1) })
        })
    }
}

/// The expression for a command: its first character, the break, and the rest.
fn pattern(command: &str) -> Option<String> {
    let mut characters = command.chars();
    let first = regex::escape(characters.next()?.encode_utf8(&mut [0; 4]));
    let rest: Vec<_> = characters.as_str().split_whitespace().map(regex::escape).collect();
    let gap = if characters.as_str().starts_with(char::is_whitespace) { r"[\ \t]+" } else { "" };
    let last = command.chars().next_back()?;
    let end = if last.is_alphanumeric() || last == '_' { r"\b" } else { "" };
    Some(format!("({first})({BREAK})?{gap}{}{end}", rest.join(r"[\ \t]+")))
}

#[test]
fn the_expressions_compile() {
    assert!(Commands::with(&[]).0.is_some());
    let longest = vec!["\u{10FFFF}".repeat(25); MOST];
    assert!(Commands::with(&checked("commands", longest).unwrap()).0.is_some());
}
