//! The end of a call: its marker, or what may stand in place of it.

use crate::call::{RejectionCode, Span};
use crate::detect::body::call::{CallReader, CallStage};
use crate::detect::body::outcome::{CallOutcome, missing_end};
use crate::detect::body::own_markup::OwnMarkup;
use crate::detect::candidate::{Candidate, Refusal};
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Body, EndRule, Marked};
use crate::json::outcome::BadArguments;
use crate::json::reason::Reason;
use crate::progress::{NeedMore, Progress};

impl CallReader {
    pub(super) fn read_end(
        &mut self,
        marked: &Marked,
        input: &[u8],
        finished: bool,
    ) -> Progress<Option<CallOutcome>> {
        let CallStage::End { read, pos } = &mut self.stage else { return Ok(None) };
        let shape = &marked.call;
        if shape.close.is_empty() {
            let end = read.span.end;
            return Ok(self.accept(input, end, None));
        }
        while input.get(*pos).is_some_and(u8::is_ascii_whitespace) {
            *pos += 1;
        }
        let (pos, rest) = (*pos, input.get(*pos..).unwrap_or_default());
        let name = self.name.of(input);
        if let Some(length) = Marker::first(&shape.close, rest, name, finished)? {
            if let Body::Tagged(parameter) = &marked.body
                && read.made.as_deref() == Some("{}")
                && OwnMarkup::new(marked, parameter).goes_beyond(input, pos + length, finished)?
            {
                let what = "the call is damaged: parameters stand behind its end";
                let bad = BadArguments::new(RejectionCode::Malformed, pos + length, what);
                return Ok(self.refuse_arguments(bad));
            }
            return Ok(self.accept(input, pos + length, None));
        }
        let args_end = read.span.end;
        // A part of an end marker at the end of the text belongs to the markup.
        let cut = finished && Marker::first(&shape.close, rest, name, false) == Err(NeedMore);
        let end = if cut && !rest.is_empty() { input.len() } else { args_end };
        Ok(match shape.end {
            EndRule::Optional => self.accept(input, args_end, None),
            _ if cut => self.accept(input, end, Some(end)),
            EndRule::Lenient => self.accept(input, args_end, Some(args_end)),
            EndRule::Required => {
                let expected = shape.close.first().map(Marker::written).unwrap_or_default();
                let reason =
                    Reason::Naming("", expected.into(), " is expected behind the arguments");
                let span = Span::new(self.start, pos);
                let refusal = Refusal::new(self.format.slug, RejectionCode::BadJson, span, reason);
                Some(self.refuse(refusal, input))
            }
        })
    }

    pub(super) fn accept(
        &mut self,
        input: &[u8],
        end: usize,
        missing_end: Option<usize>,
    ) -> Option<CallOutcome> {
        let CallStage::End { read, .. } = &mut self.stage else { return None };
        let mut diagnostics = std::mem::take(&mut read.notes);
        diagnostics.extend(missing_end.map(self::missing_end));
        let arguments = read.arguments();
        Some(CallOutcome::Call(Box::new(Candidate {
            format: self.format.slug,
            name: self.bare_name(input).into_owned(),
            is_name_plain: false,
            id: self.id.map(|id| id.of(input).to_vec()),
            arguments,
            span: Span::new(self.start, end),
            diagnostics,
            prose_if_unknown: false,
            number: None,
        })))
    }
}
