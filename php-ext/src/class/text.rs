//! `Toolwire\Text`: text as a person may be shown it, and as a model may be given it.

use ext_php_rs::prelude::*;
use toolwire::detect::quote;
use toolwire::visible::visible_bytes;

use crate::host::class::php_class;
use crate::host::value::{self, AString, As, Text as Bytes};

/// A place for a function; it is never made.
pub(crate) struct Text;

php_class!(Text, "Toolwire\\Text", [], private, {});

#[php_impl]
impl Text {
    /// A text whose invisible and control characters are marks.
    fn visible(text: Bytes<'_>) -> As<AString> {
        As::new(value::text(&*visible_bytes(text.bytes())))
    }

    /// A text of others in which no call is found.
    fn quote(text: Bytes<'_>) -> As<AString> {
        As::new(value::text(&*quote(text.bytes())))
    }
}
