//! `Toolwire\ProviderRejection`: a refused part of a provider's object.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::Error;
use toolwire::call::RejectionCode;
use toolwire::provider::{self, Provider};

use crate::host::class::php_class;
use crate::host::record::{Fields, Record};
use crate::host::value::{self, AnArray, As};

/// A rejection.
pub(crate) struct ProviderRejection(provider::ProviderRejection);

php_class!(ProviderRejection, "Toolwire\\ProviderRejection", [], private, {
    "code": DataType::String, false => code;
    "message": DataType::String, false => message;
    "path": DataType::String, false => path;
    "format": DataType::String, true => format;
});

impl ProviderRejection {
    /// Wraps a rejection of the core.
    pub(crate) fn new(rejection: provider::ProviderRejection) -> Self {
        Self(rejection)
    }

    /// The core's rejection.
    pub(crate) fn core(&self) -> &provider::ProviderRejection {
        &self.0
    }

    fn code(&self) -> Zval {
        value::text(self.0.code.slug())
    }

    fn message(&self) -> Zval {
        value::text(&self.0.message)
    }

    fn path(&self) -> Zval {
        value::text(&self.0.path)
    }

    fn format(&self) -> Zval {
        value::text_or_null(self.0.format)
    }
}

#[php_impl]
impl ProviderRejection {
    /// Every field by its name.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.write().map(As::new)
    }
}

impl Record for ProviderRejection {
    fn write(&self) -> PhpResult<Zval> {
        Ok(value::record([
            ("code", self.code()),
            ("message", self.message()),
            ("path", self.path()),
            ("format", self.format()),
        ])?)
    }

    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        let format = Some(fields.value("format")?).filter(|format| !format.is_null());
        let provider =
            format.map(|_| fields.word("format", Provider::ALL, Provider::slug)).transpose()?;
        Ok(Self(provider::ProviderRejection {
            code: fields.word("code", RejectionCode::ALL, RejectionCode::slug)?,
            message: fields.text("message")?,
            path: fields.text("path")?,
            format: provider.map(Provider::slug),
        }))
    }
}
