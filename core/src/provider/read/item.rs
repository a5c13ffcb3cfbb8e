//! What a provider keeps for itself: calls that it runs, their results, and what it asks a person.
//!
//! Such an item is never a call of the program's. It is kept as it was sent, since the provider
//! wants it back with the next request.
//!
//! ```
//! use serde_json::json;
//! use toolwire::provider::{self, ItemKind, Provider};
//!
//! let asked = json!({"type": "mcp_approval_request", "id": "mcpr_1", "name": "send",
//!     "arguments": "{}", "server_label": "mail"});
//! let exchange = provider::parse(&json!({"output": [asked]}), None);
//! assert!(exchange.calls.is_empty());
//! let item = &exchange.items[0];
//! assert_eq!(item.kind, ItemKind::ApprovalRequest);
//! assert_eq!(item.word, "mcp_approval_request");
//! assert_eq!(provider::dump_item(item, Provider::OpenAiResponses)?, asked);
//! assert_eq!(item.decided(false)?["type"], "mcp_approval_response");
//! # Ok::<(), toolwire::Error>(())
//! ```

use serde_json::{Value, json};

use super::shape::{JsonObject, at, id_of, text};
use crate::error::{Error, ErrorKind};
use crate::provider::kind::Provider;
use crate::slug::slugs;

slugs! {
    /// What an item that a provider keeps for itself is.
    #[non_exhaustive]
    pub enum ItemKind {
        /// A call that the provider runs itself, or has run.
        Call => "call",
        /// The result of such a call.
        Result => "result",
        /// A question for a person: whether the provider may run a call.
        ApprovalRequest => "approval_request",
        /// Something else that goes back with the next request.
        Other => "other",
    }
}

/// What an object is that is no call of a tool with arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider) enum Purpose<'v> {
    /// The provider's own, with the provider's word for it.
    Own(ItemKind, &'v str, Provider),
    /// A call of a tool that takes a free text.
    FreeText,
    /// It asks for something of a kind that is not known.
    Unknown(&'v str),
}

/// A type of items that a provider keeps for itself.
pub(in crate::provider) type OwnWord = (&'static str, ItemKind);

/// The types of a call of a tool with arguments.
pub(in crate::provider) const CALLS: [&str; 5] =
    ["function", "function_call", "tool_call", "tool_use", "function.call"];

/// An item that a provider keeps for itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderItem {
    /// What it is.
    pub kind: ItemKind,
    /// The provider's word for it, such as `mcp_call`.
    pub word: String,
    /// Its id, or the id of the call that it belongs to; none where the provider gives none.
    pub id: Option<String>,
    /// The whole item, as it was sent.
    pub object: Value,
    /// Where it stands: a JSON Pointer into the object, or into the list of the stream's events.
    pub path: String,
    /// The slug of the provider.
    pub format: &'static str,
}

/// The keys that lead to an item's id.
const IDS: [&[&str]; 9] = [
    &["id"],
    &["tool_use_id"],
    &["call_id"],
    &["tool_call_id"],
    &["toolUse", "toolUseId"],
    &["toolResult", "toolUseId"],
    &["executableCode", "id"],
    &["toolCall", "id"],
    &["toolResponse", "id"],
];

impl ProviderItem {
    /// Keeps an object.
    pub(in crate::provider) fn of(
        object: &JsonObject,
        (kind, word, provider): (ItemKind, &str, Provider),
        path: String,
    ) -> Self {
        let id = IDS.iter().find_map(|keys| at(object, keys).and_then(id_of));
        let (word, format) = (word.to_owned(), provider.slug());
        Self { kind, word, id, object: Value::Object(object.clone()), path, format }
    }

    /// Writes a person's answer to an approval request, for the next request.
    ///
    /// # Errors
    /// `invalid_option` for an item that asks nothing, or has no id.
    pub fn decided(&self, approved: bool) -> Result<Value, Error> {
        let object = self.object.as_object();
        let id = object.and_then(|object| text(object, "id")).filter(|id| !id.is_empty());
        let Some(id) = id.filter(|_| self.kind == ItemKind::ApprovalRequest) else {
            let message = format!("a {} asks for no approval", self.word);
            return Err(Error::new(ErrorKind::InvalidOption, message));
        };
        Ok(json!({
            "type": "mcp_approval_response",
            "approval_request_id": id,
            "approve": approved,
        }))
    }
}

/// Gives an item back to the provider that sent it, as it was sent.
///
/// # Errors
/// `invalid_option` for another provider, which would not know the item.
pub fn dump_item(item: &ProviderItem, provider: Provider) -> Result<Value, Error> {
    let from = Provider::from_slug(item.format);
    if from.is_some_and(|from| from.shares_calls_with(provider)) {
        return Ok(item.object.clone());
    }
    let (word, format) = (&item.word, item.format);
    let message = format!("a {word} of {format} means nothing to {}", provider.slug());
    Err(Error::new(ErrorKind::InvalidOption, message))
}
