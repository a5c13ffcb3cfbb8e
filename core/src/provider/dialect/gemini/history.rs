//! The content of a stream of Gemini's.

use serde_json::{Value, json};

use crate::call::ToolCall;
use crate::provider::kind::Provider;
use crate::provider::stream::Accumulator;
use crate::provider::write::history::joined::message;
use crate::provider::write::{ProviderCall, dump_call};

/// The parts, as far as they have come. They are neither joined nor split, since a signature
/// belongs to its part.
#[derive(Default)]
pub struct GeminiContent {
    /// A call that comes in parts with paths stands where it began, by its name.
    parts: Vec<Result<Value, String>>,
    calls: Option<Accumulator>,
}

impl GeminiContent {
    pub fn take(&mut self, event: &Value) {
        let candidate = event.get("candidates").and_then(|candidates| candidates.get(0));
        let content = candidate.and_then(|candidate| candidate.get("content"));
        let parts = content.and_then(|content| content.get("parts")).and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            let call = part.get("functionCall");
            let continues = call.is_some_and(|call| {
                call.get("willContinue").is_some_and(|more| *more == true)
                    || call.get("partialArgs").is_some()
            });
            let name = call.and_then(|call| call.get("name")).and_then(Value::as_str);
            // A part without a name is the rest of the call before it.
            if !continues && (call.is_none() || name.is_some()) {
                self.parts.push(Ok(part.clone()));
                continue;
            }
            if let Some(name) = name {
                self.parts.push(Err(name.to_owned()));
            }
            let calls = self.calls.get_or_insert_with(|| Accumulator::new(Some(Provider::Gemini)));
            let alone = json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]});
            // It fails only after its end.
            let _ = calls.feed(&alone);
        }
    }

    pub fn finish(mut self) -> Vec<Value> {
        let joined = self.calls.as_mut().and_then(|calls| calls.finish().ok());
        let mut calls =
            joined.map(|joined| joined.calls).unwrap_or_default().into_iter().peekable();
        let parts = self.parts.into_iter().filter_map(|part| match part {
            Ok(part) => Some(part),
            // A call that was cut off, or whose parts do not fit together, is not sent back.
            Err(name) => calls.next_if(|call| call.name == name).and_then(|call| written(&call)),
        });
        message("model", "parts", parts.collect())
    }
}

/// The part of a call that came in parts. An id that the provider did not give stays out: nothing
/// else knows it.
fn written(call: &ToolCall) -> Option<Value> {
    let id = Some(&*call.id).filter(|_| call.id_given);
    dump_call(ProviderCall { id, ..ProviderCall::of(call, b"") }, Provider::Gemini).ok()
}
