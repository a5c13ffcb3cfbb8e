//! What every provider's chunks have in common.

use std::fmt::Debug;

use serde_json::Value;

use super::open_calls::CallStep;
use crate::error::Error;
use crate::provider::write::head::Usage;
use crate::provider::write::outline::{MessageStep, WrittenCall};

/// How the message ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conclusion {
    /// The provider's word for why it ended.
    pub(super) reason: &'static str,
    pub(super) usage: Option<Usage>,
}

/// Writes the chunks of a provider.
pub(super) trait ChunkWriter: Debug + Send {
    /// Writes what comes before everything else.
    fn begin(&mut self, chunks: &mut Vec<Value>);

    /// Writes a step of the text or the reasoning.
    fn step(&mut self, step: &MessageStep, chunks: &mut Vec<Value>);

    /// Writes a whole call, behind all blocks where blocks are numbered.
    fn call(&mut self, call: &WrittenCall, chunks: &mut Vec<Value>) -> Result<(), Error>;

    /// Writes a step of a call whose arguments come in pieces.
    fn call_step(&mut self, step: &CallStep, chunks: &mut Vec<Value>) -> Result<(), Error>;

    /// Keeps log probabilities for the next chunk, where the provider's chunks have them.
    fn add_logprobs(&mut self, logprobs: Value) {
        drop(logprobs);
    }

    /// Writes what comes last.
    fn end(&mut self, conclusion: Conclusion, chunks: &mut Vec<Value>);
}
