//! Arguments that are tagged parameters: `<parameter=city>Rome</parameter>`.
//!
//! [`ValueSearch`] finds where a value ends. The tag or the tool's schema gives the type of a
//! value. A value without a type is a string. A call in which a tag is missing, or is one too many,
//! is refused as malformed.

use std::collections::HashSet;

use memchr::memmem;

use crate::call::{DiagnosticCode, Span};
use crate::detect::body::begun_value::BegunValue;
use crate::detect::body::opening::{Looked, Opening, is_more_than_key, without_quotes};
use crate::detect::body::outcome::missing_end;
use crate::detect::body::own_markup::{Follows, OwnMarkup, Tag};
use crate::detect::body::parameters_refusal::{bad, damaged, malformed};
use crate::detect::body::typed_elements::{holds_elements, is_of_type, of_typed_elements};
use crate::detect::body::value_end::{ValueEnd, ValueSearch};
use crate::detect::body::written_value::{hides_end, solid, without_cdata, without_lines};
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Marked, NamePlace, Parameter};
use crate::detect::rule::schema::Schema;
use crate::detect::rule::typed::{self, Typed};
use crate::json::diagnostics::Diagnostics;
use crate::json::outcome::{
    ArgumentsProgress, BadArguments, ReadArguments, Repair, Stop, Tolerance,
};
use crate::progress::NeedMore;

