//! `Toolwire\ToolResult`: the result of running one tool.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::convert::FromZval;
use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use serde_json::Value;
use toolwire::Error;
use toolwire::packet::failure_in;
use toolwire::result::ResultView;

use crate::host::class::php_class;
use crate::host::json::{self, Objects};
use crate::host::option;
use crate::host::record::{Fields, Record};
use crate::host::tree::{Node, Thrown};
use crate::host::value::{self, AnArray, Anything, As, Flag, Maybe, Real, Text};
use crate::zend;

/// The outcome of a tool, with its data as a PHP value.
pub(crate) struct ToolResult {
    tool: Zval,
    success: bool,
    data: Zval,
    error_message: Option<Zval>,
    confidence: f64,
}

php_class!(ToolResult, "Toolwire\\ToolResult", [], public, {
    "tool": DataType::String, false => tool;
    "success": DataType::Bool, false => success;
    "data": DataType::Mixed, false => data;
    "errorMessage": DataType::String, true => error_message;
    "confidence": DataType::Double, false => confidence;
});

impl ToolResult {
    /// Converts a result of the core to PHP values.
    pub(crate) fn of(result: &toolwire::ToolResult<Value>) -> PhpResult<Self> {
        let data = json::read(result.data.to_string().as_bytes(), Objects::Arrays);
        Ok(Self {
            tool: value::text(&result.tool),
            success: result.success,
            data: data.ok_or("the data are not JSON")?,
            error_message: result.error_message.as_ref().map(value::text),
            confidence: result.confidence,
        })
    }

    /// Makes a result from PHP values.
    pub(crate) fn with(tool: Zval, success: bool, data: Zval, error_message: Option<Zval>) -> Self {
        Self { tool, success, data, error_message, confidence: 0.0 }
    }

    /// The core's form of the result.
    pub(crate) fn core(&self) -> Result<toolwire::ToolResult<Value>, Error> {
        let lossy = |text: &Zval| String::from_utf8_lossy(value::bytes(text)).into_owned();
        Ok(toolwire::ToolResult {
            tool: lossy(&self.tool),
            success: self.success,
            data: option::given("data", &self.data)?,
            confidence: self.confidence,
            error_message: self.error_message.as_ref().map(lossy),
        })
    }

    /// The bytes of the tool's name.
    pub(crate) fn tool_name(&self) -> &[u8] {
        value::bytes(&self.tool)
    }

    /// Whether the tool ran without an error.
    pub(crate) fn succeeded(&self) -> bool {
        self.success
    }

    /// The confidence of the tool.
    pub(crate) fn certainty(&self) -> f64 {
        self.confidence
    }

    fn tool(&self) -> Zval {
        self.tool.shallow_clone()
    }

    fn success(&self) -> Zval {
        value::flag(self.success)
    }

    fn data(&self) -> Zval {
        self.data.shallow_clone()
    }

    fn error_message(&self) -> Zval {
        self.error_message.as_ref().map_or_else(Zval::null, Zval::shallow_clone)
    }

    fn confidence(&self) -> Zval {
        value::real_or_null(Some(self.confidence))
    }

    /// Every field, by its name in snake case.
    pub(crate) fn fields(&self) -> PhpResult<Zval> {
        Ok(value::record([
            ("tool", self.tool()),
            ("success", self.success()),
            ("data", self.data()),
            ("confidence", self.confidence()),
            ("error_message", self.error_message()),
        ])?)
    }
}

#[php_impl]
impl ToolResult {
    /// Makes a result.
    #[php(defaults(confidence = 0.0))]
    fn __construct(
        tool: Text<'_>,
        success: Flag,
        data: As<Anything>,
        errorMessage: Maybe<Text<'_>>,
        confidence: Real,
    ) -> Self {
        Self {
            tool: tool.into_value(),
            success: success.0,
            data: data.0,
            error_message: errorMessage.0.map(Text::into_value),
            confidence: confidence.0,
        }
    }

    /// Makes a result from a tool's return value: a failure if the value is false or reports a
    /// failure.
    fn from_returned(tool: Text<'_>, returned: As<Anything>) -> PhpResult<Self> {
        let data = returned.0.dereference().shallow_clone();
        let reason = failure_in(&Node::new(&data))?.map(Node::to_value);
        let success = reason.is_none() && !data.is_false();
        Ok(Self::with(tool.into_value(), success, data, reason.filter(Zval::is_string)))
    }

    /// Every field, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.fields().map(As::new)
    }
}

impl Record for ToolResult {
    fn write(&self) -> PhpResult<Zval> {
        self.fields()
    }

    fn read(fields: &Fields<'_>) -> Result<Self, Error> {
        Ok(Self {
            tool: fields.bytes("tool")?.shallow_clone(),
            success: fields.flag("success")?,
            data: fields.value("data")?.shallow_clone(),
            error_message: fields.bytes_or_null("error_message")?.map(Zval::shallow_clone),
            confidence: fields.real("confidence")?,
        })
    }
}

/// An argument that is a result: the object itself, with its reference count raised.
pub(crate) struct ResultObject(pub(crate) Zval);

impl FromZval<'_> for ResultObject {
    const TYPE: DataType = DataType::object("Toolwire\\ToolResult");

    fn from_zval(value: &Zval) -> Option<Self> {
        if value.extract::<&ToolResult>().is_none() {
            zend::refuse_object(value, c"Toolwire\\ToolResult");
            return None;
        }
        Some(Self(value.shallow_clone()))
    }
}

impl<'a> ResultView for &'a ToolResult {
    type Data = Node<'a>;

    fn write_tool(&self, out: &mut Vec<u8>) -> Result<(), Thrown> {
        out.extend_from_slice(self.tool_name());
        Ok(())
    }

    fn success(&self) -> Result<bool, Thrown> {
        Ok(self.success)
    }

    fn data(&self) -> Result<Node<'a>, Thrown> {
        Ok(Node::new(&self.data))
    }

    fn confidence(&self) -> Result<f64, Thrown> {
        Ok(self.confidence)
    }

    fn write_error(&self, out: &mut Vec<u8>) -> Result<(), Thrown> {
        out.extend_from_slice(self.error_message.as_ref().map_or(b"None", value::bytes));
        Ok(())
    }
}
