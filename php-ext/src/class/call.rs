//! `Toolwire\ToolCall`: a call, with the text in which it was found.
//!
//! The text is the caller's own string. A call shares it and what was found in it with its
//! detection, which it can outlive. The arguments are built from the text on first access.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::{ZendHashTable, Zval};
use serde_json::{Value, json};
use toolwire::call::{Arguments, Diagnostic, DiagnosticCode, Status};
use toolwire::compat::memberpress::render_call;
use toolwire::detect::NewCall;
use toolwire::json::parse_json;
use toolwire::provider::{AnsweredCall, MessageCall, Provider, ProviderCall};
use toolwire::{Error, Span};

use crate::class::found::{Found, LoneCall};
use crate::class::html::PROCESSING;
use crate::host::class::{JSON, php_class};
use crate::host::json::{self, Objects};
use crate::host::parts;
use crate::host::record::{Fields, Record};
use crate::host::value::{self, AString, AnArray, AnObject, Anything, As, Text};
use crate::zend;

/// Where a call is kept.
enum Kept {
    /// With the other calls of its text, at this position.
    Together(Rc<Found>, usize),
    Alone(Box<LoneCall>),
}

/// A call and the text in which it was found.
pub(crate) struct ToolCall {
    kept: Kept,
    arguments: OnceCell<Zval>,
}

php_class!(ToolCall, "Toolwire\\ToolCall", [JSON], private, {
    "id": DataType::String, false => id;
    "idGiven": DataType::Bool, false => id_given;
    "index": DataType::Long, false => index;
    "name": DataType::String, false => name;
    "arguments": DataType::Array, false => arguments;
    "argumentsRaw": DataType::String, false => arguments_raw;
    "format": DataType::String, false => format;
    "original": DataType::String, false => original;
    "span": DataType::Array, false => span;
    "status": DataType::String, false => status;
    "diagnostics": DataType::Array, false => diagnostics;
    "providerData": DataType::String, true => provider_data;
});

impl ToolCall {
    /// The call at a position of what was found in a text.
    #[inline]
    pub(crate) fn found(found: &Rc<Found>, index: usize) -> Self {
        Self { kept: Kept::Together(Rc::clone(found), index), arguments: OnceCell::new() }
    }

    /// Joins a call with a copy of its markup in the searched text.
    pub(crate) fn alone(mut call: toolwire::ToolCall, searched: &[u8]) -> Self {
        let (text, start) = (value::text(call.span.of(searched)), call.span.start);
        if let Arguments::Verbatim(span) = &mut call.arguments {
            *span = relative(*span, start);
        }
        let format = Cow::Borrowed(call.format);
        Self::of(LoneCall { call, text, start, format })
    }

    fn of(call: LoneCall) -> Self {
        Self { kept: Kept::Alone(Box::new(call)), arguments: OnceCell::new() }
    }

    /// The core's call.
    pub(crate) fn core(&self) -> &toolwire::ToolCall {
        match &self.kept {
            Kept::Together(found, index) => found.findings.call(*index),
            Kept::Alone(alone) => &alone.call,
        }
    }

    /// The text that holds the call, and its offset in the searched text.
    fn source(&self) -> (&[u8], usize) {
        match &self.kept {
            Kept::Together(found, _) => (found.bytes(), 0),
            Kept::Alone(alone) => (value::bytes(&alone.text), alone.start),
        }
    }

    /// The markup.
    pub(crate) fn markup(&self) -> &[u8] {
        let (text, start) = self.source();
        relative(self.core().span, start).of(text)
    }

    /// The format's slug.
    fn slug(&self) -> &str {
        match &self.kept {
            Kept::Together(found, index) => found.findings.call(*index).format,
            Kept::Alone(alone) => &alone.format,
        }
    }

    /// The call in the form that it is written from, with its id if its text gave one.
    pub(crate) fn as_new_call(&self) -> NewCall {
        NewCall::of(self.core(), self.source().0)
    }

