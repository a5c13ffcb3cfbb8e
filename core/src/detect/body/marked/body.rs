//! The calls between the markers: JSON, also in Python's notation, or with markers of their own.

use super::{MarkedOutcome, MarkedReader, MarkedStage};
use crate::call::{RejectionCode, Span};
use crate::detect::body::json::JsonReader;
use crate::detect::body::outcome::{CallOutcome, Context};
use crate::detect::candidate::{Found, Refusal, Verdict};
use crate::detect::format::shape::{Body, Marked};
use crate::json::outcome::Repair;
use crate::progress::{NeedMore, Progress};

impl MarkedReader {
    pub(super) fn json(
        &mut self,
        input: &[u8],
        found: &mut Vec<Found>,
        finished: bool,
    ) -> Progress<Option<MarkedOutcome>> {
        let MarkedStage::Json(reader) = &mut self.stage else { return Ok(None) };
        let verdict = reader.step(input, finished);
        reader.hand_found_to(found);
        let start = reader.start();
        match verdict? {
            Verdict::Calls { mut calls, end } => {
                found.append(&mut calls);
                self.reached(end);
            }
            // The object was read to its end and is no call; other calls may follow.
            Verdict::Refused { refusal, resume } if resume > start + 1 => {
                found.push(Found::Refused(refusal));
                self.reached(resume);
            }
            Verdict::Refused { refusal, .. } => {
                let mut brackets = vec![start];
                let fails_alone =
                    matches!(refusal.code, RejectionCode::BadJson | RejectionCode::Incomplete);
                if fails_alone && self.tolerance.repair == Repair::Off {
                    // On its own, an element of a list would fail at the same byte.
                    brackets.push(refusal.span.start.max(start));
                }
                brackets.extend_from_slice(reader.open_brackets());
                return Ok(Some(self.refused(refusal, brackets)));
            }
            Verdict::Oversized { refusal: Some(refusal) } => {
                return Ok(Some(self.refused(refusal, Vec::new())));
            }
            Verdict::Oversized { refusal: None } | Verdict::Prose { .. } => {
                return Ok(Some(MarkedOutcome::Prose));
            }
        }
        Ok(None)
    }

    /// Calls in Python's notation become JSON, which is then read.
    pub(super) fn literal(
        &mut self,
        marked: &Marked,
        input: &[u8],
        found: &mut Vec<Found>,
        finished: bool,
    ) -> Progress<Option<MarkedOutcome>> {
        let (MarkedStage::Literal(reader), Body::Json(keys)) = (&mut self.stage, &marked.body)
        else {
            return Ok(None);
        };
        let slug = self.format.slug;
        let read = match reader.step(input) {
            Ok(Ok(read)) => read,
            Ok(Err(bad)) => {
                let refusal = Refusal::from_arguments(slug, self.pos, bad);
                return Ok(Some(self.refused(refusal, Vec::new())));
            }
            Err(NeedMore) if finished => {
                let refusal = Refusal::incomplete(slug, Span::new(self.pos, input.len()));
                return Ok(Some(self.refused(refusal, Vec::new())));
            }
            Err(NeedMore) => return Err(NeedMore),
        };
        let (json, ends) = (read.json(input), reader.take_element_ends());
        let mut reader = JsonReader::marked(slug, keys, 0, self.tolerance, b"");
        let (mut calls, span) = match reader.step(json.as_bytes(), true) {
            Ok(Verdict::Calls { calls, .. }) => (calls, read.span),
            Ok(Verdict::Refused { refusal, .. }) => (vec![Found::Refused(refusal)], read.span),
            _ => (Vec::new(), read.span),
        };
        let mut start = span.start;
        for (index, call) in calls.iter_mut().enumerate() {
            let end = ends.get(index).copied().unwrap_or(span.end);
            call.place(&json, Span::new(start, end), &read.notes);
            start = end;
        }
        found.append(&mut calls);
        self.reached(span.end);
        Ok(None)
    }

    pub(super) fn call(
        &mut self,
        marked: &Marked,
        input: &[u8],
        found: &mut Vec<Found>,
        context: &mut Context<'_>,
    ) -> Progress<Option<MarkedOutcome>> {
        let MarkedStage::Call(reader) = &mut self.stage else { return Ok(None) };
        Ok(match reader.step(marked, input, context)? {
            // Between the markers of a wrapper, only a call can open.
            CallOutcome::Prose if self.wrapped && matches!(marked.body, Body::Tagged(_)) => {
                self.stage = MarkedStage::Damaged(self.opened, None);
                None
            }
            CallOutcome::Prose => Some(MarkedOutcome::Prose),
            // The fence in the rest of the call is no code block of the message.
            CallOutcome::Refused(refusal)
                if refusal.code != RejectionCode::Incomplete && marked.call.is_fenced() =>
            {
                let from = self.opened.max(refusal.span.end);
                self.pos = self.opened;
                self.stage = MarkedStage::Damaged(from, Some(Box::new(refusal)));
                None
            }
            CallOutcome::Refused(refusal) => Some(self.refused(refusal, Vec::new())),
            CallOutcome::Call(mut candidate) => {
                candidate.prose_if_unknown = marked.plain;
                let end = candidate.span.end;
                found.push(Found::Call(*candidate));
                if self.wrapped {
                    self.reached(end);
                    None
                } else {
                    Some(MarkedOutcome::Closed { end, missing: false })
                }
            }
        })
    }
}
