//! Entries and transcripts as records: JSON that holds all of them and can be read back.
//!
//! [`Entry::write_json`] writes the shape of another program, which leaves out a part of the entry.
//! A record is read strictly: an unknown field is an error, so that an older version does not lose
//! what a newer version wrote.

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::dialect::DialectName;
use super::entry::{CallStatus, Entry, Given, ToolUse};
use super::log::{Replaced, Transcript};
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
            refused("an entry", &reason).caused_by(error)
        })?;
        if let Self::ToolUse(tool_use) = &entry {
            check(tool_use)?;
        }
        Ok(entry)
    }
}

impl Transcript {
    /// All of the transcript as a JSON value, for [`Transcript::from_record`].
    ///
    /// ```
    /// use toolwire::transcript::{ReaderOptions, Transcript};
    ///
    /// let transcript = Transcript::read(b"one\ntwo", b"", ReaderOptions::default());
    /// assert_eq!(Transcript::from_record(transcript.to_record())?, transcript);
    /// # Ok::<(), toolwire::Error>(())
    /// ```
    #[must_use]
    pub fn to_record(&self) -> Value {
        json!({
            "entries": self.entries.iter().map(Entry::to_record).collect::<Vec<_>>(),
            "session_id": self.session_id,
            "dialect": self.dialect.map(DialectName::slug),
            "account": self.account,
            "look": self.look,
            "places": self.steps().map(|(_, index)| index).collect::<Vec<_>>(),
        })
    }

    /// The transcript of a record, which may come from an untrusted source.
    ///
    /// # Errors
    ///
    /// `invalid_record` for what [`Transcript::to_record`] cannot have written.
    pub fn from_record(mut record: Value) -> Result<Self, Error> {
        let refused = |reason| refused("a transcript", reason);
        let Some(fields) = record.as_object_mut().filter(|fields| fields.len() == 6) else {
            return Err(refused("it must be an object of six fields"));
        };
        let mut take = |name| fields.remove(name).ok_or_else(|| refused("a field is missing"));
        let Value::Array(entries) = take("entries")? else {
            return Err(refused("entries must be an array"));
        };
        let entries = entries.into_iter().map(Entry::from_record).collect::<Result<Vec<_>, _>>()?;
        let session_id = match take("session_id")? {
            Value::Null => None,
            Value::String(id) => Some(id),
            _ => return Err(refused("session_id must be a text or null")),
        };
        let dialect = match take("dialect")? {
            Value::Null => None,
            slug => Some(
                slug.as_str()
                    .and_then(DialectName::from_slug)
                    .ok_or_else(|| refused("dialect must be one that is known, or null"))?,
            ),
        };
        #[allow(
            clippy::disallowed_methods,
            reason = "an account holds texts and numbers, and no other value"
        )]
        let account = serde_json::from_value(take("account")?)
            .map_err(|error| refused("account is not one").caused_by(error))?;
        let look = match take("look")? {
            Value::Null => None,
            Value::String(look) => Some(look),
            _ => return Err(refused("look must be a text or null")),
        };
        let places = take("places")?;
        let replaced = places.as_array().and_then(|all| replaced(all, entries.len()));
        let replaced = replaced.ok_or_else(|| refused("places must be places of entries"))?;
        Ok(Self { entries, session_id, dialect, account, look, replaced })
    }
}

fn refused(what: &str, reason: &str) -> Error {
    Error::new(ErrorKind::InvalidRecord, format!("this is not the record of {what}: {reason}"))
}

/// The replacements among the places of patches; `None` unless they add each entry, in order.
fn replaced(places: &[Value], entries: usize) -> Option<Vec<Replaced>> {
    let (mut known, mut replaced) = (0, Vec::new());
    for place in places {
        let index = usize::try_from(place.as_u64()?).ok()?;
        match index.cmp(&known) {
            Ordering::Less => replaced.push(Replaced { known, index }),
            Ordering::Equal => known += 1,
            Ordering::Greater => return None,
        }
    }
    (known == entries).then_some(replaced)
}

/// Checks what the types do not: JSON texts are JSON, and a call that has ended has a result.
fn check(tool_use: &ToolUse) -> Result<(), Error> {
    if !is_json(&tool_use.call.arguments) {
        return Err(refused("an entry", "the arguments must be JSON"));
    }
    let given = tool_use.result.as_ref().map(|result| &result.given);
    if let Some(Given::Value(raw) | Given::Marked(raw)) = given
        && !is_json(raw)
    {
        return Err(refused("an entry", "the value that the tool gave must be JSON"));
    }
    if (tool_use.status == CallStatus::Created) != given.is_none() {
        return Err(refused(
            "an entry",
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::patch::Op;
    use crate::transcript::reader_options::ReaderOptions;

    #[test]
    fn places_add_each_entry_in_order() {
        let transcript = Transcript::read(b"one\ntwo", b"", ReaderOptions::default());
        let read = |places: Value| {
            let mut record = transcript.to_record();
            record["places"] = places;
            Transcript::from_record(record)
        };
        assert_eq!(read(json!([0, 1])).ok(), Some(transcript.clone()));
        let replaced = read(json!([0, 0, 1, 0])).ok();
        let steps = replaced.iter().flat_map(Transcript::steps);
        let (add, replace) = (Op::Add, Op::Replace);
        assert_eq!(steps.collect::<Vec<_>>(), [(add, 0), (replace, 0), (add, 1), (replace, 0)]);
        for places in [json!([]), json!([0]), json!([1, 0]), json!([0, 1, 2]), json!([0, -1])] {
            assert!(read(places).is_err());
        }
    }
}
