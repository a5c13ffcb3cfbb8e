//! What a response says beside its calls: text, reasoning, why it ended, and what it cost.

pub(in crate::provider) mod account;
pub(in crate::provider) mod event;
pub(in crate::provider) mod text;
