//! Where JSON ends, found by its brackets and quotes alone.

use std::ops::ControlFlow;

use crate::detect::engine::byte_search::{BLOCK, ByteSearch, Window};

/// Finds the bracket that closes JSON, many bytes at once. Nothing else of the JSON is checked.
#[derive(Clone, Debug)]
pub(crate) struct BracketSearch(ByteSearch);

/// Where the brackets of JSON are closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClosedBrackets {
    /// The byte after the last bracket.
    pub(crate) end: usize,
    /// Whether no string holds a bracket with which JSON may start.
    pub(crate) plain: bool,
}

/// What was read of the JSON so far.
#[derive(Debug, Default)]
struct Brackets {
    depth: usize,
    in_text: bool,
    /// The byte behind a backslash.
    escaped: Option<usize>,
    holds_start: bool,
}

impl Default for BracketSearch {
    fn default() -> Self {
        let mut search = ByteSearch::default();
        b"\"\\{}[]".iter().for_each(|byte| search.add(*byte));
        Self(search)
    }
}

impl BracketSearch {
    /// The end of the JSON that begins with the bracket at `start`; `None` when the text ends in
    /// it, or when it is surely no JSON. `may_start` tells brackets with which JSON may start.
    pub(crate) fn end(
        &self,
        text: &[u8],
        start: usize,
        may_start: impl Fn(usize) -> bool,
    ) -> Option<ClosedBrackets> {
        let mut brackets = Brackets::default();
        let (_, end) = self
            .0
            .find(text, start, |window| brackets.read(window, text, &may_start).break_value())?;
        let plain = !brackets.holds_start;
        end.map(|end| ClosedBrackets { end, plain })
    }
}

impl Brackets {
    /// Reads on in a window; breaks with the end once it is decided, or with `None` for no JSON.
    #[inline]
    fn read(
        &mut self,
        window: &Window,
        text: &[u8],
        may_start: impl Fn(usize) -> bool,
    ) -> ControlFlow<Option<usize>> {
        let mut from = window.start;
        for hits in window.hits {
            let mut hits = hits;
            while hits != 0 {
                let at = from + hits.trailing_zeros() as usize;
                hits &= hits - 1;
                let Some(byte) = text.get(at) else { return ControlFlow::Break(None) };
                match byte {
                    _ if self.escaped == Some(at) => {}
                    b'"' => self.in_text = !self.in_text,
                    b'\\' if self.in_text => self.escaped = Some(at + 1),
                    b'\\' => return ControlFlow::Break(None),
                    b'{' | b'[' if self.in_text => self.holds_start |= may_start(at),
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' if !self.in_text => {
                        self.depth -= 1;
                        if self.depth == 0 {
                            return ControlFlow::Break(Some(at + 1));
                        }
                    }
                    _ => {}
                }
            }
            from += BLOCK;
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str) -> Option<(usize, bool)> {
        let closed = BracketSearch::default().end(text.as_bytes(), 0, |_| true);
        closed.map(|closed| (closed.end, closed.plain))
    }

    #[test]
    fn the_end_is_behind_the_bracket_that_closes_the_first_one() {
        assert_eq!(end("{} {}"), Some((2, true)));
        assert_eq!(end("[{\"a\":[1]}] }"), Some((11, true)));
        assert_eq!(end("{\"\\\"}\\\\\"} }"), Some((9, true)));
        assert_eq!(end("{\"a\":\"{\"} "), Some((9, false)));
        for length in [50, 63, 64, 255, 256, 700] {
            let text = format!("{{\"{}\\\"}}\"}}]", "x".repeat(length));
            assert_eq!(end(&text), Some((length + 7, true)), "{length}");
        }
        for open in ["{", "{\"}", "{\"a\":[}", "{\\}", "{\"\\\"}"] {
            assert_eq!(end(open), None, "{open}");
        }
    }
}
