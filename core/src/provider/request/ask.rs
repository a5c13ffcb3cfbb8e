//! Writes the request that asks a model: what was said so far, and the tools.
//!
//! ```
//! use serde_json::json;
//! use toolwire::provider::{
//!     ModelRequest, Provider, RequestPart, ToolDefinition, ToolOptions, dump_tools,
//! };
//!
//! let parts = [RequestPart::User("How warm is it in Oslo?")];
//! let tools = [ToolDefinition::new("weather")];
//! let tools = dump_tools(&tools, Provider::OpenAi, ToolOptions::default())?;
//! let request = ModelRequest { tools: &tools, ..ModelRequest::new("gpt-5.2", &parts) };
//! let body = request.dump(Provider::OpenAi)?;
//! assert_eq!(body["messages"], json!([{"role": "user", "content": "How warm is it in Oslo?"}]));
//! assert_eq!(body["tools"][0]["function"]["name"], "weather");
//! # Ok::<(), toolwire::Error>(())
//! ```

use serde_json::{Map, Value, json};

use crate::error::Error;
use crate::json::parse_json;
use crate::provider::answer::tool_answer::dump_shown;
use crate::provider::dialect;
use crate::provider::dialect::form::{MessageDialect, NoCalls, UserBlocks};
use crate::provider::kind::Provider;
use crate::provider::read::exchange::ProviderResult;

/// A part of what was said so far.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestPart<'r> {
    /// A text of the user, or one that stands for it.
    User(&'r str),
    /// What the model wrote, as [`history`](crate::provider::history) gives it.
    Model(Vec<Value>),
    /// The results of all calls of the message before them, in the order of the calls.
    Results(Vec<ProviderResult>),
}

/// A request that asks a model.
#[derive(Clone, Copy, Debug)]
pub struct ModelRequest<'r> {
    /// The model's name.
    pub model: &'r str,
    /// What the model is told before all else; empty for nothing.
    pub system: &'r str,
    /// What was said so far.
    pub parts: &'r [RequestPart<'r>],
    /// The tools, as [`dump_tools`](crate::provider::dump_tools) writes them for the provider.
    pub tools: &'r [Value],
    /// Whether the model may call tools. They are named all the same where the provider wants the
    /// tools of a history with calls.
    pub may_call: bool,
    /// Whether the response comes as a stream. Gemini and Bedrock have another address for that.
    pub streams: bool,
    /// More members of the request, such as its temperature; none for nothing.
    pub options: Option<&'r Map<String, Value>>,
}

