//! What a grammar must know of a profile beside what is written: what ends the turn, and what the
//! prompt has written already.

use crate::detect::profile::Profile;

/// The tokens that end a call and the turn at once.
const END_TURN: [&str; 2] = ["<|call|>", "<|calls|>"];
/// The end of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MessageEnd {
    /// What the model writes in front of the token that ends the turn.
    pub(super) kept: String,
    /// The token that ends the turn, which the server takes for itself.
    pub(super) stop: Option<String>,
}

impl MessageEnd {
    /// Divides what stands at the end of a message.
    pub(super) fn of(written: &str, profile: &Profile) -> Self {
        let trimmed = written.trim_end();
        let tokens = profile.stop().into_iter().chain(END_TURN);
        let stop = tokens.filter(|token| trimmed.ends_with(token)).max_by_key(|token| token.len());
        match stop {
            Some(stop) => {
                let kept = trimmed.strip_suffix(stop).unwrap_or_default();
                Self { kept: kept.to_owned(), stop: Some(stop.to_owned()) }
            }
            None => Self { kept: written.to_owned(), stop: None },
        }
    }
}

/// The token that ends the calls and, with them, the turn, of what stands at their end.
pub(super) fn ends_turn(back: &str) -> Option<&'static str> {
    END_TURN.into_iter().find(|token| back.ends_with(token))
}

/// What a call begins with that the prompt has written in front of the message.
pub(super) fn begun<'p>(opener: &str, profile: Option<&'p Profile>) -> &'p str {
    let begun = profile.and_then(|profile| profile.framing().begins_behind.as_deref());
    begun.filter(|begun| opener.starts_with(begun)).unwrap_or_default()
}

/// The most line breaks between two parts of a message that are not text.
pub(super) const MOST_BREAKS: u32 = 2;
