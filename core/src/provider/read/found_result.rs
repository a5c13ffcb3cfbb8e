//! A result in a provider's object, before it is known where the object stands.

use serde_json::Value;

use super::content::{failed, outcome};
use super::shape::id_of;
use crate::provider::kind::Provider;
use crate::result::ToolResult;

/// A result that an object carries.
pub(in crate::provider) struct FoundResult {
    pub(in crate::provider) provider: Provider,
    /// The id of the call; none where the provider gives none.
    pub(in crate::provider) call_id: Option<String>,
    /// The outcome, or why the object is none although it says so.
    pub(in crate::provider) outcome: Result<ToolResult<Value>, &'static str>,
    /// The key under which the result stands, if it is not the object itself.
    pub(in crate::provider) key: Option<&'static str>,
}

impl FoundResult {
    /// A result with this outcome.
    pub(in crate::provider) fn of(
        provider: Provider,
        id: Option<&Value>,
        outcome: ToolResult<Value>,
    ) -> Self {
        Self { provider, call_id: id.and_then(id_of), outcome: Ok(outcome), key: None }
    }

    /// A result for which the provider says whether the tool failed.
    pub(in crate::provider) fn flagged(
        provider: Provider,
        id: Option<&Value>,
        tool: &str,
        (is_failure, data): (bool, Value),
    ) -> Self {
        let outcome =
            if is_failure { failed(tool, data) } else { ToolResult::success(tool, data, 0.0) };
        Self::of(provider, id, outcome)
    }

    /// A result whose content alone tells whether it failed.
    pub(in crate::provider) fn said(
        provider: Provider,
        id: Option<&Value>,
        tool: &str,
        data: Value,
    ) -> Self {
        Self::of(provider, id, outcome(tool, data))
    }

    /// What cannot be read although it says that it is a result.
    pub(in crate::provider) fn misshapen(provider: Provider, problem: &'static str) -> Self {
        Self { provider, call_id: None, outcome: Err(problem), key: None }
    }

    /// The same under a key of the object.
    pub(in crate::provider) fn under(self, key: &'static str) -> Self {
        Self { key: Some(key), ..self }
    }
}