#[derive(Clone, Debug)]
enum ParametersStage {
    Between,
    Value { opening: Opening, search: Box<ValueSearch> },
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
    /// The first value behind those in the JSON, if a listener asked while it was read.
    begun_value: Option<BegunValue>,
    diagnostics: Diagnostics,
    /// Where the end tag of a value is missing.
    missing: Option<usize>,
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
            begun_value: None,
            diagnostics: Diagnostics::default(),
            missing: None,
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
        schema: Option<&Schema>,
    ) -> ArgumentsProgress {
        let own = OwnMarkup { marked, parameter, schema };
        Stop::progress(self.read(input, finished, &own, schema))
    }

    fn read(
        &mut self,
        input: &[u8],
        finished: bool,
        own: &OwnMarkup<'_>,
        schema: Option<&Schema>,
    ) -> Result<ReadArguments, Stop> {
        loop {
            match self.stage {
                ParametersStage::Between => {
                    if self.next(input, finished, own)? {
                        self.write(input, own.parameter, schema);
                        return Ok(self.arguments());
                    }
                }
                ParametersStage::Value { .. } => self.value(input, finished, own, schema)?,
            }
        }
    }

    /// Reads the opening of the next parameter; returns whether the parameters end instead.
    fn next(&mut self, input: &[u8], finished: bool, own: &OwnMarkup<'_>) -> Result<bool, Stop> {
        while input.get(self.pos).is_some_and(u8::is_ascii_whitespace) {
            self.pos += 1;
        }
        let rest = input.get(self.pos..).unwrap_or_default();
        match own.follows(rest, finished)? {
            // The parameters of a call that another one follows at once were not read.
            Some(Follows::Call) if self.keys.is_empty() => {
                return Err(malformed(self.pos, "the end of the call is missing"));
            }
            Some(Follows::Call | Follows::End) => return Ok(true),
            Some(Follows::Parameter | Follows::UnknownParameter) => {}
            None if rest.is_empty() || own.is_cut(rest, finished) => return Err(NeedMore.into()),
            None => return Err(self.stray(input, finished, own)?),
        }
        let length = own.opens_parameter(rest, finished)?.unwrap_or_default();
        match own.parameter(input, self.pos + length, finished)? {
            Looked::Read(opening) if opening.name.is_empty() => {
                Err(malformed(self.pos, "a parameter has no name"))
            }
            Looked::Read(opening) => {
                let opening = Opening { name: without_quotes(opening.name, input), ..opening };
                if is_damaged_key(opening.name, input, own) {
                    return Err(malformed(self.pos, "the name of a parameter is damaged"));
                }
                let is_no_text = is_no_text(&opening, input, own);
                let search = Box::new(ValueSearch::new(opening.end, is_no_text));
                self.stage = ParametersStage::Value { opening, search };
                Ok(false)
            }
            Looked::No(at) => Err(malformed(at, "the opening of a parameter has no end")),
        }
    }

    /// What to say of text that stands where a parameter or the end of the call should.
    fn stray(&self, input: &[u8], finished: bool, own: &OwnMarkup<'_>) -> Result<Stop, NeedMore> {
        let what = "a parameter or the end of the call is expected";
        // Without any markup of the call, the text need not be one.
        let is_damaged = self.begun() || own.is_within(input, self.pos, finished)?;
        Ok(if is_damaged { malformed(self.pos, what) } else { bad(self.pos, what) })
    }

    fn value(
        &mut self,
        input: &[u8],
        finished: bool,
        own: &OwnMarkup<'_>,
        schema: Option<&Schema>,
    ) -> Result<(), Stop> {
        let ParametersStage::Value { opening, search } = &mut self.stage else { return Ok(()) };
        let Opening { name: key, kind, end: start, has_value, .. } = *opening;
        let limit = self.start.saturating_add(self.tolerance.bytes);
        let keys = &self.keys;
        let is_given = |key: &[u8]| keys.contains(&*own.parameter.key.read(key));
        let mut found = search.step(input, (limit, finished), own, key.of(input), &is_given);
        // What stands beyond the limit decides nothing, however much of it is there.
        if found == Ok(ValueEnd::Beyond) || found == Err(NeedMore) && search.pos > limit {
            found = search.damage().map(ValueEnd::Damaged).ok_or(NeedMore);
        }
        let end = match found {
            // The end may still begin within the limit, however much text follows.
            Err(NeedMore) if search.pos <= limit => return Err(NeedMore.into()),
            Ok(ValueEnd::Tag(end)) if end.start <= limit => end,
            Ok(ValueEnd::CallEnd(at)) if at <= limit => Span::new(at, at),
            Ok(ValueEnd::Ambiguous(at)) if at <= limit => {
                return Err(malformed(at, "the value ends here or within its JSON"));
            }
            Ok(ValueEnd::Damaged(damage)) if damage.at.start <= limit => {
                let value = Span::new(start, damage.at.start).of(input);
                let is_mended = self.tolerance.repair == Repair::Safe
                    && !value.trim_ascii().is_empty()
                    && is_new(damage.tag, own.parameter, (input, key), &self.keys, schema);
                if !is_mended {
                    return Err(damaged(damage, own));
                }
                let message = "the end tag of the value was missing";
                self.diagnostics.add(DiagnosticCode::MissingTag, damage.at.start, message);
                let end = damage.at.start;
                self.take(input, own, (key, kind), Span::new(start, start + solid(value)));
                self.pos = end;
                return Ok(());
            }
            _ => return Err(Stop::Bad(BadArguments::too_large(limit))),
        };
        if own.parameter.nested
            && kind.is_none()
            && self.mixes(Span::new(start, end.start), input, own, key, schema)
        {
            let what = "text and elements stand side by side in a value";
            return Err(malformed(start, what));
        }
        // A tag too many or too few among elements shows in the value.
        if own.parameter.has_typed_elements()
            && let Some(kind) = kind
            && !is_of_type(
                Span::new(start, end.start).of(input),
                kind.of(input),
                own.parameter,
                self.tolerance,
            )
        {
            return Err(malformed(start, "a value is not of its type"));
        }
        if has_value && Span::new(start, end.start).of(input).trim_ascii().is_empty() {
            let what = "an attribute stands where the value of a parameter should";
            return Err(malformed(start, what));
        }
        if end.is_empty() {
            self.missing = Some(end.start);
        }
        self.take(input, own, (key, kind), Span::new(start, end.start));
        self.pos = end.end;
        Ok(())
    }

    /// Whether a value that is no text holds elements and text side by side: a tag of it stands in
    /// the wrong place.
    fn mixes(
        &self,
        value: Span,
        input: &[u8],
        own: &OwnMarkup<'_>,
        key: Span,
        schema: Option<&Schema>,
    ) -> bool {
        let open = own.parameter.open.first().map(Marker::lead).unwrap_or_default();
        let text = without_cdata(value.of(input));
        let key = own.parameter.key.read(key.of(input));
        let is_text = |schema: &Schema| schema.kinds(&String::from_utf8_lossy(&key)).text;
        memmem::find(text, open).is_some()
            && !schema.is_some_and(is_text)
            && !typed::is_elements(text, open, self.tolerance)
    }

    /// Takes a parameter whose value was read, and goes on between parameters.
    fn take(
        &mut self,
        input: &[u8],
        own: &OwnMarkup<'_>,
        (key, kind): (Span, Option<Span>),
        mut value: Span,
    ) {
        if own.parameter.trim_lines {
            value = without_lines(input, value);
        }
        if !self.keys.insert(own.parameter.key.read(key.of(input)).into_owned()) {
            let message = "a parameter is repeated; the last one counts";
            self.diagnostics.add(DiagnosticCode::DuplicateKey, key.start, message);
        }
        self.unwritten.push(FoundParameter { key, kind, value });
        self.stage = ParametersStage::Between;
    }

    /// Appends the parameters read so far to the JSON.
    fn write(&mut self, input: &[u8], parameter: &Parameter, schema: Option<&Schema>) {
        for found in std::mem::take(&mut self.unwritten) {
            if let Some(begun) = self.begun_value.take() {
                begun.take_back(&mut self.json);
            }
            self.push(input, found, parameter, schema);
        }
    }

    /// Appends the parameters read so far to the JSON, and what is sure of the value being read.
    pub(crate) fn write_so_far(
        &mut self,
        input: &[u8],
        parameter: &Parameter,
        schema: Option<&Schema>,
    ) {
        self.write(input, parameter, schema);
        let ParametersStage::Value { opening, search } = &self.stage else { return };
        let Some(sure) = search.plain_end() else { return };
        let key = parameter.key.read(opening.name.of(input));
        let begun = self.begun_value.get_or_insert_with(|| {
            BegunValue::new(opening.end, &key, opening.kind.map(|kind| kind.of(input)), schema)
        });
        begun.write(&mut self.json, &key, (input, sure), parameter);
    }

    fn push(
        &mut self,
        input: &[u8],
        found: FoundParameter,
        parameter: &Parameter,
        schema: Option<&Schema>,
    ) {
        let FoundParameter { key, kind, value: span } = found;
        let has_elements = kind.is_some_and(|kind| holds_elements(parameter, kind.of(input)));
        if !has_elements && hides_end(parameter, span.of(input), key.of(input)) {
            let message = "the value holds its own end tag";
            self.diagnostics.add(DiagnosticCode::EndTagInValue, span.start, message);
        }
        let name = &*parameter.key.read(key.of(input));
        if self.json.len() > 1 {
            self.json.push(',');
        }
        typed::push_text(&mut self.json, name);
        self.json.push(':');
        let text = without_cdata(span.of(input));
        let open = parameter.open.first().map(Marker::lead).unwrap_or_default();
        let typed = match kind.map(|kind| kind.of(input)) {
            Some(kind) if typed::is_text_kind(kind) => {
                Typed { json: typed::text(text), matches: true }
            }
            Some(kind) if holds_elements(parameter, kind) => {
                of_typed_elements(text, kind, parameter, self.tolerance)
            }
            Some(_) => typed::of_json(text, self.tolerance),
            None if parameter.nested && memmem::find(text, open).is_some() => {
                let part =
                    schema.map(|schema| schema.whole().property(&String::from_utf8_lossy(name)));
                typed::of_elements(text, open, part.as_ref(), self.tolerance)
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
        let mut notes = self.diagnostics.take_sorted();
        notes.extend(self.missing.map(missing_end));
        ReadArguments { span: Span::new(self.start, self.pos), notes, made }
    }
}

/// Whether a parameter is known to be no text.
fn is_no_text(opening: &Opening, input: &[u8], own: &OwnMarkup<'_>) -> bool {
    match (opening.kind, own.schema) {
        (Some(kind), _) => !typed::is_text_kind(kind.of(input)),
        (None, Some(schema)) => {
            let key = own.parameter.key.read(opening.name.of(input));
            let kinds = schema.kinds(&String::from_utf8_lossy(&key));
            !kinds.text && !kinds.unknown()
        }
        (None, None) => false,
    }
}

/// Whether the name of a parameter is none, and no property of the tool has it.
fn is_damaged_key(key: Span, input: &[u8], own: &OwnMarkup<'_>) -> bool {
    let key = own.parameter.key.read(key.of(input));
    let known = |schema: &Schema| !schema.kinds(&String::from_utf8_lossy(&key)).unknown();
    // The quotes of an attribute say where it ends.
    let is_attribute = matches!(own.parameter.key, NamePlace::Attribute(_));
    !is_attribute && is_more_than_key(&key) && !own.schema.is_some_and(known)
}

/// Whether a tag opens a parameter that the call has not, and that the schema knows, if there is
/// one.
fn is_new(
    tag: Tag,
    parameter: &Parameter,
    (input, key): (&[u8], Span),
    keys: &HashSet<Vec<u8>>,
    schema: Option<&Schema>,
) -> bool {
    let Tag::OpensParameter(next) = tag else { return false };
    let read = |key: Span| parameter.key.read(key.of(input));
    let next = read(next);
    let known = |schema: &Schema| !schema.kinds(&String::from_utf8_lossy(&next)).unknown();
    next != read(key) && !keys.contains(&*next) && schema.is_none_or(known)
}