impl<'r> ModelRequest<'r> {
    /// A request without tools and options.
    #[must_use]
    pub fn new(model: &'r str, parts: &'r [RequestPart<'r>]) -> Self {
        Self { model, system: "", parts, tools: &[], may_call: true, streams: false, options: None }
    }

    /// Writes the body of the request. Gemini and Bedrock take the model's name in the address;
    /// their bodies have it as `model` and `modelId`, as the clients take it.
    ///
    /// # Errors
    /// `unknown_provider` for a provider that is asked nothing.
    pub fn dump(&self, provider: Provider) -> Result<Value, Error> {
        let dialect = dialect::talking(provider, "models")?;
        let (model, place) = dialect.request_keys;
        let (mut body, mut messages) = (Map::new(), Vec::new());
        body.insert(model.to_owned(), self.model.into());
        if !self.system.is_empty() {
            (dialect.add_system)(self.system, &mut body, &mut messages);
        }
        self.add_messages(provider, dialect.user_blocks, &mut messages);
        body.insert(place.to_owned(), messages.into());
        self.add_tools(dialect, &mut body);
        (dialect.add_defaults)(&mut body);
        (dialect.add_stream)(self.streams, &mut body);
        for (name, value) in self.options.into_iter().flatten() {
            body.insert(name.clone(), value.clone());
        }
        Ok(Value::Object(body))
    }

    /// Adds the tools, and whether the model may call them.
    fn add_tools(&self, dialect: &MessageDialect, body: &mut Map<String, Value>) {
        let mut add = |(key, value): (&str, Value)| body.insert(key.to_owned(), value);
        match dialect.no_calls {
            _ if self.tools.is_empty() => {}
            NoCalls::WithoutTools if !self.may_call => {}
            NoCalls::Word(word) if !self.may_call => {
                add((dialect.tools)(self.tools));
                add(word());
            }
            _ => {
                add((dialect.tools)(self.tools));
            }
        }
    }

    /// Adds what was said so far.
    fn add_messages(
        &self,
        provider: Provider,
        blocks: Option<UserBlocks>,
        messages: &mut Vec<Value>,
    ) {
        for part in self.parts {
            match part {
                RequestPart::User(text) => match blocks {
                    Some(UserBlocks { key, text: block }) => {
                        add_blocks(key, vec![block(text)], messages);
                    }
                    None => messages.push(json!({"role": "user", "content": text})),
                },
                RequestPart::Model(raw) => {
                    let said = raw.iter().filter(|message| says_anything(message));
                    messages.extend(said.cloned().map(taken_back));
                }
                RequestPart::Results(results) => {
                    let results = results.iter().cloned();
                    let written = results.map(|result| dump_shown(result, provider)).collect();
                    match blocks {
                        Some(UserBlocks { key, .. }) => add_blocks(key, written, messages),
                        None => messages.extend(written),
                    }
                }
            }
        }
    }
}

/// Adds blocks to the user's message at the end, or to a new one: the providers with blocks take no
/// two messages of one role in a row.
fn add_blocks(key: &str, blocks: Vec<Value>, messages: &mut Vec<Value>) {
    let last = messages.last_mut().filter(|last| last.get("role").is_some_and(|is| is == "user"));
    match last.and_then(|last| last.get_mut(key)).and_then(Value::as_array_mut) {
        Some(held) => held.extend(blocks),
        None => messages.push(json!({"role": "user", key: blocks})),
    }
}

/// Whether a message of the model holds anything. Models end so behind results now and then, and
/// their own providers refuse such a message in the next request.
fn says_anything(message: &Value) -> bool {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(entries) => entries.is_empty(),
        _ => false,
    };
    let has = |name: &str| message.get(name).is_some_and(|value| !is_empty(value));
    let is_message = message.get("role").is_some_and(|role| role == "assistant" || role == "model");
    !is_message || has("content") || has("parts") || has("tool_calls")
}

