//! Writes a whole message as a provider's assistant message.
//!
//! The message has the members of the provider's own, and beside them why it ended, under the
//! provider's word: `finish_reason`, `stop_reason`, and so on. Reasoning and text keep their order,
//! calls come last, and white space that stands alone is left out.
//! [`parse`](crate::provider::parse) reads the same calls from it.
//!
//! ```
//! use toolwire::Detector;
//! use toolwire::provider::{MessageEnding, Provider, message};
//!
//! let found = Detector::default();
//! let found = found.detect(br#"Now. <tool:weather>{"city":"Oslo"}</tool>"#);
//! let written = message(&found, Provider::Anthropic, MessageEnding::Stopped)?;
//! assert_eq!(written["content"][0]["text"], "Now. ");
//! assert_eq!(written["content"][1]["input"]["city"], "Oslo");
//! assert_eq!(written["stop_reason"], "tool_use");
//! # Ok::<(), toolwire::Error>(())
//! ```

use serde_json::Value;

use super::call_object::call_object;
use super::outline::{BlockKind, MessagePart, MessageStep, Outline};
use crate::detect::Detection;
use crate::error::Error;
use crate::provider::dialect::{self, form::WrittenMessage};
use crate::provider::kind::Provider;

/// Why the model stopped writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MessageEnding {
    /// The message is complete.
    #[default]
    Stopped,
    /// The model was cut off at its limit of tokens.
    CutOff,
    /// The text ends inside a call or in reasoning: a message that shows nothing was cut off.
    Open,
}

impl MessageEnding {
    /// How a detection's message ends, of which the caller knows whether the model was cut off.
    #[must_use]
    pub fn of(cut_off: bool, ends_open: bool) -> Self {
        match (cut_off, ends_open) {
            (true, _) => Self::CutOff,
            (false, true) => Self::Open,
            (false, false) => Self::Stopped,
        }
    }

    /// The ending of a message of which is known whether it answers anything.
    pub(in crate::provider) fn settled(self, answers: bool) -> Self {
        match self {
            Self::Open if answers => Self::Stopped,
            Self::Open => Self::CutOff,
            other => other,
        }
    }

    /// The word for it, of those for a message that is complete, has calls, or was cut off.
    pub(in crate::provider) fn word(self, words: [&'static str; 3], calls: bool) -> &'static str {
        let [stopped, called, cut] = words;
        match self {
            Self::CutOff => cut,
            Self::Stopped | Self::Open if calls => called,
            Self::Stopped | Self::Open => stopped,
        }
    }
}

/// Writes a detection as the provider's assistant message.
///
/// A call keeps the id that the model wrote, where the provider takes it. Any other id is derived
/// from the call's own id.
///
/// # Errors
/// `unknown_provider` for a provider that has no messages. `invalid_arguments` when a call's
/// arguments nest deeper than 128.
pub fn message(
    detection: &Detection<'_>,
    provider: Provider,
    ending: MessageEnding,
) -> Result<Value, Error> {
    let ending = match ending {
        MessageEnding::Stopped => MessageEnding::of(false, detection.ends_open()),
        other => other,
    };
    message_of(MessagePart::of_detection(detection), provider, ending)
}

/// Writes the parts of a message, in their order, as the provider's assistant message.
///
/// # Errors
/// The errors of [`message`].
pub fn message_of<'a>(
    parts: impl Iterator<Item = MessagePart<'a>>,
    provider: Provider,
    ending: MessageEnding,
) -> Result<Value, Error> {
    let (dialect, messages) = (dialect::of(provider), dialect::talking(provider, "messages")?);
    let (mut outline, mut steps) = (Outline::new(dialect.call_ids), Vec::new());
    for part in parts {
        outline.take(part, &mut steps);
    }
    let calls = outline.finish(&mut steps);
    let calls = calls.iter().map(|call| call_object(call.parts(), dialect));
    let calls = calls.collect::<Result<Vec<_>, _>>()?;
    let written = WrittenMessage { blocks: blocks(steps), calls };
    let ending = ending.settled(written.answers());
    let word = ending.word(messages.endings, !written.calls.is_empty());
    Ok((messages.message)(written, word))
}

/// The blocks that the steps make.
fn blocks(steps: Vec<MessageStep>) -> Vec<(BlockKind, String)> {
    let mut blocks: Vec<(BlockKind, String)> = Vec::new();
    for step in steps {
        match (step, blocks.last_mut()) {
            (MessageStep::Open(kind), _) => blocks.push((kind, String::new())),
            (MessageStep::Piece(_, piece), Some((_, text))) => text.push_str(&piece),
            _ => {}
        }
    }
    blocks
}
