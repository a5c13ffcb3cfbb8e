//! What the patterns of a schema may cost for each byte of a text.
//!
//! Most patterns are matched in linear time. Those that look around or refer back to a group are
//! matched by trying, within [`MOST_TRIES`].

use std::collections::HashMap;

use regex::bytes::RegexBuilder;
use serde_json::Value;

/// The most steps back in one match of a pattern that is matched by trying.
pub(super) const MOST_TRIES: usize = 50_000;

/// The most bytes that all patterns may take, as they are compiled.
const MOST_BYTES: usize = 32 << 20;
/// The sizes that a compiled pattern is compared with.
const SIZES: [usize; 4] = [64 << 10, 512 << 10, 2 << 20, 10 << 20];
/// What a pattern without counted repetitions takes at most, for each of its bytes.
const BYTES_FOR_EACH: usize = 32;

/// A text costs a step for each sixty-four of these and each byte.
const PLAIN_RATE: u64 = 4;
/// What a text that is matched by trying costs more: for each byte, and for each match.
const TRYING_RATE: u64 = 256;
const TRYING: u64 = 500;

/// What the patterns of a schema may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatternCost {
    /// For sixty-four bytes of a text.
    pub(super) text: u64,
    /// For sixty-four bytes of a name.
    pub(super) name: u64,
    /// For each text and each name.
    pub(super) each: u64,
    /// Whether there is any pattern.
    pub(super) any: bool,
}

impl PatternCost {
    /// The cost of a schema's patterns; `None` if they need too much memory.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        let none = Self { text: PLAIN_RATE, name: PLAIN_RATE, each: 0, any: false };
        let mut search = PatternSearch { cost: none, bytes: 0, known: HashMap::new() };
        search.schema(schema)?;
        Some(search.cost)
    }
}

struct PatternSearch<'s> {
    cost: PatternCost,
    bytes: usize,
    known: HashMap<&'s str, usize>,
}

impl<'s> PatternSearch<'s> {
    fn schema(&mut self, schema: &'s Value) -> Option<()> {
        match schema {
            Value::Array(items) => items.iter().try_for_each(|item| self.schema(item)),
            Value::Object(keywords) => keywords.iter().try_for_each(|(keyword, value)| {
                match (keyword.as_str(), value) {
                    ("pattern", Value::String(pattern)) => {
                        let rate = self.rate(pattern)?;
                        self.cost.text = self.cost.text.max(PLAIN_RATE + rate);
                    }
                    ("patternProperties", Value::Object(patterns)) => {
                        let mut rate = PLAIN_RATE;
                        for pattern in patterns.keys() {
                            rate = rate.saturating_add(PLAIN_RATE + self.rate(pattern)?);
                        }
                        self.cost.name = self.cost.name.max(rate);
                    }
                    _ => {}
                }
                self.schema(value)
            }),
            _ => Some(()),
        }
    }

    /// What a pattern costs for sixty-four bytes.
    fn rate(&mut self, pattern: &'s str) -> Option<u64> {
        self.cost.any = true;
        let trying = is_matched_by_trying(pattern);
        if trying {
            self.cost.each = TRYING;
        }
        let size = if let Some(size) = self.known.get(pattern) {
            *size
        } else {
            let size = compiled_size(pattern);
            self.bytes = self.bytes.saturating_add(size);
            self.known.insert(pattern, size);
            size
        };
        let size = u64::try_from(size >> 10).unwrap_or(u64::MAX);
        (self.bytes <= MOST_BYTES).then_some(size + if trying { TRYING_RATE } else { 0 })
    }
}

/// Whether a pattern looks around, or refers to what a group matched.
fn is_matched_by_trying(pattern: &str) -> bool {
    let refers =
        pattern.as_bytes().windows(2).any(|pair| matches!(pair, [b'\\', b'1'..=b'9' | b'k']));
    refers || ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|around| pattern.contains(around))
}

/// What a pattern takes at most when it is compiled, in bytes: the first of some sizes that does.
fn compiled_size(pattern: &str) -> usize {
    if !pattern.contains('{') {
        return pattern.len().saturating_mul(BYTES_FOR_EACH);
    }
    let fits = |size: &&usize| {
        let build =
            |unicode| RegexBuilder::new(pattern).unicode(unicode).size_limit(**size).build();
        // `\w` is less than all letters in the patterns of schemas; `\p{L}` needs them.
        match build(false) {
            Err(regex::Error::Syntax(_)) => {
                !matches!(build(true), Err(regex::Error::CompiledTooBig(_)))
            }
            other => other.is_ok(),
        }
    };
    SIZES.iter().find(fits).copied().unwrap_or(MOST_BYTES + 1)
}
