//! One tool's outcome.
//!
//! The data is any value of the host. Serde writes the keys in the order of the fields.
//!
//! ```
//! use serde_json::json;
//! use toolwire::ToolResult;
//!
//! let result = ToolResult::success("rag_search", json!({"hits": 3}), 0.5);
//! assert_eq!(
//!     serde_json::to_string(&result)?,
//!     concat!(
//!         r#"{"tool":"rag_search","success":true,"data":{"hits":3},"#,
//!         r#""confidence":0.5,"error_message":null}"#
//!     )
//! );
//! # Ok::<(), serde_json::Error>(())
//! ```

use serde::{Deserialize, Serialize};

use crate::tree::{Constants, Tree};

/// What running a tool gave, with the data as the host holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult<D> {
    /// The tool's name.
    pub tool: String,
    /// Whether the tool ran without an error.
    pub success: bool,
    /// What it gave.
    pub data: D,
    /// How sure the tool is of the data, usually from 0 to 1.
    #[serde(default)]
    pub confidence: f64,
    /// What went wrong, if something did.
    #[serde(default)]
    pub error_message: Option<String>,
}

impl<D> ToolResult<D> {
    /// The result of a tool that ran.
    pub fn success(tool: impl Into<String>, data: D, confidence: f64) -> Self {
        Self { tool: tool.into(), success: true, data, confidence, error_message: None }
    }

    /// The result of a tool that failed; `data` is the host's empty map.
    pub fn failure(tool: impl Into<String>, data: D, message: impl Into<String>) -> Self {
        let error_message = Some(message.into());
        Self { tool: tool.into(), success: false, data, confidence: 0.0, error_message }
    }
}

/// A tool result as the summary reads it, in any form that a host keeps.
pub trait ResultView {
    /// The host's node.
    type Data: Tree;

    /// Appends the summary of the whole result and gives true, where the host has a quicker way
    /// than the functions below; appends nothing otherwise.
    fn write_quickly(&self, _constants: Constants<'_>, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Appends the tool's name.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn write_tool(&self, out: &mut Vec<u8>) -> Result<(), HostError<Self>>;

    /// Whether the tool ran without an error.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn success(&self) -> Result<bool, HostError<Self>>;

    /// What the tool gave.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn data(&self) -> Result<Self::Data, HostError<Self>>;

    /// How sure the tool is.
    ///
    /// # Errors
    ///
    /// Whatever the host raised, for example for a confidence that is not a number.
    fn confidence(&self) -> Result<f64, HostError<Self>>;

    /// Appends what went wrong; appends `None` if there is no message.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn write_error(&self, out: &mut Vec<u8>) -> Result<(), HostError<Self>>;
}

/// What a host may raise while one of its results is read.
pub type HostError<R> = <<R as ResultView>::Data as Tree>::Error;

impl<'a, D> ResultView for &'a ToolResult<D>
where
    &'a D: Tree,
{
    type Data = &'a D;

    fn write_tool(&self, out: &mut Vec<u8>) -> Result<(), HostError<Self>> {
        out.extend_from_slice(self.tool.as_bytes());
        Ok(())
    }

    fn success(&self) -> Result<bool, HostError<Self>> {
        Ok(self.success)
    }

    fn data(&self) -> Result<&'a D, HostError<Self>> {
        Ok(&self.data)
    }

    fn confidence(&self) -> Result<f64, HostError<Self>> {
        Ok(self.confidence)
    }

    fn write_error(&self, out: &mut Vec<u8>) -> Result<(), HostError<Self>> {
        out.extend_from_slice(self.error_message.as_deref().unwrap_or("None").as_bytes());
        Ok(())
    }
}
