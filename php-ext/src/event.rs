//! `Toolwire\Event`: what a stream gave for a piece of text.

use ext_php_rs::flags::DataType;
use ext_php_rs::types::Zval;

use crate::class::php_class;

/// Text, a call or a rejection.
pub(crate) enum Event {
    /// Text that is not part of a call.
    Text(Zval),
    /// A call.
    Call(Zval),
    /// A rejection.
    Rejection(Zval),
}

php_class!(Event, "Toolwire\\Event", [], private, {
    "type": DataType::String, false => kind;
    "text": DataType::String, true => text;
    "call": DataType::object("Toolwire\\ToolCall"), true => call;
    "rejection": DataType::object("Toolwire\\Rejection"), true => rejection;
});

impl Event {
    fn kind(&self) -> Zval {
        crate::value::text(match self {
            Self::Text(_) => "text",
            Self::Call(_) => "call",
            Self::Rejection(_) => "rejection",
        })
    }

    fn text(&self) -> Zval {
        if let Self::Text(text) = self { text.shallow_clone() } else { Zval::null() }
    }

    fn call(&self) -> Zval {
        if let Self::Call(call) = self { call.shallow_clone() } else { Zval::null() }
    }

    fn rejection(&self) -> Zval {
        if let Self::Rejection(rejection) = self { rejection.shallow_clone() } else { Zval::null() }
    }
}
