//! What is particular to each provider, in a file or a folder of its own.
//!
//! [`order`] says in which order an object is shown to them. [`chat`] holds what the providers that
//! copy OpenAI's chat share with it.

pub(in crate::provider) mod anthropic;
pub(in crate::provider) mod bedrock;
pub(in crate::provider) mod chat;
pub(in crate::provider) mod cohere;
pub(in crate::provider) mod data_machine;
pub(in crate::provider) mod droid;
pub(in crate::provider) mod gemini;
pub(in crate::provider) mod mcp;
pub(in crate::provider) mod mistral;
pub(in crate::provider) mod ollama;
pub(in crate::provider) mod order;
pub(in crate::provider) mod responses;
pub(in crate::provider) mod stageflow;
pub(in crate::provider) mod wordpress;
