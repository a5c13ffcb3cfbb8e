//! A token as a text has it, whole or damaged.

use crate::progress::{NeedMore, Progress};

/// The longest token, in bytes.
pub(crate) const LONGEST: usize = 64;
/// What stands for a bar.
const BARS: [&str; 7] = ["|", "｜", "¦", "│", "∣", "❘", "‖"];
/// What stands between the words of a token.
const GAPS: [&str; 4] = ["_", " ", "▁", "-"];

/// A token of the text.
#[derive(Debug, Default)]
pub(crate) struct TextToken {
    pub(crate) letters: Vec<u8>,
    pub(crate) closes: bool,
    pub(crate) has_bar: bool,
    /// Its length, without the `>`.
    pub(crate) length: usize,
    pub(crate) ends: bool,
    /// How much of the text was read.
    pub(crate) read: usize,
    /// Where blanks stand in it, with the number of letters in front of them.
    pub(crate) blanks: Vec<(usize, usize)>,
}

impl TextToken {
    /// Reads the token at the start of `rest`, up to its `>` or the first byte that no token holds.
    pub(crate) fn read(rest: &[u8], finished: bool) -> Progress<Option<Self>> {
        let mut token = Self::default();
        let mut pos = 1;
        if rest.get(1) == Some(&b'/') {
            (token.closes, pos) = (true, 2);
        }
        let (mut bar_ends, mut text_ends) = (false, false);
        while pos < LONGEST {
            let here = rest.get(pos..).unwrap_or_default();
            text_ends = here.is_empty();
            if text_ends && !finished {
                return Err(NeedMore);
            }
            let part = |parts: &'static [&str]| {
                parts.iter().find(|part| here.starts_with(part.as_bytes())).map(|part| part.len())
            };
            if let Some(length) = part(&BARS) {
                (token.has_bar, bar_ends) = (true, true);
                pos += length;
                token.length = pos;
            } else if let Some(length) = part(&GAPS) {
                token.blanks.push((pos, token.letters.len()));
                pos += length;
            } else if here.first() == Some(&b'>') {
                (token.ends, token.length) = (true, pos);
                return Ok(Some(token));
            } else if let Some(byte) = here.first().filter(|byte| byte.is_ascii_alphanumeric()) {
                token.letters.push(byte.to_ascii_lowercase());
                bar_ends = false;
                pos += 1;
                token.length = pos;
            } else if here.first().is_some_and(|byte| !byte.is_ascii())
                && here.len() < 3
                && !finished
            {
                return Err(NeedMore);
            } else {
                break;
            }
        }
        token.read = pos;
        // Without its end, a token ends with a bar or the text, or is followed by attributes.
        Ok((bar_ends || text_ends || !token.blanks.is_empty()).then_some(token))
    }
}
