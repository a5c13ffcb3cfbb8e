//! `Toolwire\Chunks`: writes a stream's events as a provider's chunks.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::cell::RefCell;

use ext_php_rs::prelude::*;
use serde_json::Value;
use toolwire::ErrorKind;
use toolwire::provider::{self, MessageEnding, MessageHead, SentArguments, Usage};

use crate::class::event::Event;
use crate::class::provider::{array, named, sent};
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::value::{self, AnArray, As, Flag, Maybe, Table, Text, Whole};
use crate::zend;

/// The default of the argument `model`.
pub(crate) const NO_MODEL: &str = "";

/// The default of the argument `arguments`.
const WHOLE: &str = "whole";

/// The message that is being sent, and whether its chunks are lines.
pub(crate) struct Chunks {
    chunks: RefCell<provider::Chunks>,
    sse: bool,
}

php_class!(Chunks, "Toolwire\\Chunks", [], public, {});

#[php_impl]
impl Chunks {
    /// Begins a message.
    #[php(defaults(model = NO_MODEL, sse = false, arguments = WHOLE, choices = 1))]
    #[allow(clippy::too_many_arguments, reason = "they are named arguments in PHP")]
    fn __construct(
        provider: Text<'_>,
        model: Text<'_>,
        id: Maybe<Text<'_>>,
        created: Maybe<Whole>,
        sse: Flag,
        arguments: Text<'_>,
        choices: Whole,
    ) -> PhpResult<Self> {
        let options = head(&model, id, created)?;
        let sent = SentArguments::named(&arguments.lossy());
        let sent = sent.map_err(|error| exception::from_core(&error))?;
        let chunks = provider::Chunks::new(named(&provider)?, options);
        let chunks = chunks
            .and_then(|chunks| chunks.with_arguments(sent).with_choices(place(choices)))
            .map_err(|error| exception::from_core(&error))?;
        Ok(Self { chunks: RefCell::new(chunks), sse: sse.0 })
    }

    /// Takes events; returns the chunks to send.
    #[php(defaults(choice = 0))]
    fn feed(
        &self,
        events: Table<'_>,
        choice: Whole,
        logprobs: Maybe<As<AnArray>>,
    ) -> PhpResult<As<AnArray>> {
        let (mut parts, choice) = (Vec::new(), place(choice));
        if let Some(given) = logprobs.0 {
            let logprobs = sent("logprobs", &given.0)?;
            let added = self.chunks.borrow_mut().add_logprobs(choice, logprobs);
            added.map_err(|error| exception::from_core(&error))?;
        }
        for (_, event) in zend::table(events.0).into_iter().flat_map(zend::entries) {
            let Some(event) = value::held::<Event>(event) else {
                let given = value::type_name(event);
                let message = format!("events must be Toolwire\\Event, got {given}");
                return Err(exception::wrong_type(message));
            };
            parts.extend(event.as_message());
        }
        let written = self.chunks.borrow_mut().feed_choice(choice, parts);
        let written = written.map_err(|error| exception::from_core(&error))?;
        self.made(&written, None)
    }

    /// Says that the model was cut off at its limit of tokens in a choice.
    fn cutOff(&self, choice: Whole) -> PhpResult<()> {
        let said = self.chunks.borrow_mut().cut_off(place(choice));
        said.map_err(|error| exception::from_core(&error))
    }

    /// Ends the message; returns the last chunks.
    #[php(defaults(cutOff = false))]
    fn finish(
        &self,
        cutOff: Flag,
        inputTokens: Maybe<Whole>,
        outputTokens: Maybe<Whole>,
    ) -> PhpResult<As<AnArray>> {
        let ending = if cutOff.0 { MessageEnding::CutOff } else { MessageEnding::Stopped };
        let usage = usage(inputTokens, outputTokens)?;
        let written = self.chunks.borrow_mut().finish(ending, usage);
        let written = written.map_err(|error| exception::from_core(&error))?;
        let last = self.chunks.borrow().last_line();
        self.made(&written, last)
    }
}

impl Chunks {
    /// The chunks as PHP arrays, or as lines with one more behind them.
    fn made(&self, written: &[Value], last: Option<&str>) -> PhpResult<As<AnArray>> {
        let chunks = self.chunks.borrow();
        let mut made = Vec::with_capacity(written.len() + 1);
        for chunk in written {
            made.push(if self.sse { value::text(chunks.line(chunk)) } else { array(chunk)? });
        }
        if let Some(last) = last.filter(|_| self.sse) {
            made.push(value::text(last));
        }
        Ok(As::new(value::list(made)?))
    }
}

/// The place of a choice, or a number of them; what is negative is no place.
fn place(Whole(number): Whole) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A number that is not negative.
fn count(what: &str, number: Maybe<Whole>) -> PhpResult<Option<u64>> {
    let Some(Whole(number)) = number.0 else { return Ok(None) };
    u64::try_from(number).map(Some).map_err(|_| {
        let message = format!("{what} must be at least 0");
        exception::from_core(&toolwire::Error::new(ErrorKind::InvalidOption, message))
    })
}

/// What is said of a message, from the arguments of that name.
pub(crate) fn head(
    model: &Text<'_>,
    id: Maybe<Text<'_>>,
    created: Maybe<Whole>,
) -> PhpResult<MessageHead> {
    Ok(MessageHead {
        model: model.lossy().into_owned(),
        id: id.0.as_ref().map(|id| id.lossy().into_owned()),
        created: count("created", created)?,
    })
}

/// The numbers of tokens, if one of them is given.
pub(crate) fn usage(
    inputTokens: Maybe<Whole>,
    outputTokens: Maybe<Whole>,
) -> PhpResult<Option<Usage>> {
    let input = count("inputTokens", inputTokens)?;
    let output = count("outputTokens", outputTokens)?;
    Ok((input.is_some() || output.is_some()).then(|| Usage {
        input_tokens: input.unwrap_or_default(),
        output_tokens: output.unwrap_or_default(),
    }))
}
