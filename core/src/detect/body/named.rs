//! Calls with a start marker, a name, JSON arguments and an end marker: `<tool:NAME>JSON</tool>`.
//!
//! The end is found by the JSON: an end marker inside a string is text.

use crate::call::{Diagnostic, DiagnosticCode, RejectionCode, Span};
use crate::detect::candidate::{Candidate, Found, Refusal, Verdict};
use crate::detect::format::Named;
use crate::detect::json::arguments::{ArgumentsReader, BadArguments, Progress, ReadArguments, Tolerance};
use crate::detect::json::repair::Repairer;
use crate::detect::options::Repair;
use crate::detect::vet::{MAX_NAME, is_name_byte};

/// What is being read.
#[derive(Clone, Debug)]
enum Stage {
    Name { first: Option<usize>, last: usize },
    Arguments(Box<ArgumentsReader>),
    Repair(Box<Repairer>, BadArguments),
    End { read: ReadArguments, pos: usize },
}

/// Reads one call.
#[derive(Clone, Debug)]
pub(crate) struct NamedReader {
    slug: &'static str,
    named: Named,
    tolerance: Tolerance,
    start: usize,
    pos: usize,
    name: Span,
    stage: Stage,
}

impl NamedReader {
    /// Starts at a start marker.
    pub(crate) fn new(slug: &'static str, named: &Named, start: usize, tolerance: Tolerance) -> Self {
        let pos = start + named.start.len();
        let stage = Stage::Name { first: None, last: pos };
        Self { slug, named: *named, tolerance, start, pos, name: Span::new(pos, pos), stage }
    }

    /// The first byte of the start marker.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Reads on; `finished` says that no more text will come.
    pub(crate) fn step(&mut self, input: &[u8], finished: bool) -> Verdict {
        loop {
            let verdict = match &mut self.stage {
                Stage::Name { .. } => self.read_name(input),
                Stage::Arguments(_) => self.read_arguments(input),
                Stage::Repair(..) => self.read_repaired(input),
                Stage::End { .. } => self.read_end(input, finished),
            };
            match verdict {
                None => {}
                Some(Verdict::More) if finished => {
                    let span = Span::new(self.start, input.len());
                    return self.refuse(Refusal::incomplete(self.slug, span));
                }
                Some(verdict) => return verdict,
            }
        }
    }

    /// None: the next stage was reached.
    fn read_name(&mut self, input: &[u8]) -> Option<Verdict> {
        let Stage::Name { first, last } = &mut self.stage else { return None };
        loop {
            let Some(&byte) = input.get(self.pos) else { return Some(Verdict::More) };
            let begun = *first;
            if byte == self.named.name_end {
                break;
            } else if byte.is_ascii_whitespace() {
                self.pos += 1;
                continue;
            }
            let whole = begun.is_some_and(|first| self.pos - first >= MAX_NAME || *last != self.pos);
            if whole || !is_name_byte(byte) {
                let span = Span::new(self.start, self.pos);
                let message = "a tool's name has 1 to 128 characters of A-Z a-z 0-9 _ . : / -";
                return Some(self.refuse(Refusal::new(self.slug, RejectionCode::BadName, span, message)));
            }
            *first = begun.or(Some(self.pos));
            self.pos += 1;
            *last = self.pos;
        }
        self.pos += 1;
        let Some(first) = *first else {
            let span = Span::new(self.start, self.pos);
            let refusal = Refusal::new(self.slug, RejectionCode::MissingName, span, "the name is empty");
            return Some(self.refuse(refusal));
        };
        self.name = Span::new(first, *last);
        self.stage = Stage::Arguments(Box::new(ArgumentsReader::new(self.pos, self.tolerance)));
        None
    }

