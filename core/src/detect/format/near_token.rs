//! Special tokens that are damaged: a bar is doubled, missing or another character, a letter is
//! missing, blanks stand inside. Tags that name calls, written with capitals or blanks.
//!
//! A token with bars is no prose, and neither is a tag such as `<Tool_Call >`. So one that is not
//! known, and that differs from a known one by that little, is taken for it.

use crate::detect::format::marker::Marker;
use crate::detect::format::near_letters::{edits, is_end};
use crate::detect::format::text_token::{LONGEST, TextToken};
use crate::progress::{NeedMore, Progress};

/// The fewest letters of a tag without bars that may be written in another way.
const FEWEST_OF_TAG: usize = 8;
/// What stands behind the bracket of a token, where it is no letter.
const OTHER_BEGINNINGS: [[u8; 2]; 8] =
    [*b"/|", *b"/\xC2", *b"/\xE2", *b"/\xEF", *b" |", *b" \xC2", *b" \xE2", *b" \xEF"];
/// The bytes with which a bar begins, right behind the bracket of a token.
pub(crate) const BAR_BEGINNINGS: [u8; 4] = [b'|', 0xC2, 0xE2, 0xEF];
/// The number of letters by which it is seen whether a word may be a token.
const START: usize = 4;
/// The same with what may stand between them.
const START_WITH_GAPS: usize = 6;

/// A token with which a marker begins.
#[derive(Clone, Debug)]
struct KnownToken {
    /// The index of the marker.
    marker: usize,
    /// Its letters and digits, in small letters.
    letters: Box<[u8]>,
    closes: bool,
    /// Whether bars stand in it.
    has_bar: bool,
    /// The rest of the marker, from the end of the token on; `None` where the token has no end.
    rest: Option<Marker>,
}

/// The tokens that are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct NearTokens {
    known: Vec<KnownToken>,
    /// The first letters of those that open something, as numbers, in order.
    starts: Vec<u32>,
}

/// What a damaged token is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Near {
    /// No token that is known.
    None,
    /// One of several tokens; it has this length.
    Ambiguous(usize),
    /// These markers, each with its length.
    Markers(Vec<(usize, usize)>),
}

