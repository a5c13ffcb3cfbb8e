//! What a caller asks of a grammar.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::error::{Error, ErrorKind};
use crate::option::{unknown, word, wrong_type};
use crate::slug::slugs;

slugs! {
    /// The notation of a grammar.
    pub enum GrammarBackend {
        /// JSON for xgrammar, as vLLM, `SGLang`, TensorRT-LLM and Dynamo take it.
        StructuralTag => "structural_tag",
        /// Text for llguidance.
        Lark => "lark",
        /// Text for llama.cpp.
        Gbnf => "gbnf",
    }
}

slugs! {
    /// The server to which a request goes.
    pub enum GrammarServer {
        /// vLLM.
        Vllm => "vllm",
        /// `SGLang`.
        Sglang => "sglang",
        /// TensorRT-LLM and Dynamo.
        Trtllm => "trtllm",
        /// The server of llama.cpp.
        LlamaCpp => "llama.cpp",
        /// mistral.rs.
        MistralRs => "mistral.rs",
    }
}

/// Which calls a message may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// Some, or none.
    #[default]
    Auto,
    /// At least one.
    Required,
    /// None.
    None,
    /// Exactly one, of this tool.
    Named(String),
}

/// Who writes and reads the reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrammarReasoning {
    /// The grammar has a place for it.
    Grammar,
    /// None is written.
    None,
    /// The server's parser reads over it, and the grammar begins behind it.
    GrammarEngine,
}

impl GrammarReasoning {
    /// The value as the option `reasoning` takes it.
    #[must_use]
    pub fn to_json(self) -> Value {
        match self {
            Self::Grammar => true.into(),
            Self::None => false.into(),
            Self::GrammarEngine => "engine".into(),
        }
    }
}

/// The text of a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum GrammarText {
    /// Any text.
    #[default]
    Free,
    /// None.
    None,
    /// JSON by this schema.
    Schema(Value),
}

/// What a caller asks of a grammar.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstrainOptions {
    /// The notation.
    pub backend: GrammarBackend,
    /// Which calls a message may hold.
    pub tool_choice: ToolChoice,
    /// Whether a second call may follow; `None` for what the format allows.
    pub parallel: Option<bool>,
    /// Who writes the reasoning; `None` for the grammar, if the models reason.
    pub reasoning: Option<GrammarReasoning>,
    /// The text.
    pub text: GrammarText,
    /// The tokens that the model's tokenizer keeps whole, with their ids where they are known.
    /// Only Lark needs them.
    pub special_tokens: BTreeMap<String, Option<u32>>,
    /// Whether a keyword that the grammar cannot hold is an error, and not a note.
    pub strict: bool,
    /// The server for which `request` is; `None` for the usual one of the notation.
    pub server: Option<GrammarServer>,
}

impl Default for ConstrainOptions {
    fn default() -> Self {
        Self {
            backend: GrammarBackend::StructuralTag,
            tool_choice: ToolChoice::default(),
            parallel: None,
            reasoning: None,
            text: GrammarText::default(),
            special_tokens: BTreeMap::new(),
            strict: false,
            server: None,
        }
    }
}

impl ConstrainOptions {
    /// Sets an option by its name.
    ///
    /// # Errors
    /// `unknown_option`, `invalid_option` or `wrong_type`.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), Error> {
        match name {
            "backend" => {
                self.backend = word(name, value, GrammarBackend::SLUGS, GrammarBackend::from_slug)?;
            }
            "tool_choice" => self.tool_choice = tool_choice(value)?,
            "parallel" => self.parallel = optional_flag(name, value)?,
            "reasoning" => self.reasoning = reasoning(value)?,
            "text" => self.text = text(value)?,
            "special_tokens" => self.special_tokens = special_tokens(value)?,
            "strict" => self.strict = optional_flag(name, value)?.unwrap_or_default(),
            "server" if value.is_null() => self.server = None,
            "server" => {
                self.server =
                    Some(word(name, value, GrammarServer::SLUGS, GrammarServer::from_slug)?);
            }
            _ => return Err(unknown(name, &NAMES)),
        }
        Ok(())
    }
}

/// The options by name.
const NAMES: [&str; 8] = [
    "backend",
    "tool_choice",
    "parallel",
    "reasoning",
    "text",
    "special_tokens",
    "strict",
    "server",
];

