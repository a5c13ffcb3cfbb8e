//! Writes calls and results in the form of a provider.
//!
//! ```
//! use serde_json::json;
//! use toolwire::provider::{ProviderCall, Provider, dump_call};
//!
//! let arguments = r#"{"city": "Oslo"}"#;
//! let call =
//!     ProviderCall { id: Some("call_1"), name: "weather", arguments, ..Default::default() };
//! assert_eq!(
//!     dump_call(call, Provider::Anthropic)?,
//!     json!({"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Oslo"}})
//! );
//! assert_eq!(dump_call(call, Provider::OpenAi)?["function"]["arguments"], arguments);
//! # Ok::<(), toolwire::Error>(())
//! ```

use serde_json::{Map, Value, json};

use crate::call::{RejectionCode, ToolCall};
use crate::error::{Error, ErrorKind};
use crate::json::Repair;
use crate::json::parse::parse_json;
use crate::provider::dialect::wordpress::ability;
use crate::provider::dialect::{chat, droid::TOOL_ERROR, responses, wordpress::TOOL_FAILED};
use crate::provider::kind::Provider;
use crate::provider::read::arguments::read_text;
use crate::provider::read::beside;
use crate::provider::read::content::{error_object, flagged_text, read_error, text_of};
use crate::provider::read::exchange::ProviderResult;
use crate::provider::read::free_text;

/// The parts of a call that a provider receives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProviderCall<'a> {
    /// The id; none if the call has none and the provider does not need one.
    pub id: Option<&'a str>,
    /// The tool's name.
    pub name: &'a str,
    /// The JSON text of the arguments.
    pub arguments: &'a str,
    /// The slug of the provider that sent the call; empty for a call from elsewhere.
    pub format: &'a str,
    /// What that provider wrote beside the call and wants back: the JSON text of an object.
    pub provider_data: Option<&'a str>,
}

impl<'a> ProviderCall<'a> {
    /// The parts of a call that was found in this text.
    ///
    /// The text is empty for a call that was read from an object. The id is included even if it is
    /// new, since without it no result could name the call.
    #[must_use]
    pub fn of(call: &'a ToolCall, text: &'a [u8]) -> Self {
        // The arguments are UTF-8 in the text that holds the call; another text may not hold them.
        let arguments = std::str::from_utf8(call.arguments_raw(text)).unwrap_or_default();
        let ToolCall { id, name, format, provider_data, .. } = call;
        Self { id: Some(id), name, arguments, format, provider_data: provider_data.as_deref() }
    }

    /// What stands beside the call, if this provider sent it.
    fn beside(&self, provider: Provider) -> Result<Option<Map<String, Value>>, Error> {
        let Some(data) = self.provider_data else { return Ok(None) };
        let Ok(Value::Object(data)) = parse_json(data.as_bytes()) else {
            let message = "the call cannot be written: provider_data is not a JSON object";
            return Err(Error::new(ErrorKind::InvalidArguments, message));
        };
        let from = Provider::from_slug(self.format);
        Ok(from.is_some_and(|from| from.shares_calls_with(provider)).then_some(data))
    }
}

/// Writes a call as the provider's smallest object for one: a part, a block, an item of
/// `tool_calls`.
///
/// The provider that sent the call also gets back what it wrote beside it.
///
/// # Errors
/// `invalid_arguments` when the arguments are not a JSON object, or nest deeper than 128.
pub fn dump_call(call: ProviderCall<'_>, provider: Provider) -> Result<Value, Error> {
    let Some(beside) = call.beside(provider)? else { return written(call, provider) };
    let ProviderCall { id, name, arguments, .. } = call;
    let mut object = match free_text((id, name, arguments), &beside, provider) {
        Some(object) => object,
        None => written(call, provider)?,
    };
    if let Some(object) = object.as_object_mut() {
        beside::fill(object, beside);
    }
    Ok(object)
}

/// Writes a call of a tool that takes a free text; none for any other call.
fn free_text(
    (id, name, arguments): (Option<&str>, &str, &str),
    beside: &Map<String, Value>,
    provider: Provider,
) -> Option<Value> {
    let input = |word: &str| free_text::input(arguments, beside, word);
    match provider {
        Provider::OpenAiResponses => {
            let word = responses::FREE_TEXT.word;
            Some(json!({"type": word, "call_id": id, "name": name, "input": input(word)?}))
        }
        chat if chat.is_chat() => {
            let word = chat::FREE_TEXT;
            let custom = json!({"name": name, "input": input(word)?});
            Some(json!({"id": id, "type": word, "custom": custom}))
        }
        _ => None,
    }
}

