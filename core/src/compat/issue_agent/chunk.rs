//! Cuts texts at the ends of sentences, as the issue agent does.

use crate::text::{is_space, strip};
use crate::token::{WORD_TOKENS, count_tokens, words};

/// A piece of a text as `smart_chunk_text` returns it, with one space between sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentenceChunk {
    /// The repeated words of the previous chunk, then sentences.
    pub text: String,
    /// The number of code points of all earlier chunks.
    pub start: usize,
    /// `start` plus the chunk's code points, counted before the white space around it is dropped.
    pub end: usize,
    /// The sum of the tokens of its parts.
    pub token_count: usize,
}

/// Cuts a text as `smart_chunk_text` does: only at sentences, however long they are.
///
/// `size` and `overlap` are tokens.
#[must_use]
pub fn chunks(text: &str, size: i64, overlap: i64) -> Vec<SentenceChunk> {
    let limit = usize::try_from(size).unwrap_or(0);
    let (mut made, mut current, mut tokens, mut start) = (Vec::new(), String::new(), 0, 0);
    let mut close = |current: &str, token_count: usize| {
        let text = strip(current).to_owned();
        let end = start + current.chars().count();
        let shown = text.chars().count();
        made.push(SentenceChunk { text, start, end, token_count });
        start += shown;
    };
    for sentence in sentences(text) {
        let more = count_tokens(sentence);
        if tokens + more > limit && !current.is_empty() {
            close(&current, tokens);
            current = format!("{} {sentence}", last_words(&current, overlap));
            tokens = count_tokens(&current);
        } else {
            if !current.is_empty() {
                current.push(' ');
            }
            current.push_str(sentence);
            tokens += more;
        }
    }
    if !strip(&current).is_empty() {
        close(&current, tokens);
    }
    made
}

/// The parts of a text between the white space after `.`, `!` or `?`.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let ends = text.match_indices(['.', '!', '?']).map(|(at, sign)| at + sign.len());
        let parted = ends.filter_map(|end| {
            let (head, tail) = text.split_at_checked(end)?;
            tail.starts_with(is_space).then(|| (head, tail.trim_start_matches(is_space)))
        });
        match parted.into_iter().next() {
            Some((head, tail)) => {
                rest = Some(tail);
                Some(head)
            }
            None => rest.take(),
        }
    })
}

/// The words at the end of a text that amount to the given number of tokens; at least one word.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a ratio of small numbers, as Python has it"
)]
fn last_words(text: &str, tokens: i64) -> String {
    let count = ((tokens as f64 / WORD_TOKENS) as i64).max(1) as usize;
    let all: Vec<&str> = words(text).collect();
    all.get(all.len().saturating_sub(count)..).unwrap_or_default().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_parted_by_the_white_space_behind_them() {
        let found: Vec<_> = sentences("A. B!  C?\nD 1.5 e. ").collect();
        assert_eq!(found, ["A.", "B!", "C?", "D 1.5 e.", ""]);
    }

    #[test]
    fn chunks_repeat_words_and_are_placed_by_what_was_written() {
        let found = chunks("One two three.  Four five six. Seven.", 4, 2);
        let shown: Vec<_> = found
            .iter()
            .map(|one| (one.text.as_str(), one.start, one.end, one.token_count))
            .collect();
        assert_eq!(
            shown,
            [
                ("One two three.", 0, 14, 4),
                ("three. Four five six.", 14, 35, 5),
                ("six. Seven.", 35, 46, 2),
            ]
        );
    }
}
