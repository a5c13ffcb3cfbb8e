//! The full detail of what a person approves: the arguments and changes without their secrets, and
//! a fingerprint that binds tool, arguments and changes.
//!
//! ```
//! use serde_json::json;
//! use toolwire::lifecycle::ApprovalDetail;
//! use toolwire::redact::Redaction;
//!
//! let arguments = json!({"post_id": 5, "user_pass": "hunter2"});
//! let detail = ApprovalDetail::new("edit", &arguments, None, &Redaction::default());
//! assert_eq!(detail.arguments.to_string(), r#"{"post_id":5,"user_pass":"[redacted]"}"#);
//! assert_eq!((detail.size, detail.fingerprint.len()), (35, 64));
//! ```

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::change::ApprovalChange;
use crate::json::number::by_value;
use crate::redact::Redaction;

/// The prefix of the hashed bytes, so that no other hash of this library equals a fingerprint.
const DOMAIN: &[u8] = b"toolwire approval 1\0";

/// The same for a fingerprint that binds an origin.
const ORIGIN_DOMAIN: &[u8] = b"toolwire approval origin 1\0";

/// What a request for approval holds besides its summary.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalDetail {
    /// The whole arguments without their secrets.
    pub arguments: Value,
    /// The changes that the run would make, if the host knows them.
    pub changes: Option<Vec<ApprovalChange>>,
    /// The length of the arguments as JSON, in bytes, secrets included.
    pub size: usize,
    /// The hash that binds an approval to a run; see [`fingerprint`].
    pub fingerprint: String,
}

impl ApprovalDetail {
    /// Makes the detail from the tool's name, the arguments as the run holds them, and the changes
    /// that a run would make now, if the host knows them.
    #[must_use]
    pub fn new(
        tool: &str,
        arguments: &Value,
        changes: Option<&Value>,
        redaction: &Redaction,
    ) -> Self {
        Self {
            arguments: redaction.masked(arguments),
            changes: changes.map(|changes| ApprovalChange::all(changes, redaction)),
            size: arguments.to_string().len(),
            fingerprint: fingerprint(tool, arguments, changes),
        }
    }
}

impl ApprovalDetail {
    /// Binds the detail to where its tool comes from as well, if that is outside of the program: a
    /// tool of the same name from another place, or one that was declared otherwise, has another
    /// fingerprint.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwire::lifecycle::ApprovalDetail;
    /// use toolwire::redact::Redaction;
    ///
    /// let detail = || ApprovalDetail::new("read", &json!({}), None, &Redaction::default());
    /// let [one, other] = ["npx server-a", "npx server-b"].map(|from| detail().with_origin(from));
    /// assert_ne!(one.fingerprint, other.fingerprint);
    /// assert_ne!(one.fingerprint, detail().fingerprint);
    /// ```
    #[must_use]
    pub fn with_origin(self, origin: &str) -> Self {
        let mut hasher = Sha256::new_with_prefix(ORIGIN_DOMAIN);
        text(b's', origin, &mut hasher);
        text(b's', &self.fingerprint, &mut hasher);
        Self { fingerprint: hexadecimal(hasher), ..self }
    }
}

/// What a store keeps of the detail while the request is pending.
#[derive(Serialize)]
pub(in crate::lifecycle) struct DetailToKeep<'d> {
    request_id: &'d str,
    arguments: &'d Value,
    changes: Option<&'d [ApprovalChange]>,
}

/// What a store has kept of the detail.
#[derive(Deserialize)]
pub(in crate::lifecycle) struct KeptDetail {
    /// The request that shows the detail. An older version of this library did not write it.
    pub(in crate::lifecycle) request_id: Option<String>,
    pub(in crate::lifecycle) arguments: Box<RawValue>,
    pub(in crate::lifecycle) changes: Option<Vec<ApprovalChange>>,
}

impl<'d> DetailToKeep<'d> {
    pub(in crate::lifecycle) fn new(detail: &'d ApprovalDetail, request_id: &'d str) -> Self {
        let changes = detail.changes.as_deref();
        Self { request_id, arguments: &detail.arguments, changes }
    }
}