/// Writes a call without anything beside it.
fn written(call: ProviderCall<'_>, provider: Provider) -> Result<Value, Error> {
    let read =
        read_text(call.arguments, RejectionCode::BadJson, Repair::Off).map_err(|refused| {
            Error::new(
                ErrorKind::InvalidArguments,
                format!("the call cannot be written: {}", refused.message),
            )
        })?;
    let ProviderCall { id, name, .. } = call;
    let value = || parse_json(read.json.as_bytes()).unwrap_or_default();
    Ok(match provider {
        Provider::OpenAi | Provider::Mistral | Provider::Cohere => with_id("id", id, |call| {
            call.insert("type".into(), "function".into());
            call.insert("function".into(), json!({"name": name, "arguments": read.json}));
        }),
        Provider::Ollama => with_id("id", id, |call| {
            call.insert("function".into(), json!({"name": name, "arguments": value()}));
        }),
        Provider::OpenAiResponses => {
            json!({"type": "function_call", "call_id": id, "name": name, "arguments": read.json})
        }
        Provider::Anthropic => {
            json!({"type": "tool_use", "id": id, "name": name, "input": value()})
        }
        Provider::Gemini => json!({"functionCall": function_call(id, name, value())}),
        Provider::Bedrock => json!({"toolUse": {"toolUseId": id, "name": name, "input": value()}}),
        Provider::Mcp => json!({
            "jsonrpc": "2.0",
            "id": id,
            "method": "tools/call",
            "params": {"name": name, "arguments": value()},
        }),
        Provider::WordPress => json!({
            "channel": "content",
            "type": "function_call",
            "functionCall": function_call(id, &ability::to_function(name), value()),
        }),
        Provider::DataMachine => {
            let mut metadata = Map::new();
            metadata.insert("tool_name".into(), name.into());
            metadata.insert("tool_parameters".into(), value());
            if let Some(id) = id {
                metadata.insert("tool_call_id".into(), id.into());
            }
            json!({"type": "tool_call", "metadata": metadata})
        }
        Provider::Stageflow => json!({"call_id": id, "name": name, "arguments": value()}),
        // An event must have these fields; the program that writes a log can fill them.
        Provider::Droid => json!({
            "type": "tool_call",
            "id": id,
            "messageId": "",
            "toolId": name,
            "toolName": name,
            "parameters": value(),
            "timestamp": 0,
            "session_id": "",
        }),
    })
}

/// Writes a result as the provider's smallest object for one.
///
/// A provider that has no flag for failures gets `{"error": message}`. Stageflow's and Data
/// Machine's objects name no call.
#[must_use]
pub fn dump_result(result: &ProviderResult, provider: Provider) -> Value {
    let ProviderResult { call_id, outcome, .. } = result;
    let (id, tool) = (call_id.as_deref(), outcome.tool.as_str());
    match provider {
        Provider::OpenAi if id.is_none() && !tool.is_empty() => {
            json!({"role": "function", "name": tool, "content": text_of(outcome)})
        }
        Provider::OpenAi => with_role(id, None, text_of(outcome).into()),
        Provider::Mistral => with_role(id, Some(("name", tool)), text_of(outcome).into()),
        Provider::Ollama => with_role(id, Some(("tool_name", tool)), text_of(outcome).into()),
        Provider::Cohere => {
            let document = json!([{"type": "document", "document": {"data": text_of(outcome)}}]);
            with_role(id, None, document)
        }
        Provider::OpenAiResponses => {
            json!({"type": "function_call_output", "call_id": id, "output": text_of(outcome)})
        }
        Provider::Anthropic => {
            let mut block =
                json!({"type": "tool_result", "tool_use_id": id, "content": flagged_text(outcome)});
            if !outcome.success {
                insert(&mut block, "is_error", true.into());
            }
            block
        }
        Provider::Gemini => json!({"functionResponse": response(id, tool, gemini(result))}),
        Provider::WordPress => json!({
            "channel": "content",
            "type": "function_response",
            "functionResponse": response(id, &ability::to_function(tool), wordpress(result)),
        }),
        Provider::Bedrock => json!({"toolResult": bedrock(result)}),
        Provider::Mcp => mcp(result),
        Provider::DataMachine => data_machine(result),
        Provider::Stageflow => stageflow(result),
        Provider::Droid => droid(result),
    }
}

/// An object that begins with an id, if there is one.
fn with_id(key: &str, id: Option<&str>, fill: impl FnOnce(&mut Map<String, Value>)) -> Value {
    let mut object = Map::new();
    if let Some(id) = id {
        object.insert(key.into(), id.into());
    }
    fill(&mut object);
    Value::Object(object)
}

fn function_call(id: Option<&str>, name: &str, arguments: Value) -> Value {
    with_id("id", id, |call| {
        call.insert("name".into(), name.into());
        call.insert("args".into(), arguments);
    })
}

fn response(id: Option<&str>, name: &str, response: Value) -> Value {
    with_id("id", id, |object| {
        object.insert("name".into(), name.into());
        object.insert("response".into(), response);
    })
}

