//! `Toolwire\Event`: what a stream reports for a piece of text.

use ext_php_rs::flags::DataType;
use ext_php_rs::types::Zval;
use toolwire::Span;
use toolwire::provider::{CallStart, MessagePart};

use crate::class::call::ToolCall;
use crate::class::rejection::Rejection;
use crate::host::class::php_class;
use crate::host::value;

/// Text, a step of a call or a rejection.
pub(crate) enum Event {
    /// Text for a person.
    Text(Zval),
    /// A call begins.
    CallStart {
        number: usize,
        name: Zval,
        id: Zval,
        /// Whether no marker behind it can make a thought of it.
        certain: bool,
    },
    /// The next piece of a call's arguments: the call's number and the piece.
    ArgumentsDelta(usize, Zval),
    /// A call ends: its number and the call.
    CallEnd(usize, Zval),
    /// A call that began, or ended, does not count: its number.
    CallRetracted(usize),
    /// Reasoning, and where it stands.
    Reasoning(Zval, Span),
    /// All text so far was reasoning, and where it stands.
    ReasoningEnd(Zval, Span),
    /// A rejection.
    Rejection(Zval),
}

php_class!(Event, "Toolwire\\Event", [], private, {
    "type": DataType::String, false => kind;
    "number": DataType::Long, true => number;
    "name": DataType::String, true => name;
    "id": DataType::String, true => id;
    "certain": DataType::Bool, true => certain;
    "json": DataType::String, true => json;
    "text": DataType::String, true => text;
    "call": DataType::object("Toolwire\\ToolCall"), true => call;
    "rejection": DataType::object("Toolwire\\Rejection"), true => rejection;
});

impl Event {
    fn kind(&self) -> Zval {
        value::text(match self {
            Self::Text(_) => "text",
            Self::CallStart { .. } => "call_start",
            Self::ArgumentsDelta(..) => "arguments_delta",
            Self::CallEnd(..) => "call_end",
            Self::CallRetracted(_) => "call_retracted",
            Self::Reasoning(..) => "reasoning",
            Self::ReasoningEnd(..) => "reasoning_end",
            Self::Rejection(_) => "rejection",
        })
    }

    /// What the event tells of the message; `None` for an event that changes nothing.
    pub(super) fn as_message(&self) -> Option<MessagePart<'_>> {
        Some(match self {
            Self::Text(text) => MessagePart::Text(value::bytes(text)),
            Self::Reasoning(text, span) => MessagePart::Reasoning(value::bytes(text), *span),
            Self::ReasoningEnd(text, span) => MessagePart::ReasoningEnd(value::bytes(text), *span),
            Self::CallEnd(number, call) => {
                MessagePart::Call(*number, value::held::<ToolCall>(call)?.as_message_call())
            }
            Self::CallRetracted(number) => MessagePart::CallRetracted(*number),
            Self::Rejection(rejection) => {
                let is_cut = value::held::<Rejection>(rejection)?.is_cut_off();
                return is_cut.then_some(MessagePart::CutOff);
            }
            Self::CallStart { number, name, id, certain } => {
                let text = |zval| std::str::from_utf8(value::bytes(zval)).unwrap_or_default();
                let (id, name) = (text(id), text(name));
                MessagePart::CallStart(CallStart { number: *number, id, name, certain: *certain })
            }
            Self::ArgumentsDelta(number, json) => {
                MessagePart::ArgumentsDelta(*number, value::bytes(json))
            }
        })
    }

    fn number(&self) -> Zval {
        match self {
            Self::CallStart { number, .. }
            | Self::ArgumentsDelta(number, _)
            | Self::CallEnd(number, _)
            | Self::CallRetracted(number) => value::whole(*number),
            Self::Text(_) | Self::Reasoning(..) | Self::ReasoningEnd(..) | Self::Rejection(_) => {
                Zval::null()
            }
        }
    }

    fn name(&self) -> Zval {
        if let Self::CallStart { name, .. } = self { name.shallow_clone() } else { Zval::null() }
    }

    fn id(&self) -> Zval {
        if let Self::CallStart { id, .. } = self { id.shallow_clone() } else { Zval::null() }
    }

    fn certain(&self) -> Zval {
        if let Self::CallStart { certain, .. } = self {
            value::flag(*certain)
        } else {
            Zval::null()
        }
    }

    fn json(&self) -> Zval {
        if let Self::ArgumentsDelta(_, json) = self { json.shallow_clone() } else { Zval::null() }
    }

    fn text(&self) -> Zval {
        match self {
            Self::Text(text) | Self::Reasoning(text, _) | Self::ReasoningEnd(text, _) => {
                text.shallow_clone()
            }
            _ => Zval::null(),
        }
    }

    fn call(&self) -> Zval {
        if let Self::CallEnd(_, call) = self { call.shallow_clone() } else { Zval::null() }
    }

    fn rejection(&self) -> Zval {
        if let Self::Rejection(rejection) = self { rejection.shallow_clone() } else { Zval::null() }
    }
}
