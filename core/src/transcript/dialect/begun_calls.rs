//! The calls that a stream of the Responses API has begun and not yet given whole. If the stream
//! is cut off, they are all that is known of these calls.

use crate::json::value::Json;
use crate::transcript::dialect::Give;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::first_text;
use crate::transcript::dialect::held_text::HeldText;
use crate::transcript::dialect::nested::nested;

/// How many calls are held.
const MOST: usize = 64;

/// The calls that have begun, by the ids of their items.
#[derive(Debug, Default)]
pub(super) struct BegunCalls(Vec<BegunCall>);

#[derive(Debug)]
struct BegunCall {
    item: String,
    id: String,
    name: String,
    arguments: HeldText,
    at: Option<i64>,
}

impl BegunCalls {
    /// Holds the call that an item begins, if it is one with a name and there is room.
    pub(super) fn begin(&mut self, item: Json<'_>, at: Option<i64>) {
        let Some(name) = item.text_of("name").filter(|_| self.0.len() < MOST) else { return };
        let text = |key: &str| item.text_of(key).unwrap_or_default().into_owned();
        let arguments =
            HeldText::from(&*first_text(item, &["arguments", "input"]).unwrap_or_default());
        let (item, id) = (text("id"), text("call_id"));
        self.0.push(BegunCall { item, id, name: name.into_owned(), arguments, at });
    }

    /// Adds what an event tells of the arguments of a call: a piece of them, or all.
    pub(super) fn add(&mut self, event: Json<'_>) {
        let Some(id) = event.text_of("item_id") else { return };
        let Some(call) = self.0.iter_mut().find(|call| call.item == id) else { return };
        if let Some(piece) = event.text_of("delta") {
            call.arguments.push(&piece);
        } else if let Some(all) = first_text(event, &["arguments", "input"]) {
            call.arguments = HeldText::from(&*all);
        }
    }

    /// Lets go of a call that was given whole.
    pub(super) fn end(&mut self, id: &str) {
        self.0.retain(|call| call.id != id);
    }

    /// Gives the calls that were not given whole.
    pub(super) fn give(&mut self, give: Give<'_, '_>) {
        for call in std::mem::take(&mut self.0) {
            let BegunCall { id, name, arguments, at, .. } = call;
            let list = serde_json::json!([arguments.into_text()]).to_string();
            nested(&list, give, &mut |list, give| {
                let (id, name) = (id.clone().into(), name.clone().into());
                give(CallParts { id, name, arguments: list.items().next(), at }.of_agent());
            });
        }
    }
}
