//! WordPress core's AI client, whose tools are abilities.
//!
//! Its messages have Gemini's parts, each with a channel and a type.

pub(in crate::provider) mod ability;

use serde_json::{Value, json};

use crate::provider::dialect::form::{ProviderDialect, ToolDialect};
use crate::provider::dialect::gemini;
use crate::provider::kind::Provider;
use crate::provider::read::content::{error_object, outcome, read_error};
use crate::provider::read::{FoundResult, JsonObject, ProviderResult, SeenObject, Shape, text};
use crate::provider::tool::{NameRule, ToolDefinition};
use crate::provider::write::{PlainCall, insert, insert_some};
use crate::result::ToolResult;

const PROVIDER: Provider = Provider::WordPress;

/// The code that an error is written with if the failure has none.
const TOOL_FAILED: &str = "tool_failed";

/// A part with a call, which is Gemini's if nothing says that it is WordPress's.
pub fn call(seen: &SeenObject<'_>) -> Option<Shape> {
    let shape = gemini::call(seen)?;
    let is_own = seen.has("functionCall") && is_tagged(seen);
    Some(if is_own { shape.from(PROVIDER) } else { shape })
}

/// What a part with a call holds, alone.
pub fn bare_call(seen: &SeenObject<'_>) -> Option<Shape> {
    let shape = gemini::bare_call(seen)?;
    Some(if is_named(seen) { shape.from(PROVIDER) } else { shape })
}

/// A part with a result, which is Gemini's if nothing says that it is WordPress's.
pub fn result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    let (key, response) = gemini::response_in(seen)?;
    let read = if is_tagged(seen) { read_response } else { gemini::read_response };
    Some(read(response).under(key))
}

/// What a part with a result holds, alone.
pub fn bare_result(seen: &SeenObject<'_>) -> Option<FoundResult> {
    if !seen.has("name") || !seen.has("response") {
        return None;
    }
    let read = if is_named(seen) { read_response } else { gemini::read_response };
    Some(read(seen.object))
}

/// An error, alone.
pub fn error(seen: &SeenObject<'_>) -> Option<FoundResult> {
    if seen.text("error").is_none() || seen.text("code").is_none() {
        return None;
    }
    let error = Value::Object(seen.object.clone());
    read_error(&error)?;
    Some(FoundResult::of(PROVIDER, None, without_code(outcome("", error))))
}

/// Whether a part says that it is WordPress's.
fn is_tagged(seen: &SeenObject<'_>) -> bool {
    seen.has("type") || seen.has("channel") || seen.near == Some(PROVIDER)
}

/// Whether what a part holds names an ability, where nothing else says whose it is.
fn is_named(seen: &SeenObject<'_>) -> bool {
    let is_ability = || seen.text("name").is_some_and(ability::is_function);
    seen.near == Some(PROVIDER) || (seen.near.is_none() && is_ability())
}

fn read_response(object: &JsonObject) -> FoundResult {
    let name = ability::from_function(text(object, "name").unwrap_or_default());
    let response = object.get("response").cloned().unwrap_or_default();
    FoundResult::of(PROVIDER, object.get("id"), without_code(outcome(&name, response)))
}

/// The outcome without the code `TOOL_FAILED`, which stands for a missing code.
fn without_code(mut outcome: ToolResult<Value>) -> ToolResult<Value> {
    let data = outcome.data.as_object_mut().filter(|_| !outcome.success);
    let data = data.filter(|data| text(data, "code") == Some(TOOL_FAILED));
    let Some(data) = data else { return outcome };
    data.shift_remove("code");
    if let Some(inner) = data.shift_remove("data") {
        outcome.data = inner;
    }
    outcome
}

pub const DIALECT: ProviderDialect = ProviderDialect {
    tool_name,
    tools: Some(&TOOLS),
    ..ProviderDialect::new(dump_call, dump_result)
};

const TOOLS: ToolDialect = ToolDialect {
    names: Some(NameRule::WORDPRESS),
    // It may ask Gemini.
    takes_unions: false,
    ..ToolDialect::new(tool)
};

fn dump_call(call: &PlainCall<'_>) -> Value {
    json!({
        "channel": "content",
        "type": "function_call",
        "functionCall": gemini::function_call(call, &ability::to_function(call.name)),
    })
}

fn dump_result(result: &ProviderResult) -> Value {
    let name = ability::to_function(&result.outcome.tool);
    json!({
        "channel": "content",
        "type": "function_response",
        "functionResponse": gemini::function_response(result, &name, response_of(result)),
    })
}

fn tool_name(name: &str) -> String {
    ability::from_function(name)
}

fn tool(tool: &ToolDefinition<'_>, schema: Value, _: bool) -> Value {
    let mut written = json!({"name": tool.name, "description": tool.description});
    insert(&mut written, "parameters", schema);
    written
}

/// The response, which may be any value; an error in it must have a code.
fn response_of(result: &ProviderResult) -> Value {
    let ProviderResult { outcome, .. } = result;
    if outcome.success {
        return outcome.data.clone();
    }
    let mut error = error_object(outcome);
    if error.get("code").is_none() {
        let data = error.as_object_mut().and_then(|error| error.shift_remove("data"));
        insert(&mut error, "code", TOOL_FAILED);
        insert_some(&mut error, "data", data);
    }
    error
}
