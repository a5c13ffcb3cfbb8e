//! The table of built-in formats, and how one is found or made.

use std::sync::LazyLock;

use serde_json::Value;

use super::data::Format;
use super::definition;
use crate::error::{Error, ErrorKind};
use crate::json::parse::parse_json;
use crate::nearest::suggestion;
use crate::option::wrong_type;

/// The formats with which the project began.
const SEEDS: [&str; 3] = ["tag", "json", "html"];
/// A format whose keys are some of another one's, which reads its calls.
const COVERED: [&str; 1] = ["xlam"];
/// Formats that are read only for the models that write them: their markers are words, and to look
/// for them in every text would cost more than all others.
const OF_MODELS: [&str; 5] =
    ["kimi_k2_stripped", "harmony_stripped", "hyperclova", "react", "gemini"];
/// A format whose tags are names of tools: a detector of each list of tools would have markers of
/// its own.
const OF_TOOLS: [&str; 1] = ["cline"];
/// A format whose opening prose may hold: `auto` reads it only where a message begins.
const ONLY_FIRST: [&str; 1] = ["functionary_v32"];

static AUTOMATIC: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let left_out =
        |slug| COVERED.contains(&slug) || OF_MODELS.contains(&slug) || OF_TOOLS.contains(&slug);
    let told = BUILT_IN.iter().filter(|format| !left_out(format.slug()));
    let read = told.map(|format| {
        if ONLY_FIRST.contains(&format.slug()) { format.only_first() } else { format.clone() }
    });
    read.collect()
});

static BUILT_IN: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let table = parse_json(include_bytes!("builtin.json")).unwrap_or_default();
    // A test reads each entry, so no entry is left out here.
    table
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|entry| definition::read(entry).ok())
        .collect()
});

impl Format {
    /// The formats with which the project began, and which presets may name: `tag`, `json`, `html`.
    #[must_use]
    pub fn seeds() -> Vec<Self> {
        BUILT_IN.iter().filter(|format| SEEDS.contains(&format.slug())).cloned().collect()
    }

    /// Every built-in format, the seeds first.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &BUILT_IN
    }

    /// The formats that are looked for unless others are named, and that `auto` stands for: all
    /// that can be told apart by how they are written.
    #[must_use]
    pub fn automatic() -> Vec<Self> {
        AUTOMATIC.clone()
    }

    /// The built-in format with this slug.
    ///
    /// # Errors
    /// `unknown_format`; the message lists the known ones.
    pub fn named(slug: &str) -> Result<Self, Error> {
        BUILT_IN.iter().find(|format| format.slug() == slug).cloned().ok_or_else(|| {
            let names: Vec<_> = BUILT_IN.iter().map(Self::slug).collect();
            let message =
                format!("unknown format \"{}\"{}", slug.escape_debug(), suggestion(slug, &names));
            Error::new(ErrorKind::UnknownFormat, message)
        })
    }

    /// The built-in format of this slug, or the format that this definition makes.
    ///
    /// # Errors
    /// `unknown_format`, `invalid_format`; `wrong_type` for a value of another type.
    pub fn from_json(value: &Value) -> Result<Self, Error> {
        match value {
            Value::String(slug) => Self::named(slug),
            Value::Object(_) => Self::define(value),
            _ => Err(wrong_type("a format", "a name or a definition")),
        }
    }

    /// Makes a format from its definition; `docs/formats/own.md` lists the members.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwire::detect::Format;
    /// use toolwire::{Detector, Options};
    ///
    /// let format = Format::define(&json!({
    ///     "slug": "arrow",
    ///     "body": "named",
    ///     "call": {"open": "=>", "name_end": ":", "close": ";"},
    /// }))?;
    /// let detector = Detector::new(Options { formats: vec![format], ..Options::default() })?;
    /// assert_eq!(detector.detect(b"=>add:{\"a\":1};").calls[0].name, "add");
    /// # Ok::<(), toolwire::Error>(())
    /// ```
    ///
    /// # Errors
    /// `invalid_format`; the message names the member and what it must be.
    pub fn define(definition: &Value) -> Result<Self, Error> {
        definition::read(definition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_of_the_table_is_usable() {
        let table = parse_json(include_bytes!("builtin.json")).unwrap();
        let table = table.as_array().unwrap();
        for entry in table {
            definition::read(entry).unwrap();
        }
        assert_eq!(table.len(), Format::all().len());
    }
}
