//! The repairs of one object, up to a limit.

use std::collections::VecDeque;

use crate::call::{Diagnostic, DiagnosticCode};
use crate::json::repair::MOST_REPAIRS;

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
    notes: VecDeque<Note>,
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
        self.notes.push_back(Note { code, message, offset });
        if self.notes.len() > MOST_REPAIRS {
            self.too_many_at.get_or_insert(pos);
        }
    }

    /// The number of repairs, earlier ones included.
    pub(super) fn total(&self) -> usize {
        self.earlier + self.notes.len()
    }

    /// Forgets the first repairs, so that `total` were made before this object.
    pub(super) fn begin_after(&mut self, total: usize) {
        let dropped = total.saturating_sub(self.earlier).min(self.notes.len());
        self.notes.drain(..dropped);
        self.earlier += dropped;
        if self.notes.len() <= MOST_REPAIRS {
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
        self.notes.iter().map(diagnostic).collect()
    }
}