/// A message of the model as its provider takes it back: servers of chat completions refuse a
/// history in which the arguments of a call are no JSON object.
fn taken_back(mut message: Value) -> Value {
    for call in message.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(arguments) = call.pointer_mut("/function/arguments") else { continue };
        let broken = arguments.as_str().is_some_and(|text| {
            !parse_json(text.as_bytes()).is_ok_and(|arguments| arguments.is_object())
        });
        if broken {
            *arguments = "{}".into();
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::provider::tool::definition::ToolDefinition;
    use crate::provider::tool::dump::{ToolOptions, dump_tools};

    fn body(provider: Provider, parts: &[RequestPart<'_>], may_call: bool) -> Value {
        let tools = [ToolDefinition::new("weather")];
        let tools = dump_tools(&tools, provider, ToolOptions::default()).unwrap();
        let request = ModelRequest {
            system: "Be short.",
            tools: &tools,
            may_call,
            ..ModelRequest::new("m", parts)
        };
        request.dump(provider).unwrap()
    }

    fn results() -> RequestPart<'static> {
        RequestPart::Results(vec![
            ProviderResult::success(Some("c1"), "weather", json!(21)),
            ProviderResult::failure(Some("c2"), "weather", "no such city", json!({})),
        ])
    }

    #[test]
    fn all_results_of_a_message_and_a_text_behind_them_are_one_message_of_the_user() {
        let parts = [
            RequestPart::User("Oslo?"),
            RequestPart::Model(vec![json!({"role": "assistant", "content": [{"text": "Look."}]})]),
            results(),
            RequestPart::User("Your call could not be read."),
        ];
        for provider in [Provider::Anthropic, Provider::Bedrock] {
            let body = body(provider, &parts, true);
            let messages = body["messages"].as_array().unwrap();
            assert_eq!(messages.len(), 3, "{body}");
            assert_eq!(messages[2]["content"].as_array().unwrap().len(), 3);
            assert!(body["system"].is_string() || body["system"].is_array());
        }
        let gemini = body(Provider::Gemini, &parts, true);
        assert_eq!(gemini["contents"].as_array().unwrap().len(), 3);
        assert_eq!(gemini["contents"][2]["parts"].as_array().unwrap().len(), 3);
        assert_eq!(gemini["systemInstruction"], json!({"parts": [{"text": "Be short."}]}));
        let chat = body(Provider::OpenAi, &parts, true);
        assert_eq!(chat["messages"].as_array().unwrap().len(), 6);
        assert_eq!(chat["messages"][3]["tool_call_id"], "c1");
        let responses = body(Provider::OpenAiResponses, &parts, true);
        assert_eq!(responses["input"][3]["type"], "function_call_output");
        assert_eq!(responses["store"], false);
    }

    #[test]
    fn a_model_that_may_not_call_is_told_so_in_its_providers_words() {
        let parts = [RequestPart::User("Oslo?")];
        for (provider, place, word) in [
            (Provider::OpenAi, "/tool_choice", json!("none")),
            (Provider::OpenAiResponses, "/tool_choice", json!("none")),
            (Provider::Mistral, "/tool_choice", json!("none")),
            (Provider::Cohere, "/tool_choice", json!("NONE")),
            (Provider::Anthropic, "/tool_choice/type", json!("none")),
            (Provider::Gemini, "/toolConfig/functionCallingConfig/mode", json!("NONE")),
        ] {
            assert_eq!(body(provider, &parts, false).pointer(place), Some(&word));
            assert_eq!(body(provider, &parts, true).pointer(place), None);
        }
        assert_eq!(body(Provider::Ollama, &parts, false).get("tools"), None);
    }

    #[test]
    fn broken_arguments_go_back_as_an_empty_object() {
        let call = |arguments: &str| {
            json!({"id": "c", "type": "function",
                "function": {"name": "weather", "arguments": arguments}})
        };
        let message = json!({"role": "assistant", "content": null,
            "tool_calls": [call("{\"a\": 1.50}"), call("{\"a\":"), call("[]")]});
        let body = body(Provider::OpenAi, &[RequestPart::Model(vec![message])], true);
        let calls = &body["messages"][1]["tool_calls"];
        let sent: Vec<_> =
            (0..3).map(|n| calls[n]["function"]["arguments"].as_str().unwrap()).collect();
        assert_eq!(sent, ["{\"a\": 1.50}", "{}", "{}"]);
    }

    #[test]
    fn a_message_of_nothing_does_not_go_back() {
        for (provider, nothing) in [
            (Provider::Anthropic, json!({"role": "assistant", "content": []})),
            (Provider::Gemini, json!({"role": "model", "parts": []})),
            (Provider::Gemini, json!({"role": "model"})),
            (Provider::OpenAi, json!({"role": "assistant", "content": null})),
            (Provider::Mistral, json!({"role": "assistant", "content": "", "tool_calls": []})),
        ] {
            let parts = [
                RequestPart::User("Oslo?"),
                RequestPart::Model(vec![nothing.clone()]),
                RequestPart::User("And now?"),
            ];
            let body = body(provider, &parts, true);
            assert!(!body.to_string().contains(&nothing.to_string()), "{body}");
        }
    }

    #[test]
    fn options_come_last_and_other_providers_are_asked_nothing() {
        let options = json!({"max_tokens": 9, "temperature": 0});
        let parts = [RequestPart::User("Oslo?")];
        let request =
            ModelRequest { options: options.as_object(), ..ModelRequest::new("m", &parts) };
        assert_eq!(request.dump(Provider::Anthropic).unwrap()["max_tokens"], 9);
        let error = request.dump(Provider::Mcp).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownProvider);
    }
}
