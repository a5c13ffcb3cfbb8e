//! Whether the markers of a call are only mentioned, in a sentence about them.

use crate::detect::body::call::CallReader;
use crate::detect::format::shape::{Marked, NamePlace};
use crate::detect::rule::accept::CallRules;

impl CallReader {
    /// Whether a call without parameters is only mentioned.
    pub(super) fn is_mentioned(&self, marked: &Marked, input: &[u8], rules: &CallRules) -> bool {
        if marked.call.is_tool_tag() {
            return !self.begins_line(input);
        }
        self.is_word_in_a_sentence(marked, input)
            && !(rules.tools.is_some() && rules.knows(&self.bare_name(input)))
    }

    /// Whether nothing but blanks stands in front of the call in its line, or another tag.
    pub(super) fn begins_line(&self, input: &[u8]) -> bool {
        let before = input.get(..self.start).unwrap_or_default();
        let solid = before.iter().rfind(|byte| !matches!(byte, b' ' | b'\t'));
        solid.is_none_or(|byte| matches!(byte, b'\n' | b'\r' | b'>'))
    }

    /// Whether spaces stand on both sides of the name, as in a sentence about the format's markers,
    /// though the format puts the name next to them.
    fn is_word_in_a_sentence(&self, marked: &Marked, input: &[u8]) -> bool {
        let is_space = |at: Option<usize>| {
            at.and_then(|at| input.get(at)).is_some_and(|byte| matches!(byte, b' ' | b'\t'))
        };
        marked.is_vague()
            && marked.call.name.place == NamePlace::Inline
            && is_space(self.name.start.checked_sub(1))
            && is_space(Some(self.name.end))
    }
}
