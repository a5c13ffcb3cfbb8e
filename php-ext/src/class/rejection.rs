//! `Toolwire\Rejection`: something that looked like a call and was refused.

use std::borrow::Cow;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::Error;
use toolwire::call::RejectionCode;

use crate::class::call;
use crate::host::class::php_class;
use crate::host::record::{Fields, Record};
use crate::host::value::{self, AnArray, As};

/// A rejection.
pub(crate) struct Rejection {
    found: toolwire::Rejection,
    /// The format's slug; the core keeps the slugs of its own formats.
    format: Option<Cow<'static, str>>,
}

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
    /// Wraps a rejection of the core.
    pub(crate) fn new(found: toolwire::Rejection) -> Self {
        Self { format: found.format.map(Cow::Borrowed), found }
    }

    /// The core's rejection.
    pub(crate) fn core(&self) -> &toolwire::Rejection {
        &self.found
    }

    /// The slug of the form in which it seemed to be written.
    pub(crate) fn format_slug(&self) -> Option<&str> {
        self.format.as_deref()
    }

    /// Whether the text ends inside the call that was refused.
    pub(super) fn is_cut_off(&self) -> bool {
        self.found.code == RejectionCode::Incomplete
    }

    fn code(&self) -> Zval {
        value::text(self.found.code.slug())
    }

    fn message(&self) -> Zval {
        value::text(&self.found.message)
    }

    fn span(&self) -> PhpResult<Zval> {
        call::span(self.found.span)
    }

    fn line(&self) -> Zval {
        value::whole(self.found.line)
    }

    fn column(&self) -> Zval {
        value::whole(self.found.column)
    }

    fn excerpt(&self) -> Zval {
        value::text(&self.found.excerpt)
    }

    fn format(&self) -> Zval {
        value::text_or_null(self.format.as_deref())
    }
}

#[php_impl]
impl Rejection {
    /// Every field by its name.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.write().map(As::new)
    }
}

impl Record for Rejection {
    fn write(&self) -> PhpResult<Zval> {
        Ok(value::record([
            ("code", self.code()),
            ("message", self.message()),
            ("span", self.span()?),
            ("line", self.line()),
            ("column", self.column()),
            ("excerpt", self.excerpt()),
            ("format", self.format()),
        ])?)
    }

    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        let format =
            fields.text_or_null("format")?.map(|slug| call::slug(fields, slug)).transpose()?;
        let found = toolwire::Rejection {
            code: fields.word("code", RejectionCode::ALL, RejectionCode::slug)?,
            message: fields.text("message")?,
            span: fields.span("span")?,
            line: fields.whole("line")?,
            column: fields.whole("column")?,
            excerpt: fields.text("excerpt")?,
            format: None,
        };
        Ok(Self { found, format })
    }
}
