//! What a client's request says of the answer: the options of the detector that reads it.
//!
//! A gateway gets a request in a provider's form, and text from a model. [`options`] takes from the
//! request what decides how the text is read: the model, the tools that may be called, how many,
//! and whether the model thinks.
//!
//! ```
//! use serde_json::json;
//! use toolwire::{Detector, provider};
//!
//! let request = json!({
//!     "model": "Qwen/Qwen3-8B",
//!     "messages": [{"role": "user", "content": "The weather?"}],
//!     "tools": [{"type": "function", "function": {"name": "weather"}}],
//!     "parallel_tool_calls": false,
//! });
//! let detector = Detector::new(provider::options(&request)?)?;
//! let call = r#"<tool_call>{"name": "weather", "arguments": {}}</tool_call>"#;
//! let found = call.repeat(2);
//! let found = detector.detect(found.as_bytes());
//! assert_eq!((found.calls.len(), found.rejections[0].code.slug()), (1, "too_many_calls"));
//! # Ok::<(), toolwire::Error>(())
//! ```

use serde_json::{Map, Value, json};

use crate::detect::Options;
use crate::error::{Error, ErrorKind};

/// The variables of chat templates that a request may have beside its messages.
const SWITCHES: [&str; 3] = ["enable_thinking", "thinking", "think"];

/// The calls that a request allows.
#[derive(Debug, Default)]
struct AllowedCalls {
    /// Whether there may be none.
    none: bool,
    /// The tools that may be called; empty for all.
    names: Vec<String>,
    /// Whether there may be one only.
    one: bool,
}

/// The options of the detector that reads the answer to a request of any provider.
///
/// # Errors
/// `wrong_type` for a request that is no object, and for tools that are no list. `invalid_option`
/// for a choice of a tool that the request does not offer. The errors of [`Options::set`], such as
/// `unknown_model` and `invalid_tool`.
pub fn options(request: &Value) -> Result<Options, Error> {
    let mut options = Options::default();
    for (name, value) in &option_values(request)? {
        options.set(name, value)?;
    }
    Ok(options)
}

/// The same as names and values, as [`Options::set`] takes them.
///
/// A request without tools lets nothing be called: its `tools` are empty.
///
/// # Errors
/// `wrong_type` for a request that is no object, and for tools that are no list. `invalid_option`
/// for a choice of a tool that the request does not offer.
pub fn option_values(request: &Value) -> Result<Map<String, Value>, Error> {
    let empty = Map::new();
    let request = match request {
        Value::Object(request) => request,
        // An empty PHP array does not say whether it is a list or a map.
        Value::Array(none) if none.is_empty() => &empty,
        _ => return Err(Error::new(ErrorKind::WrongType, "request must be an object")),
    };
    let mut options = Map::new();
    let mut put = |name: &str, value: Value| options.insert(name.to_owned(), value);
    if let Some(model) = request.get("model").filter(|model| model.is_string()) {
        put("model", model.clone());
    }
    let allowed = AllowedCalls::of(request);
    put("tools", allowed.tools(tools(request)?)?.into());
    if allowed.none {
        put("calls", "refuse".into());
    }
    if allowed.one {
        put("max_calls", 1.into());
    }
    if let Some(thinking) = thinking(request) {
        put("thinking", thinking);
    }
    Ok(options)
}

/// The tools of a request that the program runs, each with its name and its schema.
fn tools(request: &Map<String, Value>) -> Result<Vec<Value>, Error> {
    let bedrock = request.get("toolConfig").and_then(|config| config.get("tools"));
    let given = [request.get("tools"), bedrock, request.get("functions")];
    let Some(given) = given.into_iter().flatten().find(|given| !given.is_null()) else {
        return Ok(Vec::new());
    };
    let Some(given) = given.as_array() else {
        return Err(Error::new(ErrorKind::WrongType, "the tools of a request must be a list"));
    };
    Ok(given.iter().flat_map(definitions).collect())
}

/// The definitions in one item of a request's tools; none in what the provider runs itself.
fn definitions(item: &Value) -> Vec<Value> {
    let declared = ["functionDeclarations", "function_declarations"];
    if let Some(declared) = declared.iter().find_map(|key| item.get(*key)?.as_array()) {
        return declared.iter().filter_map(definition).collect();
    }
    let named = ["function", "custom", "toolSpec"].iter().find_map(|key| item.get(*key));
    definition(named.unwrap_or(item)).into_iter().collect()
}

