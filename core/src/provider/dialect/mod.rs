//! What is particular to each provider, in a file or a folder of its own.
//!
//! A provider reads its own calls and results: [`order`] says in which order an object is shown to
//! all of them. Its `DIALECT` says how it writes them, in the tables of [`form`], and [`of`] finds
//! it. [`chat`] holds what OpenAI's chat and the providers that copy it share.

pub(in crate::provider) mod anthropic;
pub(in crate::provider) mod bedrock;
pub(in crate::provider) mod chat;
pub(in crate::provider) mod cohere;
pub(in crate::provider) mod data_machine;
pub(in crate::provider) mod droid;
pub(in crate::provider) mod form;
pub(in crate::provider) mod gemini;
pub(in crate::provider) mod mcp;
pub(in crate::provider) mod mistral;
pub(in crate::provider) mod ollama;
pub(in crate::provider) mod openai;
pub(in crate::provider) mod order;
pub(in crate::provider) mod responses;
pub(in crate::provider) mod stageflow;
pub(in crate::provider) mod wordpress;

use self::form::{MessageDialect, ProviderDialect};
use crate::error::Error;
use crate::provider::kind::Provider;

/// What is particular to a provider.
pub(in crate::provider) fn of(provider: Provider) -> &'static ProviderDialect {
    match provider {
        Provider::OpenAi => &openai::DIALECT,
        Provider::OpenAiResponses => &responses::DIALECT,
        Provider::Anthropic => &anthropic::DIALECT,
        Provider::Gemini => &gemini::DIALECT,
        Provider::Bedrock => &bedrock::DIALECT,
        Provider::Ollama => &ollama::DIALECT,
        Provider::Mistral => &mistral::DIALECT,
        Provider::Cohere => &cohere::DIALECT,
        Provider::Mcp => &mcp::DIALECT,
        Provider::WordPress => &wordpress::DIALECT,
        Provider::DataMachine => &data_machine::DIALECT,
        Provider::Stageflow => &stageflow::DIALECT,
        Provider::Droid => &droid::DIALECT,
    }
}

/// What is particular to the messages of a provider.
///
/// # Errors
/// `unknown_provider` for a provider that has none of these, since its models write no messages.
pub(in crate::provider) fn talking(
    provider: Provider,
    what: &str,
) -> Result<&'static MessageDialect, Error> {
    of(provider).messages.ok_or_else(|| Provider::not_talking(what, provider.slug()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_providers_whose_models_write_messages_say_how() {
        for provider in Provider::ALL {
            let talks = of(*provider).messages.is_some();
            assert_eq!(talks, Provider::TALKING.contains(provider), "{}", provider.slug());
        }
    }
}
