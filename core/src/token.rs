//! The approximate number of tokens in a text, and texts cut to a number of tokens.
//!
//! The count is 1.3 for each word and 0.1 for each of `. , ! ? ; :`, rounded down. A model counts
//! differently, so leave a margin.
//!
//! ```
//! use toolwire::token::{ChunkOptions, chunk_text, count_tokens, truncate_to_tokens};
//!
//! assert_eq!(count_tokens("Hello, world: it works."), 5);
//! assert_eq!(truncate_to_tokens("one two three four", 3), "one two");
//! let options = ChunkOptions { max_tokens: 4, min_tokens: 1, overlap_tokens: 0 };
//! let chunks = chunk_text("One two. Three four. Five.", &options);
//! let texts: Vec<_> = chunks.iter().map(|chunk| chunk.text).collect();
//! assert_eq!(texts, ["One two. ", "Three four. ", "Five."]);
//! ```

use std::borrow::Cow;

use serde_json::Value;

use crate::call::Span;
use crate::error::Error;
use crate::option::{count, unknown, wrong_type};
use crate::text::is_space;

/// The tokens of a word.
pub(crate) const WORD_TOKENS: f64 = 1.3;

/// The tokens of a punctuation mark.
const MARK_TOKENS: f64 = 0.1;

/// The words and punctuation marks of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) words: usize,
    pub(crate) marks: usize,
}

impl Size {
    /// Counts the words and punctuation marks of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self {
            words: words(text).count(),
            marks: text.bytes().filter(|byte| b".,!?;:".contains(byte)).count(),
        }
    }

    /// The number of tokens.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the rule is defined over doubles; the sum is not negative, and below 2^53 for texts that fit memory"
    )]
    pub(crate) fn tokens(self) -> usize {
        (self.words as f64 * WORD_TOKENS + self.marks as f64 * MARK_TOKENS) as usize
    }

    /// The sum of both.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { words: self.words + other.words, marks: self.marks + other.marks }
    }

    /// The size without `other`, which is a part of it.
    pub(crate) fn minus(self, other: Self) -> Self {
        Self {
            words: self.words.saturating_sub(other.words),
            marks: self.marks.saturating_sub(other.marks),
        }
    }
}

/// The words of a text: the parts between white space.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_space).filter(|word| !word.is_empty())
}

/// Counts the tokens of a text approximately.
#[must_use]
pub fn count_tokens(text: &str) -> usize {
    Size::of(text).tokens()
}

/// The number of words that fit into a number of tokens.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the rule is defined over doubles, and the quotient is smaller than what it is of"
)]
fn words_in(tokens: usize) -> usize {
    (tokens as f64 / WORD_TOKENS) as usize
}

/// Keeps as many of the first words of a text as fit into a number of tokens; punctuation is not
/// counted.
///
/// A text without more words is returned unchanged. Any other text has one space between its words.
#[must_use]
pub fn truncate_to_tokens(text: &str, tokens: usize) -> Cow<'_, str> {
    let most = words_in(tokens);
    if tokens > 0 && words(text).nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(words(text).take(most).collect::<Vec<_>>().join(" "))
}

/// How a text is cut into chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkOptions {
    /// The limit of a chunk in tokens; a chunk of one word may exceed it.
    pub max_tokens: usize,
    /// The planned size of a chunk in tokens is at least this.
    pub min_tokens: usize,
    /// The tokens at the end of a chunk that the next chunk repeats; at most half of the chunk.
    pub overlap_tokens: usize,
}

impl Default for ChunkOptions {
    /// The limits of OpenAI's embedding models, with a margin of five per cent.
    fn default() -> Self {
        Self { max_tokens: 7781, min_tokens: 50, overlap_tokens: 100 }
    }
}

impl ChunkOptions {
    /// The names of the options that [`ChunkOptions::set`] takes.
    pub const NAMES: &'static [&'static str] = &["max_tokens", "min_tokens", "overlap_tokens"];

    /// Sets the option of this name.
    ///
    /// # Errors
    /// `unknown_option`, `invalid_option`, `wrong_type`; the message names the option and what is
    /// allowed.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), Error> {
        match name {
            "max_tokens" => self.max_tokens = count(name, value, usize::MAX)?,
            "min_tokens" => self.min_tokens = count(name, value, usize::MAX)?,
            // Zero is allowed here.
            "overlap_tokens" if value.as_u64() == Some(0) => self.overlap_tokens = 0,
            "overlap_tokens" if !value.is_number() => {
                return Err(wrong_type(name, "an integer that is not negative"));
            }
            "overlap_tokens" => self.overlap_tokens = count(name, value, usize::MAX)?,
            _ => return Err(unknown(name, Self::NAMES)),
        }
        Ok(())
    }
}

/// The chunk size in tokens with which a text of the given size needs the fewest chunks.
///
/// A text that fits is one chunk. For a longer text, the size is an equal part of what remains
/// without the overlaps, between `min_tokens` and `max_tokens`.
///
/// ```
/// use toolwire::token::{ChunkOptions, optimal_chunk_size};
///
/// let options = ChunkOptions { max_tokens: 51, min_tokens: 5, overlap_tokens: 6 };
/// assert_eq!(optimal_chunk_size(500, &options), 44);
/// assert_eq!(optimal_chunk_size(51, &options), 51);
/// ```
#[must_use]
pub fn optimal_chunk_size(tokens: usize, options: &ChunkOptions) -> usize {
    let most = options.max_tokens.max(1);
    if tokens <= most {
        return tokens;
    }
    let chunks = tokens.div_ceil(most);
    let overlaps = (chunks - 1).saturating_mul(options.overlap_tokens);
    most.min(options.min_tokens.max(tokens.saturating_sub(overlaps) / chunks))
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'t> {
    /// The piece itself, white space included.
    pub text: &'t str,
    /// The bytes of the piece in the whole text.
    pub span: Span,
    /// The tokens of the piece.
    pub token_count: usize,
}

