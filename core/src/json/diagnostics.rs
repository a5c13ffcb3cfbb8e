//! The diagnostics of one call's arguments, up to a limit.

use crate::call::{Diagnostic, DiagnosticCode};

/// The most diagnostics that are kept for one call; a hostile text may cause any number.
const MOST_DIAGNOSTICS: usize = 32;

/// Diagnostics, at most `MOST` of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Diagnostics<const MOST: usize = MOST_DIAGNOSTICS>(Vec<Diagnostic>);

impl<const MOST: usize> Diagnostics<MOST> {
    /// Adds a diagnostic, and returns whether there was room for it.
    pub(crate) fn add(
        &mut self,
        code: DiagnosticCode,
        offset: usize,
        message: impl Into<String>,
    ) -> bool {
        let has_room = self.0.len() < MOST;
        if has_room {
            self.0.push(Diagnostic { code, message: message.into(), offset });
        }
        has_room
    }

    /// Takes out the diagnostics, in the order in which they were added.
    pub(crate) fn take(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.0)
    }

    /// Takes out the diagnostics, by offset.
    pub(crate) fn take_sorted(&mut self) -> Vec<Diagnostic> {
        let mut all = self.take();
        all.sort_by_key(|diagnostic| diagnostic.offset);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_are_kept_than_there_is_room_for() {
        let mut diagnostics = Diagnostics::<2>::default();
        let added = [7, 3, 5].map(|offset| diagnostics.add(DiagnosticCode::Comment, offset, "x"));
        assert_eq!(added, [true, true, false]);
        let offsets: Vec<_> = diagnostics.take_sorted().iter().map(|each| each.offset).collect();
        assert_eq!(offsets, [3, 7]);
    }
}
