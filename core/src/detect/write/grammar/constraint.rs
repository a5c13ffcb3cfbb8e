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
    Ok(match (backend, server) {
        (
            GrammarBackend::StructuralTag,
            GrammarServer::Vllm | GrammarServer::Sglang | GrammarServer::Trtllm,
        ) => {
            let tag = [("type", "structural_tag".into()), ("format", grammar.clone())];
            object([("response_format", object(tag))])
        }
        (GrammarBackend::Lark | GrammarBackend::Gbnf, GrammarServer::Vllm) => {
            object([("structured_outputs", object([("grammar", grammar.clone())]))])
        }
        (GrammarBackend::Lark | GrammarBackend::Gbnf, GrammarServer::Sglang) => {
            object([("ebnf", grammar.clone())])
        }
        (GrammarBackend::Lark | GrammarBackend::Gbnf, GrammarServer::LlamaCpp) => {
            object([("grammar", grammar.clone())])
        }
        (GrammarBackend::Lark, GrammarServer::MistralRs) => {
            object([("grammar", object([("type", "lark".into()), ("value", grammar.clone())]))])
        }
        (backend, server) => {
            let message = format!("{} takes no {}", server.slug(), backend.slug());
            return Err(Error::new(ErrorKind::InvalidOption, message));
        }
    })
}

/// An object into which the values are moved.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(Map::from_iter(members.map(|(key, value)| (key.to_owned(), value))))
}
