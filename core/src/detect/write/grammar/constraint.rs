//! A grammar with the request that carries it.

use serde_json::{Map, Value};

use super::notes::ConstraintNote;
use super::options::{GrammarBackend, GrammarReasoning, GrammarServer};
use crate::error::{Error, ErrorKind};

/// A grammar that holds a model to calls that can be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// The grammar: an object for a structural tag, a string for Lark and GBNF.
    pub grammar: Value,
    /// What is to be merged into the body of the request.
    ///
    /// It has the grammar, and for vLLM, `SGLang` and TensorRT-LLM `skip_special_tokens`, so that
    /// they keep the tokens that mark calls.
    pub request: Value,
    /// The tokens that end the turn; the grammar ends in front of them.
    pub stop: Vec<String>,
    /// What the grammar does not hold.
    pub notes: Vec<ConstraintNote>,
    /// The name of the profile, if there was one.
    pub profile: Option<String>,
    /// The name of the calls' format; `None` where there are no calls.
    pub format: Option<String>,
    /// The notation.
    pub backend: GrammarBackend,
    /// Who writes the reasoning, as the grammar takes it.
    pub reasoning: GrammarReasoning,
}

/// What is merged into the body of a request.
pub(super) fn request(
    grammar: &Value,
    backend: GrammarBackend,
    server: Option<GrammarServer>,
) -> Result<Value, Error> {
    let usual = match backend {
        GrammarBackend::StructuralTag | GrammarBackend::Lark => GrammarServer::Vllm,
        GrammarBackend::Gbnf => GrammarServer::LlamaCpp,
    };
    let server = server.unwrap_or(usual);
    let grammar = grammar.clone();
    let (name, value) = match (backend, server) {
        (
            GrammarBackend::StructuralTag,
            GrammarServer::Vllm | GrammarServer::Sglang | GrammarServer::Trtllm,
        ) => ("response_format", object([("type", "structural_tag".into()), ("format", grammar)])),
        (GrammarBackend::Lark | GrammarBackend::Gbnf, GrammarServer::Vllm) => {
            ("structured_outputs", object([("grammar", grammar)]))
        }
        (GrammarBackend::Lark | GrammarBackend::Gbnf, GrammarServer::Sglang) => ("ebnf", grammar),
        (GrammarBackend::Lark | GrammarBackend::Gbnf, GrammarServer::LlamaCpp) => {
            ("grammar", grammar)
        }
        (GrammarBackend::Lark, GrammarServer::MistralRs) => {
            ("grammar", object([("type", "lark".into()), ("value", grammar)]))
        }
        (backend, server) => {
            let message = format!("{} takes no {}", server.slug(), backend.slug());
            return Err(Error::new(ErrorKind::InvalidOption, message));
        }
    };
    Ok(match server {
        // The markers of calls are special tokens of some models; these servers leave such tokens
        // out of the text unless they are told not to.
        GrammarServer::Vllm | GrammarServer::Sglang | GrammarServer::Trtllm => {
            object([(name, value), ("skip_special_tokens", false.into())])
        }
        GrammarServer::LlamaCpp | GrammarServer::MistralRs => object([(name, value)]),
    })
}

/// An object into which the values are moved.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(Map::from_iter(members.map(|(key, value)| (key.to_owned(), value))))
}
