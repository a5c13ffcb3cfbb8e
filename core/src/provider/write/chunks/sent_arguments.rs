//! When the arguments of a call are sent.

use crate::error::{Error, ErrorKind};

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
