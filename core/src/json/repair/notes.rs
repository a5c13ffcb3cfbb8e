//! The repairs of one object, up to a limit.

use std::collections::VecDeque;

use crate::call::{Diagnostic, DiagnosticCode};

/// The most repairs of one call's arguments.
pub(super) const MOST_REPAIRS: usize = 64;

/// One repair.
#[derive(Clone, Copy, Debug)]
struct Note {
    code: DiagnosticCode,
    message: &'static str,
    offset: usize,
}

/// The repairs of the object that is read, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    made: VecDeque<Note>,
    /// The number of repairs that were made before this object.
    earlier: usize,
    /// Where the reader was when the repairs became too many.
    too_many_at: Option<usize>,
}

impl Notes {
    /// Adds a repair; the reader is at `pos`.
    pub(super) fn add(
        &mut self,
        code: DiagnosticCode,
        offset: usize,
        message: &'static str,
        pos: usize,
    ) {
        self.made.push_back(Note { code, message, offset });
        if self.made.len() > MOST_REPAIRS {
            self.too_many_at.get_or_insert(pos);
        }
    }

    /// The number of repairs, earlier ones included.
    pub(super) fn total(&self) -> usize {
        self.earlier + self.made.len()
    }

    /// Forgets the first repairs, so that `total` were made before this object.
    pub(super) fn begin_after(&mut self, total: usize) {
        let dropped = total.saturating_sub(self.earlier).min(self.made.len());
        self.made.drain(..dropped);
        self.earlier += dropped;
        if self.made.len() <= MOST_REPAIRS {
            self.too_many_at = None;
        }
    }

    pub(super) fn too_many_at(&self) -> Option<usize> {
        self.too_many_at
    }

    pub(super) fn diagnostics(&self) -> Vec<Diagnostic> {
        let diagnostic = |note: &Note| Diagnostic {
            code: note.code,
            message: note.message.to_owned(),
            offset: note.offset,
        };
        self.made.iter().map(diagnostic).collect()
    }
}
