//! Writes what a stream reports as the chunks of a provider's stream.
//!
//! [`Chunks`] takes the parts of a message as a detector's stream reports them, and gives the
//! objects that the provider's server would send. It does no input or output.
//!
//! No protocol can take back what was sent. So text and reasoning go out at once, and calls at
//! [`Chunks::finish`]: a marker that ends reasoning may turn up until then, and the calls before it
//! were only thoughts. A client never receives a call that is retracted. Behind reasoning, no such
//! marker counts any more, and Chat Completions get each call when it ends; the other protocols put
//! all parts in a row, in which calls are the last. Text that turns out to be reasoning stays text
//! for the client, and is sent once more as reasoning; a detector that knows the model, its
//! template or its prompt avoids that.
//!
//! ```
//! use toolwire::Detector;
//! use toolwire::provider::{MessageHead, Chunks, MessageEnding, MessagePart, Provider};
//!
//! let mut stream = Detector::default().stream();
//! let mut chunks = Chunks::new(Provider::OpenAi, MessageHead::default())?;
//! let mut sent = Vec::new();
//! for piece in ["Now. <tool:wea", "ther>{\"city\":\"Oslo\"}</tool>"] {
//!     for event in stream.feed(piece.as_bytes())? {
//!         if let Some(part) = MessagePart::of_event(&event, &stream) {
//!             sent.extend(chunks.feed(part)?);
//!         }
//!     }
//! }
//! stream.finish()?;
//! sent.extend(chunks.finish(MessageEnding::Stopped, None)?);
//! assert_eq!(sent[1]["choices"][0]["delta"]["content"], "Now. ");
//! let call = &sent[2]["choices"][0]["delta"]["tool_calls"][0];
//! assert_eq!(call["function"]["arguments"], "{\"city\":\"Oslo\"}");
//! assert_eq!(sent[3]["choices"][0]["finish_reason"], "tool_calls");
//! # Ok::<(), toolwire::Error>(())
//! ```

mod anthropic;
mod openai;
mod responses;
mod writer;

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;
use uuid::Uuid;

use super::kind::Provider;
use super::message::MessageEnding;
use super::outline::{BlockKind, MessagePart, MessageStep, Outline, WrittenCall};
use crate::error::{Error, ErrorKind};
pub use writer::Usage;
use writer::{ChunkHead, ChunkWriter, Conclusion};

/// The providers whose streams are written.
const PROVIDERS: [Provider; 3] = [Provider::OpenAi, Provider::Anthropic, Provider::OpenAiResponses];

/// What the chunks of one message say of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageHead {
    /// The name of the model.
    pub model: String,
    /// The id of the message; a new one if there is none.
    pub id: Option<String>,
    /// When the message began, in seconds of Unix time; now if it is not given.
    pub created: Option<u64>,
}

/// Writes the chunks of one message.
#[derive(Debug)]
pub struct Chunks {
    provider: Provider,
    outline: Outline,
    writer: Box<dyn ChunkWriter>,
    began: bool,
    shown: ShownSoFar,
    finished: bool,
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

impl Chunks {
    /// Begins a message.
    ///
    /// # Errors
    /// `unknown_provider` for a provider whose stream is not written.
    pub fn new(provider: Provider, options: MessageHead) -> Result<Self, Error> {
        let MessageHead { model, id, created } = options;
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
        let head = |prefix: &str| ChunkHead {
            model,
            id: id.unwrap_or_else(|| format!("{prefix}{}", Uuid::now_v7().simple())),
            created: created.unwrap_or_else(now),
        };
        let writer: Box<dyn ChunkWriter> = match provider {
            Provider::OpenAi => Box::new(openai::OpenAiChunks::new(head("chatcmpl-"))),
            Provider::Anthropic => Box::new(anthropic::AnthropicChunks::new(head("msg_"))),
            Provider::OpenAiResponses => Box::new(responses::ResponsesChunks::new(head("resp_"))),
            _ => {
                let known = PROVIDERS.map(Provider::slug);
                let kind = ErrorKind::UnknownProvider;
                return Err(Error::unknown(kind, "provider of chunks", provider.slug(), &known));
            }
        };
        let outline = Outline::new(provider);
        let shown = ShownSoFar::default();
        Ok(Self { provider, outline, writer, began: false, shown, finished: false })
    }