fn optional_flag(name: &str, value: &Value) -> Result<Option<bool>, Error> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(flag) => Ok(Some(*flag)),
        _ => Err(wrong_type(name, "a boolean")),
    }
}

fn tool_choice(value: &Value) -> Result<ToolChoice, Error> {
    Ok(match value {
        Value::Null => ToolChoice::Auto,
        Value::String(word) => match word.as_str() {
            "auto" => ToolChoice::Auto,
            "required" => ToolChoice::Required,
            "none" => ToolChoice::None,
            name => ToolChoice::Named(name.to_owned()),
        },
        // A tool may have one of the words as its name.
        Value::Object(members) => match members.get("name") {
            Some(Value::String(name)) => ToolChoice::Named(name.clone()),
            _ => return Err(wrong_type("tool_choice", "a string or an object with name")),
        },
        _ => return Err(wrong_type("tool_choice", "a string or an object with name")),
    })
}

fn reasoning(value: &Value) -> Result<Option<GrammarReasoning>, Error> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(true) => Ok(Some(GrammarReasoning::Grammar)),
        Value::Bool(false) => Ok(Some(GrammarReasoning::None)),
        Value::String(word) if word == "engine" => Ok(Some(GrammarReasoning::GrammarEngine)),
        Value::String(_) => {
            let message = "reasoning must be true, false or \"engine\"";
            Err(Error::new(ErrorKind::InvalidOption, message))
        }
        _ => Err(wrong_type("reasoning", "a boolean or \"engine\"")),
    }
}

fn text(value: &Value) -> Result<GrammarText, Error> {
    match value {
        Value::Null | Value::Bool(true) => Ok(GrammarText::Free),
        Value::Bool(false) => Ok(GrammarText::None),
        Value::Object(_) => Ok(GrammarText::Schema(value.clone())),
        _ => Err(wrong_type("text", "a boolean or a schema")),
    }
}

fn special_tokens(value: &Value) -> Result<BTreeMap<String, Option<u32>>, Error> {
    let shape = || wrong_type("special_tokens", "a list of names or a map from names to ids");
    match value {
        Value::Null => Ok(BTreeMap::new()),
        Value::Array(names) => {
            let name = |name: &Value| Some((name.as_str()?.to_owned(), None));
            names.iter().map(|one| name(one).ok_or_else(shape)).collect()
        }
        Value::Object(members) => {
            let member = |(name, id): (&String, &Value)| match id {
                Value::Null => Ok((name.clone(), None)),
                id => {
                    let id = id.as_u64().and_then(|id| u32::try_from(id).ok()).ok_or_else(shape)?;
                    Ok((name.clone(), Some(id)))
                }
            };
            members.iter().map(member).collect()
        }
        _ => Err(shape()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_have_words() {
        let mut options = ConstrainOptions::default();
        for (name, value) in [
            ("backend", json!("gbnf")),
            ("tool_choice", json!({"name": "auto"})),
            ("parallel", json!(false)),
            ("reasoning", json!("engine")),
            ("text", json!({"type": "object"})),
            ("special_tokens", json!({"<|a|>": null, "[ARGS]": 32})),
            ("strict", json!(true)),
            ("server", json!("llama.cpp")),
        ] {
            options.set(name, &value).unwrap();
        }
        assert_eq!(options.backend, GrammarBackend::Gbnf);
        assert_eq!(options.tool_choice, ToolChoice::Named("auto".to_owned()));
        assert_eq!(options.reasoning, Some(GrammarReasoning::GrammarEngine));
        assert_eq!(options.special_tokens.get("[ARGS]"), Some(&Some(32)));
        assert_eq!(options.server, Some(GrammarServer::LlamaCpp));
        for (name, value, kind) in [
            ("backend", json!("xml"), ErrorKind::InvalidOption),
            ("backend", json!(1), ErrorKind::WrongType),
            ("text", json!("no"), ErrorKind::WrongType),
            ("reasoning", json!("none"), ErrorKind::InvalidOption),
            ("special_tokens", json!({"a": -1}), ErrorKind::WrongType),
            ("tools", json!([]), ErrorKind::UnknownOption),
        ] {
            assert_eq!(options.set(name, &value).unwrap_err().kind(), kind, "{name}");
        }
    }
}
