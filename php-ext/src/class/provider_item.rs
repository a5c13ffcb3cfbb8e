//! `Toolwire\ProviderItem`: what a provider keeps for itself.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use serde_json::Value;
use toolwire::Error;
use toolwire::json::parse_json;
use toolwire::provider::{self, ItemKind, Provider};

use crate::class::provider::array;
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::record::{Fields, Record};
use crate::host::value::{self, AnArray, As, Flag};

/// An item.
pub(crate) struct ProviderItem(provider::ProviderItem);

php_class!(ProviderItem, "Toolwire\\ProviderItem", [], private, {
    "kind": DataType::String, false => kind;
    "word": DataType::String, false => word;
    "id": DataType::String, true => id;
    "raw": DataType::String, false => raw;
    "path": DataType::String, false => path;
    "format": DataType::String, false => format;
});

impl ProviderItem {
    /// Wraps an item of the core.
    pub(crate) fn new(item: provider::ProviderItem) -> Self {
        Self(item)
    }

    /// The core's item.
    pub(crate) fn core(&self) -> &provider::ProviderItem {
        &self.0
    }

    fn kind(&self) -> Zval {
        value::text(self.0.kind.slug())
    }

    fn word(&self) -> Zval {
        value::text(&self.0.word)
    }

    fn id(&self) -> Zval {
        value::text_or_null(self.0.id.as_deref())
    }

    fn raw(&self) -> Zval {
        value::text(self.0.object.to_string())
    }

    fn path(&self) -> Zval {
        value::text(&self.0.path)
    }

    fn format(&self) -> Zval {
        value::text(self.0.format)
    }
}

#[php_impl]
impl ProviderItem {
    /// The whole item, as it was sent.
    fn object(&self) -> PhpResult<As<AnArray>> {
        array(&self.0.object).map(As::new)
    }

    /// A person's answer to an approval request, for the next request.
    fn decided(&self, approved: Flag) -> PhpResult<As<AnArray>> {
        let decided = self.0.decided(approved.0).map_err(|error| exception::from_core(&error))?;
        array(&decided).map(As::new)
    }

    /// Every field by its name.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.write().map(As::new)
    }
}

impl Record for ProviderItem {
    fn write(&self) -> PhpResult<Zval> {
        Ok(value::record([
            ("kind", self.kind()),
            ("word", self.word()),
            ("id", self.id()),
            ("raw", self.raw()),
            ("path", self.path()),
            ("format", self.format()),
        ])?)
    }

    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        let Ok(object @ Value::Object(_)) = parse_json(fields.text("raw")?.as_bytes()) else {
            return Err(fields.error("raw", "a JSON object"));
        };
        Ok(Self(provider::ProviderItem {
            kind: fields.word("kind", ItemKind::ALL, ItemKind::slug)?,
            word: fields.text("word")?,
            id: fields.text_or_null("id")?,
            object,
            path: fields.text("path")?,
            format: fields.word("format", Provider::ALL, Provider::slug)?.slug(),
        }))
    }
}
