//! Facts of messages: tokens and models, under the names of many producers.

use crate::json::value::Json;
use crate::transcript::about::TokenUsage;

/// The tokens of a record's count; none if it counts nothing.
///
/// `OpenAI` and Gemini count cached tokens among those of the prompt. Anthropic, Bedrock and the
/// programs that write like them count them beside it, and those that went into the cache too:
/// these are added, so that `input` is all that the model read.
pub(super) fn tokens(usage: Json<'_>) -> Option<TokenUsage> {
    let (mut tokens, mut beside, mut is_whole) = (TokenUsage::default(), 0_u64, false);
    let detail = |value: Json<'_>, key: &str| value.get(key).and_then(Json::as_u64).unwrap_or(0);
    usage.each_member(|name, value| {
        let number = value.as_u64().unwrap_or_default();
        match name {
            b"input_tokens" | b"input" | b"inputTokens" | b"input_other" => tokens.input = number,
            b"prompt_tokens" | b"promptTokens" | b"promptTokenCount" => {
                (tokens.input, is_whole) = (number, true);
            }
            b"output_tokens"
            | b"completion_tokens"
            | b"output"
            | b"outputTokens"
            | b"completionTokens"
            | b"candidatesTokenCount" => tokens.output = number,
            b"cache_read_input_tokens"
            | b"cacheReadInputTokens"
            | b"cacheRead"
            | b"input_cache_read" => {
                tokens.cached = number;
                beside = beside.saturating_add(number);
            }
            b"cache_creation_input_tokens"
            | b"cacheCreationInputTokens"
            | b"cacheWriteInputTokens"
            | b"cacheWrite"
            | b"input_cache_creation" => beside = beside.saturating_add(number),
            b"cached_input_tokens"
            | b"cached_prompt_tokens"
            | b"cached"
            | b"cacheReadTokens"
            | b"cache_read_tokens"
            | b"cachedContentTokenCount"
            | b"cachedInputTokens" => {
                tokens.cached = number;
            }
            b"cache" => {
                tokens.cached = detail(value, "read");
                let written = detail(value, "write");
                beside = beside.saturating_add(tokens.cached).saturating_add(written);
            }
            b"input_tokens_details" | b"prompt_tokens_details" => {
                tokens.cached = tokens.cached.max(detail(value, "cached_tokens"));
            }
            b"input_token_details" => tokens.cached = detail(value, "cache_read"),
            _ => {}
        }
    });
    if !is_whole {
        tokens.input = tokens.input.saturating_add(beside);
    }
    (tokens != TokenUsage::default()).then_some(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tape::Tape;

    #[test]
    fn the_input_is_all_that_the_model_read() {
        let count = |usage: &str| {
            let mut tape = Tape::default();
            tape.read(usage).and_then(tokens).map(|found| (found.input, found.cached))
        };
        let anthropic =
            r#"{"cache_read_input_tokens":4,"input_tokens":9,"cache_creation_input_tokens":2}"#;
        assert_eq!(count(anthropic), Some((15, 4)));
        assert_eq!(count(r#"{"input":7,"cacheRead":2,"cacheWrite":1}"#), Some((10, 2)));
        assert_eq!(count(r#"{"cache":{"read":2,"write":1},"input":7}"#), Some((10, 2)));
        assert_eq!(count(r#"{"input_tokens":9,"cached_input_tokens":4}"#), Some((9, 4)));
        let openai = r#"{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":4}}"#;
        assert_eq!(count(openai), Some((9, 4)));
        // A gateway may write both ways at once.
        assert_eq!(count(r#"{"prompt_tokens":9,"cache_read_input_tokens":4}"#), Some((9, 4)));
        let most = format!(r#"{{"input":{0},"cache":{{"read":{0},"write":{0}}}}}"#, u64::MAX);
        assert_eq!(count(&most), Some((u64::MAX, u64::MAX)));
        assert_eq!(count("{}"), None);
    }
}
