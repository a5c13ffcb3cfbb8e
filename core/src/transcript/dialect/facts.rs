//! Facts of messages: tokens and models, under the names of many producers.

use crate::json::value::Json;
use crate::transcript::about::TokenUsage;
use crate::transcript::dialect::field::at;

/// The tokens of a record's count; none if it counts nothing.
pub(super) fn tokens(usage: Json<'_>) -> Option<TokenUsage> {
    let number = |keys: &[&str]| {
        keys.iter().find_map(|key| usage.get(key).and_then(Json::as_u64)).unwrap_or_default()
    };
    let inner = |path: &[&str]| at(usage, path).and_then(Json::as_u64).unwrap_or_default();
    let tokens = TokenUsage {
        input: number(&[
            "input_tokens",
            "prompt_tokens",
            "input",
            "inputTokens",
            "promptTokens",
            "promptTokenCount",
        ]),
        output: number(&[
            "output_tokens",
            "completion_tokens",
            "output",
            "outputTokens",
            "completionTokens",
            "candidatesTokenCount",
        ]),
        cached: number(&[
            "cache_read_input_tokens",
            "cached_input_tokens",
            "cached",
            "cacheRead",
            "cachedContentTokenCount",
            "cachedInputTokens",
        ])
        .max(inner(&["cache", "read"]))
        .max(inner(&["input_tokens_details", "cached_tokens"]))
        .max(inner(&["prompt_tokens_details", "cached_tokens"])),
    };
    (tokens != TokenUsage::default()).then_some(tokens)
}