/// Returns the SHA-256 of a tool's name, its raw arguments and the changes that a run would make,
/// in lower-case hexadecimal.
///
/// Texts, lists and objects are hashed with their lengths, and objects in the order of their keys,
/// so two different sets of values never give the same bytes. A number is hashed by its value:
/// `1`, `1.0` and `1E0` are the same, since each language writes a number in its own way.
#[must_use]
pub fn fingerprint(tool: &str, arguments: &Value, changes: Option<&Value>) -> String {
    let mut hasher = Sha256::new_with_prefix(DOMAIN);
    text(b's', tool, &mut hasher);
    absorb(arguments, &mut hasher);
    match changes {
        Some(changes) => absorb(changes, &mut hasher),
        None => hasher.update(b"-"),
    }
    hexadecimal(hasher)
}

fn hexadecimal(hasher: Sha256) -> String {
    hasher.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn absorb(value: &Value, hasher: &mut Sha256) {
    match value {
        Value::Null => hasher.update(b"n"),
        Value::Bool(flag) => hasher.update(if *flag { b"t" } else { b"f" }),
        Value::Number(number) => text(b'd', &by_value(number), hasher),
        Value::String(string) => text(b's', string, hasher),
        Value::Array(items) => {
            length(b'a', items.len(), hasher);
            for item in items {
                absorb(item, hasher);
            }
        }
        Value::Object(entries) => {
            length(b'o', entries.len(), hasher);
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            for (key, entry) in entries {
                text(b's', key, hasher);
                absorb(entry, hasher);
            }
        }
    }
}

fn text(kind: u8, text: &str, hasher: &mut Sha256) {
    length(kind, text.len(), hasher);
    hasher.update(text);
}

fn length(kind: u8, length: usize, hasher: &mut Sha256) {
    hasher.update([kind]);
    hasher.update(u64::try_from(length).unwrap_or(u64::MAX).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fingerprint_binds_tool_arguments_and_changes() {
        let all = [
            fingerprint("edit", &json!({"a": 1}), None),
            fingerprint("edits", &json!({"a": 1}), None),
            fingerprint("edit", &json!({"a": 2}), None),
            fingerprint("edit", &json!({"a": "1"}), None),
            fingerprint("edit", &json!({"a": 1, "b": null}), None),
            fingerprint("edit", &json!({"a": [1]}), None),
            fingerprint("edit", &json!({"a": [[1]]}), None),
            fingerprint("edit", &json!({"a": {}}), None),
            fingerprint("edit", &json!({"a": []}), None),
            fingerprint("edit", &json!(["a", 1]), None),
            fingerprint("edit", &json!(["a1"]), None),
            fingerprint("edit", &json!({"a": 1}), Some(&json!(null))),
            fingerprint("edit", &json!({"a": 1}), Some(&json!({"title": ["x", "y"]}))),
            fingerprint("edit", &json!({"a": 1}), Some(&json!({"title": ["xy", ""]}))),
        ];
        for (place, one) in all.iter().enumerate() {
            assert!(all.iter().skip(place + 1).all(|other| other != one), "{place}");
        }
    }

    #[test]
    fn a_fingerprint_with_an_origin_is_the_same_tomorrow_and_binds_both() {
        let detail =
            |tool: &str| ApprovalDetail::new(tool, &json!({"a": 1}), None, &Redaction::default());
        let expected = "11207eda23c98541fc024565a5159dfa562441692ee07b064ada84add5a1e950";
        assert_eq!(detail("edit").with_origin("a").fingerprint, expected);
        assert_ne!(detail("edit").with_origin("b").fingerprint, expected);
        assert_ne!(detail("edits").with_origin("a").fingerprint, expected);
        assert_ne!(detail("edit").with_origin("").fingerprint, detail("edit").fingerprint);
    }

    #[test]
    fn a_number_is_the_same_however_it_is_written() {
        let of = |text: &str| fingerprint("pay", &serde_json::from_str(text).unwrap(), None);
        assert_eq!(of(r#"{"sum": 10, "tax": 1.1}"#), of(r#"{"tax": 1.10, "sum": 1E1}"#));
        assert_ne!(of(r#"{"sum": 10}"#), of(r#"{"sum": 10.000000000000002}"#));
    }

    #[test]
    fn a_fingerprint_is_the_same_tomorrow() {
        let arguments = json!({"post_id": 5, "title": "Grüße", "tags": [1.5, true, null]});
        let turned = json!({"tags": [1.5, true, null], "title": "Grüße", "post_id": 5});
        let expected = "4d74bda825832daf13a865ca2fe170f07ef58e8f0ad9ed0da2af33fe88028619";
        assert_eq!(fingerprint("update_post", &arguments, Some(&json!([]))), expected);
        assert_eq!(fingerprint("update_post", &turned, Some(&json!([]))), expected);
    }
}
