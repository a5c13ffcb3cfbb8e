//! Reads the results that providers' objects carry.

use serde_json::{Value, json};

use super::content::{self, failed, outcome, read_content, read_text};
use super::exchange::ProviderResult;
use super::packet_outcome::{RESULT_KEYS, envelope_outcome, packet_outcome, shown};
use super::place::ObjectPlace;
use super::shape::{JsonObject, METADATA, id_of, text};
use super::walk::ObjectWalk;
use crate::call::RejectionCode;
use crate::provider::ability;
use crate::provider::kind::Provider;
use crate::result::ToolResult;

/// The keys that Data Machine's envelopes have and stageflow's outputs do not.
const ENVELOPE_KEYS: [&str; 8] = [
    "result",
    "tool_name",
    "message",
    "code",
    "ability",
    "executor",
    "wp_error_code",
    "wp_error_data",
];

impl ObjectWalk {
    /// Reads an object that is a result; false if it is not one.
    pub(in crate::provider) fn result(
        &mut self,
        object: &JsonObject,
        place: &ObjectPlace<'_>,
        near: Option<Provider>,
    ) -> bool {
        let has = |key: &str| object.contains_key(key);
        match text(object, "type") {
            Some("tool_result") if has("toolId") => return self.droid(object, place),
            Some("tool_result") => {
                let flagged = truthy(object, "is_error");
                let data = read_content(object.get("content"), read_text);
                return self.answer(
                    Provider::Anthropic,
                    object.get("tool_use_id"),
                    "",
                    flagged,
                    data,
                    place,
                );
            }
            Some("function_call_output") => {
                let data = read_content(object.get("output"), read_text);
                return self.said(
                    Provider::OpenAiResponses,
                    object.get("call_id"),
                    "",
                    data,
                    place,
                );
            }
            _ => {}
        }
        for key in ["functionResponse", "function_response"] {
            if let Some(Value::Object(response)) = object.get(key) {
                let tagged = has("type") || has("channel") || near == Some(Provider::WordPress);
                let provider = if tagged { Provider::WordPress } else { Provider::Gemini };
                return self.function_response(response, provider, &place.key(key));
            }
        }
        if let Some(Value::Object(result)) = object.get("toolResult") {
            return self.bedrock(result, &place.key("toolResult"));
        }
        if has("toolUseId") && has("content") {
            return self.bedrock(object, place);
        }
        if matches!(text(object, "role"), Some("tool" | "TOOL" | "function")) && has("content") {
            return self.message(object, place, near);
        }
        if self.mcp(object, place, near) {
            return true;
        }
        if has("role") {
            return false;
        }
        if has("name") && has("response") {
            let ability = text(object, "name").is_some_and(ability::is_function);
            let wordpress = near == Some(Provider::WordPress) || (near.is_none() && ability);
            let provider = if wordpress { Provider::WordPress } else { Provider::Gemini };
            return self.function_response(object, provider, place);
        }
        if let (Some(call), Some(outputs)) = (object.get("call"), object.get("outputs")) {
            let tool = call.get("name").and_then(Value::as_str).unwrap_or_default();
            return self.answer(Provider::Cohere, None, tool, false, outputs.clone(), place);
        }
        self.envelope(object, place, near)
    }

    /// Adds a result for which the provider says whether the tool failed.
    fn answer(
        &mut self,
        provider: Provider,
        id: Option<&Value>,
        tool: &str,
        flagged: bool,
        data: Value,
        place: &ObjectPlace<'_>,
    ) -> bool {
        let outcome =
            if flagged { failed(tool, data) } else { ToolResult::success(tool, data, 0.0) };
        self.add(provider, id.and_then(id_of), outcome, place)
    }

    /// Adds a result whose content alone tells whether it failed.
    fn said(
        &mut self,
        provider: Provider,
        id: Option<&Value>,
        tool: &str,
        data: Value,
        place: &ObjectPlace<'_>,
    ) -> bool {
        self.add(provider, id.and_then(id_of), outcome(tool, data), place)
    }

    fn add(
        &mut self,
        provider: Provider,
        call_id: Option<String>,
        outcome: ToolResult<Value>,
        place: &ObjectPlace<'_>,
    ) -> bool {
        if content::is_too_deep(&outcome.data) {
            let message = "the result nests too deep";
            self.reject(RejectionCode::TooDeep, message, place.pointer(), Some(provider));
        } else {
            self.exchange.results.push(ProviderResult {
                call_id,
                format: provider.slug(),
                outcome,
            });
        }
        true
    }

