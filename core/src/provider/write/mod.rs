//! Calls, results and whole messages as a provider writes them, at once or as chunks.

pub(in crate::provider) mod call_arguments;
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

pub(in crate::provider) use chunks::open_calls::{CallHead, CallStep};
pub(in crate::provider) use chunks::writer::{ChunkForm, ChunkKind, ChunkWriter, Conclusion};
pub(in crate::provider) use dump::{ProviderCall, dump_call};
pub(in crate::provider) use head::{KnownHead, MessageHead, Usage};
pub(in crate::provider) use id_form::{CallIds, IdForm};
pub(in crate::provider) use object::{extend, insert, insert_some, object_of, typed, with_id};
pub(in crate::provider) use outline::{BlockKind, MessageStep, PlainCall, WrittenCall};
