//! The verdict on JSON that is no call: prose, a refusal, or an attempt to repair it.

use crate::call::{RejectionCode, Span};
use crate::detect::body::json::{JsonReader, JsonSyntax};
use crate::detect::candidate::{Found, Refusal, Verdict};
use crate::json::outcome::{ArgumentsProgress, BadArguments, Repair, Tolerance};
use crate::json::repair::Repairer;
use crate::json::repair::kept::{KeptRepair, KeptRepairs};
use crate::json::scanner::ScanFault;
use crate::json::text::decode;
use crate::progress::{NeedMore, Progress};
use crate::ruled_out::RuledOut;

impl JsonReader {
    /// The verdict on an object that lacks a part of a call: a refusal between markers, else prose.
    pub(super) fn lacks(
        &self,
        span: Span,
        code: RejectionCode,
        message: &'static str,
    ) -> Option<Found> {
        self.is_marked()
            .then(|| Found::Refused(Refusal::new(self.syntax.slug, code, span, message)))
    }

    pub(super) fn is_marked(&self) -> bool {
        self.syntax.end_marker.is_some()
    }

    /// Ties a refusal in prose to its name: it counts only if a tool has this name.
    pub(super) fn claim(&self, refusal: Refusal, name: Vec<u8>) -> Refusal {
        if self.is_marked() { refusal } else { refusal.claiming(name) }
    }

    pub(super) fn looks_like_a_call(&self) -> bool {
        self.object.members().any(|members| members.looks_like_a_call(&self.syntax.keys))
    }

    pub(super) fn prose(&self) -> Verdict {
        Verdict::Prose { resume: self.start + 1 }
    }

    /// The verdict on an array that holds something other than objects.
    pub(super) fn of_something_else(&self) -> Verdict {
        if !self.is_marked() {
            return self.prose();
        }
        let span = Span::new(self.start, self.scanner.pos());
        let message = "the array holds something other than calls";
        let refusal = Refusal::new(self.syntax.slug, RejectionCode::NotAnObject, span, message);
        Verdict::Refused { refusal, resume: self.start + 1 }
    }

    /// Whether a fault is a reason to try a repair. The elements of an array are repaired one by
    /// one.
    pub(super) fn may_repair(&self) -> bool {
        self.syntax.tolerance.repair == Repair::Safe && !self.array
    }

    pub(super) fn start_repair(&mut self, fault: ScanFault) {
        let end_marker = self.syntax.end_marker.as_deref().unwrap_or_default();
        let new = || Box::new(Repairer::new(self.start, self.syntax.tolerance, end_marker));
        let repairer = self.next_repairer.take().unwrap_or_else(new);
        self.repair = Some(KeptRepair { repairer, fault });
    }

    /// Hands on what a reader in prose that failed has learned of the brackets inside.
    pub(crate) fn hand_failure_to(&mut self, ruled_out: &mut RuledOut, kept: &mut KeptRepairs) {
        match self.repair.take() {
            Some(failed) => kept.note_failed(failed, ruled_out),
            // The elements of an array may still be repaired.
            None if self.array && self.syntax.tolerance.repair == Repair::Safe => {}
            None => ruled_out.mark(self.open_brackets()),
        }
    }

    /// Reads the repaired object as if the model had written it so.
    pub(super) fn settle_repair(
        &self,
        repaired: ArgumentsProgress,
        fault: ScanFault,
        input: &[u8],
        finished: bool,
    ) -> Progress<Verdict> {
        let read = match repaired {
            Ok(Ok(read)) => read,
            Err(NeedMore) if !finished => return Err(NeedMore),
            Ok(Err(_)) | Err(NeedMore) => return Ok(self.fault(fault, input)),
        };
        let (json, span) = (read.json(input), read.span);
        let tolerance = Tolerance { repair: Repair::Off, ..self.syntax.tolerance };
        let mut reader = Self::new(self.syntax.slug, &self.syntax.keys, 0, tolerance);
        reader.syntax.end_marker.clone_from(&self.syntax.end_marker);
        Ok(match reader.step(json.as_bytes(), true) {
            Ok(Verdict::Calls { mut calls, .. }) => {
                for found in &mut calls {
                    found.place(&json, span, &read.notes);
                }
                Verdict::Calls { calls, end: span.end }
            }
            Ok(Verdict::Refused { mut refusal, .. }) => {
                refusal.span = span;
                Verdict::Refused { refusal, resume: span.end }
            }
            _ => Verdict::Prose { resume: span.end },
        })
    }

    pub(super) fn refusal(&self, bad: BadArguments, input: &[u8]) -> Refusal {
        let JsonSyntax { slug, keys, .. } = &self.syntax;
        let name = self.object.members().find_map(|members| members.name(keys));
        let name = name.map(|name| decode(input, name).into_owned()).unwrap_or_default();
        let format = self.object.members().find_map(|members| members.format(slug, keys));
        let format = format.unwrap_or(slug);
        self.claim(Refusal::from_arguments(format, self.object.start, bad), name)
    }

    pub(super) fn fault(&self, fault: ScanFault, input: &[u8]) -> Verdict {
        self.fail(BadArguments::from_fault(fault), input)
    }

    pub(super) fn cut_off(&self, input: &[u8]) -> Verdict {
        let code = RejectionCode::Incomplete;
        self.fail(BadArguments::new(code, input.len(), "the text ends inside the call"), input)
    }

    pub(super) fn fail(&self, bad: BadArguments, input: &[u8]) -> Verdict {
        // In an array the element is refused later, when it is read on its own.
        if !self.is_marked() && (self.array || !self.looks_like_a_call()) {
            return self.prose();
        }
        let bad = self.object.too_deep.map_or(bad, BadArguments::too_deep);
        Verdict::Refused { refusal: self.refusal(bad, input), resume: self.start + 1 }
    }

    pub(super) fn oversized(&self, limit: usize, input: &[u8]) -> Verdict {
        let looks = self.is_marked() || self.looks_like_a_call();
        Verdict::Oversized {
            refusal: looks.then(|| self.refusal(BadArguments::too_large(limit), input)),
        }
    }
}
