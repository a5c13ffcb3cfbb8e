//! What a model says in the messages of a provider: its text and its reasoning.
//!
//! It reads what [`history`](crate::provider::history) gives.

use serde_json::Value;

/// What a model says beside its calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaidText {
    /// The text for the user.
    pub text: String,
    /// The reasoning, or its summary, where the provider shows it.
    pub reasoning: String,
}

/// The members in which providers write a message's reasoning beside its content. Servers that
/// write two of them write the same reasoning in both.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

impl SaidText {
    /// Reads the messages, contents or items that a response adds to the history.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwire::provider::SaidText;
    ///
    /// let parts = json!([{"text": "Look.", "thought": true}, {"text": "It is 21 °C."}]);
    /// let said = SaidText::of(&[json!({"role": "model", "parts": parts})]);
    /// assert_eq!((&*said.text, &*said.reasoning), ("It is 21 °C.", "Look."));
    /// ```
    #[must_use]
    pub fn of(added: &[Value]) -> Self {
        let mut said = Self::default();
        for item in added {
            said.take_message(item);
        }
        said
    }

    fn take_message(&mut self, message: &Value) {
        let beside = REASONING.iter().find_map(|name| message.get(name).and_then(Value::as_str));
        add(&mut self.reasoning, beside.unwrap_or_default());
        if message.get("type").is_some_and(|kind| kind == "reasoning") {
            for list in ["summary", "content"] {
                for part in message.get(list).and_then(Value::as_array).into_iter().flatten() {
                    add(&mut self.reasoning, text_of(part, "text"));
                }
            }
            return;
        }
        match message.get("content").or_else(|| message.get("parts")) {
            Some(Value::String(text)) => add(&mut self.text, text),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| self.take_part(part)),
            _ => {}
        }
    }

    fn take_part(&mut self, part: &Value) {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
        let is_thought = part.get("thought").is_some_and(|thought| thought == true);
        match kind {
            // Anthropic and Cohere write a text, Mistral a list of parts.
            "thinking" => match part.get("thinking") {
                Some(Value::Array(parts)) => {
                    for part in parts {
                        add(&mut self.reasoning, text_of(part, "text"));
                    }
                }
                _ => add(&mut self.reasoning, text_of(part, "thinking")),
            },
            "" | "text" | "output_text" if is_thought => {
                add(&mut self.reasoning, text_of(part, "text"));
            }
            "" | "text" | "output_text" => add(&mut self.text, text_of(part, "text")),
            "refusal" => add(&mut self.text, text_of(part, "refusal")),
            _ => {}
        }
        if let Some(reasoning) = part.pointer("/reasoningContent/reasoningText") {
            add(&mut self.reasoning, text_of(reasoning, "text"));
        }
    }
}

fn text_of<'v>(part: &'v Value, name: &str) -> &'v str {
    part.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Adds a text behind another one. Parts of one text go on where the last one ended.
fn add(text: &mut String, more: &str) {
    text.push_str(more);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_provider_says_its_text_and_its_reasoning() {
        let reasoning_text = json!({"reasoningText": {"text": "Look.", "signature": "c2ln"}});
        let summary = json!([{"type": "summary_text", "text": "Look."}]);
        let output_text = json!([{"type": "output_text", "text": "Warm."}]);
        for added in [
            json!([{"role": "assistant", "content": "Warm.", "reasoning_content": "Look."}]),
            json!([{"role": "assistant", "content": "Warm.", "thinking": "Look."}]),
            json!([{"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Look.", "signature": "c2ln"},
                {"type": "tool_use", "id": "t", "name": "now", "input": {"text": "no"}},
                {"type": "text", "text": "Warm."},
            ]}]),
            json!([{"role": "assistant", "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Look."}]},
                {"type": "text", "text": "Warm."},
            ]}]),
            json!([{"role": "assistant", "content": [
                {"reasoningContent": reasoning_text}, {"text": "Warm."},
            ]}]),
            json!([{"role": "model", "parts": [
                {"text": "Look.", "thought": true}, {"text": "Wa"}, {"text": "rm."},
            ]}]),
            json!([
                {"type": "reasoning", "summary": summary, "encrypted_content": "e"},
                {"type": "message", "role": "assistant", "content": output_text},
            ]),
        ] {
            let said = SaidText::of(added.as_array().unwrap());
            assert_eq!((&*said.text, &*said.reasoning), ("Warm.", "Look."), "{added}");
        }
    }

    #[test]
    fn a_message_of_any_shape_says_what_can_be_read() {
        for added in [json!([]), json!([null, 1, "x", []]), json!([{"content": {"text": 1}}])] {
            assert_eq!(SaidText::of(added.as_array().unwrap()), SaidText::default());
        }
    }
}
