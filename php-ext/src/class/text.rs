//! `Toolwire\Text`: makes text safe to show to a person and to give to a model.

use ext_php_rs::prelude::*;
use toolwire::detect::quote;
use toolwire::visible::visible_bytes;

use crate::host::class::php_class;
use crate::host::value::{self, AString, As, Text as Bytes};

/// A class of static methods; it has no objects.
pub(crate) struct Text;

php_class!(Text, "Toolwire\\Text", [], private, {});

#[php_impl]
impl Text {
    /// A text with marks in place of its invisible and control characters.
    fn visible(text: Bytes<'_>) -> As<AString> {
        As::new(value::text(&*visible_bytes(text.bytes())))
    }

    /// A quoted text of others, in which no call is found.
    fn quote(text: Bytes<'_>) -> As<AString> {
        As::new(value::text(&*quote(text.bytes())))
    }
}
