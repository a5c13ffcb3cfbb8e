//! `Toolwire\Tools\UnresolvedToolCall`: a provider's call without a tool, or one that cannot be
//! read.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;

use crate::host::class::php_class;
use crate::host::value::{self, AnArray, As};

/// A call without a tool, or one that cannot be read.
pub(crate) struct UnresolvedToolCall {
    pub(super) call_id: String,
    pub(super) name: String,
    pub(super) arguments: Zval,
    pub(super) error: String,
    pub(super) raw: Zval,
}

php_class!(UnresolvedToolCall, "Toolwire\\Tools\\UnresolvedToolCall", [], private, {
    "callId": DataType::String, false => call_id;
    "name": DataType::String, false => name;
    "arguments": DataType::Array, false => arguments;
    "error": DataType::String, false => error;
    "raw": DataType::Mixed, false => raw;
});

impl UnresolvedToolCall {
    fn call_id(&self) -> Zval {
        value::text(&self.call_id)
    }

    fn name(&self) -> Zval {
        value::text(&self.name)
    }

    fn arguments(&self) -> Zval {
        self.arguments.shallow_clone()
    }

    fn error(&self) -> Zval {
        value::text(&self.error)
    }

    fn raw(&self) -> Zval {
        self.raw.shallow_clone()
    }
}

#[php_impl]
impl UnresolvedToolCall {
    /// Returns id, name, arguments and error, by their names in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        Ok(As::new(value::record([
            ("call_id", self.call_id()),
            ("name", self.name()),
            ("arguments", self.arguments()),
            ("error", self.error()),
        ])?))
    }
}
