//! What a response says of itself: why the model stopped, and how many tokens it took.

use serde_json::Value;

use crate::provider::write::head::Usage;

/// Why the model stopped, as far as somebody who goes on has to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelStop {
    /// The message is complete.
    #[default]
    Complete,
    /// The model was cut off at its limit of tokens, so its last call may be a part of one.
    CutOff,
    /// The provider runs tools of its own for longer than a request: its message goes back as it
    /// is, and the model goes on.
    Paused,
}

/// What a response, or the events of one, says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponseAccount {
    /// Why the model stopped.
    pub stop: ModelStop,
    /// How many tokens it took; 0 for what the provider does not say.
    pub usage: Usage,
}

/// The places of the reason for which a model stopped.
const REASONS: [&str; 10] = [
    "/choices/0/finish_reason",
    "/candidates/0/finishReason",
    "/stop_reason",
    "/delta/stop_reason",
    "/stopReason",
    "/messageStop/stopReason",
    "/done_reason",
    "/finish_reason",
    "/delta/finish_reason",
    "/incomplete_details/reason",
];
const CUT_OFF: [&str; 6] = [
    "length",
    "max_tokens",
    "MAX_TOKENS",
    "max_output_tokens",
    "model_length",
    "model_context_window_exceeded",
];
/// The places of the tokens of the prompt, and of those that the model wrote.
const INPUT: [&str; 8] = [
    "/usage/prompt_tokens",
    "/usage/input_tokens",
    "/message/usage/input_tokens",
    "/usage/inputTokens",
    "/metadata/usage/inputTokens",
    "/usageMetadata/promptTokenCount",
    "/usage/tokens/input_tokens",
    "/prompt_eval_count",
];
const OUTPUT: [&str; 7] = [
    "/usage/completion_tokens",
    "/usage/output_tokens",
    "/usage/outputTokens",
    "/metadata/usage/outputTokens",
    "/usageMetadata/candidatesTokenCount",
    "/usage/tokens/output_tokens",
    "/eval_count",
];

impl ResponseAccount {
    /// Reads a whole response, or the list of its events. What stands in a later event counts.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwire::provider::{ModelStop, ResponseAccount};
    ///
    /// let usage = json!({"input_tokens": 12, "output_tokens": 3});
    /// let response = json!({"type": "message", "stop_reason": "max_tokens", "usage": usage});
    /// let account = ResponseAccount::of(&response);
    /// assert_eq!(account.stop, ModelStop::CutOff);
    /// assert_eq!(account.usage.output_tokens, 3);
    /// ```
    #[must_use]
    pub fn of(response: &Value) -> Self {
        let mut account = Self::default();
        match response {
            Value::Array(events) => events.iter().for_each(|event| account.take(event)),
            whole => account.take(whole),
        }
        account
    }

    fn take(&mut self, object: &Value) {
        // OpenAI's Responses and Cohere have it one level down in the event at the end.
        let inner = object.get("response").filter(|inner| inner.is_object());
        let inner = inner.or_else(|| object.get("delta").filter(|delta| delta.is_object()));
        for object in std::iter::once(object).chain(inner) {
            let reason = |place: &&str| object.pointer(place).and_then(Value::as_str);
            match REASONS.iter().find_map(reason) {
                Some(reason) if CUT_OFF.contains(&reason) => self.stop = ModelStop::CutOff,
                Some("pause_turn") => self.stop = ModelStop::Paused,
                _ => {}
            }
            let count = |places: &[&str]| {
                places.iter().find_map(|place| object.pointer(place).and_then(Value::as_u64))
            };
            if let Some(tokens) = count(&INPUT) {
                self.usage.input_tokens = tokens;
            }
            if let Some(tokens) = count(&OUTPUT) {
                self.usage.output_tokens = tokens;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_account_of_each_provider_is_read() {
        let responses = json!({"status": "incomplete", "output": [],
            "incomplete_details": {"reason": "max_output_tokens"},
            "usage": {"input_tokens": 7, "output_tokens": 5}});
        for response in [
            json!({"choices": [{"finish_reason": "length"}],
                "usage": {"prompt_tokens": 7, "completion_tokens": 5}}),
            json!({"stop_reason": "max_tokens", "usage": {"input_tokens": 7, "output_tokens": 5}}),
            json!({"candidates": [{"finishReason": "MAX_TOKENS"}],
                "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 5}}),
            json!({"stopReason": "max_tokens", "usage": {"inputTokens": 7, "outputTokens": 5}}),
            json!({"done_reason": "length", "prompt_eval_count": 7, "eval_count": 5}),
            json!({"finish_reason": "MAX_TOKENS",
                "usage": {"tokens": {"input_tokens": 7, "output_tokens": 5}}}),
            responses.clone(),
            json!([{"type": "response.created", "response": {"status": "in_progress"}},
                {"type": "response.incomplete", "response": responses}]),
            json!([{"type": "message_start", "message": {"usage": {"input_tokens": 7}}},
                {"type": "message_delta", "delta": {"stop_reason": "max_tokens"},
                    "usage": {"output_tokens": 5}}]),
            json!([{"messageStop": {"stopReason": "max_tokens"}},
                {"metadata": {"usage": {"inputTokens": 7, "outputTokens": 5}}}]),
            json!([{"type": "message-end", "delta": {"finish_reason": "MAX_TOKENS",
                "usage": {"tokens": {"input_tokens": 7, "output_tokens": 5}}}}]),
        ] {
            let usage = Usage { input_tokens: 7, output_tokens: 5 };
            let account = ResponseAccount { stop: ModelStop::CutOff, usage };
            assert_eq!(ResponseAccount::of(&response), account, "{response}");
        }
        let paused = ResponseAccount::of(&json!({"stop_reason": "pause_turn"}));
        assert_eq!(paused.stop, ModelStop::Paused);
        for nothing in [json!(null), json!([1, "x"]), json!({"usage": {"input_tokens": -1}})] {
            assert_eq!(ResponseAccount::of(&nothing), ResponseAccount::default());
        }
    }
}
