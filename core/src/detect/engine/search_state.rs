//! What the search has learned of the text so far.

use crate::call::Span;
use crate::detect::engine::config::Config;
use crate::detect::engine::noted_signs::NotedSigns;
use crate::detect::engine::starts::{Ahead, Kinds};
use crate::json::outcome::Tolerance;
use crate::json::repair::Repairer;
use crate::json::repair::kept::{KeptRepair, KeptRepairs};
use crate::json::scanner::ScanFault;
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
    pub(super) brackets: SoughtBrackets,
    /// The offsets at which no JSON call can start.
    pub(super) ruled_out: RuledOut,
    /// The repairers that go on at a bracket inside the object that they failed at.
    pub(super) kept_repairs: KeptRepairs,
    /// The brackets that are open in the JSON that is being passed.
    pub(super) open: Vec<usize>,
    pub(super) tags: TagsAhead,
    /// The offset from which on what stands in front of a sign may be passed; none unless the text
    /// is whole.
    pub(super) passes_from: Option<usize>,
    pub(super) signs: SignsAhead,
}

/// What is known of the signs of anything but text.
#[derive(Debug, Default)]
pub(super) struct SignsAhead {
    /// The next sign.
    pub(super) next: Known,
    /// The places before it at which a fence may stand, if they are known.
    pub(super) fences: Option<Vec<usize>>,
    /// The signs and the fences of more of the text, where they were looked for together.
    pub(super) noted: Option<Box<NotedSigns>>,
    /// How many signs in a row stood close together.
    pub(super) near: u32,
}

/// What is known of tags in the text so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TagsAhead {
    /// Whether the text is whole and no tag was met in it.
    pub(super) may_pass: bool,
    /// A part of the text in which no tag begins.
    pub(super) none_in: Span,
}

/// How far the text was searched for the closing bracket of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct SoughtBrackets {
    /// The object that closes only behind the next key of arguments; `usize::MAX` if there is none.
    pub(super) unclosed: usize,
    /// The end of the search. An object that starts before it is read as JSON, since another search
    /// would pass over the same text again.
    pub(super) end: usize,
}

/// What is known of the repair of the JSON at a bracket.
#[derive(Debug)]
pub(super) enum RepairHere {
    /// No call starts here.
    Fails,
    /// The repairer of an object around this one goes on.
    GoesOn(KeptRepair),
    IsNew,
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
            brackets: SoughtBrackets { unclosed: usize::MAX, end: 0 },
            ruled_out: RuledOut::default(),
            kept_repairs: KeptRepairs::default(),
            open: Vec::new(),
            tags: TagsAhead::default(),
            passes_from: None,
            signs: SignsAhead::default(),
        }
    }

    /// Lets the search look at what is to come.
    pub(super) fn text_is_whole(&mut self) {
        self.tags.may_pass = true;
        self.passes_from = Some(0);
    }

    /// Takes code for text.
    pub(super) fn pass_code(&mut self) {
        self.wanted = self.wanted.without(Kinds::CODE);
    }

    /// What is known of the repair of the JSON at a bracket; `behind` is the next solid byte behind
    /// the first bracket of an object, if it is near.
    pub(super) fn repair_at(
        &mut self,
        at: usize,
        behind: Option<u8>,
        tolerance: Tolerance,
        input: &[u8],
    ) -> RepairHere {
        let is_faulty = behind.is_some_and(|byte| !b"\"}".contains(&byte));
        if input.get(at) == Some(&b'[') {
            // The elements of an array are repaired one by one.
            let fails = is_faulty || self.kept_repairs.has_fault_behind(at);
            return if fails { RepairHere::Fails } else { RepairHere::IsNew };
        }
        let new = || KeptRepair {
            repairer: Box::new(Repairer::new(at, tolerance, b"")),
            fault: ScanFault::Syntax(at + 1, "a key is no string"),
        };
        let kept = self.kept_repairs.take(at);
        let Some(mut kept) = kept.or_else(|| is_faulty.then(new)) else { return RepairHere::IsNew };
        // Between the bracket and the fault, there is nothing to learn of the object.
        if (is_faulty || kept.fault.at() > at) && matches!(kept.repairer.step(input), Ok(Err(_))) {
            self.kept_repairs.note_failed(kept, &mut self.ruled_out);
            return RepairHere::Fails;
        }
        RepairHere::GoesOn(kept)
    }
}