fn definition(tool: &Value) -> Option<Value> {
    // A tool with a type of its own, such as a search, is run by the provider.
    let kind = tool.get("type").and_then(Value::as_str);
    if !matches!(kind, None | Some("function" | "custom")) {
        return None;
    }
    let Some(name) = tool.get("name").filter(|name| name.is_string()) else {
        // The detector tells what is wrong with it.
        return Some(tool.clone());
    };
    let schema = ["parameters", "input_schema", "inputSchema", "parametersJsonSchema"];
    let schema = schema.iter().find_map(|key| tool.get(*key)).map(|schema| {
        // Bedrock's schema stands inside another object.
        schema.get("json").unwrap_or(schema)
    });
    // Gemini's own schemas are no JSON Schema: they write types in capitals.
    let is_json_schema = |schema: &&Value| {
        let kind = schema.get("type").and_then(Value::as_str);
        schema.is_object() && !kind.is_some_and(|kind| kind.contains(char::is_uppercase))
    };
    Some(match schema.filter(is_json_schema) {
        Some(schema) => json!({"name": name, "parameters": schema}),
        None => json!({"name": name}),
    })
}

impl AllowedCalls {
    fn of(request: &Map<String, Value>) -> Self {
        let config = request.get("toolConfig");
        let gemini = config.and_then(|config| config.get("functionCallingConfig"));
        let bedrock = config.and_then(|config| config.get("toolChoice"));
        let choices = [request.get("tool_choice"), request.get("function_call"), gemini, bedrock];
        let mut allowed = Self::default();
        for choice in choices.into_iter().flatten() {
            let word = ["type", "mode"].iter().find_map(|key| choice.get(*key));
            let word = choice.as_str().or(word.and_then(Value::as_str));
            allowed.none |= word.is_some_and(|word| word.eq_ignore_ascii_case("none"));
            allowed.one |= choice.get("disable_parallel_tool_use") == Some(&Value::Bool(true));
            allowed.names.extend(chosen(choice));
        }
        allowed.one |= request.get("parallel_tool_calls") == Some(&Value::Bool(false));
        allowed
    }

    /// The tools that may be called, of those that the request offers.
    fn tools(&self, offered: Vec<Value>) -> Result<Vec<Value>, Error> {
        if self.names.is_empty() {
            return Ok(offered);
        }
        let name = |tool: &Value| tool.get("name").and_then(Value::as_str).map(str::to_owned);
        let known: Vec<_> = offered.iter().filter_map(name).collect();
        if let Some(unknown) = self.names.iter().find(|chosen| !known.contains(chosen)) {
            let message = format!("the request chooses the tool {unknown:?} and does not offer it");
            return Err(Error::new(ErrorKind::InvalidOption, message));
        }
        let is_chosen = |tool: &Value| name(tool).is_some_and(|name| self.names.contains(&name));
        Ok(offered.into_iter().filter(is_chosen).collect())
    }
}

/// The names of the tools that a choice allows; none for all.
fn chosen(choice: &Value) -> Vec<String> {
    let name = |of: &Value| {
        let inner = ["function", "custom", "tool"].iter().find_map(|key| of.get(*key));
        let name = inner.unwrap_or(of).get("name").and_then(Value::as_str);
        name.map(str::to_owned)
    };
    let list = ["/tools", "/allowed_tools/tools", "/allowedFunctionNames"];
    match list.iter().find_map(|path| choice.pointer(path)?.as_array()) {
        Some(list) => {
            let each = |one: &Value| one.as_str().map(str::to_owned).or_else(|| name(one));
            list.iter().filter_map(each).collect()
        }
        None => name(choice).into_iter().collect(),
    }
}

/// What the request says of the model's thinking: whether it thinks, or the variables of its chat
/// template.
fn thinking(request: &Map<String, Value>) -> Option<Value> {
    let template = [
        request.get("chat_template_kwargs"),
        request.get("extra_body").and_then(|extra| extra.get("chat_template_kwargs")),
    ];
    if let Some(variables) = template.into_iter().flatten().find(|given| given.is_object()) {
        return Some(variables.clone());
    }
    let told = SWITCHES.iter().find_map(|name| switch(request.get(*name)?));
    let reasoning = || {
        let reasoning = request.get("reasoning")?;
        effort(reasoning.get("effort")).or_else(|| reasoning.get("enabled")?.as_bool())
    };
    let budget = || {
        let thinking = request.get("generationConfig")?.get("thinkingConfig")?;
        (thinking.get("thinkingBudget")?.as_i64()? == 0).then_some(false)
    };
    let told = told.or_else(|| effort(request.get("reasoning_effort"))).or_else(reasoning);
    told.or_else(budget).map(Value::Bool)
}

/// Whether a switch lets the model think.
fn switch(given: &Value) -> Option<bool> {
    let word = given.as_str().or_else(|| given.get("type")?.as_str());
    given.as_bool().or_else(|| match word? {
        "disabled" | "none" | "off" => Some(false),
        // The last three say how hard it thinks.
        "enabled" | "adaptive" | "on" | "low" | "medium" | "high" => Some(true),
        _ => None,
    })
}

/// An effort of none forbids to think; any other leaves it to the model.
fn effort(given: Option<&Value>) -> Option<bool> {
    (given?.as_str()? == "none").then_some(false)
}
