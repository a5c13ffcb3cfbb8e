//! Reasoning whose calls count. It is searched like text, but for one thing: no code in it reaches
//! beyond its end. Else a code block that the model never closes would hide every call behind the
//! reasoning.

use crate::detect::engine::Engine;
use crate::detect::engine::config::Config;

impl Engine {
    /// The text that code may reach over which begins at `start`, and whether that text is whole:
    /// all of it, but in reasoning whose calls count that up to the end of the reasoning.
    pub(super) fn code_text<'i>(
        &mut self,
        config: &Config,
        start: usize,
        input: &'i [u8],
        finished: bool,
    ) -> (&'i [u8], bool) {
        let Some(thought) = &mut self.code.thought else { return (input, finished) };
        let Some(style) = config.message.reasoning.get(thought.style()) else {
            return (input, finished);
        };
        let ends = thought.find_end(style, start, input, finished);
        let known = thought.known(input);
        if finished && !ends { (input, true) } else { (known, ends) }
    }

    /// The text that is certainly not behind the reasoning that is searched.
    pub(super) fn known_code<'i>(&self, input: &'i [u8]) -> &'i [u8] {
        self.code.thought.as_ref().map_or(input, |thought| thought.known(input))
    }

    /// Whether the reasoning that is searched ends at this offset.
    pub(super) fn ends_thought_at(&self, end: usize) -> bool {
        self.code.thought.as_ref().is_some_and(|thought| thought.ends_at(end))
    }

    /// Ends the text in reasoning that was searched and that nothing closes.
    pub(super) fn end_in_thought(&mut self, input: &[u8]) {
        if self.recorder.in_reasoning() {
            self.recorder.findings.reasoning_open = true;
            self.recorder.close_reasoning(input.len(), input);
        }
    }
}
