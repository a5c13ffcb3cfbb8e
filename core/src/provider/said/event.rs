//! What one event of a streamed response says.

use serde_json::Value;

use super::text::SaidText;

/// How events of OpenAI's Responses that bring reasoning are named; those of text and refusals end
/// alike.
const REASONING: &str = "response.reasoning";

impl SaidText {
    /// Reads the piece of text and of reasoning in an event of a streamed response; of several
    /// choices those in the first one. Events that repeat what others brought say nothing.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwire::provider::SaidText;
    ///
    /// let said = SaidText::of_event(&json!({"choices": [{"delta": {"content": "It is"}}]}));
    /// assert_eq!(said.text, "It is");
    /// let delta = json!({"type": "thinking_delta", "thinking": "Look."});
    /// let said = SaidText::of_event(&json!({"type": "content_block_delta", "delta": delta}));
    /// assert_eq!(said.reasoning, "Look.");
    /// ```
    #[must_use]
    pub fn of_event(event: &Value) -> Self {
        let mut said = Self::default();
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        let delta = event.get("delta");
        match (kind, delta) {
            (_, Some(Value::String(piece))) if kind.starts_with("response.") => {
                if kind.starts_with(REASONING) {
                    said.reasoning.clone_from(piece);
                } else if is_text_of_responses(kind) {
                    said.text.clone_from(piece);
                }
            }
            ("content_block_delta", Some(delta)) => said.take_block(delta),
            ("content_block_start", _) => {
                said.take_block(event.get("content_block").unwrap_or(&Value::Null));
            }
            // Cohere has the pieces in a message of the delta.
            ("content-delta" | "content-start" | "tool-plan-delta", Some(delta)) => {
                if let Some(content) = delta.pointer("/message/content") {
                    said.take_block(content);
                }
            }
            ("", None) => said.take_chunk(event),
            _ => {}
        }
        said
    }

    /// Takes a piece of a block: Anthropic's and Cohere's.
    fn take_block(&mut self, block: &Value) {
        let of = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
        self.text.push_str(of("text"));
        self.reasoning.push_str(of("thinking"));
    }

    /// Takes a chunk that has no type.
    fn take_chunk(&mut self, event: &Value) {
        if let Some(delta) = event.pointer("/contentBlockDelta/delta") {
            self.take_block(delta);
            let reasoning = delta.pointer("/reasoningContent/text").and_then(Value::as_str);
            self.reasoning.push_str(reasoning.unwrap_or_default());
            return;
        }
        let first = |list: &str, inner: &str| {
            let all = event.get(list).and_then(Value::as_array)?;
            let is_first = |one: &&Value| one.get("index").is_none_or(|index| *index == 0);
            all.iter().find(is_first)?.get(inner)
        };
        let message = first("choices", "delta")
            .or_else(|| first("candidates", "content"))
            .or_else(|| event.get("message"));
        if let Some(message) = message {
            *self = Self::of(std::slice::from_ref(message));
        }
    }
}

fn is_text_of_responses(kind: &str) -> bool {
    matches!(kind, "response.output_text.delta" | "response.refusal.delta")
}
