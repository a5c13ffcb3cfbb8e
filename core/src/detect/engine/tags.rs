//! When the search has to look at HTML tags.
//!
//! A tag matters only if it may be a call, or if it hides one that may. So the tags of a whole text
//! are passed until a sign of such a call turns up. Then the text is read again, with its tags. To
//! make that possible, the rest of the text is searched for a sign before anything is recorded. A
//! stream cannot be read again, so its tags are read from the start.

use crate::call::Span;
use crate::detect::engine::config::Config;
use crate::detect::engine::starts::Kinds;
use crate::detect::engine::{Engine, Mode};

impl Engine {
    /// Passes the tags of a whole text for now.
    pub(super) fn pass_tags(&mut self) {
        let sign = self.config.element.as_ref().and_then(|element| element.sign.as_ref());
        if sign.is_some() {
            let wanted = &mut self.searching.wanted;
            *wanted = wanted.without(Kinds::TAG).and(Kinds::CLASS);
        }
    }

    /// Whether tags are passed as long as no sign turns up.
    fn passes_tags(&self) -> bool {
        self.searching.wanted.has(Kinds::CLASS)
    }

    /// Reads the text again, if a sign stands at `at`.
    pub(super) fn look_for_tags(&mut self, config: &Config, input: &[u8], at: usize) {
        let sign = config.element.as_ref().and_then(|element| element.sign.as_ref());
        self.searching.again |=
            self.passes_tags() && sign.is_some_and(|sign| sign.stands(input, at));
    }

    /// Reads the text again, if a sign stands in a part that the search passes.
    pub(super) fn look_for_tags_in(&mut self, part: Span, input: &[u8]) {
        let sign = self.config.element.as_ref().and_then(|element| element.sign.as_ref());
        self.searching.again |=
            self.passes_tags() && sign.is_some_and(|sign| sign.stands_in(part.of(input)));
    }

    /// Whether what is found next may be recorded: tags are read, or no sign stands in the text.
    pub(super) fn may_record(&mut self, input: &[u8]) -> bool {
        if self.passes_tags() && !self.searching.again {
            self.look_for_tags_in(Span::new(0, input.len()), input);
            let wanted = &mut self.searching.wanted;
            *wanted = wanted.without(Kinds::CLASS);
        }
        !self.searching.again
    }

    /// Searches a whole text; false when it has to be read again with its tags.
    pub(super) fn search_whole(&mut self, config: &Config, input: &[u8]) -> bool {
        while self.passes_tags() {
            let records = !matches!(self.mode, Mode::Search | Mode::Done);
            if records && !self.may_record(input) || self.searching.again {
                return false;
            }
            if self.step(config, input, true).is_err() {
                break;
            }
        }
        !self.searching.again
    }
}
