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
    /// How the server takes it.
    pub(super) shape: RequestShape,
}

impl Constraint {
    /// What is to be merged into the body of the request.
    ///
    /// It has the grammar, and for vLLM, `SGLang` and TensorRT-LLM `skip_special_tokens`, so that
    /// they keep the tokens that mark calls.
    #[must_use]
    pub fn request(&self) -> Value {
        let shape = &self.shape;
        let mut value = self.grammar.clone();
        if let Some(inner) = shape.inner {
            let kind = shape.kind.map(|kind| ("type", kind.into()));
            value = object(kind.into_iter().chain([(inner, value)]));
        }
        // The markers of calls are special tokens of some models; these servers leave such tokens
        // out of the text unless they are told not to.
        let kept = shape.leaves_tokens_out.then(|| ("skip_special_tokens", false.into()));
        object([(shape.member, value)].into_iter().chain(kept))
    }
}

/// Where a server takes a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestShape {
    /// The member of the body.
    member: &'static str,
    /// The member of the object within that, where the grammar does not stand alone.
    inner: Option<&'static str>,
    /// The type of that object.
    kind: Option<&'static str>,
    /// Whether the server leaves special tokens out of the text.
    leaves_tokens_out: bool,
}

impl RequestShape {
    /// The shape for a server; `None` for the usual one of the notation.
    pub(super) fn of(
        backend: GrammarBackend,
        server: Option<GrammarServer>,
    ) -> Result<Self, Error> {
        use GrammarBackend::{Gbnf, Lark, StructuralTag};
        use GrammarServer::{LlamaCpp, MistralRs, Sglang, Trtllm, Vllm};
        let server = server.unwrap_or(match backend {
            StructuralTag | Lark => Vllm,
            Gbnf => LlamaCpp,
        });
        let (member, inner, kind) = match (backend, server) {
            (StructuralTag, Vllm | Sglang | Trtllm) => {
                ("response_format", Some("format"), Some("structural_tag"))
            }
            (Lark | Gbnf, Vllm) => ("structured_outputs", Some("grammar"), None),
            (Lark | Gbnf, Sglang) => ("ebnf", None, None),
            (Lark | Gbnf, LlamaCpp) => ("grammar", None, None),
            (Lark, MistralRs) => ("grammar", Some("value"), Some("lark")),
            (backend, server) => {
                let message = format!("{} takes no {}", server.slug(), backend.slug());
                return Err(Error::new(ErrorKind::InvalidOption, message));
            }
        };
        let leaves_tokens_out = matches!(server, Vllm | Sglang | Trtllm);
        Ok(Self { member, inner, kind, leaves_tokens_out })
    }
}

/// An object into which the values are moved.
fn object(members: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>().into()
}
