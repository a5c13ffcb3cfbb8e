//! What the search need not look at, because nothing that it could be part of stands in the text.
//!
//! A tag matters only if it may be a call, or if it hides one that may; JSON only if it has a key
//! of arguments; code only if it hides a call. So at the first of these in a whole text, the rest
//! of the text is searched for the signs of calls, reasoning and frames: the class of elements that
//! are calls, the keys of arguments, and markers. Without any, the rest is text. The rest of a
//! stream is not known, so a stream reads all of it.

use crate::detect::engine::Engine;
use crate::detect::engine::config::Config;
use crate::detect::engine::starts::Kinds;
use crate::json::outcome::Repair;

impl Engine {
    /// Takes tags for text, if this is a whole text whose rest holds no sign of an element that is
    /// a call.
    pub(super) fn pass_tags(&mut self, config: &Config, input: &[u8]) -> bool {
        if !std::mem::take(&mut self.searching.may_pass_tags) {
            return false;
        }
        let rest = input.get(self.pos..).unwrap_or_default();
        let passes = !config.may_hold_element(rest);
        if passes {
            self.searching.wanted = self.searching.wanted.without(Kinds::TAG);
        }
        passes
    }

    /// Whether this is a whole text whose rest holds no sign of anything but text.
    #[inline]
    pub(super) fn is_quiet(&mut self, config: &Config, input: &[u8]) -> bool {
        if self.pos < self.searching.sign {
            return false;
        }
        self.searching.sign = self.next_sign(config, input);
        self.searching.sign == input.len()
    }

    /// The place of a sign before which none stands; the end of the text when there is none, and
    /// more than that where no search for signs helps.
    #[inline(never)]
    fn next_sign(&mut self, config: &Config, input: &[u8]) -> usize {
        const NO_HELP: usize = usize::MAX;
        let may_be_element = self.searching.wanted.has(Kinds::TAG);
        if may_be_element && !self.pass_tags(config, input) {
            return NO_HELP;
        }
        if let Some(json) = &config.json {
            if json.tolerance.repair != Repair::Off {
                return NO_HELP;
            }
            let key = self.next_key(json, input);
            if key < input.len() {
                return key;
            }
        }
        let stands = |at| config.markers.may_stand(input, at);
        match config.starts.find_marker(input, self.pos, stands) {
            Some(at) => at,
            // Whether the beginning of a token at the end is shown depends on the code before it.
            None if config.markers.cut_token(input, true) > 0 => NO_HELP,
            None => input.len(),
        }
    }
}
