//! The framing tokens that may stand inside reasoning, found by what they begin with.

use crate::detect::format::marker::Marker;
use crate::progress::{NeedMore, Progress};

/// Framing tokens in angle brackets.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrameTokens {
    tokens: Vec<Marker>,
    /// For each byte, the indices of the tokens that may stand where it follows the bracket.
    behind: Vec<Vec<usize>>,
}

impl FrameTokens {
    /// Takes the markers that begin with an angle bracket.
    pub(super) fn new(markers: impl Iterator<Item = Marker>) -> Self {
        let tokens: Vec<_> = markers.filter(|marker| marker.lead().starts_with(b"<")).collect();
        let mut behind = vec![Vec::new(); 256];
        for (index, token) in tokens.iter().enumerate() {
            for (byte, indices) in behind.iter_mut().enumerate() {
                if token.lead().get(1).is_none_or(|second| usize::from(*second) == byte) {
                    indices.push(index);
                }
            }
        }
        Self { tokens, behind }
    }

    /// The tokens.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Marker> {
        self.tokens.iter()
    }

    /// The places before `end` where a token may begin.
    pub(crate) fn places(text: &[u8], end: usize) -> impl Iterator<Item = usize> {
        memchr::memchr_iter(b'<', text.get(..end).unwrap_or(text))
    }

    /// The length of the longest token at the start of `rest`.
    pub(crate) fn longest(&self, rest: &[u8], finished: bool) -> Progress<Option<usize>> {
        let Some(second) = rest.get(1) else {
            return if finished || self.tokens.is_empty() { Ok(None) } else { Err(NeedMore) };
        };
        let mut longest = None;
        for index in self.behind.get(usize::from(*second)).into_iter().flatten() {
            if let Some(token) = self.tokens.get(*index) {
                longest = longest.max(token.at(rest, b"", finished)?);
            }
        }
        Ok(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_token_is_found_and_a_cut_one_waits() {
        let written = ["<|end|>", "<|end|>{space}<|start|>", "<｜User｜>", "assistant:"];
        let tokens = FrameTokens::new(written.iter().map(|token| Marker::parse(token).unwrap()));
        assert_eq!(tokens.iter().count(), 3);
        assert_eq!(tokens.longest(b"<|end|> <|start|>", true), Ok(Some(17)));
        assert_eq!(tokens.longest(b"<|end|> x", true), Ok(Some(7)));
        assert_eq!(tokens.longest(b"<b>", false), Ok(None));
        for cut in [&b"<"[..], b"<|en", b"<|end|> <|"] {
            assert_eq!(tokens.longest(cut, false), Err(NeedMore));
        }
        assert_eq!(tokens.longest(b"<", true), Ok(None));
        assert_eq!(tokens.longest(b"<|end|> <|", true), Ok(Some(7)));
        assert_eq!(FrameTokens::default().longest(b"<", false), Ok(None));
    }
}
