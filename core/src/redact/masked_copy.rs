//! Copies a host's value without its secrets: the values under keys that name a secret, and texts
//! that look like a secret.
//!
//! One walk serves summaries, the arguments that a person approves, and values that a host keeps.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::build::{Build, JsonBuild};
use super::key::KeyWords;
use super::redaction::Redaction;
use super::strike::REDACTED;
use crate::tree::{Failure, Name, Tree, View};

/// The depth to which lists and maps are copied; the items of deeper ones are only counted.
const DEEPEST: usize = 512;

impl Redaction {
    /// A whole value without its secrets: the values under keys that name a secret, and texts that
    /// look like a secret.
    #[must_use]
    pub fn masked(&self, value: &Value) -> Value {
        // Reading a JSON value cannot fail.
        self.mask(&value, &mut JsonBuild).unwrap_or_default()
    }

    /// A whole value of a host without its secrets, as a copy in the host's own values.
    ///
    /// A key that looks like a secret is masked too; two keys that become equal stay separate.
    /// Lists and maps that nest more than 512 deep are only counted, so a value that contains
    /// itself ends.
    ///
    /// # Errors
    ///
    /// Any error that the host raises.
    pub fn mask<N: Tree, B: Build<N>>(
        &self,
        value: &N,
        build: &mut B,
    ) -> Result<B::Value, Failure<N::Error>> {
        MaskedCopy::new(self, build, DEEPEST).value(value, 1)
    }
}

/// Copies values without their secrets.
pub(crate) struct MaskedCopy<'s, B> {
    pub(crate) redaction: &'s Redaction,
    pub(crate) build: &'s mut B,
    deepest: usize,
}

impl<'s, B> MaskedCopy<'s, B> {
    pub(crate) fn new(redaction: &'s Redaction, build: &'s mut B, deepest: usize) -> Self {
        Self { redaction, build, deepest }
    }

    /// A copy of a value; `depth` lists and maps contain it.
    pub(crate) fn value<N: Tree>(
        &mut self,
        value: &N,
        depth: usize,
    ) -> Result<B::Value, Failure<N::Error>>
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

    /// A copy of a map, in which the given function copies each entry that is not a secret.
    ///
    /// If one entry names a secret, as in `{"option": "db_pass", "value": "x"}`, the values beside
    /// it are masked.
    pub(crate) fn map<N: Tree>(
        &mut self,
        map: &N,
        mut entry: impl FnMut(&mut Self, &N) -> Result<B::Value, Failure<N::Error>>,
    ) -> Result<B::Value, Failure<N::Error>>
    where
        B: Build<N>,
    {
        let (mut entries, mut hidden) = (Vec::new(), false);
        let mut beside = Beside::default();
        map.entries(|name, value| {
            let words = key_words(&name);
            self.look_beside(&words, &value, entries.len(), &mut beside);
            let shown = self.name(&name);
            hidden |= is_other(&name, &shown);
            let is_secret = self.redaction.hides_words(&words);
            let value =
                if is_secret { self.build.text(REDACTED.as_bytes()) } else { entry(self, &value)? };
            entries.push((shown, value));
            Ok(())
        })?;
        self.mask_beside(beside, &mut entries);
        if hidden {
            number_apart(&mut entries);
        }
        self.build.map(map, entries).map_err(Failure::Host)
    }

    /// Notes what an entry says about the values beside it; `place` is the position of the entry's
    /// value in the copy.
    pub(crate) fn look_beside<N: Tree>(
        &self,
        key: &KeyWords,
        value: &N,
        place: usize,
        beside: &mut Beside,
    ) {
        if key.hold_name()
            && let View::Text(text) = value.view()
        {
            beside.names_secret |= self.redaction.hides_beside(&String::from_utf8_lossy(&text));
        }
        if key.hold_value() {
            beside.values.push(place);
        }
    }

    /// Masks the values beside a secret's name.
    pub(crate) fn mask_beside<N: Tree>(
        &mut self,
        beside: Beside,
        entries: &mut [(Name<'_, N>, B::Value)],
    ) where
        B: Build<N>,
    {
        for place in beside.values.into_iter().filter(|_| beside.names_secret) {
            if let Some((_, value)) = entries.get_mut(place) {
                *value = self.build.text(REDACTED.as_bytes());
            }
        }
    }

    /// The shown form of a key.
    pub(crate) fn name<N: Tree>(&self, name: &Name<'_, N>) -> Name<'static, N> {
        let Name::Text(text) = name else { return name.clone().into_owned() };
        Name::Text(self.redaction.masked_text(text).into_owned().into())
    }

    /// A text with the number of items of a list or map.
    pub(crate) fn counted<N: Tree>(&mut self, value: &N) -> B::Value
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

/// What the entries of a map say about the values beside them.
#[derive(Default)]
pub(crate) struct Beside {
    names_secret: bool,
    values: Vec<usize>,
}

/// The words of a key; none for a key that is no text.
pub(crate) fn key_words<N>(name: &Name<'_, N>) -> KeyWords {
    match name {
        Name::Text(text) => KeyWords::of(&String::from_utf8_lossy(text)),
        _ => KeyWords::default(),
    }
}

/// Whether a key is shown otherwise than it is, and may be equal to another one by that.
pub(crate) fn is_other<N>(name: &Name<'_, N>, shown: &Name<'_, N>) -> bool {
    match (name, shown) {
        (Name::Text(name), Name::Text(shown)) => name != shown,
        (_, Name::Text(_)) => true,
        _ => false,
    }
}

/// Numbers equal names, so that no entry replaces another.
pub(crate) fn number_apart<N, V>(entries: &mut [(Name<'_, N>, V)]) {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_is_masked_under_any_key() {
        let token = format!("ghp_{}", "Aa0".repeat(12));
        let value = json!({
            "content": format!("Use {token} here"), "list": [token], &*token: 1, "n": 1, "pass": {"a": 1}, "{}": {},
        });
        let expected = json!({
            "content": "Use [redacted] here", "list": ["[redacted]"], "[redacted]": 1, "n": 1, "pass": "[redacted]", "{}": {},
        });
        assert_eq!(Redaction::default().masked(&value), expected);
        let two = json!({&*token: 1, &*format!("{token}b"): 2});
        assert_eq!(Redaction::default().masked(&two), json!({"[redacted]": 1, "[redacted] 2": 2}));
    }
}
