//! Makes a comment fit to be posted.
//!
//! A model may write what a stranger told it to write. A comment under a program's name must not
//! notify people or show what only the program knows. It must not load an image from elsewhere,
//! since the request tells the image's owner what the address holds. It must not hide anything from
//! the reader.

use serde_json::Value;

use super::change::{ChangeCode, CommentChange};
use super::command::{Commands, checked};
use super::markdown::{code_spans, has_ambiguous_blocks};
use super::markup::{CommentRules, Edit, edits, edits_everywhere, is_clean, removable};
use crate::error::Error;
use crate::option::{count, texts, unknown};
use crate::redact::{REDACTED, Redacted, Redactor};

/// The number of passes at most: a change of one part can create markup in another.
const ROUNDS: usize = 4;

/// The most code points of a comment on GitHub.
const GITHUB_LENGTH: usize = 65_536;

/// The text at the end of a shortened comment.
const SHORTENED: &str = "\n\n…";

/// How a comment is changed before it is posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishOptions {
    /// Secrets to strike out, besides texts that look like a secret.
    pub secrets: Vec<String>,
    /// Names, without `@`, that may be notified.
    pub mentions: Vec<String>,
    /// Words that are commands where a line begins with them, besides
    /// [`COMMANDS`](super::COMMANDS): the first 100 of at most 100 bytes.
    pub commands: Vec<String>,
    /// The most code points of the comment.
    pub max_length: usize,
}

impl Default for PublishOptions {
    fn default() -> Self {
        let (secrets, mentions, commands) = (Vec::new(), Vec::new(), Vec::new());
        Self { secrets, mentions, commands, max_length: GITHUB_LENGTH }
    }
}

impl PublishOptions {
    /// The names of the options that [`PublishOptions::set`] takes.
    pub const NAMES: &'static [&'static str] = &["secrets", "mentions", "commands", "max_length"];

    /// Sets the option of this name.
    ///
    /// # Errors
    /// `unknown_option`, `invalid_option`, `wrong_type`; the message names the option and what is
    /// allowed.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), Error> {
        match name {
            "secrets" => self.secrets = texts(name, value)?,
            "mentions" => self.mentions = texts(name, value)?,
            "commands" => self.commands = checked(name, texts(name, value)?)?,
            "max_length" => self.max_length = count(name, value, usize::MAX)?,
            _ => return Err(unknown(name, Self::NAMES)),
        }
        Ok(())
    }
}

/// A comment that can be posted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Published {
    /// The comment.
    pub text: String,
    /// The changes, in the order of [`ChangeCode`]; an honest comment is rarely changed.
    pub changes: Vec<CommentChange>,
}

impl Published {
    fn note(&mut self, code: ChangeCode, count: usize) {
        if count == 0 {
            return;
        }
        match self.changes.iter_mut().find(|change| change.code == code) {
            Some(change) => change.count += count,
            None => self.changes.push(CommentChange { code, count }),
        }
    }

    /// Removes the invisible characters.
    fn remove_hidden(&mut self, commands: &Commands) {
        let edits: Vec<_> = removable(&self.text, commands)
            .into_iter()
            .map(|at| Edit { at, with: "", code: ChangeCode::ControlRemoved })
            .collect();
        self.apply(&edits);
        // What remains are the carriage returns before a line feed.
        self.note(ChangeCode::ControlRemoved, self.text.matches('\r').count());
        self.text = self.text.replace('\r', "");
    }

    /// Applies edits, which are in order.
    fn apply(&mut self, edits: &[Edit]) {
        let mut made = String::with_capacity(self.text.len() + edits.len() * 4);
        let mut done = 0;
        for edit in edits {
            made.push_str(self.text.get(done..edit.at.start).unwrap_or_default());
            made.push_str(edit.with);
            done = edit.at.end;
            self.note(edit.code, 1);
        }
        made.push_str(self.text.get(done..).unwrap_or_default());
        self.text = made;
    }
}

