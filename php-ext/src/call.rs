//! `Toolwire\ToolCall`: a call, with the text it was found in.
//!
//! The text is the caller's own string, shared, so a call can outlive its detection; its arguments
//! are built from the text when they are first asked for.

use std::cell::OnceCell;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::native::NativeCall;
use toolwire::{Span, render_call};

use crate::class::php_class;
use crate::exception;
use crate::html::PROCESSING;
use crate::json::{self, Objects};
use crate::value::{self, AString, AnArray, AnObject, As, Text};

/// The searched text, or the part of it that a call spans.
pub(crate) struct Source {
    text: Zval,
    /// The byte of the searched text at which `text` starts.
    start: usize,
}

impl Source {
    /// The whole text.
    pub(crate) fn whole(text: &Zval) -> Self {
        Self { text: text.shallow_clone(), start: 0 }
    }

    /// A copy of the part that a span covers.
    pub(crate) fn part(text: &[u8], span: Span) -> Self {
        Self { text: value::text(span.of(text)), start: span.start }
    }

    fn bytes(&self) -> &[u8] {
        value::bytes(&self.text)
    }
}

/// A call and the text it was found in.
pub(crate) struct ToolCall {
    call: toolwire::ToolCall,
    source: Source,
    arguments: OnceCell<Zval>,
}

php_class!(ToolCall, "Toolwire\\ToolCall", [], private, {
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
});

impl ToolCall {
    /// Puts a call together with its text.
    pub(crate) fn new(mut call: toolwire::ToolCall, source: Source) -> Self {
        if let toolwire::Arguments::Verbatim(span) = &mut call.arguments {
            *span = relative(*span, source.start);
        }
        Self { call, source, arguments: OnceCell::new() }
    }

    /// What a provider is told of the call.
    pub(crate) fn native(&self) -> NativeCall<'_> {
        NativeCall::of(&self.call, self.source.bytes())
    }

    /// The call as an array with its id, name and raw arguments under these keys.
    pub(crate) fn under(&self, id: &str, name: &str, arguments: &str) -> PhpResult<Zval> {
        let fields = [(id, self.id()), (name, self.name()), (arguments, self.arguments_raw())];
        Ok(value::record(fields)?)
    }

    /// What the call asks for: its id, the name of its tool and its arguments.
    pub(crate) fn asked(&self) -> PhpResult<(String, String, Zval)> {
        Ok((self.call.id.clone(), self.call.name.clone(), self.arguments()?))
    }

    /// The JSON text of the arguments.
    pub(crate) fn raw(&self) -> &[u8] {
        self.call.arguments_raw(self.source.bytes())
    }

    fn read(&self, objects: Objects) -> PhpResult<Zval> {
        // The core hands out arguments that are JSON, so this cannot fail.
        json::read(self.raw(), objects).ok_or_else(|| "the arguments are not JSON".into())
    }

    fn id(&self) -> Zval {
        value::text(&self.call.id)
    }

    fn id_given(&self) -> Zval {
        value::flag(self.call.id_given)
    }

    fn index(&self) -> Zval {
        value::whole(self.call.index)
    }

    fn name(&self) -> Zval {
        value::text(&self.call.name)
    }

    fn arguments(&self) -> PhpResult<Zval> {
        if let Some(arguments) = self.arguments.get() {
            return Ok(arguments.shallow_clone());
        }
        let arguments = self.read(Objects::Arrays)?;
        Ok(self.arguments.get_or_init(|| arguments).shallow_clone())
    }

    fn arguments_raw(&self) -> Zval {
        value::text(self.raw())
    }

    fn format(&self) -> Zval {
        value::text(self.call.format)
    }

    fn original(&self) -> Zval {
        value::text(relative(self.call.span, self.source.start).of(self.source.bytes()))
    }

    fn span(&self) -> PhpResult<Zval> {
        span(self.call.span)
    }

    fn status(&self) -> Zval {
        value::text(self.call.status.as_str())
    }

    fn diagnostics(&self) -> PhpResult<Zval> {
        let notes = self.call.diagnostics.iter().map(|note| {
            value::record([
                ("code", value::text(note.code.as_str())),
                ("message", value::text(&note.message)),
                ("offset", value::whole(note.offset)),
            ])
        });
        Ok(value::list(notes.collect::<Result<Vec<_>, _>>()?)?)
    }
}

#[php_impl]
impl ToolCall {
    /// Every field, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        Ok(As::new(value::record([
            ("id", self.id()),
            ("id_given", self.id_given()),
            ("index", self.index()),
            ("name", self.name()),
            ("arguments", self.arguments()?),
            ("arguments_raw", self.arguments_raw()),
            ("format", self.format()),
            ("original", self.original()),
            ("span", self.span()?),
            ("status", self.status()),
            ("diagnostics", self.diagnostics()?),
        ])?))
    }

    /// The arguments with JSON objects as objects, so that an empty one stays one.
    fn arguments_object(&self) -> PhpResult<As<AnObject>> {
        let arguments = self.read(Objects::Plain)?;
        if arguments.is_object() {
            return Ok(As::new(arguments));
        }
        Ok(As::new(crate::zend::plain_object(ext_php_rs::types::ZendHashTable::new())))
    }

    /// The call as a block of HTML.
    #[php(defaults(status = PROCESSING))]
    fn to_html(&self, status: Text<'_>) -> As<AString> {
        let arguments = String::from_utf8_lossy(self.raw());
        let html = render_call(&self.call.name, &arguments, &status.lossy(), &self.call.id);
        As::new(value::text(html))
    }
}

/// A span counted from another start.
fn relative(span: Span, start: usize) -> Span {
    Span::new(span.start.saturating_sub(start), span.end.saturating_sub(start))
}

/// A span as a PHP array.
pub(crate) fn span(span: Span) -> PhpResult<Zval> {
    Ok(value::record([("start", value::whole(span.start)), ("end", value::whole(span.end))])?)
}

/// A call as a PHP object.
pub(crate) fn object(call: toolwire::ToolCall, source: Source) -> PhpResult<Zval> {
    value::object(ToolCall::new(call, source)).map_err(|error| exception::wrong_type(error.to_string()))
}
