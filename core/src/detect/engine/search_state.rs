//! What the search has learned of the text so far.

use crate::detect::engine::config::Config;
use crate::detect::engine::starts::{Ahead, Kinds};
use crate::ruled_out::RuledOut;

/// What the search has learned of the text so far.
#[derive(Debug)]
pub(super) struct SearchState {
    /// What counts as a start.
    pub(super) wanted: Kinds,
    pub(super) ahead: Ahead,
    /// The search for the next start that is no JSON, and what it found last.
    pub(super) beyond_json: (Ahead, Known),
    /// The next key of arguments.
    pub(super) key: Known,
    /// The object that does not end before a key of arguments, and the offset before which no
    /// other one is passed by its brackets alone.
    pub(super) not_closed: (usize, usize),
    /// The offsets at which no JSON call can start.
    pub(super) ruled_out: RuledOut,
    /// The brackets that are open in the JSON that is being passed.
    pub(super) open: Vec<usize>,
    /// Whether the text is whole and no tag was met in it.
    pub(super) may_pass_tags: bool,
}

/// What a search has found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// The offset from which was searched.
    pub(super) from: usize,
    /// The place that was found; the end of the text when there is none.
    pub(super) at: usize,
    /// The length of the text at that time.
    pub(super) length: usize,
}

impl Known {
    /// The next place from `pos` on, if the search tells it.
    pub(super) fn next(self, pos: usize, input: &[u8]) -> Option<usize> {
        let holds = self.at < self.length || self.length == input.len();
        (holds && self.from <= pos && pos <= self.at).then_some(self.at)
    }
}

impl SearchState {
    pub(super) fn new(config: &Config) -> Self {
        let tags = if config.element.is_some() { Kinds::TAG } else { Kinds::NONE };
        Self {
            wanted: Kinds::MARKER.and(Kinds::JSON).and(Kinds::CODE).and(tags),
            ahead: Ahead::default(),
            beyond_json: (Ahead::default(), Known::default()),
            key: Known::default(),
            not_closed: (usize::MAX, 0),
            ruled_out: RuledOut::default(),
            open: Vec::new(),
            may_pass_tags: false,
        }
    }

    /// Takes code for text.
    pub(super) fn pass_code(&mut self) {
        self.wanted = self.wanted.without(Kinds::CODE);
    }
}