/// Makes a comment fit to be posted where Markdown is shown.
///
/// The steps are, in this order:
///
/// - Secrets become `[redacted]`.
/// - The comment is cut to `max_length`.
/// - Characters that [`visible`](crate::visible::visible) would mark are removed.
/// - Outside of code, a mention of a name that is not in `mentions` gets a zero-width space after
///   the `@`. A command (`/word` at the start of a line) gets one after the `/`.
/// - A line that begins with the words of a command ([`COMMANDS`](super::COMMANDS) and `commands`,
///   such as `Duplicate of #12`) gets one after its first character, in code too.
/// - Outside of code, `<` before a tag or comment becomes `&lt;`, entities of invisible characters
///   are escaped, and images become links.
/// - A line that is `/word` is a command in code too, since programs read the text as it was typed.
/// - Secrets are searched for again. If a change has joined parts into a secret, all steps start
///   again.
///
/// A part counts as code if both `CommonMark` and GitHub's Markdown, with footnotes and tables,
/// take it for code. Then the comment is read again as it will be shown. If anything forbidden is
/// left, if the text was cut, or if it has a task (`- [ ]`) or a table that may hide where code
/// ends, code is changed as well.
///
/// ```
/// use toolwire::comment::{PublishOptions, publishable};
///
/// let options = PublishOptions { mentions: vec!["ann".to_owned()], ..PublishOptions::default() };
/// let published = publishable("@ann, ask @everyone.<!-- hidden --> Use `@cache`.", &options);
/// assert_eq!(published.text, "@ann, ask @\u{200B}everyone.&lt;!-- hidden --> Use `@cache`.");
/// let codes: Vec<_> = published.changes.iter().map(|change| change.code.slug()).collect();
/// assert_eq!(codes, ["mention_broken", "html_escaped"]);
/// ```
#[must_use]
pub fn publishable(comment: &str, options: &PublishOptions) -> Published {
    let redactor = Redactor::new(options.secrets.iter().cloned());
    let commands = Commands::with(&options.commands);
    let rules = CommentRules { mentions: &options.mentions, commands };
    let mut published = Published { text: comment.to_owned(), changes: Vec::new() };
    // The first round finds the written secrets; later rounds find secrets that changes have
    // joined.
    for round in 0..ROUNDS {
        let redacted = redactor.redact(&published.text);
        if redacted.count == 0 && round > 0 {
            published.changes.sort_by_key(|change| change.code);
            return published;
        }
        let Redacted { text, count } = redacted;
        published.text = text.replace("\r\n", "\n");
        published.note(ChangeCode::SecretRedacted, count);
        clean(&mut published, options, &rules);
    }
    head(REDACTED, options.max_length).0.clone_into(&mut published.text);
    published.note(ChangeCode::SecretRedacted, 1);
    published.changes.sort_by_key(|change| change.code);
    published
}

/// Changes everything that must not be posted, and cuts a text that is too long.
fn clean(published: &mut Published, options: &PublishOptions, rules: &CommentRules<'_>) {
    // The text beyond the longest comment needs no check.
    let (kept, cut) = head(&published.text, options.max_length);
    published.text.truncate(kept.len());
    published.remove_hidden(&rules.commands);
    let clean = clean_outside_code(published, rules);
    let (_, long) = head(&published.text, options.max_length);
    if cut || long || !clean || has_ambiguous_blocks(&published.text) {
        everywhere(published, rules);
    }
    if cut || head(&published.text, options.max_length).1 {
        shorten(published, options, rules);
    }
}

/// The first code points of a text, and whether more follow.
fn head(text: &str, length: usize) -> (&str, bool) {
    match text.char_indices().nth(length) {
        Some((end, _)) => (text.get(..end).unwrap_or(text), true),
        None => (text, false),
    }
}

/// Changes the text outside of code until nothing forbidden is left; returns whether it succeeds.
fn clean_outside_code(published: &mut Published, rules: &CommentRules<'_>) -> bool {
    for _ in 0..ROUNDS {
        let edits = edits(&published.text, &code_spans(&published.text), rules);
        if edits.is_empty() {
            return is_clean(&published.text, rules);
        }
        published.apply(&edits);
    }
    false
}

/// Changes the whole text, including code.
fn everywhere(published: &mut Published, rules: &CommentRules<'_>) {
    // Removing the sign of an image may uncover another.
    for _ in 0..ROUNDS {
        let edits = edits_everywhere(&published.text, rules);
        published.apply(&edits);
    }
    if published.text.contains("![") {
        let images = published.text.matches("![").count();
        published.note(ChangeCode::ImageUnlinked, images);
        published.text = without_images(&published.text);
    }
}

/// A text without the `!` signs that turn bracketed text into images.
fn without_images(text: &str) -> String {
    let mut pieces: Vec<&str> = text.split('[').collect();
    if let Some((_, before)) = pieces.split_last_mut() {
        for piece in before {
            *piece = piece.trim_end_matches('!');
        }
    }
    pieces.join("[")
}