    fn read_arguments(&mut self, input: &[u8]) -> Option<Verdict> {
        let Stage::Arguments(reader) = &mut self.stage else { return None };
        match reader.step(input) {
            Progress::More => Some(Verdict::More),
            Progress::Read(read) => {
                self.stage = Stage::End { pos: read.span.end, read };
                None
            }
            Progress::Bad(bad) => {
                if self.tolerance.repair == Repair::Safe && bad.code == RejectionCode::BadJson {
                    let end = self.named.end.as_bytes();
                    let repairer = Repairer::new(self.pos, self.tolerance, end);
                    self.stage = Stage::Repair(Box::new(repairer), bad);
                    return None;
                }
                Some(self.refuse_arguments(bad, input))
            }
        }
    }

    fn read_repaired(&mut self, input: &[u8]) -> Option<Verdict> {
        let Stage::Repair(repairer, bad) = &mut self.stage else { return None };
        match repairer.step(input) {
            Progress::More => Some(Verdict::More),
            Progress::Read(read) => {
                self.stage = Stage::End { pos: read.span.end, read };
                None
            }
            // The first fault tells more than what could not be repaired.
            Progress::Bad(_) => {
                let bad = bad.clone();
                Some(self.refuse_arguments(bad, input))
            }
        }
    }

    fn refuse_arguments(&self, bad: BadArguments, input: &[u8]) -> Verdict {
        let nothing = bad.code == RejectionCode::BadJson && input.get(bad.at) == Some(&b'<');
        let refusal = if nothing && is_blank(input, self.pos, bad.at) {
            let span = Span::new(self.start, bad.at);
            Refusal::new(self.slug, RejectionCode::MissingArguments, span, "there are no arguments")
        } else {
            Refusal::from_arguments(self.slug, self.start, bad)
        };
        self.refuse(refusal)
    }

    fn read_end(&mut self, input: &[u8], finished: bool) -> Option<Verdict> {
        let Stage::End { read, pos } = &mut self.stage else { return None };
        while input.get(*pos).is_some_and(u8::is_ascii_whitespace) {
            *pos += 1;
        }
        let rest = input.get(*pos..).unwrap_or_default();
        let name = self.name.of(input);
        let (before, behind) = self.named.echo_end;
        let named_end = [before.as_bytes(), name, behind.as_bytes()].concat();
        let ends = [self.named.end.as_bytes(), &named_end];
        if let Some(end) = ends.iter().find(|end| rest.starts_with(end)) {
            let end = *pos + end.len();
            return Some(self.accept(input, end, false));
        }
        if !ends.iter().any(|end| end.starts_with(rest)) {
            let span = Span::new(self.start, *pos);
            let message = format!("{} is expected behind the arguments", self.named.end);
            let refusal = Refusal::new(self.slug, RejectionCode::BadJson, span, message);
            return Some(self.refuse(refusal));
        }
        if !finished {
            return Some(Verdict::More);
        }
        // What there is of an end marker belongs to the markup; white space does not.
        let end = if rest.is_empty() { read.span.end } else { input.len() };
        Some(self.accept(input, end, true))
    }

    fn accept(&mut self, input: &[u8], end: usize, missing_end: bool) -> Verdict {
        let Stage::End { read, .. } = &mut self.stage else { return Verdict::More };
        let mut diagnostics = std::mem::take(&mut read.notes);
        if missing_end {
            diagnostics.push(self::missing_end(end));
        }
        let candidate = Candidate {
            format: self.slug,
            name: self.name.of(input).to_vec(),
            id: None,
            arguments: read.arguments(),
            span: Span::new(self.start, end),
            diagnostics,
            prose_if_unknown: false,
        };
        Verdict::Calls { calls: vec![Found::Call(candidate)], end }
    }

    fn refuse(&self, refusal: Refusal) -> Verdict {
        Verdict::Refused { refusal, resume: self.start + self.named.start.len() }
    }
}

fn is_blank(input: &[u8], start: usize, end: usize) -> bool {
    input.get(start..end).is_some_and(|text| text.iter().all(u8::is_ascii_whitespace))
}

/// The note on a call whose end is missing at the end of the text.
pub(crate) fn missing_end(offset: usize) -> Diagnostic {
    let message = "the text ends before the end of the markup".to_owned();
    Diagnostic { code: DiagnosticCode::MissingEnd, message, offset }
}
