//! `Toolwire\Segment`: a part of a message: text, reasoning, a call's markup, or framing.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::call as core;
use toolwire::{Error, Span};

use crate::class::call::{self, ToolCall};
use crate::host::class::php_class;
use crate::host::record::{Fields, Record};
use crate::host::value::{self, AnArray, As, held};

/// The types of parts.
const TYPES: [&str; 4] = ["text", "reasoning", "call", "frame"];

/// A part of a message: text, reasoning, a call's markup, or framing.
pub(crate) struct Segment {
    kind: &'static str,
    text: Zval,
    span: Span,
    call: Option<Zval>,
}

php_class!(Segment, "Toolwire\\Segment", [], private, {
    "type": DataType::String, false => kind;
    "text": DataType::String, false => text;
    "span": DataType::Array, false => span;
    "call": DataType::object("Toolwire\\ToolCall"), true => call;
});

impl Segment {
    /// Makes an object of a part of `input`; `calls` are the calls in it.
    pub(crate) fn new(part: core::Segment, input: &[u8], calls: &Zval) -> Self {
        let (kind, index) = match part {
            core::Segment::Text(_) => ("text", None),
            core::Segment::Reasoning(_) => ("reasoning", None),
            core::Segment::Frame(_) => ("frame", None),
            core::Segment::Call(index, _) => ("call", Some(index)),
        };
        let call = index.and_then(|index| calls.array()?.get(index)).map(Zval::shallow_clone);
        Self { kind, text: value::text(part.span().of(input)), span: part.span(), call }
    }

    /// The type, and where the part stands.
    pub(crate) fn place(&self) -> (&'static str, Span) {
        (self.kind, self.span)
    }

    /// The bytes of the part.
    pub(crate) fn bytes(&self) -> &[u8] {
        value::bytes(&self.text)
    }

    fn kind(&self) -> Zval {
        value::text(self.kind)
    }

    fn text(&self) -> Zval {
        self.text.shallow_clone()
    }

    fn span(&self) -> PhpResult<Zval> {
        call::span(self.span)
    }

    fn call(&self) -> Zval {
        self.call.as_ref().map_or_else(Zval::null, Zval::shallow_clone)
    }
}

#[php_impl]
impl Segment {
    /// Every field by its name.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.write().map(As::new)
    }
}

impl Record for Segment {
    fn write(&self) -> PhpResult<Zval> {
        let call = self.call.as_ref().and_then(held::<ToolCall>).map(Record::write).transpose()?;
        Ok(value::record([
            ("type", self.kind()),
            ("text", self.text()),
            ("span", self.span()?),
            ("call", call.unwrap_or_else(Zval::null)),
        ])?)
    }

    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        let (text, span) = (fields.bytes("text")?.shallow_clone(), fields.span("span")?);
        if value::bytes(&text).len() != span.len() {
            return Err(fields.error("text", "as long as the span says"));
        }
        let call = Some(fields.value("call")?).filter(|call| !call.is_null());
        let call = call.map(|call| fields.object::<ToolCall>("call", call)).transpose()?;
        let kind = fields.word("type", &TYPES, |word| word)?;
        if (kind == "call") != call.is_some() {
            return Err(fields.error("type", "call where there is one, else another"));
        }
        Ok(Self { kind, text, span, call })
    }
}
