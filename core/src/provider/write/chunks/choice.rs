//! The chunks of one choice of a response; most responses have one.

use serde_json::Value;

use super::open_calls::CallStep;
use super::sent_arguments::SentArguments;
use super::streamed::{StreamedCalls, StreamedStep};
use super::writer::{ChunkForm, ChunkKind, ChunkWriter, Conclusion};
use crate::error::Error;
use crate::provider::write::head::{KnownHead, Usage};
use crate::provider::write::id_form::IdForm;
use crate::provider::write::message::MessageEnding;
use crate::provider::write::outline::{BlockKind, MessagePart, MessageStep, Outline, WrittenCall};

/// Writes the chunks of one choice.
#[derive(Debug)]
pub(super) struct ChoiceChunks {
    kind: ChunkKind,
    /// The words for why the message ended.
    endings: [&'static str; 3],
    outline: Outline,
    /// The calls, if their arguments are sent while the model writes them.
    streamed: Option<StreamedCalls>,
    writer: Box<dyn ChunkWriter>,
    began: bool,
    shown: ShownSoFar,
    /// What is known of the ending before the message ends.
    pub(super) ending: MessageEnding,
}

/// What the chunks so far show.
#[derive(Clone, Copy, Debug, Default)]
struct ShownSoFar {
    calls: bool,
    /// Text for a person, and not only white space.
    text: bool,
    /// Whether the text ended inside a call.
    cut_off: bool,
}

impl ChoiceChunks {
    pub(super) fn new(
        (form, ids, endings): (&ChunkForm, IdForm, [&'static str; 3]),
        head: KnownHead,
        index: usize,
        sent: SentArguments,
    ) -> Self {
        let streams = sent == SentArguments::Streamed;
        Self {
            kind: form.kind,
            endings,
            outline: Outline::new(ids),
            streamed: streams.then(|| StreamedCalls::new(form, ids)),
            writer: (form.writer)(head, index),
            began: false,
            shown: ShownSoFar::default(),
            ending: MessageEnding::Stopped,
        }
    }

    pub(super) fn add_logprobs(&mut self, logprobs: Value) {
        self.writer.add_logprobs(logprobs);
    }

    pub(super) fn feed(&mut self, part: MessagePart<'_>) -> Result<Vec<Value>, Error> {
        self.shown.cut_off |= matches!(part, MessagePart::CutOff);
        let (mut steps, mut chunks) = (Vec::new(), Vec::new());
        if let Some(streamed) = &mut self.streamed {
            let steps = streamed.take(part, &mut self.outline);
            self.write_streamed(&steps, &mut chunks)?;
            return Ok(chunks);
        }
        self.outline.take(part, &mut steps);
        let calls = match self.kind {
            ChunkKind::Choices => self.outline.sure_calls(),
            ChunkKind::Events => Vec::new(),
        };
        if !steps.is_empty() || !calls.is_empty() {
            self.write(&steps, &calls, &mut chunks)?;
        }
        Ok(chunks)
    }

    pub(super) fn finish(
        &mut self,
        ending: MessageEnding,
        usage: Option<Usage>,
        chunks: &mut Vec<Value>,
    ) -> Result<(), Error> {
        let mut steps = Vec::new();
        if let Some(streamed) = &mut self.streamed {
            let steps = streamed.finish(&mut self.outline);
            self.begin(chunks);
            self.write_streamed(&steps, chunks)?;
        } else {
            let calls = self.outline.finish(&mut steps);
            self.write(&steps, &calls, chunks)?;
        }
        let ending = match (ending, self.ending) {
            (MessageEnding::Stopped, MessageEnding::Stopped) => {
                MessageEnding::of(false, self.shown.cut_off)
            }
            (MessageEnding::Stopped, known) => known,
            (other, _) => other,
        };
        let ending = ending.settled(self.shown.calls || self.shown.text);
        let reason = ending.word(self.endings, self.shown.calls);
        self.writer.end(Conclusion { reason, usage }, chunks);
        Ok(())
    }

    fn write(
        &mut self,
        steps: &[MessageStep],
        calls: &[WrittenCall],
        chunks: &mut Vec<Value>,
    ) -> Result<(), Error> {
        self.begin(chunks);
        for step in steps {
            self.write_step(step, chunks);
        }
        self.shown.calls |= !calls.is_empty();
        calls.iter().try_for_each(|call| self.writer.call(call, chunks))
    }

    fn write_streamed(
        &mut self,
        steps: &[StreamedStep],
        chunks: &mut Vec<Value>,
    ) -> Result<(), Error> {
        for step in steps {
            self.begin(chunks);
            match step {
                StreamedStep::Message(step) => self.write_step(step, chunks),
                StreamedStep::Call(step) => {
                    self.shown.calls |= matches!(step, CallStep::End);
                    self.writer.call_step(step, chunks)?;
                }
            }
        }
        Ok(())
    }

    /// Writes what comes before everything else, once.
    fn begin(&mut self, chunks: &mut Vec<Value>) {
        if !std::mem::replace(&mut self.began, true) {
            self.writer.begin(chunks);
        }
    }

    fn write_step(&mut self, step: &MessageStep, chunks: &mut Vec<Value>) {
        let answers = |piece: &str| !piece.trim().is_empty();
        self.shown.text |=
            matches!(step, MessageStep::Piece(BlockKind::Text, piece) if answers(piece));
        self.writer.step(step, chunks);
    }
}
