//! What is particular to each provider, in a file or a folder of its own.
//!
//! A provider reads its own calls and results: [`order`] says in which order an object is shown to
//! all of them. It writes them as [`form`] asks, and [`of`] finds it. [`chat`] holds what OpenAI's
//! chat and the providers that copy it share.

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
pub(in crate::provider) fn of(provider: Provider) -> &'static dyn ProviderDialect {
    match provider {
        Provider::OpenAi => &openai::OpenAiDialect,
        Provider::OpenAiResponses => &responses::ResponsesDialect,
        Provider::Anthropic => &anthropic::AnthropicDialect,
        Provider::Gemini => &gemini::GeminiDialect,
        Provider::Bedrock => &bedrock::BedrockDialect,
        Provider::Ollama => &ollama::OllamaDialect,
        Provider::Mistral => &mistral::MistralDialect,
        Provider::Cohere => &cohere::CohereDialect,
        Provider::Mcp => &mcp::McpDialect,
        Provider::WordPress => &wordpress::WordPressDialect,
        Provider::DataMachine => &data_machine::DataMachineDialect,
        Provider::Stageflow => &stageflow::StageflowDialect,
        Provider::Droid => &droid::DroidDialect,
    }
}

/// What is particular to the messages of a provider.
///
/// # Errors
/// `unknown_provider` for a provider that has none of these, since its models write no messages.
pub(in crate::provider) fn talking(
    provider: Provider,
    what: &str,
) -> Result<&'static dyn MessageDialect, Error> {
    of(provider).messages().ok_or_else(|| Provider::not_talking(what, provider.slug()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_providers_whose_models_write_messages_say_how() {
        for provider in Provider::ALL {
            let talks = of(*provider).messages().is_some();
            assert_eq!(talks, Provider::TALKING.contains(provider), "{}", provider.slug());
        }
    }
}
