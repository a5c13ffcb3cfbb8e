//! What the search need not look at, because nothing that it could be part of stands in the text.
//!
//! A tag matters only if it may be a call, or if it hides one that may; JSON only if it has a key
//! of arguments; code only if it hides a call. So at the first of these in a whole text, the rest
//! of the text is searched for the signs of calls, reasoning and frames: the class of elements that
//! are calls, the keys of arguments, and markers. Without any, the rest is text. Where there are
//! some, tags are text all the same if no element can be a call. The rest of a stream is not known,
//! so a stream reads all of it.

use crate::detect::engine::Engine;
use crate::detect::engine::config::Config;
use crate::detect::engine::starts::Kinds;

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

    /// Whether this is a whole text that holds no sign of anything but text.
    ///
    /// It is asked once: where there is one call, there are often more.
    #[inline]
    pub(super) fn is_quiet(&mut self, config: &Config, input: &[u8]) -> bool {
        std::mem::take(&mut self.searching.may_be_quiet) && self.lacks_signs(config, input)
    }

    #[inline(never)]
    fn lacks_signs(&self, config: &Config, input: &[u8]) -> bool {
        let stands = |at| config.markers.may_stand(input, at);
        let signs = config.starts.signs.as_ref();
        signs.is_some_and(|signs| !signs.stand_in(input, self.pos, stands))
            // Whether the beginning of a token at the end is shown depends on the code before it.
            && config.markers.cut_token(input, true) == 0
    }
}
