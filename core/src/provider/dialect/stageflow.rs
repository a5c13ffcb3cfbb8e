//! Stageflow's resolved calls and outputs.

use serde_json::{Map, Value, json};

use super::form::ProviderDialect;
use crate::provider::kind::Provider;
use crate::provider::read::{FoundResult, ProviderResult, SeenObject, Shape, shown};
use crate::provider::write::{PlainCall, insert};
use crate::result::ToolResult;

const PROVIDER: Provider = Provider::Stageflow;

/// A call; one that stageflow could not resolve has an error beside it.
const CALL: Shape = Shape {
    error: Some("error"),
    ..Shape::new(PROVIDER, &["call_id"], &["name"], &["arguments"]).either()
};

pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    (seen.has("call_id") && seen.has("arguments")).then_some(CALL)
}

/// An output.
pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    let success = seen.get("success")?.as_bool()?;
    let is_lone = seen.object.len() == 1 || seen.near == Some(PROVIDER);
    if !seen.has("data") && !seen.has("error") && !is_lone {
        return None;
    }
    let data = seen.get("data").cloned();
    let outcome = if success {
        ToolResult::success("", data.unwrap_or_default(), 0.0)
    } else {
        let message = seen.get("error").map(shown).unwrap_or_default();
        ToolResult::failure("", data.unwrap_or_else(|| json!({})), message)
    };
    Some(FoundResult::of(PROVIDER, None, outcome))
}

pub const DIALECT: ProviderDialect = ProviderDialect::new(dump_call, dump_result);

fn dump_call(call: &PlainCall<'_>) -> Value {
    json!({"call_id": call.id, "name": call.name, "arguments": call.value()})
}

/// An output names no call.
fn dump_result(result: &ProviderResult) -> Value {
    let ProviderResult { outcome, .. } = result;
    let mut output = json!({"success": outcome.success});
    let empty = outcome.data.as_object().is_some_and(Map::is_empty);
    // Stageflow leaves out what a tool did not give, and so does this output.
    let given = if outcome.success { !outcome.data.is_null() } else { !empty };
    if given {
        insert(&mut output, "data", outcome.data.clone());
    }
    if !outcome.success {
        insert(&mut output, "error", outcome.error_message.as_deref().unwrap_or_default());
    }
    output
}
