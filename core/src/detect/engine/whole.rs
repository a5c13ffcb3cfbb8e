//! Calls that stand complete in the text, as most do.

use crate::call::Span;
use crate::detect::body::whole::WholeReader;
use crate::detect::candidate::Found;
use crate::detect::engine::config::Config;
use crate::detect::engine::sought_marker::FoundMarker;
use crate::detect::engine::{Engine, Moved};
use crate::detect::findings::Findings;
use crate::detect::format::shape::Syntax;
use crate::detect::spare;
use crate::progress::Progress;

impl Engine {
    /// Reads the call at a marker in one go; `None` if it is not complete, or is unusual.
    pub(super) fn whole_call(
        &mut self,
        opened: FoundMarker,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Option<Progress<Moved>> {
        let FoundMarker { index, start, length, wraps } = opened;
        let format = config.formats.get(index)?;
        let Syntax::Marked(marked) = &format.syntax else { return None };
        // The slow reader says first what is wrong with a call that is one too many.
        let is_full = self.recorder.findings.calls.len() >= config.limits.max_calls;
        if is_full || start < self.marking.not_whole {
            return None;
        }
        let Findings { calls, tape, .. } = &mut self.recorder.findings;
        spare::make_room(calls, tape);
        let tolerance = config.tolerance;
        let mut reader = WholeReader { input, finished, tolerance, tape, reached: 0 };
        let opening = Span::new(start, start + length);
        let Some(mut candidate) = reader.marked(format.slug, marked, opening, wraps) else {
            self.marking.not_whole = self.marking.not_whole.max(reader.reached);
            return None;
        };
        // A refusal names the place of the call in its wrapper, which is not known here.
        if wraps && config.rules.check(&candidate).is_err() {
            return None;
        }
        let end = candidate.span.end;
        self.closed(index, wraps, end);
        if self.hands_out_at_once() {
            self.add_call(&mut candidate, input);
            return Some(Ok(self.search_behind(end)));
        }
        Some(self.accept(vec![Found::Call(candidate)], end, end, input))
    }

    /// Whether a call that is read is handed out whatever follows it.
    fn hands_out_at_once(&self) -> bool {
        self.probe.is_none() && self.code.fence.is_none()
    }
}
