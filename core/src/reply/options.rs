//! What is looked for in a reply, and what is found.

use std::borrow::Cow;

use serde_json::Value;

use crate::call::{Diagnostic, Span};
use crate::error::Error;
use crate::json::outcome::Repair;
use crate::option::{DEEPEST, count, texts, unknown, word};

/// What is looked for in a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyOptions {
    /// Keys that the object should have; an object with any of them is preferred to all others.
    pub keys: Vec<String>,
    /// How objects that are almost JSON are repaired. [`Repair::Off`] drops commas before closing
    /// brackets and puts double quotes around keys in single quotes. [`Repair::Safe`] makes every
    /// repair that is made for a call.
    pub repair: Repair,
    /// How many brackets may be open at once.
    pub max_depth: usize,
}

impl Default for ReplyOptions {
    fn default() -> Self {
        Self { keys: Vec::new(), repair: Repair::Off, max_depth: 128 }
    }
}

impl ReplyOptions {
    /// The names of the options that [`ReplyOptions::set`] takes.
    pub const NAMES: &'static [&'static str] = &["keys", "repair", "max_depth"];

    /// Sets the option of this name.
    ///
    /// # Errors
    /// `unknown_option`, `invalid_option`, `wrong_type`; the message names the option and what is
    /// allowed.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), Error> {
        match name {
            "keys" => self.keys = texts(name, value)?,
            "repair" => self.repair = word(name, value, Repair::SLUGS, Repair::from_slug)?,
            "max_depth" => self.max_depth = count(name, value, DEEPEST)?,
            _ => return Err(unknown(name, Self::NAMES)),
        }
        Ok(())
    }
}

/// JSON that was found in a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyJson<'t> {
    /// The JSON text of one value.
    pub json: Cow<'t, str>,
    /// Where it stands in the reply.
    pub span: Span,
    /// The repairs, by offset into the reply; none if the JSON stands in the reply as it is.
    pub repairs: Vec<Diagnostic>,
}
