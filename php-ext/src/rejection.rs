//! `Toolwire\Rejection`: something that looked like a call and was refused.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;

use crate::call;
use crate::class::php_class;
use crate::value::{self, AnArray, As};

/// A rejection.
pub(crate) struct Rejection(pub(crate) toolwire::Rejection);

php_class!(Rejection, "Toolwire\\Rejection", [], private, {
    "code": DataType::String, false => code;
    "message": DataType::String, false => message;
    "span": DataType::Array, false => span;
    "line": DataType::Long, false => line;
    "column": DataType::Long, false => column;
    "excerpt": DataType::String, false => excerpt;
    "format": DataType::String, true => format;
});

impl Rejection {
    fn code(&self) -> Zval {
        value::text(self.0.code.as_str())
    }

    fn message(&self) -> Zval {
        value::text(&self.0.message)
    }

    fn span(&self) -> PhpResult<Zval> {
        call::span(self.0.span)
    }

    fn line(&self) -> Zval {
        value::whole(self.0.line)
    }

    fn column(&self) -> Zval {
        value::whole(self.0.column)
    }

    fn excerpt(&self) -> Zval {
        value::text(&self.0.excerpt)
    }

    fn format(&self) -> Zval {
        value::text_or_null(self.0.format)
    }
}

#[php_impl]
impl Rejection {
    /// Every field by its name.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        Ok(As::new(value::record([
            ("code", self.code()),
            ("message", self.message()),
            ("span", self.span()?),
            ("line", self.line()),
            ("column", self.column()),
            ("excerpt", self.excerpt()),
            ("format", self.format()),
        ])?))
    }
}