    /// The call in the form that a provider's object is written from.
    pub(crate) fn as_provider_call(&self) -> ProviderCall<'_> {
        let call = ProviderCall::of(self.core(), self.source().0);
        ProviderCall { format: self.slug(), ..call }
    }

    /// The call as an answer to this provider names it.
    pub(crate) fn answered(&self, provider: Provider) -> AnsweredCall {
        let toolwire::ToolCall { id, id_given, name, .. } = self.core();
        AnsweredCall::found(id, *id_given, name, self.slug(), provider)
    }

    /// The call in the form that a provider's message is written from.
    pub(crate) fn as_message_call(&self) -> MessageCall<'_> {
        MessageCall::of(self.core(), self.source().0)
    }

    /// The call as an array with its id, name and raw arguments under the given keys.
    pub(crate) fn under(&self, id: &str, name: &str, arguments: &str) -> PhpResult<Zval> {
        let fields = [(id, self.id()), (name, self.name()), (arguments, self.arguments_raw())];
        Ok(value::record(fields)?)
    }

    /// The request of the call: its id, the name of its tool and its arguments.
    pub(crate) fn asked(&self) -> PhpResult<(String, String, Zval)> {
        let toolwire::ToolCall { id, name, .. } = self.core();
        Ok((id.to_string(), name.clone(), self.arguments()?))
    }

    /// The JSON text of the arguments.
    pub(crate) fn raw(&self) -> &[u8] {
        self.core().arguments_raw(self.source().0)
    }

    fn read_arguments(&self, objects: Objects) -> PhpResult<Zval> {
        // The core returns only arguments that are JSON, so this cannot fail.
        json::read(self.raw(), objects).ok_or_else(|| "the arguments are not JSON".into())
    }

    fn id(&self) -> Zval {
        value::text(self.core().id.as_str())
    }

    fn id_given(&self) -> Zval {
        value::flag(self.core().id_given)
    }

    fn index(&self) -> Zval {
        value::whole(self.core().index)
    }

    pub(super) fn name(&self) -> Zval {
        match &self.kept {
            Kept::Together(found, index) => {
                found.strings.get(found.findings.call(*index).name.as_bytes())
            }
            Kept::Alone(alone) => value::text(&alone.call.name),
        }
    }

    pub(super) fn arguments(&self) -> PhpResult<Zval> {
        if let Some(arguments) = self.arguments.get() {
            return Ok(arguments.shallow_clone());
        }
        let read = match &self.kept {
            Kept::Together(found, index) => found
                .findings
                .argument_parts(found.findings.call(*index), found.bytes())
                .and_then(|parts| parts::array(parts, &found.strings)),
            Kept::Alone(_) => None,
        };
        let arguments = read.map_or_else(|| self.read_arguments(Objects::Arrays), Ok)?;
        Ok(self.arguments.get_or_init(|| arguments).shallow_clone())
    }

    fn arguments_raw(&self) -> Zval {
        value::text(self.raw())
    }

    fn format(&self) -> Zval {
        value::text(self.slug())
    }

    fn original(&self) -> Zval {
        value::text(self.markup())
    }

    fn span(&self) -> PhpResult<Zval> {
        span(self.core().span)
    }

    fn status(&self) -> Zval {
        value::text(self.core().status.slug())
    }

    fn diagnostics(&self) -> PhpResult<Zval> {
        let notes = self.core().diagnostics.iter().map(|note| {
            value::record([
                ("code", value::text(note.code.slug())),
                ("message", value::text(&note.message)),
                ("offset", value::whole(note.offset)),
            ])
        });
        Ok(value::list(notes.collect::<Result<Vec<_>, _>>()?)?)
    }

    fn provider_data(&self) -> Zval {
        value::text_or_null(self.core().provider_data.as_deref())
    }
}

#[php_impl]
impl ToolCall {
    /// Every field, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.write().map(As::new)
    }

    /// Every field for `json_encode()`, with JSON objects in the arguments as objects.
    fn json_serialize(&self) -> PhpResult<As<Anything>> {
        let original = value::text(&*String::from_utf8_lossy(self.markup()));
        Ok(As::new(self.record(self.read_arguments(Objects::Encodable)?, original)?))
    }

    /// Every field as JSON text, with the arguments byte for byte.
    fn to_json(&self) -> PhpResult<As<AString>> {
        // The other fields are scalars and lists of scalars, which every JSON writer writes in the
        // same way.
        let raw = std::str::from_utf8(self.raw()).map_err(|_| "the arguments are not UTF-8")?;
        let call = self.core();
        let notes: Vec<_> = call
            .diagnostics
            .iter()
            .map(|note| json!({"code": note.code.slug(), "message": note.message, "offset": note.offset}))
            .collect();
        let fields = [
            ("id", json!(call.id.as_str())),
            ("id_given", json!(call.id_given)),
            ("index", json!(call.index)),
            ("name", json!(call.name)),
            ("arguments", Value::Null),
            ("arguments_raw", json!(raw)),
            ("format", json!(self.slug())),
            ("original", json!(String::from_utf8_lossy(self.markup()))),
            ("span", json!({"start": call.span.start, "end": call.span.end})),
            ("status", json!(call.status.slug())),
            ("diagnostics", Value::Array(notes)),
        ];
        let data = call.provider_data.as_ref().map(|data| ("provider_data", json!(data)));
        let fields = fields.iter().chain(&data).map(|(name, field)| match *name {
            "arguments" => format!("\"arguments\":{raw}"),
            name => format!("\"{name}\":{field}"),
        });
        Ok(As::new(value::text(format!("{{{}}}", fields.collect::<Vec<_>>().join(",")))))
    }

    /// The arguments with JSON objects as objects, so that an empty object stays an object.
    fn arguments_object(&self) -> PhpResult<As<AnObject>> {
        let arguments = self.read_arguments(Objects::Plain)?;
        if arguments.is_object() {
            return Ok(As::new(arguments));
        }
        Ok(As::new(zend::plain_object(ext_php_rs::types::ZendHashTable::new())))
    }

    /// The call as a block of HTML.
    #[php(defaults(status = PROCESSING))]
    fn to_html(&self, status: Text<'_>) -> As<AString> {
        let arguments = String::from_utf8_lossy(self.raw());
        let html = render_call(&self.core().name, &arguments, &status.lossy(), &self.core().id);
        As::new(value::text(html))
    }
}

