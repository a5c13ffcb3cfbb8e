//! Arguments that are tagged parameters: `<parameter=city>Rome</parameter>`.
//!
//! A value may hold its own end tag: a tag ends the value only where the structure can continue
//! after it. The tag or the tool's schema gives the type of a value. A value without a type is a
//! string.

use std::collections::HashSet;

use memchr::memmem;

use crate::call::{DiagnosticCode, RejectionCode, Span};
use crate::detect::body::opening::{Looked, Sought};
use crate::detect::body::value_end::{Shapes, ValueEnds};
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Marked, Parameter};
use crate::detect::rule::schema::Schema;
use crate::detect::rule::typed::{self, Typed};
use crate::json::diagnostics::Diagnostics;
use crate::json::outcome::{ArgumentsProgress, BadArguments, ReadArguments, Stop, Tolerance};
use crate::json::reason::Reason;
use crate::progress::NeedMore;

#[derive(Clone, Copy, Debug)]
enum ParametersStage {
    Between,
    Value { key: Span, kind: Option<Span>, start: usize },
}

/// Reads the parameters of one call.
#[derive(Clone, Debug)]
pub(crate) struct ParametersReader {
    tolerance: Tolerance,
    start: usize,
    pos: usize,
    stage: ParametersStage,
    json: String,
    keys: HashSet<Vec<u8>>,
    /// The parameters that are not in the JSON yet. Many calls that fail later may share long
    /// values, so values are copied only when a call is complete or a listener asks.
    unwritten: Vec<FoundParameter>,
    diagnostics: Diagnostics,
}

/// A parameter, with the type that the markup gives.
#[derive(Clone, Copy, Debug)]
struct FoundParameter {
    key: Span,
    kind: Option<Span>,
    value: Span,
}

impl ParametersReader {
    pub(crate) fn new(pos: usize, tolerance: Tolerance) -> Self {
        Self {
            tolerance,
            start: pos,
            pos,
            stage: ParametersStage::Between,
            json: String::from("{"),
            keys: HashSet::new(),
            unwritten: Vec::new(),
            diagnostics: Diagnostics::default(),
        }
    }

    /// The JSON so far.
    pub(crate) fn json(&self) -> &[u8] {
        self.json.as_bytes()
    }

    /// Whether a parameter has begun.
    pub(crate) fn begun(&self) -> bool {
        !self.keys.is_empty() || matches!(self.stage, ParametersStage::Value { .. })
    }

    pub(crate) fn step(
        &mut self,
        input: &[u8],
        finished: bool,
        marked: &Marked,
        parameter: &Parameter,
        context: (Option<&Schema>, &mut ValueEnds),
    ) -> ArgumentsProgress {
        let shapes = Shapes { parameter, call: &marked.call, marked };
        Stop::progress(self.read(input, finished, &shapes, context))
    }

    fn read(
        &mut self,
        input: &[u8],
        finished: bool,
        shapes: &Shapes<'_>,
        (schema, ends): (Option<&Schema>, &mut ValueEnds),
    ) -> Result<ReadArguments, Stop> {
        loop {
            match self.stage {
                ParametersStage::Between => {
                    if self.next(input, finished, shapes)? {
                        self.write(input, shapes.parameter, schema);
                        return Ok(self.arguments());
                    }
                }
                ParametersStage::Value { key, kind, start } => {
                    self.value(input, finished, shapes, (key, kind, start), ends)?;
                }
            }
        }
    }

    /// Reads the opening of the next parameter; returns whether the parameters end instead.
    fn next(&mut self, input: &[u8], finished: bool, shapes: &Shapes<'_>) -> Result<bool, Stop> {
        while input.get(self.pos).is_some_and(u8::is_ascii_whitespace) {
            self.pos += 1;
        }
        let rest = input.get(self.pos..).unwrap_or_default();
        if shapes.ends_call(rest, finished)?.is_some() {
            return Ok(true);
        }
        let Some(length) = shapes.opens_parameter(rest, finished)? else {
            if rest.is_empty() {
                return Err(NeedMore.into());
            }
            return Err(bad(self.pos, "a parameter or the end of the call is expected"));
        };
        let sought = Sought {
            place: &shapes.parameter.key,
            kind: shapes.parameter.type_attribute.as_deref(),
            end: &shapes.parameter.key_end,
        };
        match sought.look(input, self.pos + length, finished)? {
            Looked::Read(opening) => {
                let (key, kind, start) = (opening.name, opening.kind, opening.end);
                if key.is_empty() {
                    return Err(bad(self.pos, "a parameter has no name"));
                }
                self.stage = ParametersStage::Value { key, kind, start };
                Ok(false)
            }
            Looked::No(at) => Err(bad(at, "a parameter's name is expected")),
        }
    }

