//! Calls, results and whole messages as a provider writes them, at once or as chunks.

pub(in crate::provider) mod call_id;
pub(in crate::provider) mod call_object;
pub(in crate::provider) mod chunks;
pub(in crate::provider) mod dump;
pub(in crate::provider) mod head;
pub(in crate::provider) mod history;
pub(in crate::provider) mod id_form;
pub(in crate::provider) mod message;
pub(in crate::provider) mod object;
pub(in crate::provider) mod outline;
pub(in crate::provider) mod response;
pub(in crate::provider) mod with_calls;