/// A word with the white space after it.
struct SpacedWord {
    end: usize,
    size: Size,
    ends_sentence: bool,
}

/// Cuts a text into chunks of about equal size; every byte of the text is in at least one chunk.
///
/// A chunk ends after a sentence if one ends in its second half, else after a word. A text of only
/// white space gives no chunk.
#[must_use]
pub fn chunk_text<'t>(text: &'t str, options: &ChunkOptions) -> Vec<Chunk<'t>> {
    let pieces = pieces(text);
    let whole = pieces.iter().fold(Size::default(), |sum, piece| sum.plus(piece.size));
    let most = optimal_chunk_size(whole.tokens(), options).max(1);
    let overlap = words_in(options.overlap_tokens);
    let mut chunks = Vec::new();
    let mut first = 0;
    let mut next = 0;
    while next < pieces.len() {
        let (last, size) = reach(&pieces, first, next, most);
        let start =
            first.checked_sub(1).and_then(|before| pieces.get(before)).map_or(0, |piece| piece.end);
        let end = pieces.get(last).map_or(text.len(), |piece| piece.end);
        let span = Span::new(start, end);
        let text = text.get(start..end).unwrap_or_default();
        chunks.push(Chunk { text, span, token_count: size.tokens() });
        next = last + 1;
        first = overlapped(&pieces, next, overlap.min((next - first) / 2), most);
    }
    chunks
}

/// The first piece of the chunk that must hold the piece `next`. The chunk repeats as many earlier
/// pieces as fit, up to `overlap`.
fn overlapped(pieces: &[SpacedWord], next: usize, overlap: usize, most: usize) -> usize {
    let mut size = pieces.get(next).map(|piece| piece.size).unwrap_or_default();
    let before = pieces.iter().take(next).rev().take(overlap);
    let fitting = before.take_while(|piece| {
        size = size.plus(piece.size);
        size.tokens() <= most
    });
    next - fitting.count()
}

/// The last piece, and the size, of the chunk that begins with `first` and must hold `next`.
fn reach(pieces: &[SpacedWord], first: usize, next: usize, most: usize) -> (usize, Size) {
    let mut size = Size::default();
    let mut fitting = Vec::new();
    for (at, piece) in pieces.iter().enumerate().skip(first) {
        size = size.plus(piece.size);
        if size.tokens() > most && at > first {
            break;
        }
        fitting.push((at, size));
    }
    let whole = fitting.last().copied().unwrap_or((first, size));
    if whole.0 + 1 == pieces.len() {
        return whole;
    }
    // The chunk must reach further than the one before it, or it would be a part of that chunk.
    let least = next.max(first + fitting.len() / 2);
    let ends_sentence = |at: usize| pieces.get(at).is_some_and(|piece| piece.ends_sentence);
    let at_sentence = fitting.iter().rev().find(|(at, _)| *at >= least && ends_sentence(*at));
    at_sentence.copied().unwrap_or(whole)
}

fn pieces(text: &str) -> Vec<SpacedWord> {
    let mut pieces: Vec<SpacedWord> = Vec::new();
    let mut at = text.len() - text.trim_start_matches(is_space).len();
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let length = rest.find(is_space).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let tail = rest.get(length..).unwrap_or_default();
        at = text.len() - tail.trim_start_matches(is_space).len();
        pieces.push(SpacedWord {
            end: at,
            size: Size::of(word),
            ends_sentence: word.ends_with(['.', '!', '?']),
        });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_and_marks_count() {
        for (text, tokens) in [
            ("", 0),
            ("a", 1),
            ("日本語のテキスト", 1),
            ("a b", 2),
            ("a\u{1f}b,", 2),
            ("..........", 2),
        ] {
            assert_eq!(count_tokens(text), tokens, "{text:?}");
        }
    }

    #[test]
    fn a_text_is_cut_behind_a_word() {
        assert_eq!(truncate_to_tokens("a  b", 2), "a");
        assert_eq!(truncate_to_tokens("a  b", 3), "a  b");
        assert_eq!(truncate_to_tokens("a  b", 0), "");
        assert_eq!(truncate_to_tokens("", 0), "");
    }

    proptest! {
        #[test]
        fn chunks_cover_the_text_and_keep_to_their_size(
            text in "([a-z]{1,4}[.,!?]? {1,2}){0,60}",
            max_tokens in 1_usize..30,
            overlap_tokens in 0_usize..30,
        ) {
            let options = ChunkOptions { max_tokens, min_tokens: 1, overlap_tokens };
            let chunks = chunk_text(&text, &options);
            prop_assert_eq!(chunks.is_empty(), text.is_empty());
            let mut covered = 0;
            for (place, chunk) in chunks.iter().enumerate() {
                prop_assert!(chunk.span.start <= covered && chunk.span.end > covered);
                prop_assert!(place == 0 || chunk.span.start > chunks[place - 1].span.start);
                prop_assert_eq!(chunk.text, &text[chunk.span.start..chunk.span.end]);
                prop_assert_eq!(chunk.token_count, count_tokens(chunk.text));
                prop_assert!(chunk.token_count <= max_tokens || words(chunk.text).count() == 1);
                covered = chunk.span.end;
            }
            prop_assert_eq!(covered, text.len());
        }
    }
}