impl NearTokens {
    /// Takes the markers that begin with a token.
    pub(crate) fn new<'m>(markers: impl Iterator<Item = (usize, &'m Marker)>) -> Self {
        let known = markers.filter_map(|(marker, written)| {
            let text = without_holes(written.written());
            let token = TextToken::read(text.as_bytes(), true).ok()??;
            let is_whole = token.ends || token.length == text.len();
            let is_tag =
                token.ends && token.letters.len() >= FEWEST_OF_TAG && written.names_calls();
            if !token.has_bar && !is_tag || !is_whole || token.letters.len() < 2 {
                return None;
            }
            let at = token.ends.then(|| written.written().find('>')).flatten();
            let rest = at.and_then(|at| Marker::parse(written.written().get(at..)?).ok());
            let TextToken { closes, has_bar, .. } = token;
            let letters = token.letters.into();
            (token.ends == rest.is_some()).then_some(KnownToken {
                marker,
                letters,
                closes,
                has_bar,
                rest,
            })
        });
        let known: Vec<_> = known.collect();
        let opening = known.iter().filter(|token| !token.closes);
        let mut starts: Vec<_> =
            opening.filter_map(|token| start(&token.letters)).map(u32::from_be_bytes).collect();
        starts.sort_unstable();
        starts.dedup();
        Self { known, starts }
    }

    /// What stands behind the bracket of a token that may be damaged: one byte, or two of them.
    pub(crate) fn beginnings(&self) -> Vec<[u8; 2]> {
        let mut all = OTHER_BEGINNINGS.to_vec();
        let cases = |letter: u8| [letter, letter.to_ascii_uppercase()];
        for [first, second, ..] in self.starts.iter().map(|start| start.to_be_bytes()) {
            all.extend(cases(first).iter().flat_map(|one| cases(second).map(|two| [*one, two])));
        }
        for tag in self.known.iter().filter(|known| !known.has_bar && !known.closes) {
            let first = tag.letters.first().copied().into_iter();
            all.extend(first.flat_map(cases).map(|letter| [b' ', letter]));
        }
        all
    }

    /// The first letters of those that open something.
    pub(crate) fn starts(&self) -> impl Iterator<Item = [u8; START]> {
        self.starts.iter().map(|start| start.to_be_bytes())
    }

    /// The letters of the tags without bars that may be written in another way.
    pub(crate) fn tags(&self) -> impl Iterator<Item = &str> {
        let tags = self.known.iter().filter(|known| !known.has_bar);
        tags.filter_map(|known| str::from_utf8(&known.letters).ok())
    }

    /// Whether the word at `at` begins as a token does, as far as it is known.
    fn begins_word(&self, input: &[u8], at: usize) -> bool {
        let word = input.get(at..).unwrap_or_default();
        // Most words of prose and HTML are told from tokens by their first letters alone.
        if let Some(first) = word.first_chunk::<START>() {
            if first.iter().all(u8::is_ascii_alphabetic) {
                return self.starts_with(first.map(|letter| letter.to_ascii_lowercase()));
            }
            if !first.iter().all(|byte| is_letter_or_gap(*byte)) {
                return false;
            }
        }
        match start(word) {
            Some(start) => self.starts_with(start),
            None => word.iter().take(START_WITH_GAPS).all(|byte| is_letter_or_gap(*byte)),
        }
    }

    /// Whether a token begins with these letters.
    fn starts_with(&self, letters: [u8; START]) -> bool {
        self.starts.binary_search(&u32::from_be_bytes(letters)).is_ok()
    }

    /// Whether a token may begin at this `<`, as far as the next bytes tell.
    #[inline]
    pub(crate) fn may_begin(&self, input: &[u8], at: usize) -> bool {
        let bar = |at: usize| input.get(at).is_none_or(|byte| BAR_BEGINNINGS.contains(byte));
        !self.known.is_empty()
            && input.get(at) == Some(&b'<')
            && match input.get(at + 1) {
                Some(b'/') => bar(at + 2),
                Some(b' ') => bar(at + 2) || self.begins_word(input, at + 2),
                _ => bar(at + 1) || self.begins_word(input, at + 1),
            }
    }

    /// Whether the text may begin with the rest of a token that is open in front of it.
    pub(crate) fn may_end(&self, text: &[u8]) -> bool {
        let rest = [b"<", text.get(..LONGEST).unwrap_or(text)].concat();
        let Ok(Some(token)) = TextToken::read(&rest, true) else { return false };
        if !token.has_bar && !token.ends {
            return false;
        }
        let behind_bar = token.blanks.iter().map(|(_, letters)| *letters).filter(|_| token.has_bar);
        let mut parts = behind_bar
            .chain([token.letters.len()])
            .filter_map(|length| token.letters.get(..length));
        parts.any(|letters| self.known.iter().any(|known| is_end(letters, &known.letters)))
    }

    /// Whether the text ends inside a token.
    pub(crate) fn has_begun(&self, text: &[u8]) -> bool {
        let near = text.get(text.len().saturating_sub(LONGEST)..).unwrap_or(text);
        let Some(at) = memchr::memrchr(b'<', near) else { return false };
        let rest = near.get(at..).unwrap_or_default();
        let Ok(Some(token)) = TextToken::read(rest, true) else { return rest.len() == 1 };
        let letters: Vec<u8> = token.letters.iter().rev().copied().collect();
        let reversed = |known: &KnownToken| known.letters.iter().rev().copied().collect::<Vec<_>>();
        let is_cut = !token.ends && token.read == rest.len();
        is_cut && self.known.iter().any(|known| is_end(&letters, &reversed(known)))
    }

    /// The length of the end tag of this marker at the start of `rest`, written in another way.
    pub(crate) fn end_tag(marker: &Marker, rest: &[u8], finished: bool) -> Progress<Option<usize>> {
        let written = TextToken::read(marker.written().as_bytes(), true);
        let Ok(Some(known)) = written.map(|known| known.filter(|it| it.closes && it.ends)) else {
            return Ok(None);
        };
        if rest.first().is_some_and(|byte| *byte != b'<') {
            return Ok(None);
        }
        let Some(token) = TextToken::read(rest, finished)? else { return Ok(None) };
        let is_same = token.closes && token.ends && token.letters == known.letters;
        Ok(is_same.then_some(token.length + 1))
    }

    /// What the token at `at` is.
    pub(crate) fn at(&self, input: &[u8], at: usize, finished: bool) -> Progress<Near> {
        if !self.may_begin(input, at) {
            return Ok(Near::None);
        }
        let rest = input.get(at..).unwrap_or_default();
        let Some(token) = TextToken::read(rest, finished)? else { return Ok(Near::None) };
        if !token.has_bar && !token.ends {
            return Ok(Near::None);
        }
        let (mut found, mut cut) = (Vec::new(), false);
        let alike =
            |known: &&KnownToken| known.closes == token.closes && (known.has_bar || !token.has_bar);
        for known in self.known.iter().filter(alike) {
            let Some((edits, length)) = token.distance(known) else { continue };
            let end = match &known.rest {
                Some(tail) if token.ends => {
                    match tail.at(rest.get(length..).unwrap_or_default(), b"", finished) {
                        Ok(Some(more)) => length + more,
                        Ok(None) => continue,
                        Err(NeedMore) => {
                            cut = true;
                            continue;
                        }
                    }
                }
                Some(tail) if tail.written() != ">" => continue,
                _ => length,
            };
            found.push((edits, &*known.letters, known.marker, end));
        }
        if cut {
            return Err(NeedMore);
        }
        let Some(least) = found.iter().map(|(edits, ..)| *edits).min() else {
            return Ok(Near::None);
        };
        found.retain(|(edits, ..)| *edits == least);
        let first = found.first().map(|(_, letters, ..)| *letters);
        if found.iter().any(|(_, letters, ..)| Some(*letters) != first) {
            return Ok(Near::Ambiguous(token.length + usize::from(token.ends)));
        }
        let markers = found.into_iter().map(|(_, _, marker, end)| (marker, end));
        Ok(Near::Markers(markers.collect()))
    }
}

