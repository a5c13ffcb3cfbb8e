//! What changed between the fields of two maps.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::document::write_sorted_fields;
use super::json::{compact_json, same_json, sorted_json};
use super::result::{DiffLine, DiffResult, DiffType, LineType, count};
use super::similarity;
use crate::error::Error;
use crate::json::writer::write_text;

/// A field: its name and its value.
pub type FieldEntry<F> = (<F as FieldMap>::Key, <F as FieldMap>::Value);

/// A host's map, as a diff of its fields reads it.
///
/// The host decides whether two values are the same and how a value is shown, so that no value of a
/// host makes a diff fail.
pub trait FieldMap {
    /// What the host may raise.
    type Error;
    /// A field's name.
    type Key;
    /// A field's value.
    type Value;

    /// The fields in order.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn entries(&self) -> Result<Vec<FieldEntry<Self>>, Self::Error>;

    /// The value of a field; none if there is no such field.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn find(&self, key: &Self::Key) -> Result<Option<Self::Value>, Self::Error>;

    /// Whether two values are the same.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn same(&self, old: &Self::Value, new: &Self::Value) -> Result<bool, Self::Error>;

    /// Appends a field's name.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn show_key(&self, key: &Self::Key, out: &mut Vec<u8>) -> Result<(), Self::Error>;

    /// Appends a value for a person.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn show(&self, value: &Self::Value, out: &mut Vec<u8>) -> Result<(), Self::Error>;

    /// Appends a value as [`sorted_json`] does; false if it cannot be written so.
    ///
    /// If the result is false, nothing is appended.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn json(&self, value: &Self::Value, out: &mut Vec<u8>) -> Result<bool, Self::Error>;
}

/// Finds the fields of two maps that were removed, added and changed, in this order.
///
/// Fields for which `ignored` returns true are left out of everything. Each line of `changes` is
/// `name: value`; a changed field has two lines, the old value and the new one. In `diff_output`
/// these lines stand below a head, after `- ` or `+ `. Line breaks in them are written as `\n`, and
/// the last line has no line break. Similarity compares the fields as JSON text with sorted keys,
/// by characters.
///
/// ```
/// use serde_json::json;
/// use toolwire::diff::diff_structured;
///
/// let old = json!({"status": "draft", "seen": 1});
/// let new = json!({"status": "published", "seen": 2});
/// let (old, new) = (old.as_object().unwrap(), new.as_object().unwrap());
/// let diff = diff_structured(&old, &new, |name| Ok(*name == "seen"))?;
/// assert_eq!(diff.diff_output, b"--- old\n+++ new\n- status: \"draft\"\n+ status: \"published\"");
/// # Ok::<(), toolwire::Error>(())
/// ```
///
/// # Errors
///
/// Whatever the host raised.
pub fn diff_structured<F: FieldMap>(
    old: &F,
    new: &F,
    ignored: impl Fn(&F::Key) -> Result<bool, F::Error>,
) -> Result<DiffResult<'static>, F::Error> {
    let (old, new) = (Side::of(old, &ignored)?, Side::of(new, &ignored)?);
    let mut changes = old.missing_in(&new, LineType::Remove)?;
    changes.append(&mut new.missing_in(&old, LineType::Add)?);
    for (key, value) in &old.entries {
        if let Some(becomes) = new.fields.find(key)?
            && !old.fields.same(value, &becomes)?
        {
            changes.push(old.line(LineType::Remove, key, value)?);
            changes.push(new.line(LineType::Add, key, &becomes)?);
        }
    }
    Ok(DiffResult {
        diff_type: DiffType::LineByLine,
        diff_output: written(&changes),
        additions: count(&changes, LineType::Add),
        deletions: count(&changes, LineType::Remove),
        unchanged: 0,
        changes,
        similarity: similarity::of_json(&old.text()?, &new.text()?),
        old_content: None,
        new_content: None,
    })
}

/// One of the maps, and its fields that are not ignored.
struct Side<'a, F: FieldMap> {
    fields: &'a F,
    entries: Vec<FieldEntry<F>>,
}

impl<'a, F: FieldMap> Side<'a, F> {
    fn of(
        fields: &'a F,
        ignored: &impl Fn(&F::Key) -> Result<bool, F::Error>,
    ) -> Result<Self, F::Error> {
        let mut entries = Vec::new();
        for (key, value) in fields.entries()? {
            if !ignored(&key)? {
                entries.push((key, value));
            }
        }
        Ok(Self { fields, entries })
    }