    /// Reads a chat's message of role `tool`.
    fn message(
        &mut self,
        object: &JsonObject,
        place: &ObjectPlace<'_>,
        near: Option<Provider>,
    ) -> bool {
        let document = |item: &Value| item.get("document").is_some();
        let documents = object
            .get("content")
            .and_then(Value::as_array)
            .is_some_and(|items| items.iter().any(document));
        let provider = match near.filter(|near| near.is_chat()) {
            Some(near) => near,
            None if documents => Provider::Cohere,
            None if object.contains_key("tool_name") => Provider::Ollama,
            None => Provider::OpenAi,
        };
        let tool = text(object, "tool_name").or_else(|| text(object, "name")).unwrap_or_default();
        let data = read_content(object.get("content"), read_text);
        self.said(provider, object.get("tool_call_id"), tool, data, place)
    }

    /// Reads the content of a `functionResponse` of Gemini or WordPress.
    fn function_response(
        &mut self,
        object: &JsonObject,
        provider: Provider,
        place: &ObjectPlace<'_>,
    ) -> bool {
        let name = text(object, "name").unwrap_or_default();
        let response = object.get("response").cloned().unwrap_or(Value::Null);
        if provider == Provider::WordPress {
            let mut outcome = outcome(&ability::from_function(name), response);
            forget_code(&mut outcome);
            return self.add(provider, object.get("id").and_then(id_of), outcome, place);
        }
        // A response must be an object, so other data stands under `output`.
        let data = match response {
            Value::Object(mut whole) if whole.len() == 1 && whole.contains_key("output") => {
                let data = whole.remove("output").unwrap_or_default();
                return self.answer(provider, object.get("id"), name, false, data, place);
            }
            response => response,
        };
        self.said(provider, object.get("id"), name, data, place)
    }

    fn bedrock(&mut self, object: &JsonObject, place: &ObjectPlace<'_>) -> bool {
        let flagged = text(object, "status") == Some("error");
        let data = read_content(object.get("content"), |text| Value::from(text));
        self.answer(Provider::Bedrock, object.get("toolUseId"), "", flagged, data, place)
    }

    /// Reads a result of MCP, alone or in a JSON-RPC response.
    fn mcp(
        &mut self,
        object: &JsonObject,
        place: &ObjectPlace<'_>,
        near: Option<Provider>,
    ) -> bool {
        let id = object.get("id");
        if let (true, Some(Value::Object(error))) =
            (object.contains_key("jsonrpc"), object.get("error"))
        {
            let message = text(error, "message").unwrap_or_default();
            let rest: JsonObject = error
                .iter()
                .filter(|(key, _)| *key != "message")
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect();
            let outcome = ToolResult::failure("", Value::Object(rest), message);
            return self.add(Provider::Mcp, id.and_then(id_of), outcome, place);
        }
        let (result, id) = match object.get("result") {
            Some(Value::Object(result)) if object.contains_key("jsonrpc") => (result, id),
            _ => (object, None),
        };
        let told = near == Some(Provider::Mcp) || object.contains_key("jsonrpc");
        let tagged = result.contains_key("isError") || result.contains_key("structuredContent");
        let listed =
            result.get("content").is_some_and(Value::is_array) && !result.contains_key("role");
        if !(tagged || (told && listed)) || !(listed || result.contains_key("structuredContent")) {
            return false;
        }
        let content = read_content(result.get("content"), read_text);
        if truthy(result, "isError") {
            let mut outcome = failed("", content);
            if let Some(structured) =
                result.get("structuredContent").filter(|value| !value.is_null())
            {
                outcome.data = structured.clone();
            }
            return self.add(Provider::Mcp, id.and_then(id_of), outcome, place);
        }
        let structured = result.get("structuredContent").filter(|value| !value.is_null());
        let data = structured.cloned().unwrap_or(content);
        self.answer(Provider::Mcp, id, "", false, data, place)
    }