    /// Takes the next part of the message, and gives the chunks to send.
    ///
    /// # Errors
    /// `stream_finished` after [`finish`](Self::finish). `invalid_arguments` when a call's
    /// arguments nest deeper than 128.
    pub fn feed(&mut self, part: MessagePart<'_>) -> Result<Vec<Value>, Error> {
        self.refuse_finished()?;
        self.shown.cut_off |= matches!(part, MessagePart::CutOff);
        let (mut steps, mut chunks) = (Vec::new(), Vec::new());
        self.outline.take(part, &mut steps);
        let calls = match self.provider {
            Provider::OpenAi => self.outline.sure_calls(),
            _ => Vec::new(),
        };
        if !steps.is_empty() || !calls.is_empty() {
            self.write(&steps, &calls, &mut chunks)?;
        }
        Ok(chunks)
    }

    /// Ends the message, and gives the last chunks: the calls that were not sent yet, why it ended,
    /// and the numbers of tokens, if they are known. A message that shows nothing, because it ends
    /// inside a call, was cut off.
    ///
    /// # Errors
    /// `stream_finished` when called again. `invalid_arguments` when a call's arguments nest deeper
    /// than 128.
    pub fn finish(
        &mut self,
        ending: MessageEnding,
        usage: Option<Usage>,
    ) -> Result<Vec<Value>, Error> {
        self.refuse_finished()?;
        self.finished = true;
        let (mut steps, mut chunks) = (Vec::new(), Vec::new());
        let calls = self.outline.finish(&mut steps);
        self.write(&steps, &calls, &mut chunks)?;
        let ending = match ending {
            MessageEnding::Stopped => MessageEnding::of(false, self.shown.cut_off),
            other => other,
        };
        let ending = ending.settled(self.shown.calls || self.shown.text);
        let reason = ending.word(self.provider, self.shown.calls);
        self.writer.end(Conclusion { reason, usage }, &mut chunks);
        Ok(chunks)
    }

    /// A chunk as the provider's server sends it: an event of `text/event-stream`.
    #[must_use]
    pub fn line(&self, chunk: &Value) -> String {
        match chunk.get("type").and_then(Value::as_str) {
            Some(kind) if self.provider != Provider::OpenAi => {
                format!("event: {kind}\ndata: {chunk}\n\n")
            }
            _ => format!("data: {chunk}\n\n"),
        }
    }

    /// What the provider's server sends behind the last chunk.
    #[must_use]
    pub fn last_line(&self) -> Option<&'static str> {
        (self.provider == Provider::OpenAi).then_some("data: [DONE]\n\n")
    }

    fn write(
        &mut self,
        steps: &[MessageStep],
        calls: &[WrittenCall],
        chunks: &mut Vec<Value>,
    ) -> Result<(), Error> {
        if !std::mem::replace(&mut self.began, true) {
            self.writer.begin(chunks);
        }
        for step in steps {
            let answers = |piece: &str| !piece.trim().is_empty();
            self.shown.text |=
                matches!(step, MessageStep::Piece(BlockKind::Text, piece) if answers(piece));
            self.writer.step(step, chunks);
        }
        self.shown.calls |= !calls.is_empty();
        calls.iter().try_for_each(|call| self.writer.call(call, chunks))
    }

    fn refuse_finished(&self) -> Result<(), Error> {
        if self.finished {
            let message = "the message is finished; begin another one";
            return Err(Error::new(ErrorKind::StreamFinished, message));
        }
        Ok(())
    }
}
