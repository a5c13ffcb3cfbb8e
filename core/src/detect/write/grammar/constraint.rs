//! A grammar with the request that carries it.

use serde_json::{Value, json};

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
        ) => json!({"response_format": {"type": "structural_tag", "format": grammar}}),
        (GrammarBackend::Lark | GrammarBackend::Gbnf, GrammarServer::Vllm) => {
            json!({"structured_outputs": {"grammar": grammar}})
        }
        (GrammarBackend::Lark | GrammarBackend::Gbnf, GrammarServer::Sglang) => {
            json!({"ebnf": grammar})
        }
        (GrammarBackend::Lark | GrammarBackend::Gbnf, GrammarServer::LlamaCpp) => {
            json!({"grammar": grammar})
        }
        (GrammarBackend::Lark, GrammarServer::MistralRs) => {
            json!({"grammar": {"type": "lark", "value": grammar}})
        }
        (backend, server) => {
            let message = format!("{} takes no {}", server.slug(), backend.slug());
            return Err(Error::new(ErrorKind::InvalidOption, message));
        }
    })
}