    fn value(
        &mut self,
        input: &[u8],
        finished: bool,
        shapes: &Shapes<'_>,
        (key, kind, start): (Span, Option<Span>, usize),
        ends: &mut ValueEnds,
    ) -> Result<(), Stop> {
        let limit = self.start.saturating_add(self.tolerance.bytes);
        let end = match ends.next(input, start, finished, shapes, key.of(input)) {
            Ok(Some(end)) if end.start <= limit => end,
            // The end may still begin within the limit, however much text follows.
            Err(NeedMore) if ends.searched <= limit => return Err(NeedMore.into()),
            Ok(None) if input.len() <= limit => return Err(NeedMore.into()),
            _ => return Err(Stop::Bad(BadArguments::too_large(limit))),
        };
        let mut value = Span::new(start, end.start);
        if shapes.parameter.trim_lines {
            value = without_lines(input, value);
        }
        if !self.keys.insert(key.of(input).to_vec()) {
            let message = "a parameter is repeated; the last one counts";
            self.diagnostics.add(DiagnosticCode::DuplicateKey, key.start, message);
        }
        self.unwritten.push(FoundParameter { key, kind, value });
        self.pos = end.end;
        self.stage = ParametersStage::Between;
        Ok(())
    }

    /// Appends the parameters read so far to the JSON.
    pub(crate) fn write(&mut self, input: &[u8], parameter: &Parameter, schema: Option<&Schema>) {
        for found in std::mem::take(&mut self.unwritten) {
            self.push(input, found, parameter, schema);
        }
    }

    fn push(
        &mut self,
        input: &[u8],
        found: FoundParameter,
        parameter: &Parameter,
        schema: Option<&Schema>,
    ) {
        let FoundParameter { key, kind, value: span } = found;
        if hides_end(parameter, span.of(input), key.of(input)) {
            let message = "the value holds its own end tag";
            self.diagnostics.add(DiagnosticCode::EndTagInValue, span.start, message);
        }
        let name = key.of(input);
        if self.json.len() > 1 {
            self.json.push(',');
        }
        typed::push_text(&mut self.json, name);
        self.json.push(':');
        let text = without_cdata(span.of(input));
        let open = parameter.open.first().map(Marker::lead).unwrap_or_default();
        let typed = match kind.map(|kind| kind.of(input)) {
            Some(b"true" | b"string") => Typed { json: typed::text(text), matches: true },
            Some(_) => typed::of_json(text, self.tolerance),
            None if parameter.nested && memmem::find(text, open).is_some() => {
                typed::of_elements(text, open, self.tolerance)
            }
            None => {
                let kinds = schema.map(|schema| schema.kinds(&String::from_utf8_lossy(name)));
                typed::of_kinds(text, kinds.as_ref(), self.tolerance)
            }
        };
        if !typed.matches {
            let message = format!("the value of \"{}\" is not of its type", name.escape_ascii());
            self.diagnostics.add(DiagnosticCode::NotOfType, span.start, message);
        }
        self.json.push_str(&typed.json);
    }

    /// The arguments that were read to their end.
    fn arguments(&mut self) -> ReadArguments {
        self.json.push('}');
        let made = Some(std::mem::take(&mut self.json).into_boxed_str());
        let notes = self.diagnostics.take_sorted();
        ReadArguments { span: Span::new(self.start, self.pos), notes, made }
    }
}

/// Whether an end tag in the value was taken for text.
fn hides_end(parameter: &Parameter, value: &[u8], key: &[u8]) -> bool {
    parameter.close.iter().any(|close| {
        let mut places = memmem::find_iter(value, close.lead());
        places.any(|at| {
            matches!(close.at(value.get(at..).unwrap_or_default(), key, true), Ok(Some(_)))
        })
    })
}

fn bad(at: usize, what: &'static str) -> Stop {
    let reason = Reason::Failed("the parameters cannot be read", what);
    Stop::Bad(BadArguments::new(RejectionCode::BadJson, at, reason))
}

/// The text that a value stands for, as it is written between its tags.
pub(crate) fn text_of<'t>(parameter: &Parameter, written: &'t [u8]) -> &'t [u8] {
    let mut value = Span::new(0, written.len());
    if parameter.trim_lines {
        value = without_lines(written, value);
    }
    without_cdata(value.of(written))
}

/// The value without the line breaks that belong to the markup, one on each side.
///
/// A line break in front of the end belongs to the markup only where one follows the opening.
fn without_lines(input: &[u8], value: Span) -> Span {
    let text = value.of(input);
    let front = if text.starts_with(b"\r\n") { 2 } else { usize::from(text.starts_with(b"\n")) };
    let rest = text.get(front..).unwrap_or_default();
    let back = match front {
        0 => 0,
        _ if rest.ends_with(b"\r\n") => 2,
        _ => usize::from(rest.ends_with(b"\n")),
    };
    Span::new(value.start + front, value.end - back)
}

fn without_cdata(text: &[u8]) -> &[u8] {
    let inner =
        text.trim_ascii().strip_prefix(b"<![CDATA[").and_then(|text| text.strip_suffix(b"]]>"));
    inner.unwrap_or(text)
}
