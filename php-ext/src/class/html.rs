//! `Toolwire\Html`: writes calls and results as HTML, with every value escaped.

use ext_php_rs::convert::FromZval;
use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use serde_json::Value;
use toolwire::compat::memberpress::{render_call, render_result};

use crate::host::class::php_class;
use crate::host::value::{Flag, Text};
use crate::host::{exception, option};
use crate::zend;

/// The status of a call that is running.
pub(crate) const PROCESSING: &str = "processing";

/// The id of a call without an id.
const NO_ID: &str = "";

/// A class of two static methods; it has no objects.
pub(crate) struct Html;

php_class!(Html, "Toolwire\\Html", [], private, {});

#[php_impl]
impl Html {
    /// The block of a call.
    #[php(defaults(status = PROCESSING, id = NO_ID))]
    fn call(
        name: Text<'_>,
        arguments: Arguments<'_>,
        status: Text<'_>,
        id: Text<'_>,
    ) -> PhpResult<String> {
        let json = arguments.json()?;
        Ok(render_call(&name.lossy(), &json, &status.lossy(), &id.lossy()))
    }

    /// The block of a result.
    fn result(name: Text<'_>, success: Flag, result: Text<'_>) -> String {
        render_result(&name.lossy(), success.0, &result.lossy())
    }
}

/// The arguments of a call, as a call has them: an array, an object, or JSON text.
enum Arguments<'a> {
    Text(Text<'a>),
    Value(&'a Zval),
}

impl Arguments<'_> {
    /// The arguments as JSON text.
    fn json(&self) -> PhpResult<String> {
        match self {
            Self::Text(text) => Ok(text.lossy().into_owned()),
            Self::Value(value) => match option::sent("arguments", value) {
                // PHP has one empty array, and arguments are an object.
                Ok(Value::Array(items)) if items.is_empty() => Ok("{}".to_owned()),
                Ok(json) => Ok(json.to_string()),
                Err(error) => Err(exception::from_core(&error)),
            },
        }
    }
}

impl<'a> FromZval<'a> for Arguments<'a> {
    const TYPE: DataType = DataType::Mixed;

    fn from_zval(value: &'a Zval) -> Option<Self> {
        let held = value.dereference();
        if held.is_array() || zend::properties(held).is_some() {
            return Some(Self::Value(held));
        }
        Text::from_zval(value).map(Self::Text)
    }
}
