//! One call between markers: what opens it, its name, its arguments, its end.
//!
//! The arguments decide where a call ends: an end marker inside a string is text.

mod end;
mod mention;
mod name;

use std::borrow::Cow;
use std::sync::Arc;

use crate::call::{RejectionCode, Span};
use crate::detect::body::literal::LiteralReader;
use crate::detect::body::outcome::{CallOutcome, Context, ReadSoFar};
use crate::detect::body::own_markup::OwnMarkup;
use crate::detect::body::tagged::ParametersReader;
use crate::detect::candidate::Refusal;
use crate::detect::format::Data;
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Body, Marked, NamePlace, Syntax};
use crate::detect::rule::accept::CallRules;
use crate::json::arguments::ArgumentsReader;
use crate::json::outcome::{BadArguments, ReadArguments, Repair, Tolerance};
use crate::json::repair::Repairer;
use crate::progress::{NeedMore, Progress};

/// The part of the call that is being read.
#[derive(Clone, Debug)]
enum CallStage {
    Name {
        first: Option<usize>,
        last: usize,
    },
    Arguments(Box<ArgumentsReader>),
    Repair(Box<Repairer>, BadArguments),
    Parameters(Box<ParametersReader>),
    Literal(Box<LiteralReader>),
    End {
        read: ReadArguments,
        pos: usize,
    },
    /// The arguments are bad; what stands there decides how they are refused.
    Refused {
        bad: BadArguments,
        /// Where the search for the end of a damaged call goes on.
        searched: usize,
    },
}

/// Reads one call.
#[derive(Clone, Debug)]
pub(crate) struct CallReader {
    format: Arc<Data>,
    tolerance: Tolerance,
    /// The first byte of the call's own marker.
    start: usize,
    pos: usize,
    /// The name as it is written.
    name: Span,
    id: Option<Span>,
    stage: CallStage,
}

impl CallReader {
    /// Starts after the opening marker of the call, which is `start..pos`.
    pub(crate) fn new(format: &Arc<Data>, start: usize, pos: usize, tolerance: Tolerance) -> Self {
        let stage = CallStage::Name { first: None, last: pos };
        let format = Arc::clone(format);
        Self { format, tolerance, start, pos, name: Span::new(pos, pos), id: None, stage }
    }

