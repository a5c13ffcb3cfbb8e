//! Whether the search has to look at HTML tags.
//!
//! A tag matters only if it may be a call, or if it hides one that may. So at the first tag of a
//! whole text, the rest of the text is searched for a sign of such a call. Without one, tags are
//! text. The rest of a stream is not known, so a stream reads its tags.

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
}
