//! The form of a provider's ids of calls, and the ids of one message.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

/// The characters behind the prefix of an id.
const CHARACTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// How a provider writes ids, and which other ids it takes.
#[derive(Clone, Copy, Debug)]
pub(in crate::provider) struct IdForm {
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
    /// The form of most providers. OpenAI refuses an id of more than 40 characters.
    pub(in crate::provider) const CALL: Self = Self::new("call_", 24, (1, 40), None);

    pub(in crate::provider) const fn new(
        prefix: &'static str,
        length: usize,
        taken: (usize, usize),
        marks: Option<&'static str>,
    ) -> Self {
        Self { prefix, length, taken, marks }
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

/// The ids of one message, of which no two are the same.
#[derive(Clone, Debug)]
pub(in crate::provider) struct CallIds {
    form: IdForm,
    used: HashSet<String>,
    /// For each derived id that was in use already, the attempt that comes next.
    attempts: HashMap<String, usize>,
}

impl CallIds {
    pub(in crate::provider) fn new(form: IdForm) -> Self {
        Self { form, used: HashSet::new(), attempts: HashMap::new() }
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