/// A chat's message of role `tool`.
fn with_role(id: Option<&str>, name: Option<(&str, &str)>, content: Value) -> Value {
    let mut message = Map::new();
    message.insert("role".into(), "tool".into());
    if let Some(id) = id {
        message.insert("tool_call_id".into(), id.into());
    }
    if let Some((key, name)) = name.filter(|(_, name)| !name.is_empty()) {
        message.insert(key.into(), name.into());
    }
    message.insert("content".into(), content);
    Value::Object(message)
}

fn insert(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.into(), value);
    }
}

/// Gemini's response, which must be an object; data that would be read differently is wrapped.
fn gemini(result: &ProviderResult) -> Value {
    let ProviderResult { outcome, .. } = result;
    match &outcome.data {
        _ if !outcome.success => error_object(outcome),
        data @ Value::Object(object) => {
            let lone = object.len() == 1 && object.contains_key("output");
            if lone || read_error(data).is_some() { json!({"output": data}) } else { data.clone() }
        }
        data => json!({"output": data}),
    }
}

/// WordPress's response, which may be any value; an error in it must have a code.
fn wordpress(result: &ProviderResult) -> Value {
    let ProviderResult { outcome, .. } = result;
    if outcome.success {
        return outcome.data.clone();
    }
    let mut error = error_object(outcome);
    if error.get("code").is_none() {
        let data = error.as_object_mut().and_then(|error| error.shift_remove("data"));
        insert(&mut error, "code", TOOL_FAILED.into());
        if let Some(data) = data {
            insert(&mut error, "data", data);
        }
    }
    error
}

fn bedrock(result: &ProviderResult) -> Value {
    let ProviderResult { call_id, outcome, .. } = result;
    let empty = outcome.data.as_object().is_some_and(Map::is_empty);
    let content = match &outcome.data {
        _ if !outcome.success && empty => {
            json!([{"text": outcome.error_message.as_deref().unwrap_or_default()}])
        }
        _ if !outcome.success => json!([{"json": error_object(outcome)}]),
        Value::String(text) => json!([{"text": text}]),
        data => json!([{"json": data}]),
    };
    let status = if outcome.success { "success" } else { "error" };
    json!({"toolUseId": call_id, "content": content, "status": status})
}

fn mcp(result: &ProviderResult) -> Value {
    let ProviderResult { call_id, outcome, .. } = result;
    let mut content = json!({"content": [{"type": "text", "text": flagged_text(outcome)}]});
    if outcome.success && outcome.data.is_object() {
        insert(&mut content, "structuredContent", outcome.data.clone());
    }
    insert(&mut content, "isError", (!outcome.success).into());
    match call_id {
        Some(id) => json!({"jsonrpc": "2.0", "id": id, "result": content}),
        None => content,
    }
}

fn data_machine(result: &ProviderResult) -> Value {
    let ProviderResult { outcome, .. } = result;
    let mut envelope = json!({"success": outcome.success, "tool_name": outcome.tool});
    if outcome.success {
        insert(&mut envelope, "result", outcome.data.clone());
        return envelope;
    }
    insert(&mut envelope, "error", outcome.error_message.as_deref().unwrap_or_default().into());
    if outcome.data.as_object().is_none_or(|data| !data.is_empty()) {
        insert(&mut envelope, "data", outcome.data.clone());
    }
    envelope
}

fn stageflow(result: &ProviderResult) -> Value {
    let ProviderResult { outcome, .. } = result;
    let mut output = json!({"success": outcome.success});
    let empty = outcome.data.as_object().is_some_and(Map::is_empty);
    // Stageflow leaves out what a tool did not give, and so does this output.
    let given = if outcome.success { !outcome.data.is_null() } else { !empty };
    if given {
        insert(&mut output, "data", outcome.data.clone());
    }
    if !outcome.success {
        insert(&mut output, "error", outcome.error_message.as_deref().unwrap_or_default().into());
    }
    output
}

fn droid(result: &ProviderResult) -> Value {
    let ProviderResult { call_id, outcome, .. } = result;
    let mut event = json!({
        "type": "tool_result",
        "id": call_id,
        "messageId": "",
        "toolId": outcome.tool,
        "isError": !outcome.success,
    });
    let empty = outcome.data.as_object().is_some_and(Map::is_empty);
    if outcome.success {
        insert(&mut event, "value", outcome.data.clone());
    } else if empty {
        let message = outcome.error_message.as_deref().unwrap_or_default();
        insert(&mut event, "error", json!({"type": TOOL_ERROR, "message": message}));
    } else {
        // Droid's error holds no data, so this failure is written as a value.
        insert(&mut event, "value", error_object(outcome));
    }
    insert(&mut event, "timestamp", 0.into());
    insert(&mut event, "session_id", "".into());
    event
}