fn shorten(published: &mut Published, options: &PublishOptions, rules: &CommentRules<'_>) {
    let room = options.max_length.saturating_sub(SHORTENED.chars().count());
    let kept = head(&published.text, room).0;
    // The cut may make another name of one that may be notified: `@a` of `@ann`.
    let cut_mention = edits_everywhere(kept, rules).pop();
    let kept = cut_mention.and_then(|edit| kept.get(..edit.at.start)).unwrap_or(kept);
    // The cut may leave the break of a command without the command.
    let cut_command = removable(kept, &rules.commands).pop();
    let kept = cut_command.and_then(|at| kept.get(..at.start)).unwrap_or(kept);
    published.text.truncate(kept.trim_end().len());
    published.text.push_str(head(SHORTENED, options.max_length).0);
    if published.changes.iter().all(|change| change.code != ChangeCode::Shortened) {
        published.note(ChangeCode::Shortened, 1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn published(text: &str) -> Published {
        publishable(text, &PublishOptions::default())
    }

    #[test]
    fn code_is_kept() {
        for text in [
            "Use `@cache` and `<T>`.",
            "```html\n<b>@x</b> ![a](b)\n```\nDone.",
            "    <indented> @x",
            "mail a@b.example, 1 < 2, a<2, ! [x], @ alone",
        ] {
            assert_eq!(published(text), Published { text: text.to_owned(), changes: Vec::new() });
        }
    }

    #[test]
    fn at_signs_in_disguise_are_found() {
        for text in
            ["&#64;all", "&#x0040;all", "&commat;all", "\\@all", "_@all_", "(@all/team)", "é@all"]
        {
            let made = published(text);
            assert!(made.text.contains("@\u{200B}all"), "{text} {made:?}");
            assert_eq!(made.changes, [CommentChange { code: ChangeCode::MentionBroken, count: 1 }]);
        }
    }

    #[test]
    fn a_team_of_an_allowed_name_is_not_allowed() {
        let options =
            PublishOptions { mentions: vec!["ann".to_owned()], ..PublishOptions::default() };
        assert_eq!(
            publishable("@Ann @ann/all @anna", &options).text,
            "@Ann @\u{200B}ann/all @\u{200B}anna"
        );
    }

    #[test]
    fn code_that_ends_with_a_tag_is_looked_at_again() {
        // A backtick in a tag's attribute opens no code until the tag is escaped.
        let made = published("<a title=\"`\"> `@x`");
        assert_eq!(made.text, "&lt;a title=\"`\"> `@\u{200B}x`");
    }

    #[test]
    fn a_command_behind_code_of_two_lines_stays_broken() {
        let made = published("@x`\n`bors");
        assert_eq!(made.text, "@\u{200B}x`\n`b\u{200B}ors");
        let rules = CommentRules { mentions: &[], commands: Commands::with(&[]) };
        assert!(is_clean(&made.text, &rules));
        assert!(!is_clean(&format!("{}\u{200B}", made.text), &rules));
    }

    #[test]
    fn what_is_cut_is_changed_in_code_too() {
        let options = PublishOptions { max_length: 20, ..PublishOptions::default() };
        let made = publishable("`@someone is in code that ends late`", &options);
        assert_eq!(made.text, "`@\u{200B}someone is in\n\n…");
        assert_eq!(made.text.chars().count(), 19);
        assert_eq!(
            made.changes.last(),
            Some(&CommentChange { code: ChangeCode::Shortened, count: 1 })
        );
    }

    #[test]
    fn hidden_characters_are_dropped() {
        let made = published("a\0b\u{202E}c\r\nd\u{7}");
        assert_eq!(made.text, "abc\nd");
        assert_eq!(made.changes, [CommentChange { code: ChangeCode::ControlRemoved, count: 3 }]);
    }

    proptest! {
        #[test]
        fn nothing_outside_of_code_is_left_and_twice_is_once(
            text in "(@aa|bors|r\\?|duplicate of |[a@<!`\\[\\]/&#64;\\\\\n |~(){}-]){0,60}",
            max_length in 1_usize..80,
            mentions in proptest::option::of(Just("aa".to_owned())),
        ) {
            let mentions = Vec::from_iter(mentions);
            let options = PublishOptions { mentions, max_length, ..PublishOptions::default() };
            let rules = CommentRules { mentions: &options.mentions, commands: Commands::with(&[]) };
            let made = publishable(&text, &options);
            prop_assert!(made.text.chars().count() <= max_length);
            prop_assert!(is_clean(&made.text, &rules), "{}", made.text);
            let whole = rules.commands.find(&made.text).find(|found| found.broken.is_none());
            prop_assert!(whole.is_none(), "{}", made.text);
            prop_assert_eq!(publishable(&made.text, &options).text, made.text);
        }
    }
}