    /// The part of the arguments that is read so far, once the name is known.
    pub(crate) fn read_so_far(&self) -> Option<ReadSoFar<'_>> {
        Some(match &self.stage {
            // Arguments that may still be repaired are not reported before the repair.
            CallStage::Arguments(_) | CallStage::Repair(..)
                if self.tolerance.repair == Repair::Safe =>
            {
                ReadSoFar::Made(&[])
            }
            CallStage::Name { .. } | CallStage::Repair(..) | CallStage::Refused { .. } => {
                return None;
            }
            CallStage::Arguments(reader) => ReadSoFar::Verbatim(reader.read_so_far()?),
            // The tag of a tool alone may be a word of the text.
            CallStage::Parameters(reader) if self.is_tool_tag() && !reader.begun() => return None,
            CallStage::Parameters(reader) => ReadSoFar::Made(reader.json()),
            CallStage::Literal(reader) => ReadSoFar::Made(reader.json()),
            CallStage::End { read, .. } => match &read.made {
                Some(made) => ReadSoFar::Made(made.as_bytes()),
                None => ReadSoFar::Verbatim(read.span),
            },
        })
    }

    /// Writes the arguments read so far as JSON.
    pub(crate) fn write(&mut self, marked: &Marked, input: &[u8], rules: &CallRules) {
        let name = self.bare_name(input);
        if let (CallStage::Parameters(reader), Body::Tagged(parameter)) =
            (&mut self.stage, &marked.body)
        {
            reader.write_so_far(input, parameter, rules.schema(&name));
        }
    }

    /// The name, once it is read.
    pub(crate) fn bare_name<'t>(&self, input: &'t [u8]) -> Cow<'t, [u8]> {
        let name = self.name.of(input).trim_ascii();
        let Syntax::Marked(marked) = &self.format.syntax else { return Cow::Borrowed(name) };
        marked.call.name.place.read(name)
    }

    /// Whether the tag that opens the call is the name of its tool.
    fn is_tool_tag(&self) -> bool {
        matches!(&self.format.syntax, Syntax::Marked(marked) if marked.call.is_tool_tag())
    }

    /// The end of the header of a message, once the header is read.
    pub(crate) fn header_end(&self) -> Option<usize> {
        let Syntax::Marked(marked) = &self.format.syntax else { return None };
        let is_read = !matches!(self.stage, CallStage::Name { .. });
        (is_read && matches!(marked.call.name.place, NamePlace::After(_))).then_some(self.pos)
    }

    /// The id, if the text has written it.
    pub(crate) fn id_so_far<'t>(&self, input: &'t [u8]) -> Option<&'t [u8]> {
        self.id.map(|id| id.of(input))
    }

    /// Reads on.
    pub(crate) fn step(
        &mut self,
        marked: &Marked,
        input: &[u8],
        context: &mut Context<'_>,
    ) -> Progress<CallOutcome> {
        loop {
            let outcome = match &mut self.stage {
                CallStage::Name { .. } => self.read_name(marked, input, context.finished),
                CallStage::Arguments(_) => self.read_arguments(marked, input),
                CallStage::Repair(..) => self.read_repaired(input),
                CallStage::Parameters(_) => self.read_parameters(marked, input, context),
                CallStage::Literal(_) => self.read_literal(marked, input),
                CallStage::End { .. } => self.read_end(marked, input, context.finished),
                CallStage::Refused { .. } => self.read_refused(marked, input, context.finished),
            };
            match outcome {
                Ok(None) => {}
                Ok(Some(outcome)) => return Ok(outcome),
                Err(NeedMore) if context.finished => return Ok(self.cut_off(marked, input)),
                Err(NeedMore) => return Err(NeedMore),
            }
        }
    }

    fn cut_off(&self, marked: &Marked, input: &[u8]) -> CallOutcome {
        // A word and a bracket are not enough for a call without markers.
        let begun = match &self.stage {
            CallStage::Literal(reader) => reader.begun(),
            CallStage::Parameters(reader) if marked.call.is_tool_tag() => {
                reader.begun() || self.begins_line(input)
            }
            stage => !matches!(stage, CallStage::Name { .. }),
        };
        if (marked.plain || marked.call.only_first || marked.call.is_tool_tag()) && !begun {
            return CallOutcome::Prose;
        }
        self.refuse(
            Refusal::incomplete(self.format.slug, Span::new(self.start, input.len())),
            input,
        )
    }

    fn read_arguments(&mut self, marked: &Marked, input: &[u8]) -> Progress<Option<CallOutcome>> {
        let CallStage::Arguments(reader) = &mut self.stage else { return Ok(None) };
        Ok(match reader.step(input)? {
            Ok(read) => self.arguments_end(read),
            Err(bad)
                if self.tolerance.repair == Repair::Safe && bad.code == RejectionCode::BadJson =>
            {
                let end = marked.call.close.first().map(Marker::lead).unwrap_or_default();
                let repairer = Repairer::new(self.pos, self.tolerance, end);
                self.stage = CallStage::Repair(Box::new(repairer), bad);
                None
            }
            Err(bad) => self.refuse_arguments(bad),
        })
    }

    fn arguments_end(&mut self, read: ReadArguments) -> Option<CallOutcome> {
        self.stage = CallStage::End { pos: read.span.end, read };
        None
    }

    fn read_repaired(&mut self, input: &[u8]) -> Progress<Option<CallOutcome>> {
        let CallStage::Repair(repairer, bad) = &mut self.stage else { return Ok(None) };
        if let Ok(read) = repairer.step(input)? {
            return Ok(self.arguments_end(read));
        }
        // The first fault says more than the fault of the repair.
        let bad = bad.clone();
        Ok(self.refuse_arguments(bad))
    }

    fn read_parameters(
        &mut self,
        marked: &Marked,
        input: &[u8],
        context: &mut Context<'_>,
    ) -> Progress<Option<CallOutcome>> {
        let name = self.bare_name(input);
        let (CallStage::Parameters(reader), Body::Tagged(parameter)) =
            (&mut self.stage, &marked.body)
        else {
            return Ok(None);
        };
        let schema = context.rules.schema(&name);
        let read = reader.step(input, context.finished, marked, parameter, schema)?;
        let begun = reader.begun();
        Ok(match read {
            Ok(_) if !begun && self.is_mentioned(marked, input, context.rules) => {
                let message = "a word between markers in a sentence is no call";
                let span = Span::new(self.start, self.name.end);
                let code = RejectionCode::MissingArguments;
                let refusal = Refusal::new(self.format.slug, code, span, message);
                Some(CallOutcome::Refused(refusal))
            }
            Ok(read) => self.arguments_end(read),
            Err(bad) if bad.code != RejectionCode::Malformed && !begun && marked.is_vague() => {
                Some(CallOutcome::Prose)
            }
            Err(bad) => self.refuse_arguments(bad),
        })
    }

    fn read_literal(&mut self, marked: &Marked, input: &[u8]) -> Progress<Option<CallOutcome>> {
        let CallStage::Literal(reader) = &mut self.stage else { return Ok(None) };
        Ok(match reader.step(input)? {
            Ok(read) => self.arguments_end(read),
            // Text without markers is a call only when all of it can be read.
            Err(_) if marked.plain => Some(CallOutcome::Prose),
            Err(bad) => self.refuse_arguments(bad),
        })
    }

    fn refuse_arguments(&mut self, bad: BadArguments) -> Option<CallOutcome> {
        let searched = bad.at;
        self.stage = CallStage::Refused { bad, searched };
        None
    }

    /// Refuses bad arguments, once it is known whether the call ends where they should stand.
    fn read_refused(
        &mut self,
        marked: &Marked,
        input: &[u8],
        finished: bool,
    ) -> Progress<Option<CallOutcome>> {
        let CallStage::Refused { bad, searched, .. } = &mut self.stage else { return Ok(None) };
        if let (RejectionCode::Malformed, Body::Tagged(parameter)) = (bad.code, &marked.body) {
            let own = OwnMarkup::new(marked, parameter);
            let end = own.damage_end(input, searched, bad.at, finished)?;
            let bad = BadArguments { at: end, ..bad.clone() };
            let refusal = Refusal::from_arguments(self.format.slug, self.start, bad);
            return Ok(Some(self.refuse(refusal, input)));
        }
        let here = input.get(bad.at..).unwrap_or_default();
        let blank = is_blank(input, self.pos, bad.at);
        let nothing = bad.code == RejectionCode::BadJson
            && blank
            && !marked.call.only_first
            && (here.first() == Some(&b'<')
                || Marker::first(&marked.call.close, here, b"", finished)?.is_some());
        let refusal = if nothing {
            let (span, code) = (Span::new(self.start, bad.at), RejectionCode::MissingArguments);
            Refusal::new(self.format.slug, code, span, "there are no arguments")
        } else if marked.is_vague_behind_name() && blank {
            return Ok(Some(CallOutcome::Prose));
        } else {
            Refusal::from_arguments(self.format.slug, self.start, bad.clone())
        };
        Ok(Some(self.refuse(refusal, input)))
    }

    /// Refuses the call; where the format is so plain that it may be prose, by its name.
    fn refuse(&self, refusal: Refusal, input: &[u8]) -> CallOutcome {
        let is_plain = matches!(&self.format.syntax, Syntax::Marked(marked) if marked.plain);
        let claims = is_plain && !matches!(self.stage, CallStage::Name { .. });
        CallOutcome::Refused(if claims {
            refusal.claiming(self.bare_name(input).into_owned())
        } else {
            refusal
        })
    }
}

fn is_blank(input: &[u8], start: usize, end: usize) -> bool {
    input.get(start..end).is_some_and(|text| text.iter().all(u8::is_ascii_whitespace))
}
