//! What stands in a provider's response beside the message: ids, times and numbers of tokens.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use uuid::Uuid;

use super::message::cut_off;
use crate::provider::kind::Provider;

/// What a response or the chunks of one message say of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageHead {
    /// The name of the model.
    pub model: String,
    /// The id of the message; a new one if there is none.
    pub id: Option<String>,
    /// When the message began, in seconds of Unix time; now if it is not given.
    pub created: Option<u64>,
}

impl MessageHead {
    /// The head with a new id that begins with `prefix`, and the time, where they are not given.
    pub(in crate::provider) fn known(self, prefix: &str) -> KnownHead {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
        KnownHead {
            model: self.model,
            id: self.id.unwrap_or_else(|| format!("{prefix}{}", Uuid::now_v7().simple())),
            created: self.created.unwrap_or_else(now),
        }
    }
}

/// What a response says of a message.
#[derive(Clone, Debug)]
pub(in crate::provider) struct KnownHead {
    pub(in crate::provider) model: String,
    pub(in crate::provider) id: String,
    pub(in crate::provider) created: u64,
}

/// How many tokens a message took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The tokens of the prompt.
    pub input_tokens: u64,
    /// The tokens that the model wrote.
    pub output_tokens: u64,
}

/// The numbers of tokens in the provider's words.
pub(in crate::provider) fn usage_object(usage: Usage, provider: Provider) -> Value {
    let Usage { input_tokens: input, output_tokens: output } = usage;
    let total = input.saturating_add(output);
    match provider {
        Provider::Anthropic => json!({"input_tokens": input, "output_tokens": output}),
        Provider::Bedrock => {
            json!({"inputTokens": input, "outputTokens": output, "totalTokens": total})
        }
        Provider::Gemini => json!({
            "promptTokenCount": input,
            "candidatesTokenCount": output,
            "totalTokenCount": total,
        }),
        Provider::Cohere => {
            json!({"tokens": {"input_tokens": input, "output_tokens": output}})
        }
        Provider::Ollama => json!({"prompt_eval_count": input, "eval_count": output}),
        Provider::OpenAiResponses => json!({
            "input_tokens": input,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": total,
        }),
        _ => json!({
            "prompt_tokens": input,
            "completion_tokens": output,
            "total_tokens": total,
        }),
    }
}

/// A response of OpenAI's Responses as a whole.
pub(in crate::provider) fn response_object(
    head: &KnownHead,
    status: &str,
    output: &Value,
    usage: Option<&Value>,
) -> Value {
    let KnownHead { model, id, created } = head;
    json!({
        "id": id,
        "object": "response",
        "created_at": created,
        "status": status,
        "error": null,
        "incomplete_details": (status == "incomplete").then(cut_off),
        "instructions": null,
        "metadata": {},
        "model": model,
        "output": output,
        "parallel_tool_calls": true,
        "temperature": null,
        "tool_choice": "auto",
        "tools": [],
        "top_p": null,
        "usage": usage,
    })
}
