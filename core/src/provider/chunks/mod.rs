//! Writes what a stream reports as the chunks of a provider's stream.
//!
//! [`Chunks`] takes the parts of a message as a detector's stream reports them, and gives the
//! objects that the provider's server would send. It does no input or output.
//!
//! No protocol can take back what was sent. So text and reasoning go out at once, and calls at
//! [`Chunks::finish`]: a marker that ends reasoning may turn up until then, and the calls before
//! it were only thoughts. A client never receives a call that is retracted. Where no such marker
//! counts, as behind reasoning, Chat Completions get each call when it ends; the other protocols
//! put all parts in a row, in which calls are the last. Text that turns out to be reasoning stays
//! text for the client, and is sent once more as reasoning; a detector that knows the model, its
//! template or its prompt avoids that.
//!
//! With [`SentArguments::Streamed`] a call is sent from its name on, and its arguments while the
//! model writes them, up to their last character. That one waits until the call counts, so what is
//! refused never becomes a call that a client can run; the client gets arguments that are no JSON.
//! Anthropic's clients read such arguments too, and get a call only once it is certain that no
//! marker makes a thought of it.
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
mod open_calls;
mod openai;
mod responses;
mod streamed;
mod writer;

use serde_json::Value;

use super::head::{MessageHead, Usage};
use super::kind::Provider;
use super::message::MessageEnding;
use super::outline::{BlockKind, MessagePart, MessageStep, Outline, WrittenCall};
use crate::error::{Error, ErrorKind};
use open_calls::CallStep;
use streamed::{StreamedCalls, StreamedStep};
use writer::{ChunkWriter, Conclusion};

/// The providers whose streams are written.
const PROVIDERS: [Provider; 3] = [Provider::OpenAi, Provider::Anthropic, Provider::OpenAiResponses];

/// When the arguments of a call are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SentArguments {
    /// When the call counts: a client never gets a call that is refused.
    #[default]
    Whole,
    /// While the model writes them, all but the last character, which waits until the call counts.
    Streamed,
}

impl SentArguments {
    /// Finds how arguments are sent by its word: `whole` or `streamed`.
    ///
    /// # Errors
    /// `invalid_option` for any other word.
    pub fn named(word: &str) -> Result<Self, Error> {
        match word {
            "whole" => Ok(Self::Whole),
            "streamed" => Ok(Self::Streamed),
            _ => {
                let known = ["whole", "streamed"];
                Err(Error::unknown(ErrorKind::InvalidOption, "way of arguments", word, &known))
            }
        }
    }
}

/// Writes the chunks of one message.
#[derive(Debug)]
pub struct Chunks {
    provider: Provider,
    outline: Outline,
    /// The calls, if their arguments are sent while the model writes them.
    streamed: Option<StreamedCalls>,
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
        let head = |prefix: &str| options.known(prefix);
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
        let streamed = None;
        Ok(Self { provider, outline, streamed, writer, began: false, shown, finished: false })
    }

    /// Sends arguments as asked, from the first part on.
    #[must_use]
    pub fn with_arguments(mut self, sent: SentArguments) -> Self {
        let streams = sent == SentArguments::Streamed;
        self.streamed = streams.then(|| StreamedCalls::new(self.provider));
        self
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
        if let Some(streamed) = &mut self.streamed {
            let steps = streamed.take(part, &mut self.outline);
            self.write_streamed(&steps, &mut chunks)?;
            return Ok(chunks);
        }
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
        if let Some(streamed) = &mut self.streamed {
            let steps = streamed.finish(&mut self.outline);
            self.begin(&mut chunks);
            self.write_streamed(&steps, &mut chunks)?;
        } else {
            let calls = self.outline.finish(&mut steps);
            self.write(&steps, &calls, &mut chunks)?;
        }
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

    fn refuse_finished(&self) -> Result<(), Error> {
        if self.finished {
            let message = "the message is finished; begin another one";
            return Err(Error::new(ErrorKind::StreamFinished, message));
        }
        Ok(())
    }
}
