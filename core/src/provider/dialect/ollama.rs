//! Ollama's chat.

use crate::provider::read::shape::JsonObject;

/// Whether a response is from Ollama.
pub fn hints(object: &JsonObject) -> bool {
    object.contains_key("message") && object.contains_key("done")
}