impl ToolCall {
    /// Every field, with the given values for the two fields that are not the same everywhere.
    fn record(&self, arguments: Zval, original: Zval) -> PhpResult<Zval> {
        let mut record = value::record([
            ("id", self.id()),
            ("id_given", self.id_given()),
            ("index", self.index()),
            ("name", self.name()),
            ("arguments", arguments),
            ("arguments_raw", self.arguments_raw()),
            ("format", self.format()),
            ("original", original),
            ("span", self.span()?),
            ("status", self.status()),
            ("diagnostics", self.diagnostics()?),
        ])?;
        // A call without data has the fields of older versions.
        if self.core().provider_data.is_some()
            && let Some(table) = record.array_mut()
        {
            table.insert("provider_data", self.provider_data())?;
        }
        Ok(record)
    }
}

impl Record for ToolCall {
    fn write(&self) -> PhpResult<Zval> {
        self.record(self.arguments()?, self.original())
    }

    /// Reads the fields except `arguments`, since `arguments_raw` is more exact.
    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        let span = fields.span("span")?;
        let original = fields.bytes("original")?;
        let length = value::bytes(original).len();
        // Calls of a provider's object are not part of a text.
        if length != span.len() && length != 0 {
            return Err(fields.error("original", "as long as the span says"));
        }
        let arguments = fields.text("arguments_raw")?;
        if !is_arguments(&arguments) {
            return Err(fields.error("arguments_raw", "a JSON object"));
        }
        let provider_data = fields.later_text("provider_data")?;
        let is_object = |data: &str| matches!(parse_json(data.as_bytes()), Ok(Value::Object(_)));
        if provider_data.as_deref().is_some_and(|data| !is_object(data)) {
            return Err(fields.error("provider_data", "a JSON object"));
        }
        let call = toolwire::ToolCall {
            id: fields.text("id")?.into(),
            id_given: fields.flag("id_given")?,
            index: fields.whole("index")?,
            name: fields.text("name")?,
            arguments: Arguments::Made(arguments.into()),
            format: "",
            span,
            status: fields.word("status", &[Status::Complete, Status::Repaired], Status::slug)?,
            diagnostics: fields
                .list("diagnostics")?
                .map(|note| diagnostic(fields, note))
                .collect::<Result<_, _>>()?,
            provider_data: provider_data.map(String::into_boxed_str),
        };
        let format = slug(fields, fields.text("format")?)?;
        Ok(Self::of(LoneCall { call, text: original.shallow_clone(), start: span.start, format }))
    }
}

/// A note on a call.
fn diagnostic(fields: &Fields<'_>, note: &Zval) -> Result<Diagnostic, Error> {
    let note = fields.within("diagnostics", note)?;
    Ok(Diagnostic {
        code: note.word("code", DiagnosticCode::ALL, DiagnosticCode::slug)?,
        message: note.text("message")?,
        offset: note.whole("offset")?,
    })
}

/// The longest slug that can be read back.
const LONGEST_SLUG: usize = 64;

/// The slug of a format: a built-in format, a provider, or a program's own format.
pub(crate) fn slug(fields: &Fields<'_>, slug: String) -> Result<Cow<'static, str>, Error> {
    let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
    if slug.len() > LONGEST_SLUG || !slug.bytes().all(allowed) {
        return Err(fields.error("format", "the slug of a format"));
    }
    Ok(Cow::Owned(slug))
}

/// Whether a text may be the arguments of a call: a JSON object, or the empty array that counts as
/// one, which nests no deeper than any detector allows.
fn is_arguments(text: &str) -> bool {
    let object = json::read_within(text.as_bytes(), Objects::Plain, toolwire::Options::DEEPEST);
    object.is_some_and(|read| read.is_object() || read.array().is_some_and(ZendHashTable::is_empty))
}

/// A span relative to another start.
fn relative(span: Span, start: usize) -> Span {
    Span::new(span.start.saturating_sub(start), span.end.saturating_sub(start))
}

/// A span as a PHP array.
pub(crate) fn span(span: Span) -> PhpResult<Zval> {
    Ok(value::record([("start", value::whole(span.start)), ("end", value::whole(span.end))])?)
}

/// A call as a PHP object.
#[inline]
pub(crate) fn object(call: ToolCall) -> Zval {
    zend::new_object(call)
}
