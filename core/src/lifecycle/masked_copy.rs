//! Copies a host's value without its secrets: what stands under a key that names one, and what looks like one.
//!
//! One walk serves summaries, the arguments that a person approves, and whatever a host wants to keep.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

use serde_json::Value;

use super::redaction::{REDACTED, Redaction};
use crate::tree::{Failure, Name, Tree, View};

/// Makes a copy in a host's own values.
pub trait Build<N: Tree> {
    /// What is made.
    type Value;

    /// A text.
    fn text(&mut self, text: &[u8]) -> Self::Value;

    /// A value that is no text, list or map.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn leaf(&mut self, node: &N) -> Result<Self::Value, N::Error>;

    /// A list.
    fn list(&mut self, items: Vec<Self::Value>) -> Self::Value;

    /// A map, as a copy of this node.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn map(&mut self, node: &N, entries: Vec<(Name<'_, N>, Self::Value)>) -> Result<Self::Value, N::Error>;
}

/// Makes copies of JSON values, for hosts whose values are JSON.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonBuild;

impl<'v> Build<&'v Value> for JsonBuild {
    type Value = Value;

    fn text(&mut self, text: &[u8]) -> Value {
        Value::String(String::from_utf8_lossy(text).into_owned())
    }

    fn leaf(&mut self, node: &&'v Value) -> Result<Value, Infallible> {
        Ok((*node).clone())
    }

    fn list(&mut self, items: Vec<Value>) -> Value {
        Value::Array(items)
    }

    fn map(
        &mut self,
        _: &&'v Value,
        entries: Vec<(Name<'_, &'v Value>, Value)>,
    ) -> Result<Value, Infallible> {
        let named = entries.into_iter().map(|(name, value)| match name {
            Name::Text(text) => (String::from_utf8_lossy(&text).into_owned(), value),
            Name::Number(number) => (number.to_string(), value),
            Name::Node(node) => (node.to_string(), value),
        });
        Ok(Value::Object(named.collect()))
    }
}

/// Copies values without their secrets.
pub(super) struct MaskedCopy<'s, B> {
    pub(super) redaction: &'s Redaction,
    pub(super) build: &'s mut B,
    deepest: usize,
}

impl<'s, B> MaskedCopy<'s, B> {
    pub(super) fn new(redaction: &'s Redaction, build: &'s mut B, deepest: usize) -> Self {
        Self { redaction, build, deepest }
    }

    /// A copy of a value that so many lists and maps hold.
    pub(super) fn value<N: Tree>(&mut self, value: &N, depth: usize) -> Result<B::Value, Failure<N::Error>>
    where
        B: Build<N>,
    {
        match value.view() {
            View::List(_) | View::Map(_) if depth > self.deepest => Ok(self.counted(value)),
            View::Map(_) => self.map(value, |copy, entry| copy.value(entry, depth + 1)),
            View::List(_) => {
                let mut items = Vec::new();
                value.items(|item| {
                    items.push(self.value(&item, depth + 1)?);
                    Ok(())
                })?;
                Ok(self.build.list(items))
            }
            View::Text(text) => Ok(self.build.text(&self.redaction.masked_text(&text))),
            _ => self.build.leaf(value).map_err(Failure::Host),
        }
    }

    /// A copy of a map, each entry that is no secret copied in this way.
    pub(super) fn map<N: Tree>(
        &mut self,
        map: &N,
        mut entry: impl FnMut(&mut Self, &N) -> Result<B::Value, Failure<N::Error>>,
    ) -> Result<B::Value, Failure<N::Error>>
    where
        B: Build<N>,
    {
        let (mut entries, mut hidden) = (Vec::new(), false);
        map.entries(|name, value| {
            let (mut shown, mut secret) = (name.clone().into_owned(), false);
            if let Name::Text(text) = &name {
                secret = self.redaction.hides(&String::from_utf8_lossy(text));
                let masked = self.redaction.masked_text(text);
                if masked != *text {
                    (shown, hidden) = (Name::Text(masked.into_owned().into()), true);
                }
            }
            let value = if secret { self.build.text(REDACTED.as_bytes()) } else { entry(self, &value)? };
            entries.push((shown, value));
            Ok(())
        })?;
        if hidden {
            number_apart(&mut entries);
        }
        self.build.map(map, entries).map_err(Failure::Host)
    }

    /// How many items a list or map has.
    pub(super) fn counted<N: Tree>(&mut self, value: &N) -> B::Value
    where
        B: Build<N>,
    {
        let (kind, length) = match value.view() {
            View::Map(length) => ("dict", length),
            View::List(length) => ("list", length),
            _ => ("value", 1),
        };
        self.build.text(format!("<{kind} with {length} items>").as_bytes())
    }
}

/// Numbers names that became the same, so that no entry takes the place of another.
fn number_apart<N, V>(entries: &mut [(Name<'_, N>, V)]) {
    let texts = entries.iter().filter_map(|(name, _)| match name {
        Name::Text(text) => Some(text.to_vec()),
        _ => None,
    });
    let all: HashSet<Vec<u8>> = texts.collect();
    let mut used: HashMap<Vec<u8>, usize> = HashMap::new();
    for (name, _) in entries {
        let Name::Text(text) = name else { continue };
        let count = used.entry(text.to_vec()).or_default();
        *count += 1;
        if *count == 1 {
            continue;
        }
        let numbered = |count: usize| [&**text, format!(" {count}").as_bytes()].concat();
        while all.contains(&numbered(*count)) {
            *count += 1;
        }
        *text = numbered(*count).into();
    }
}
