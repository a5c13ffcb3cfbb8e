//! Patterns of model names.
//!
//! A pattern is in lower case. `-` is a divider or nothing, a dot is a dot, a divider, `p` or
//! nothing, and `*` is any run. A divider before `*` must be there, so that `qwen-3-*` is not found
//! in `qwen3.5`. A pattern stands in a name as whole words: it does not begin or end within a word
//! or a number.

/// The most parts of a pattern: the bits of a state.
const MOST_PARTS: usize = 63;

/// A pattern of model names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    written: Box<str>,
    parts: Vec<PatternPart>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatternPart {
    Byte(u8),
    Dash,
    Dot,
    Run,
}

impl PatternPart {
    /// Whether it matches without taking a byte.
    fn is_optional(self) -> bool {
        !matches!(self, Self::Byte(_))
    }

    fn takes(self, byte: u8) -> bool {
        match self {
            Self::Byte(own) => own == byte,
            Self::Dash => byte == b'-',
            Self::Dot => matches!(byte, b'-' | b'.' | b'p'),
            Self::Run => true,
        }
    }
}

impl Pattern {
    /// Reads a pattern; the error says what is wrong with it.
    pub(super) fn parse(written: &str) -> Result<Self, String> {
        let lower = written.to_ascii_lowercase();
        let behind = lower.bytes().skip(1).map(Some).chain([None]);
        let parts: Vec<_> =
            lower.bytes().zip(behind).map(|(byte, next)| part(byte, next)).collect();
        if parts.len() > MOST_PARTS || !lower.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
            let shown = written.escape_debug();
            return Err(format!("the pattern \"{shown}\" must have 1 to {MOST_PARTS} characters"));
        }
        Ok(Self { written: lower.into(), parts })
    }

    /// The pattern as it is written, in lower case.
    pub(super) fn written(&self) -> &str {
        &self.written
    }

    /// How much the pattern says: the number of bytes that must stand in the name.
    pub(super) fn weight(&self) -> usize {
        self.parts.iter().filter(|part| matches!(part, PatternPart::Byte(_))).count()
    }

    /// Where the pattern ends that stands in a normalised name, beginning at this offset.
    ///
    /// Each byte of the name is looked at once; a state has one bit for each part of the pattern.
    pub(super) fn stands_at(&self, name: &[u8], start: usize) -> Option<usize> {
        let all = 1_u64 << self.parts.len();
        let mut state = self.skipped(1);
        for (at, byte) in name.iter().enumerate().skip(start) {
            if state & all != 0 && at > start && ends_at(name, at) {
                return Some(at);
            }
            let mut next = 0;
            for (index, part) in self.parts.iter().enumerate() {
                if state & (1 << index) != 0 && part.takes(*byte) {
                    next |= if *part == PatternPart::Run { 1 << index } else { 1 << (index + 1) };
                }
            }
            if next == 0 {
                return None;
            }
            state = self.skipped(next);
        }
        (state & all != 0).then_some(name.len())
    }

    /// Adds the states that are reached without a byte.
    fn skipped(&self, mut state: u64) -> u64 {
        for (index, part) in self.parts.iter().enumerate() {
            if part.is_optional() && state & (1 << index) != 0 {
                state |= 1 << (index + 1);
            }
        }
        state
    }
}

fn part(byte: u8, next: Option<u8>) -> PatternPart {
    match byte {
        b'-' if next == Some(b'*') => PatternPart::Byte(b'-'),
        b'-' | b'_' | b' ' | b':' => PatternPart::Dash,
        b'.' => PatternPart::Dot,
        b'*' => PatternPart::Run,
        byte => PatternPart::Byte(byte),
    }
}

/// A name as patterns see it: in lower case, its words divided by `-`.
pub(super) fn normalised(name: &str) -> Vec<u8> {
    let divided = |byte: u8| match byte {
        b'_' | b' ' | b':' => b'-',
        byte => byte.to_ascii_lowercase(),
    };
    name.bytes().map(divided).collect()
}

/// Whether a word may begin at this offset.
pub(super) fn begins_at(name: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| name.get(before));
    before.is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

/// Whether a word may end at this offset; `3` does not end within `3.5`.
fn ends_at(name: &[u8], at: usize) -> bool {
    let is_digit = |at: usize| name.get(at).is_some_and(u8::is_ascii_digit);
    match name.get(at) {
        None => true,
        Some(b'.') => !(is_digit(at.saturating_sub(1)) && is_digit(at + 1)),
        Some(byte) => !byte.is_ascii_alphanumeric(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands(pattern: &str, name: &str) -> bool {
        let name = normalised(name);
        let pattern = Pattern::parse(pattern).unwrap();
        (0..name.len()).any(|at| begins_at(&name, at) && pattern.stands_at(&name, at).is_some())
    }

    #[test]
    fn a_pattern_stands_as_whole_words() {
        for name in ["Qwen3-8B", "qwen3:8b", "x/qwen_3", "QWEN3", "my.qwen3.gguf"] {
            assert!(stands("qwen-3", name), "{name}");
        }
        for name in ["qwen3.5", "qwen30", "myqwen3", "qwen", ""] {
            assert!(!stands("qwen-3", name), "{name}");
        }
        for name in ["llama-3.1", "llama3-1", "llama-v3p1", "Llama_3.1"] {
            assert!(stands("llama-3.1", name) || stands("llama-v3.1", name), "{name}");
        }
        assert!(stands("qwen-3-*-thinking", "Qwen3-30B-A3B-Thinking-2507"));
        assert!(!stands("qwen-3-*-thinking", "Qwen3-30B-A3B"));
        assert!(!stands("qwen-3-*-thinking", "Qwen3.5-9B-Thinking"));
    }

    #[test]
    fn a_pattern_holds_a_letter_and_has_a_limit() {
        for wrong in ["", "*", "-.-", &"a".repeat(64)] {
            assert!(Pattern::parse(wrong).is_err(), "{wrong}");
        }
    }
}