    /// The lines of fields that the other map lacks.
    fn missing_in(
        &self,
        other: &Self,
        line_type: LineType,
    ) -> Result<Vec<DiffLine<'static>>, F::Error> {
        let mut missing = Vec::new();
        for (key, value) in &self.entries {
            if other.fields.find(key)?.is_none() {
                missing.push(self.line(line_type, key, value)?);
            }
        }
        Ok(missing)
    }

    fn line(
        &self,
        line_type: LineType,
        key: &F::Key,
        value: &F::Value,
    ) -> Result<DiffLine<'static>, F::Error> {
        let mut content = Vec::new();
        self.fields.show_key(key, &mut content)?;
        content.extend_from_slice(b": ");
        self.fields.show(value, &mut content)?;
        Ok(DiffLine {
            line_type,
            content: Cow::Owned(content),
            line_number_old: None,
            line_number_new: None,
        })
    }

    /// All fields as JSON text with sorted keys; a value without JSON text is written as it is
    /// shown.
    fn text(&self) -> Result<Vec<u8>, F::Error> {
        let mut fields = Vec::with_capacity(self.entries.len());
        for (key, value) in &self.entries {
            let (mut name, mut text) = (Vec::new(), Vec::new());
            self.fields.show_key(key, &mut name)?;
            if !self.fields.json(value, &mut text)? {
                let mut shown = Vec::new();
                self.fields.show(value, &mut shown)?;
                write_text(&shown, &mut text);
            }
            fields.push((name, text));
        }
        let mut text = Vec::new();
        write_sorted_fields(fields, &mut text);
        Ok(text)
    }
}

/// The changes as text, below a head.
fn written(changes: &[DiffLine<'_>]) -> Vec<u8> {
    let mut out = b"--- old\n+++ new".to_vec();
    for change in changes {
        out.extend_from_slice(if change.line_type == LineType::Remove { b"\n- " } else { b"\n+ " });
        for &byte in change.content.iter() {
            match byte {
                b'\n' => out.extend_from_slice(b"\\n"),
                b'\r' => out.extend_from_slice(b"\\r"),
                _ => out.push(byte),
            }
        }
    }
    out
}

/// Reads JSON objects: [`same_json`] compares their values, and values are shown as JSON.
impl<'a> FieldMap for &'a Map<String, Value> {
    type Error = Error;
    type Key = &'a str;
    type Value = &'a Value;

    fn entries(&self) -> Result<Vec<(&'a str, &'a Value)>, Error> {
        Ok(self.iter().map(|(key, value)| (key.as_str(), value)).collect())
    }

    fn find(&self, key: &&'a str) -> Result<Option<&'a Value>, Error> {
        Ok(self.get(*key))
    }

    fn same(&self, old: &&'a Value, new: &&'a Value) -> Result<bool, Error> {
        same_json(old, new).map_err(Error::from)
    }

    fn show_key(&self, key: &&'a str, out: &mut Vec<u8>) -> Result<(), Error> {
        out.extend_from_slice(key.as_bytes());
        Ok(())
    }

    fn show(&self, value: &&'a Value, out: &mut Vec<u8>) -> Result<(), Error> {
        compact_json(value, out).map_err(Error::from)
    }

    fn json(&self, value: &&'a Value, out: &mut Vec<u8>) -> Result<bool, Error> {
        sorted_json(value, out).map_err(Error::from)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn diff(old: &Value, new: &Value) -> DiffResult<'static> {
        diff_structured(&old.as_object().unwrap(), &new.as_object().unwrap(), |name| {
            Ok(name.starts_with('_'))
        })
        .unwrap()
    }

    #[test]
    fn fields_are_removed_then_added_then_changed() {
        let old = json!({"gone": 1, "kept": [1, {"a": 1, "b": 2}], "changed": 1, "_seen": 1});
        let new = json!({"new": "x", "changed": 1.0, "kept": [1, {"b": 2, "a": 1}], "_seen": 2, "_more": 3});
        let result = diff(&old, &new);
        let expected = "--- old\n+++ new\n- gone: 1\n+ new: \"x\"\n- changed: 1\n+ changed: 1.0";
        assert_eq!(String::from_utf8_lossy(&result.diff_output), expected);
        assert_eq!((result.additions, result.deletions, result.unchanged), (2, 2, 0));
        assert!(result.similarity > 0.5 && result.similarity < 1.0);
    }

    #[test]
    fn what_is_ignored_does_not_count() {
        let result =
            diff(&json!({"a": 1, "_b": "x"}), &json!({"a": 1, "_b": "a long text that differs"}));
        assert_eq!(result.similarity.to_string(), "1");
        assert!(!result.has_changes());
        assert_eq!(result.diff_output, b"--- old\n+++ new");
    }

    #[test]
    fn a_name_cannot_forge_a_line() {
        let result = diff(&json!({}), &json!({"a\r\n- b": 1}));
        assert_eq!(
            String::from_utf8_lossy(&result.diff_output),
            "--- old\n+++ new\n+ a\\r\\n- b: 1"
        );
        assert_eq!(result.changes[0].content.as_ref(), b"a\r\n- b: 1");
    }
}
