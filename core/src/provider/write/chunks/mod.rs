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

mod choice;
pub(in crate::provider) mod open_calls;
mod sent_arguments;
mod streamed;
pub(in crate::provider) mod writer;

use serde_json::Value;

use super::head::{KnownHead, MessageHead, Usage};
use super::message::MessageEnding;
use super::outline::MessagePart;
use crate::error::{Error, ErrorKind};
use crate::provider::dialect;
use crate::provider::kind::Provider;
use choice::ChoiceChunks;
pub use sent_arguments::SentArguments;
use writer::{ChunkForm, ChunkKind};

/// The most choices of one response; the source is the API's own limit for `n`.
const MOST_CHOICES: usize = 128;

/// How the chunks of a provider are written; none for one whose streams are not.
fn form_of(provider: Provider) -> Option<&'static ChunkForm> {
    dialect::of(provider).messages?.chunks
}

/// Writes the chunks of one message, or of several choices of one response.
#[derive(Debug)]
pub struct Chunks {
    provider: Provider,
    form: &'static ChunkForm,
    head: KnownHead,
    sent: SentArguments,
    choices: Vec<ChoiceChunks>,
    finished: bool,
}

impl Chunks {
    /// Begins a message.
    ///
    /// # Errors
    /// `unknown_provider` for a provider whose stream is not written.
    pub fn new(provider: Provider, options: MessageHead) -> Result<Self, Error> {
        let Some(form) = form_of(provider) else {
            let known = Provider::TALKING.into_iter().filter(|known| form_of(*known).is_some());
            let known: Vec<_> = known.map(Provider::slug).collect();
            let kind = ErrorKind::UnknownProvider;
            return Err(Error::unknown(kind, "provider of chunks", provider.slug(), &known));
        };
        let (head, sent) = (options.known(form.prefix), SentArguments::default());
        let mut chunks = Self { provider, form, head, sent, choices: Vec::new(), finished: false };
        chunks.begin_choices(1);
        Ok(chunks)
    }

    /// Sends arguments as asked, from the first part on.
    #[must_use]
    pub fn with_arguments(mut self, sent: SentArguments) -> Self {
        self.sent = sent;
        self.begin_choices(self.choices.len());
        self
    }

    /// Writes several choices of one response, each of which has its own parts.
    ///
    /// # Errors
    /// `invalid_option` for several choices of a provider that gives one message, for none, and for
    /// more than 128.
    pub fn with_choices(mut self, count: usize) -> Result<Self, Error> {
        let problem = if !(1..=MOST_CHOICES).contains(&count) {
            format!("a message has from 1 to {MOST_CHOICES} choices, not {count}")
        } else if count > 1 && self.form.kind != ChunkKind::Choices {
            format!("{} has one choice", self.provider.slug())
        } else {
            self.begin_choices(count);
            return Ok(self);
        };
        Err(Error::new(ErrorKind::InvalidOption, problem))
    }

    fn begin_choices(&mut self, count: usize) {
        let dialect = dialect::of(self.provider);
        let endings = dialect.messages.map(|messages| messages.endings).unwrap_or_default();
        let form = (self.form, dialect.call_ids, endings);
        let choice = |index| ChoiceChunks::new(form, self.head.clone(), index, self.sent);
        self.choices = (0..count).map(choice).collect();
    }

    /// Takes the next part of the message, and gives the chunks to send.
    ///
    /// # Errors
    /// `stream_finished` after [`finish`](Self::finish). `invalid_arguments` when a call's
    /// arguments nest deeper than 128.
    pub fn feed(&mut self, part: MessagePart<'_>) -> Result<Vec<Value>, Error> {
        self.feed_choice(0, [part])
    }

    /// Takes the next parts of a choice, and gives the chunks to send.
    ///
    /// # Errors
    /// The errors of [`feed`](Self::feed). `invalid_option` for a choice that there is not.
    pub fn feed_choice<'a>(
        &mut self,
        choice: usize,
        parts: impl IntoIterator<Item = MessagePart<'a>>,
    ) -> Result<Vec<Value>, Error> {
        let (choice, mut chunks) = (self.choice(choice)?, Vec::new());
        for part in parts {
            chunks.extend(choice.feed(part)?);
        }
        Ok(chunks)
    }

    /// Takes the log probabilities of the tokens of a choice, as the model's server gave them. The
    /// choice's next chunk has them, with those of the tokens that were held back.
    ///
    /// # Errors
    /// `stream_finished` after [`finish`](Self::finish). `invalid_option` for a choice that there
    /// is not, and for a provider whose chunks have no log probabilities.
    pub fn add_logprobs(&mut self, choice: usize, logprobs: Value) -> Result<(), Error> {
        if self.form.kind != ChunkKind::Choices {
            let message = format!("the chunks of {} have no logprobs", self.provider.slug());
            return Err(Error::new(ErrorKind::InvalidOption, message));
        }
        self.choice(choice)?.add_logprobs(logprobs);
        Ok(())
    }

    /// Says that the model was cut off at its limit of tokens in a choice.
    ///
    /// # Errors
    /// Those of [`add_logprobs`](Self::add_logprobs) for the choice.
    pub fn cut_off(&mut self, choice: usize) -> Result<(), Error> {
        self.choice(choice)?.ending = MessageEnding::CutOff;
        Ok(())
    }

    fn choice(&mut self, index: usize) -> Result<&mut ChoiceChunks, Error> {
        self.refuse_finished()?;
        let count = self.choices.len();
        self.choices.get_mut(index).ok_or_else(|| {
            let message = format!("there is no choice {index}: the message has {count}, from 0 on");
            Error::new(ErrorKind::InvalidOption, message)
        })
    }

    /// Ends the message, and gives the last chunks: the calls that were not sent yet, why it ended,
    /// and the numbers of tokens, if they are known. A message that shows nothing, because it ends
    /// inside a call, was cut off. So was each choice of which [`cut_off`](Self::cut_off) said so.
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
        let mut chunks = Vec::new();
        let last = self.choices.len().saturating_sub(1);
        for (index, choice) in self.choices.iter_mut().enumerate() {
            choice.finish(ending, usage.filter(|_| index == last), &mut chunks)?;
        }
        Ok(chunks)
    }

    /// A chunk as the provider's server sends it: an event of `text/event-stream`.
    #[must_use]
    pub fn line(&self, chunk: &Value) -> String {
        match chunk.get("type").and_then(Value::as_str) {
            Some(kind) if self.form.kind == ChunkKind::Events => {
                format!("event: {kind}\ndata: {chunk}\n\n")
            }
            _ => format!("data: {chunk}\n\n"),
        }
    }

    /// What the provider's server sends behind the last chunk.
    #[must_use]
    pub fn last_line(&self) -> Option<&'static str> {
        (self.form.kind == ChunkKind::Choices).then_some("data: [DONE]\n\n")
    }

    fn refuse_finished(&self) -> Result<(), Error> {
        if self.finished {
            let message = "the message is finished; begin another one";
            return Err(Error::new(ErrorKind::StreamFinished, message));
        }
        Ok(())
    }
}
