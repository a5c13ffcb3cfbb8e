//! `Toolwire\Html`: writes calls and results as HTML, with every value escaped.

use ext_php_rs::prelude::*;
use toolwire::compat::memberpress::{render_call, render_result};

use crate::host::class::php_class;
use crate::host::value::{Flag, Text};

/// The status of a call that is running.
pub(crate) const PROCESSING: &str = "processing";

/// The id of a call without an id.
const NO_ID: &str = "";

/// A class of two static methods; it has no objects.
pub(crate) struct Html;

php_class!(Html, "Toolwire\\Html", [], private, {});

#[php_impl]
impl Html {
    /// The block of a call, with its arguments as JSON text.
    #[php(defaults(status = PROCESSING, id = NO_ID))]
    fn call(name: Text<'_>, arguments: Text<'_>, status: Text<'_>, id: Text<'_>) -> String {
        render_call(&name.lossy(), &arguments.lossy(), &status.lossy(), &id.lossy())
    }

    /// The block of a result.
    fn result(name: Text<'_>, success: Flag, result: Text<'_>) -> String {
        render_result(&name.lossy(), success.0, &result.lossy())
    }
}
