//! Facts of messages: tokens and models, under the names of many producers.

use crate::json::value::Json;
use crate::transcript::about::TokenUsage;

/// The tokens of a record's count; none if it counts nothing.
pub(super) fn tokens(usage: Json<'_>) -> Option<TokenUsage> {
    let mut tokens = TokenUsage::default();
    let detail = |value: Json<'_>, key: &str| value.get(key).and_then(Json::as_u64).unwrap_or(0);
    usage.each_member(|name, value| {
        let number = value.as_u64().unwrap_or_default();
        match name {
            b"input_tokens" | b"prompt_tokens" | b"input" | b"inputTokens" | b"promptTokens"
            | b"promptTokenCount" => tokens.input = number,
            b"output_tokens"
            | b"completion_tokens"
            | b"output"
            | b"outputTokens"
            | b"completionTokens"
            | b"candidatesTokenCount" => tokens.output = number,
            b"cache_read_input_tokens"
            | b"cached_input_tokens"
            | b"cached_prompt_tokens"
            | b"cached"
            | b"cacheRead"
            | b"cacheReadTokens"
            | b"cachedContentTokenCount"
            | b"cachedInputTokens" => {
                tokens.cached = number;
            }
            b"cache" => tokens.cached = detail(value, "read"),
            b"input_tokens_details" | b"prompt_tokens_details" => {
                tokens.cached = tokens.cached.max(detail(value, "cached_tokens"));
            }
            _ => {}
        }
    });
    (tokens != TokenUsage::default()).then_some(tokens)
}
