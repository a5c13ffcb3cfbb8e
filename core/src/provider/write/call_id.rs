//! The id of a call in the form of a provider.
//!
//! An id that the model wrote is kept where the provider takes it. Any other id is derived from the
//! call's own id, so the same call always gets the same id, in a stream as soon as it begins.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use crate::provider::kind::Provider;

/// The characters behind the prefix of an id.
const CHARACTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// How a provider writes ids, and which other ids it takes.
#[derive(Clone, Copy, Debug)]
struct IdForm {
    /// What every id begins with.
    prefix: &'static str,
    /// The number of letters and digits behind the prefix.
    length: usize,
    /// The lengths that the provider takes.
    taken: (usize, usize),
    /// The characters, beside letters and digits, that the provider takes; none for any visible
    /// ASCII character.
    marks: Option<&'static str>,
}

impl IdForm {
    fn of(provider: Provider) -> Self {
        let form =
            |prefix, length, longest, marks| Self { prefix, length, taken: (1, longest), marks };
        match provider {
            Provider::Anthropic => form("toolu_", 24, 64, Some("_-")),
            Provider::Bedrock => form("tooluse_", 22, 64, Some("_-")),
            Provider::Mistral => Self { taken: (9, 9), ..form("", 9, 9, Some("")) },
            // OpenAI refuses an id of more than 40 characters.
            _ => form("call_", 24, 40, None),
        }
    }

    /// Whether the provider takes an id that it did not make.
    fn takes(self, id: &str) -> bool {
        let (shortest, longest) = self.taken;
        let allowed = |byte: u8| match self.marks {
            Some(marks) => byte.is_ascii_alphanumeric() || marks.as_bytes().contains(&byte),
            None => byte.is_ascii_graphic(),
        };
        (shortest..=longest).contains(&id.len()) && id.bytes().all(allowed)
    }

    /// Makes an id out of another one; `attempt` tells apart calls with the same id.
    fn derive(self, id: &str, attempt: usize) -> String {
        let mut hash = Sha256::new_with_prefix(id.as_bytes());
        if attempt > 0 {
            hash.update([0]);
            hash.update(attempt.to_be_bytes());
        }
        let digits = hash.finalize();
        let character = |byte: &u8| CHARACTERS.get(usize::from(*byte % 62)).copied();
        let behind = digits.iter().filter_map(character).take(self.length).map(char::from);
        self.prefix.chars().chain(behind).collect()
    }
}

/// Whether an id was made by a detector, because the text wrote none.
fn is_made(id: &str) -> bool {
    id.strip_prefix("call_").is_some_and(|digits| {
        digits.len() == 32 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// The id that a provider's message gives a call with this id.
///
/// [`message`](crate::provider::message) and [`Chunks`](crate::provider::Chunks) give it too,
/// unless an earlier call of the message has the same id.
///
/// ```
/// use toolwire::provider::{Provider, call_id};
///
/// let made = "call_019e0ca1b2c37d4e8f90a1b2c3d4e5f6";
/// assert_eq!(call_id(made, Provider::Mistral).len(), 9);
/// assert!(call_id(made, Provider::Anthropic).starts_with("toolu_"));
/// assert_eq!(call_id("functions.weather:0", Provider::OpenAi), "functions.weather:0");
/// ```
#[must_use]
pub fn call_id(id: &str, provider: Provider) -> String {
    CallIds::new(provider).next(id)
}

/// The ids of one message, of which no two are the same.
#[derive(Clone, Debug)]
pub(in crate::provider) struct CallIds {
    form: IdForm,
    used: HashSet<String>,
    /// For each derived id that was in use already, the attempt that comes next.
    attempts: HashMap<String, usize>,
}

impl CallIds {
    pub(in crate::provider) fn new(provider: Provider) -> Self {
        Self { form: IdForm::of(provider), used: HashSet::new(), attempts: HashMap::new() }
    }

    /// The id of the next call.
    pub(in crate::provider) fn next(&mut self, id: &str) -> String {
        if !is_made(id) && self.form.takes(id) && self.used.insert(id.to_owned()) {
            return id.to_owned();
        }
        self.fresh(id)
    }

    /// A new id that is derived from a text.
    pub(in crate::provider) fn fresh(&mut self, text: &str) -> String {
        let first = self.form.derive(text, 0);
        if self.used.insert(first.clone()) {
            return first;
        }
        // Attempts that failed for an earlier call with the same text need not be made again.
        let next = self.attempts.entry(first).or_insert(1);
        loop {
            let id = self.form.derive(text, *next);
            *next += 1;
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MADE: &str = "call_019e0ca1b2c37d4e8f90a1b2c3d4e5f6";

    #[test]
    fn ids_have_the_providers_form() {
        for (provider, prefix, length) in [
            (Provider::OpenAi, "call_", 29),
            (Provider::Anthropic, "toolu_", 30),
            (Provider::Mistral, "", 9),
        ] {
            let id = CallIds::new(provider).next(MADE);
            assert!(id.starts_with(prefix) && id.len() == length, "{id}");
            assert_eq!(id, CallIds::new(provider).next(MADE));
        }
    }

    #[test]
    fn ids_that_the_model_wrote_are_kept_where_they_are_taken() {
        let given = "functions.weather:0";
        assert_eq!(CallIds::new(Provider::OpenAi).next(given), given);
        assert!(CallIds::new(Provider::Anthropic).next(given).starts_with("toolu_"));
        assert_eq!(CallIds::new(Provider::Mistral).next("a1B2c3D4e"), "a1B2c3D4e");
        assert_ne!(CallIds::new(Provider::Mistral).next("a1B2c3D4"), "a1B2c3D4");
    }

    #[test]
    fn no_two_calls_share_an_id() {
        let mut ids = CallIds::new(Provider::OpenAi);
        let mut made: Vec<_> = (0..4).map(|_| ids.next("0")).collect();
        made.extend((0..4).map(|_| ids.next(MADE)));
        assert_eq!(made.iter().collect::<HashSet<_>>().len(), 8);
    }
}
