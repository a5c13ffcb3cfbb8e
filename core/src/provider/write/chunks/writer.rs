//! What every provider's chunks have in common.

use std::fmt::Debug;

use serde_json::Value;

use super::open_calls::{CallHead, CallStep};
use crate::error::Error;
use crate::provider::write::call_arguments::arguments_text;
use crate::provider::write::head::{KnownHead, Usage};
use crate::provider::write::outline::{MessageStep, WrittenCall};

/// How the message ended.
#[derive(Clone, Copy, Debug)]
pub(in crate::provider) struct Conclusion {
    /// The provider's word for why it ended.
    pub(in crate::provider) reason: &'static str,
    pub(in crate::provider) usage: Option<Usage>,
}

/// What the chunks of a stream are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider) enum ChunkKind {
    /// Pieces of one or more choices, with their log probabilities. Calls stand beside the text, so
    /// each can be sent when it ends.
    Choices,
    /// Named events of one message, one part of which ends before the next one begins.
    Events,
}

/// How a provider's chunks are written.
#[derive(Debug)]
pub(in crate::provider) struct ChunkForm {
    /// What the id of a message begins with.
    pub(in crate::provider) prefix: &'static str,
    pub(in crate::provider) kind: ChunkKind,
    /// Whether clients read arguments that are cut off, so that a call must not begin before it is
    /// certain that it is no thought.
    pub(in crate::provider) cut_off_is_read: bool,
    /// Makes the writer of the choice at a place.
    pub(in crate::provider) writer: fn(KnownHead, usize) -> Box<dyn ChunkWriter>,
}

/// Writes the chunks of a provider.
pub(in crate::provider) trait ChunkWriter: Debug + Send {
    /// Writes what comes before everything else.
    fn begin(&mut self, chunks: &mut Vec<Value>);

    /// Writes a step of the text or the reasoning.
    fn step(&mut self, step: &MessageStep, chunks: &mut Vec<Value>);

    /// Writes a whole call, behind all blocks where blocks are numbered: step by step, unless the
    /// provider has a chunk for it.
    fn call(&mut self, call: &WrittenCall, chunks: &mut Vec<Value>) -> Result<(), Error> {
        let arguments = arguments_text(&call.arguments)?;
        let head = CallHead { id: call.id.clone(), name: call.name.clone() };
        self.call_step(&CallStep::Begin(0, head), chunks)?;
        self.call_step(&CallStep::Arguments(0, arguments), chunks)?;
        self.call_step(&CallStep::End, chunks)
    }

    /// Writes a step of a call whose arguments come in pieces.
    fn call_step(&mut self, step: &CallStep, chunks: &mut Vec<Value>) -> Result<(), Error>;

    /// Keeps log probabilities for the next chunk, where the provider's chunks have them.
    fn add_logprobs(&mut self, logprobs: Value) {
        drop(logprobs);
    }

    /// Writes what comes last.
    fn end(&mut self, conclusion: Conclusion, chunks: &mut Vec<Value>);
}
