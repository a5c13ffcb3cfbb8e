//! What a provider's object holds: calls, results, and what was refused.
//!
//! ```
//! use serde_json::json;
//! use toolwire::provider::{ProviderResult, Provider, dump_result};
//!
//! let result = ProviderResult::success(Some("call_1"), "weather", json!({"degrees": 21}));
//! let message = dump_result(&result, Provider::OpenAi);
//! assert_eq!(
//!     message,
//!     json!({"role": "tool", "tool_call_id": "call_1", "content": "{\"degrees\":21}"})
//! );
//! ```

use std::collections::HashMap;

use serde_json::Value;

use super::item::ProviderItem;
use crate::call::{RejectionCode, ToolCall};
use crate::result::ToolResult;

/// What was found in one object, or in the events of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exchange {
    /// The calls, in the object's order.
    pub calls: Vec<ToolCall>,
    /// The results, in the object's order.
    pub results: Vec<ProviderResult>,
    /// What looked like a call or a result and was refused, in the object's order.
    pub rejections: Vec<ProviderRejection>,
    /// What the provider runs itself or asks a person, in the object's order. None of it is a call
    /// of the program's.
    pub items: Vec<ProviderItem>,
}

/// A tool's outcome, and the call that it answers.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderResult {
    /// The id of the call; none where the provider gives none.
    pub call_id: Option<String>,
    /// The slug of the provider that the result was read from; empty for a result that was made.
    pub format: &'static str,
    /// The outcome. The tool's name is empty if the provider does not give it and the call is not
    /// in the same object. The confidence is 0, since no provider gives one.
    pub outcome: ToolResult<Value>,
}

impl ProviderResult {
    /// Makes the result of a tool that ran.
    #[must_use]
    pub fn success(call_id: Option<&str>, tool: &str, data: Value) -> Self {
        let call_id = call_id.map(str::to_owned);
        Self { call_id, format: "", outcome: ToolResult::success(tool, data, 0.0) }
    }

    /// Makes the result of a tool that failed.
    #[must_use]
    pub fn failure(call_id: Option<&str>, tool: &str, message: &str, data: Value) -> Self {
        let call_id = call_id.map(str::to_owned);
        Self { call_id, format: "", outcome: ToolResult::failure(tool, data, message) }
    }
}

/// Something in an object that looked like a call or a result and was refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProviderRejection {
    /// Why it was refused.
    pub code: RejectionCode,
    /// The reason, for a person.
    pub message: String,
    /// Where it stands: a JSON Pointer into the object, or into the list of the stream's events.
    pub path: String,
    /// The slug of the provider that the object seems to be from; none if it cannot be told.
    pub format: Option<&'static str>,
}

impl Exchange {
    /// Adds a call behind the others.
    pub(in crate::provider) fn push_call(&mut self, mut call: ToolCall) {
        call.index = self.calls.len();
        self.calls.push(call);
    }

    /// Adds what another object held.
    pub(in crate::provider) fn extend(&mut self, other: Self) {
        for call in other.calls {
            self.push_call(call);
        }
        self.results.extend(other.results);
        self.rejections.extend(other.rejections);
        self.items.extend(other.items);
    }

    /// Gives each result without a tool name the name of its call.
    pub(in crate::provider) fn name_results(&mut self) {
        let names: HashMap<&str, &str> =
            self.calls.iter().map(|call| (call.id.as_str(), call.name.as_str())).collect();
        for result in self.results.iter_mut().filter(|result| result.outcome.tool.is_empty()) {
            if let Some(name) = result.call_id.as_deref().and_then(|id| names.get(id)) {
                result.outcome.tool = (*name).to_owned();
            }
        }
    }
}