impl TextToken {
    /// The number of edits that make this token the known one, if they are few, and the length of
    /// the token, without its end.
    fn distance(&self, known: &KnownToken) -> Option<(usize, usize)> {
        if !self.has_bar {
            // A tag without bars may be a word of HTML, so its letters are those of the known one.
            let is_same = !known.has_bar && *self.letters == *known.letters;
            return is_same.then_some((0, self.length));
        }
        if known.rest.is_some() {
            return Some((edits(&self.letters, &known.letters)?, self.length));
        }
        // Attributes stand behind a blank.
        let whole = (self.length, self.letters.len());
        let parts = self.blanks.iter().copied().chain((!self.ends).then_some(whole));
        let near = parts.filter_map(|(length, letters)| {
            let letters = self.letters.get(..letters)?;
            Some((edits(letters, &known.letters)?, length))
        });
        near.min()
    }
}

/// The first letters of a word, in small letters, if there are enough of them near its beginning.
pub(crate) fn start(word: &[u8]) -> Option<[u8; START]> {
    let (mut start, mut count) = (0_u32, 0);
    for byte in word.iter().take(START_WITH_GAPS).filter(|byte| !is_gap(**byte)) {
        if !byte.is_ascii_alphabetic() {
            return None;
        }
        start = start << u8::BITS | u32::from(byte.to_ascii_lowercase());
        count += 1;
        if count == START {
            return Some(start.to_be_bytes());
        }
    }
    None
}

/// Whether the byte may stand between the letters of a word.
pub(crate) fn is_gap(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b' ')
}

fn is_letter_or_gap(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || is_gap(byte)
}

/// A marker's text without its placeholders.
fn without_holes(written: &str) -> String {
    let mut text = String::new();
    for part in written.split('{') {
        match part.split_once('}') {
            Some((_, after)) => text.push_str(after),
            None => text.push_str(part),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(text: &str) -> Progress<Near> {
        let written = [
            "<|im_end|>",
            "<|im_start|>assistant",
            "<｜DSML｜{space}invoke",
            "<｜tool▁calls▁begin｜>",
        ];
        let markers: Vec<_> = written.iter().map(|one| Marker::parse(one).unwrap()).collect();
        NearTokens::new(markers.iter().enumerate()).at(text.as_bytes(), 0, true)
    }

    #[test]
    fn a_token_with_little_damage_is_the_known_one() {
        for (text, marker, length) in [
            ("<||im_end||>", 0, 12),
            ("<| im_end |> x", 0, 12),
            ("<|im_end>", 0, 9),
            ("<|im_end|\n", 0, 9),
            ("<|imend|>", 0, 9),
            ("<｜im_end｜>", 0, 14),
            ("<|Im_Start|>assistant", 1, 21),
            ("<｜｜DSML｜｜invoke name=\"f\">", 2, 23),
            ("<|DSML|invoke name=\"f\">", 2, 13),
            ("<|tool_calls_begin|>", 3, 20),
        ] {
            assert_eq!(near(text), Ok(Near::Markers(vec![(marker, length)])), "{text}");
        }
    }

    #[test]
    fn what_is_no_token_is_none() {
        for text in [
            "<|",
            "a",
            "<b>",
            "<| x y",
            "<|im_start|>user",
            "<im_end>",
            "<|>",
            "<|x|>",
            "<|im_ed|>",
        ] {
            assert_eq!(near(text), Ok(Near::None), "{text}");
        }
    }
}
