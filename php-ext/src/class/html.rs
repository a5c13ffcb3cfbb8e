//! `Toolwire\Html`: calls and results as HTML, every value escaped.

use ext_php_rs::prelude::*;
use toolwire::compat::memberpress::{render_call, render_result};

use crate::host::class::php_class;
use crate::host::value::{Flag, Text};

/// The status of a call that is being run.
pub(crate) const PROCESSING: &str = "processing";

/// The id of a call that has none.
const NO_ID: &str = "";

/// A place for two functions; it is never made.
pub(crate) struct Html;

php_class!(Html, "Toolwire\\Html", [], private, {});

#[php_impl]
impl Html {
    /// The block of a call, whose arguments are given as JSON text.
    #[php(defaults(status = PROCESSING, id = NO_ID))]
    fn call(name: Text<'_>, arguments: Text<'_>, status: Text<'_>, id: Text<'_>) -> String {
        render_call(&name.lossy(), &arguments.lossy(), &status.lossy(), &id.lossy())
    }

    /// The block of a result.
    fn result(name: Text<'_>, success: Flag, result: Text<'_>) -> String {
        render_result(&name.lossy(), success.0, &result.lossy())
    }
}