    fn droid(&mut self, object: &JsonObject, place: &ObjectPlace<'_>) -> bool {
        let (id, tool) = (object.get("id"), text(object, "toolId").unwrap_or_default());
        if let Some(value) = object.get("value") {
            return self.answer(
                Provider::Droid,
                id,
                tool,
                truthy(object, "isError"),
                value.clone(),
                place,
            );
        }
        let Some(Value::Object(error)) = object.get("error") else {
            self.misshapen(place, "a tool_result has a value or an error", Some(Provider::Droid));
            return true;
        };
        let message = text(error, "message").unwrap_or_default();
        let data = match text(error, "type") {
            None | Some(TOOL_ERROR) => json!({}),
            Some(kind) => json!({ "type": kind }),
        };
        self.add(
            Provider::Droid,
            id.and_then(id_of),
            ToolResult::failure(tool, data, message),
            place,
        )
    }

    /// Reads a Data Machine packet, which may carry a call and its result; false if it is not one.
    pub(in crate::provider) fn packet(&mut self, packet: &Value, place: &ObjectPlace<'_>) -> bool {
        let Some(Value::Object(metadata)) = packet.get("metadata") else { return false };
        let has = |key: &str| metadata.contains_key(key);
        let carries = RESULT_KEYS.iter().any(|key| has(key)) || has("tool_success");
        if !carries && !has("tool_parameters") && !has("handler_tool") {
            return false;
        }
        let mut id = metadata.get("tool_call_id").and_then(id_of);
        if has("tool_parameters") {
            let before = self.exchange.calls.len();
            self.call(metadata, METADATA, &place.key("metadata"));
            if let Some(call) = self.exchange.calls.get(before) {
                id = Some(call.id.to_string());
            }
        }
        if carries {
            let tool = text(metadata, "tool_name").or_else(|| text(metadata, "handler_tool"));
            self.add(
                Provider::DataMachine,
                id,
                packet_outcome(packet, tool.unwrap_or_default()),
                place,
            );
        }
        true
    }

    /// Reads a bare envelope of Data Machine, an output of stageflow or an error of WordPress.
    fn envelope(
        &mut self,
        object: &JsonObject,
        place: &ObjectPlace<'_>,
        near: Option<Provider>,
    ) -> bool {
        let has = |key: &str| object.contains_key(key);
        let Some(Value::Bool(success)) = object.get("success") else {
            let error = text(object, "error").is_some() && text(object, "code").is_some();
            if !error || content::read_error(&Value::Object(object.clone())).is_none() {
                return false;
            }
            let mut outcome = outcome("", Value::Object(object.clone()));
            forget_code(&mut outcome);
            return self.add(Provider::WordPress, None, outcome, place);
        };
        let told = near == Some(Provider::DataMachine);
        if told || (near != Some(Provider::Stageflow) && ENVELOPE_KEYS.iter().any(|key| has(key))) {
            let tool = text(object, "tool_name").unwrap_or_default();
            let envelope = Value::Object(object.clone());
            let outcome = envelope_outcome(&envelope, *success, tool);
            return self.add(Provider::DataMachine, None, outcome, place);
        }
        if !has("data") && !has("error") && near != Some(Provider::Stageflow) && object.len() > 1 {
            return false;
        }
        let data = object.get("data").cloned();
        let outcome = if *success {
            ToolResult::success("", data.unwrap_or_default(), 0.0)
        } else {
            let message = object.get("error").map(shown).unwrap_or_default();
            ToolResult::failure("", data.unwrap_or_else(|| json!({})), message)
        };
        self.add(Provider::Stageflow, None, outcome, place)
    }
}

/// The type that a Droid error is written with if the failure has none.
pub(in crate::provider) const TOOL_ERROR: &str = "tool_error";

/// The code that a WordPress error is written with if the failure has none.
pub(in crate::provider) const TOOL_FAILED: &str = "tool_failed";

/// Removes the code `TOOL_FAILED`, which stands for a missing code.
fn forget_code(outcome: &mut ToolResult<Value>) {
    let Some(data) = outcome.data.as_object_mut().filter(|_| !outcome.success) else { return };
    if data.get("code").and_then(Value::as_str) != Some(TOOL_FAILED) {
        return;
    }
    data.shift_remove("code");
    if let Some(inner) = data.shift_remove("data") {
        outcome.data = inner;
    }
}

fn truthy(object: &JsonObject, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool).unwrap_or_default()
}
