//! The providers that write calls and results, and their slugs.
//!
//! ```
//! use toolwire::provider::Provider;
//!
//! assert_eq!(Provider::named("anthropic")?, Provider::Anthropic);
//! assert_eq!(Provider::OpenAiResponses.slug(), "openai_responses");
//! assert!(Provider::named("teapot").is_err());
//! # Ok::<(), toolwire::Error>(())
//! ```

use crate::error::{Error, ErrorKind};
use crate::slug::slugs;

slugs! {
    /// A system whose objects carry calls and results.
    ///
    /// Its slug is the format of its calls.
    #[non_exhaustive]
    pub enum Provider {
        /// OpenAI's Chat Completions, and servers that copy them.
        OpenAi => "openai",
        /// OpenAI's Responses.
        OpenAiResponses => "openai_responses",
        /// Anthropic's Messages.
        Anthropic => "anthropic",
        /// Google's Gemini.
        Gemini => "gemini",
        /// Amazon Bedrock's Converse.
        Bedrock => "bedrock",
        /// Ollama's chat.
        Ollama => "ollama",
        /// Mistral's chat.
        Mistral => "mistral",
        /// Cohere's chat, version 2; version 1 is read too.
        Cohere => "cohere",
        /// The Model Context Protocol.
        Mcp => "mcp",
        /// WordPress core's AI client, whose tools are abilities.
        WordPress => "wordpress",
        /// Data Machine's packets and envelopes.
        DataMachine => "data_machine",
        /// Stageflow's resolved calls and outputs.
        Stageflow => "stageflow",
        /// The events of a Droid transcript.
        Droid => "droid",
    }
}

impl Provider {
    /// The providers whose models write messages.
    pub const TALKING: [Self; 8] = [
        Self::OpenAi,
        Self::Anthropic,
        Self::Gemini,
        Self::OpenAiResponses,
        Self::Bedrock,
        Self::Mistral,
        Self::Cohere,
        Self::Ollama,
    ];

    /// Looks up a provider by its slug.
    ///
    /// # Errors
    /// `unknown_provider` when there is none.
    pub fn named(slug: &str) -> Result<Self, Error> {
        Self::from_slug(slug).ok_or_else(|| {
            Error::unknown(ErrorKind::UnknownProvider, "provider", slug, Self::SLUGS)
        })
    }

    /// Looks up a provider whose models write messages, by its slug.
    ///
    /// # Errors
    /// `unknown_provider` when there is none.
    pub fn talking(slug: &str) -> Result<Self, Error> {
        let known = Self::from_slug(slug).filter(|provider| Self::TALKING.contains(provider));
        known.ok_or_else(|| Self::not_talking("models", slug))
    }

    /// Makes the error for a provider that has none of these, since its models write no messages.
    pub(super) fn not_talking(what: &str, slug: &str) -> Error {
        let (known, what) = (Self::TALKING.map(Self::slug), format!("provider of {what}"));
        Error::unknown(ErrorKind::UnknownProvider, &what, slug, &known)
    }

    /// Whether another provider takes back what this one sent beside a call.
    pub(super) fn shares_calls_with(self, other: Self) -> bool {
        self == other || (self.is_chat() && other.is_chat())
    }

    /// Whether calls are written as OpenAI's Chat writes them, so that their shape is not enough to
    /// tell the provider.
    pub(super) fn is_chat(self) -> bool {
        matches!(self, Self::OpenAi | Self::Ollama | Self::Mistral | Self::Cohere)
    }
}
