//! An item of a provider's own that is still being streamed.

use serde_json::Value;

use crate::json::parse::parse_json;
use crate::provider::read::item::ProviderItem;
use crate::provider::read::shape::JsonObject;

/// An item that a provider keeps for itself, as far as it has come.
#[derive(Clone, Debug)]
pub(in crate::provider) struct OwnSlot {
    item: ProviderItem,
    /// The text of the call's input, which comes in pieces.
    text: String,
}

/// Where the input of a provider's own call is.
const INPUTS: [&str; 3] = ["/toolUse", "/function", ""];

impl OwnSlot {
    /// Begins an item.
    pub(in crate::provider) fn new(item: ProviderItem) -> Self {
        Self { item, text: String::new() }
    }

    /// Takes a piece of the input.
    pub(in crate::provider) fn push(&mut self, piece: &Value) {
        if let Some(piece) = piece.as_str() {
            self.text.push_str(piece);
        }
    }

    /// Takes a piece of Bedrock's result.
    pub(in crate::provider) fn push_content(&mut self, content: &Value) {
        let Some(Value::Object(result)) = self.item.object.get_mut("toolResult") else { return };
        let whole = result.entry("content").or_insert_with(|| Value::Array(Vec::new()));
        if let (Some(whole), Some(more)) = (whole.as_array_mut(), content.as_array()) {
            whole.extend(more.iter().cloned());
        }
    }

    /// Takes the whole item, in place of its beginning.
    pub(in crate::provider) fn replace(&mut self, object: &JsonObject) {
        self.text.clear();
        self.item.object = Value::Object(object.clone());
    }

    /// The item, with its input.
    pub(in crate::provider) fn finish(mut self) -> ProviderItem {
        if self.text.is_empty() {
            return self.item;
        }
        let object = &mut self.item.object;
        let is_object = |pointer: &&str| object.pointer(pointer).is_some_and(Value::is_object);
        let inside = INPUTS.into_iter().find(is_object);
        let object = inside.and_then(|pointer| object.pointer_mut(pointer));
        let Some(object) = object.and_then(Value::as_object_mut) else { return self.item };
        if let Some(Value::String(begun)) = object.get_mut("arguments") {
            begun.push_str(&self.text);
        } else {
            // An input that is cut off is no JSON, and is kept as its text.
            let input = parse_json(self.text.as_bytes()).unwrap_or(Value::String(self.text));
            object.insert("input".to_owned(), input);
        }
        self.item
    }
}
