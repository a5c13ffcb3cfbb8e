//! The conversations in a store: a head and one entry for each message.
//!
//! Messages are only added, each once: of two processes that go on with a conversation, one adds
//! the next message, and the other one is told that the conversation is busy.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::conversation::Conversation;
use super::error::{AgentCode, AgentError};
use super::message::KeptEntry;
use crate::store::{
    Condition, Put, Record, Store, StoreError, Visit, Write, each, from_json, key, prefix, spoiled,
    to_json,
};

/// The version of what is kept.
const VERSION: u32 = 1;
/// The longest entry, in bytes.
const LONGEST: usize = 1 << 20;

fn busy(id: &str) -> AgentError {
    let message = format!("another process goes on with the conversation \"{id}\"");
    AgentError::new(AgentCode::ConversationBusy, message)
}

/// What is kept of a conversation beside its messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ConversationHead {
    version: u32,
    id: String,
    /// The slug of the provider whose objects the messages hold.
    provider: String,
    model: String,
    /// Whether somebody forgets the conversation now.
    #[serde(default)]
    forgotten: bool,
}

impl Record for ConversationHead {
    fn is_at(&self, place: &str) -> bool {
        place == head_key(&self.id)
    }
}

fn head_key(id: &str) -> String {
    key(&["agent", "conversation", id])
}

/// The conversations of a store.
pub struct Conversations {
    store: Arc<dyn Store>,
}

impl Conversations {
    /// The conversations of this store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Finds a conversation.
    ///
    /// # Errors
    /// `invalid_agent` for an empty id; `newer_version`; `other_model` for one that was held with
    /// another provider or model; any error of the store.
    pub fn find(
        &self,
        id: &str,
        provider: &str,
        model: &str,
        now: i64,
    ) -> Result<Option<Conversation>, AgentError> {
        if id.is_empty() {
            let message = "a conversation needs an id, such as \"chat 7\"; whoever gives none would \
                           share one with all others";
            return Err(AgentError::new(AgentCode::InvalidAgent, message));
        }
        let place = head_key(id);
        let Some(entry) = self.store.get(&place, now)? else { return Ok(None) };
        let head: ConversationHead = from_json(&place, &entry)?;
        if head.forgotten {
            self.forget(id, now)?;
            return Ok(None);
        }
        if head.version > VERSION {
            let message =
                format!("the conversation \"{id}\" is of a newer version; update Toolwire");
            return Err(AgentError::new(AgentCode::NewerVersion, message));
        }
        if (head.provider.as_str(), head.model.as_str()) != (provider, model) {
            let message = format!(
                "the conversation \"{id}\" was held with {} of {}, not with {model} of {provider}; \
                 begin another one",
                head.model, head.provider
            );
            return Err(AgentError::new(AgentCode::OtherModel, message));
        }
        let mut conversation = Conversation::new(id);
        self.each_message(id, now, |place, kept| {
            if kept.number != conversation.messages.len() {
                return Err(spoiled(place));
            }
            conversation.messages.push(kept.message);
            Ok(())
        })?;
        conversation.stored = conversation.messages.len();
        Ok(Some(conversation))
    }

    /// Begins a conversation. What a process added to an earlier one, while another process forgot
    /// it, goes away.
    ///
    /// # Errors
    /// `conversation_busy` if another process has just begun it; any error of the store.
    pub fn begin(
        &self,
        id: &str,
        provider: &str,
        model: &str,
        now: i64,
    ) -> Result<Conversation, AgentError> {
        let (provider, model) = (provider.to_owned(), model.to_owned());
        let id_of = id.to_owned();
        let head =
            ConversationHead { version: VERSION, id: id_of, provider, model, forgotten: false };
        let value = to_json(&head)?;
        let write = Write { value: &value, expect: Condition::Absent, expires_at: None };
        match self.store.put(&head_key(id), write, now)? {
            Put::Stored(_) => self.delete_messages(id, now)?,
            Put::Conflict => return Err(busy(id)),
        }
        Ok(Conversation::new(id))
    }

    /// Adds the messages that the store does not have.
    ///
    /// # Errors
    /// `too_long`, `conversation_busy`, any error of the store.
    pub fn save(&self, conversation: &mut Conversation, now: i64) -> Result<(), AgentError> {
        while let Some(message) = conversation.messages.get(conversation.stored) {
            let (id, number) = (conversation.id.clone(), conversation.stored);
            let place = KeptEntry::key(&id, number);
            let entry = KeptEntry { conversation: id, number, message: message.clone() };
            let value = to_json(&entry)?;
            if value.len() > LONGEST {
                let message = format!(
                    "a message of the conversation \"{}\" takes {} bytes; at most {LONGEST} are \
                     kept",
                    conversation.id,
                    value.len()
                );
                return Err(AgentError::new(AgentCode::TooLong, message));
            }
            let write = Write { value: &value, expect: Condition::Absent, expires_at: None };
            match self.store.put(&place, write, now)? {
                Put::Stored(_) => conversation.stored += 1,
                Put::Conflict => return Err(busy(&conversation.id)),
            }
        }
        Ok(())
    }

    /// The ids of conversations, behind that of `after`, in the order of their keys.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn list(
        &self,
        after: Option<&str>,
        limit: usize,
        now: i64,
    ) -> Result<Vec<String>, StoreError> {
        let mut ids = Vec::new();
        if limit == 0 {
            return Ok(ids);
        }
        let heads = prefix(&["agent", "conversation"]);
        each(&*self.store, &heads, after.map(head_key), now, |place, entry| {
            let head: ConversationHead = from_json(place, entry)?;
            if !head.forgotten {
                ids.push(head.id);
            }
            Ok(if ids.len() < limit { Visit::On } else { Visit::Enough })
        })?;
        Ok(ids)
    }

    /// Deletes a conversation, and says whether there was one. Its runs stay as long as any run.
    /// A process that dies meanwhile leaves the rest to the next look at the conversation.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn forget(&self, id: &str, now: i64) -> Result<bool, StoreError> {
        let place = head_key(id);
        let Some(entry) = self.store.get(&place, now)? else { return Ok(false) };
        let head: ConversationHead = from_json(&place, &entry)?;
        let value = to_json(&ConversationHead { forgotten: true, ..head })?;
        let write = Write { value: &value, expect: Condition::Any, expires_at: None };
        self.store.put(&place, write, now)?;
        self.delete_messages(id, now)?;
        self.store.delete(&place, Condition::Any, now)
    }

    fn delete_messages(&self, id: &str, now: i64) -> Result<(), StoreError> {
        let mut keys = Vec::new();
        each(&*self.store, &prefix(&["agent", "message", id]), None, now, |place, _| {
            keys.push(place.to_owned());
            Ok(Visit::On)
        })?;
        for message in keys {
            self.store.delete(&message, Condition::Any, now)?;
        }
        Ok(())
    }

    fn each_message(
        &self,
        id: &str,
        now: i64,
        mut take: impl FnMut(&str, KeptEntry) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        each(&*self.store, &prefix(&["agent", "message", id]), None, now, |place, entry| {
            take(place, from_json(place, entry)?)?;
            Ok(Visit::On)
        })
    }
}
