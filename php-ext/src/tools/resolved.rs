//! `Toolwire\Tools\ResolvedToolCall`: a provider's call with its tool.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;

use crate::host::class::php_class;
use crate::host::value::{self, AnArray, As};

/// A call with its tool.
pub(crate) struct ResolvedToolCall {
    pub(super) tool: Zval,
    pub(super) call_id: String,
    pub(super) name: String,
    pub(super) arguments: Zval,
    pub(super) raw: Zval,
}

php_class!(ResolvedToolCall, "Toolwire\\Tools\\ResolvedToolCall", [], private, {
    "tool": DataType::object("Toolwire\\Tools\\ToolDefinition"), false => tool;
    "callId": DataType::String, false => call_id;
    "name": DataType::String, false => name;
    "arguments": DataType::Array, false => arguments;
    "raw": DataType::Mixed, false => raw;
});

impl ResolvedToolCall {
    fn tool(&self) -> Zval {
        self.tool.shallow_clone()
    }

    fn call_id(&self) -> Zval {
        value::text(&self.call_id)
    }

    fn name(&self) -> Zval {
        value::text(&self.name)
    }

    fn arguments(&self) -> Zval {
        self.arguments.shallow_clone()
    }

    fn raw(&self) -> Zval {
        self.raw.shallow_clone()
    }
}

#[php_impl]
impl ResolvedToolCall {
    /// Returns id, name and arguments, by their names in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        Ok(As::new(value::record([
            ("call_id", self.call_id()),
            ("name", self.name()),
            ("arguments", self.arguments()),
        ])?))
    }
}
