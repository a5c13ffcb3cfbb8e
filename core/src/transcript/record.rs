//! Entries as records: JSON that holds all of an entry and can be read back.
//!
//! [`Entry::write_json`] writes the shape of another program, which leaves out a part of the entry.
//! A record is read strictly: an unknown field is an error, so that an older version does not lose
//! what a newer version wrote.

use serde_json::Value;

use super::entry::{CallStatus, Entry, Given, ToolUse};
use crate::error::{Error, ErrorKind};
use crate::json::parse::parse_json;

/// The longest part of a reason that stands in an error.
const MAX_REASON: usize = 200;

impl Entry {
    /// All of the entry as a JSON value, for [`Entry::from_record`].
    ///
    /// ```
    /// use toolwire::transcript::{Entry, ReaderOptions, Transcript};
    ///
    /// let log = br#"{"role":"user","content":"Hello"}"#;
    /// let transcript = Transcript::read(log, b"", ReaderOptions::default());
    /// let record = transcript.entries[0].to_record();
    /// assert_eq!(record["message"]["text"], "Hello");
    /// assert_eq!(Entry::from_record(record)?, transcript.entries[0]);
    /// # Ok::<(), toolwire::Error>(())
    /// ```
    #[must_use]
    pub fn to_record(&self) -> Value {
        // Writing cannot fail, since an entry holds only texts and numbers.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The entry of a record, which may come from an untrusted source.
    ///
    /// # Errors
    ///
    /// `invalid_record` for what [`Entry::to_record`] cannot have written.
    pub fn from_record(record: Value) -> Result<Self, Error> {
        #[allow(
            clippy::disallowed_methods,
            reason = "an entry holds texts and numbers, and no other value"
        )]
        let entry: Self = serde_json::from_value(record).map_err(|error| {
            let shown = |letter: char| if letter.is_control() { ' ' } else { letter };
            let reason: String = error.to_string().chars().map(shown).take(MAX_REASON).collect();
            refused(&reason).caused_by(error)
        })?;
        if let Self::ToolUse(tool_use) = &entry {
            check(tool_use)?;
        }
        Ok(entry)
    }
}

fn refused(reason: &str) -> Error {
    Error::new(ErrorKind::InvalidRecord, format!("this is not the record of an entry: {reason}"))
}

/// Checks what the types do not: JSON texts are JSON, and a call that has ended has a result.
fn check(tool_use: &ToolUse) -> Result<(), Error> {
    if !is_json(&tool_use.call.arguments) {
        return Err(refused("the arguments must be JSON"));
    }
    let given = tool_use.result.as_ref().map(|result| &result.given);
    if let Some(Given::Value(raw)) = given
        && !is_json(raw)
    {
        return Err(refused("the value that the tool gave must be JSON"));
    }
    if (tool_use.status == CallStatus::Created) != given.is_none() {
        return Err(refused(
            "the status must be created without a result, and another one with it",
        ));
    }
    Ok(())
}

/// Whether a text is JSON without white space around it; the library bounds the nesting.
fn is_json(text: &str) -> bool {
    let is_trimmed = text.trim() == text;
    is_trimmed && parse_json(text.as_bytes()).is_ok()
}
