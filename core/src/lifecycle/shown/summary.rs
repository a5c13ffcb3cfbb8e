//! Summaries of payloads for events and approvals. A summary is short, has no secrets and shares
//! nothing with the payload.
//!
//! Under each key of the payload, a text of more than 200 characters is cut. A list or map that
//! needs more than 200 characters is replaced by its number of items. At any depth, a value is
//! masked if its key names a secret or if the value looks like a secret.
//!
//! A summary has a bounded size for any payload. A key of more than 100 characters is cut too.
//! After 100 entries or 16 KiB the remaining entries are only counted: `"…": "19,901 more"`.

use std::borrow::Cow;
use std::convert::Infallible;

use serde_json::Value;

use crate::redact::masked_copy::{Beside, MaskedCopy, is_other, key_words, number_apart};
use crate::redact::{Build, JsonBuild, REDACTED, Redaction};
use crate::text::prefix;
use crate::tree::{Failure, Name, Tree, View};

/// The most characters that are shown of a text, or of a list or map as text.
const LONGEST: usize = 200;

/// The most characters that are shown of a key.
const LONGEST_KEY: usize = 100;

/// The most entries that are shown of the payload.
const MOST_ENTRIES: usize = 100;

/// The most bytes of keys and values that are shown.
const MOST_BYTES: usize = 16 * 1024;

/// How many of these bytes only the last entry may use. They leave room for the count, and they
/// make the summary of a summary equal to the summary.
const LAST_BYTES: usize = 48;

/// The key of the count of entries that are left out.
const LEFT_OUT: &str = "…";

/// The approximate number of bytes of a text that counts the items of a list or map.
const COUNTED: usize = 32;

/// The depth down to which lists and maps are copied. Deeper ones are counted.
const DEEPEST: usize = 16;

/// Measures a host's values as the host shows them.
pub trait Measure<N: Tree> {
    /// Returns the number of characters of a value as the host shows it, or nothing if it is more
    /// than `most`.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn length(&mut self, node: &N, most: usize) -> Result<Option<usize>, N::Error>;
}

/// Makes the summary of a payload. A payload that is not a map is shortened like a value under a
/// key.
///
/// # Errors
///
/// What the host raised.
///
/// ```
/// use serde_json::json;
/// use toolwire::lifecycle::summarize_payload;
/// use toolwire::redact::{JsonBuild, Redaction};
///
/// let payload = json!({"title": "New", "api_key": "s3cr3t"});
/// let summary = summarize_payload(&&payload, &Redaction::default(), &mut JsonBuild)?;
/// assert_eq!(summary, json!({"title": "New", "api_key": "[redacted]"}));
/// # Ok::<(), toolwire::tree::Failure<std::convert::Infallible>>(())
/// ```
pub fn summarize_payload<N: Tree, B: Build<N> + Measure<N>>(
    payload: &N,
    redaction: &Redaction,
    build: &mut B,
) -> Result<B::Value, Failure<N::Error>> {
    let mut copy = MaskedCopy::new(redaction, build, DEEPEST);
    match payload.view() {
        View::Map(_) => bounded(&mut copy, payload),
        _ => Ok(shortened(&mut copy, payload)?.0),
    }
}

impl<'v> Measure<&'v Value> for JsonBuild {
    fn length(&mut self, node: &&'v Value, most: usize) -> Result<Option<usize>, Infallible> {
        Ok(Some(node.to_string().chars().count()).filter(|length| *length <= most))
    }
}

/// Summarises the entries of the payload while there is room, and counts the others.
fn bounded<N: Tree, B: Build<N> + Measure<N>>(
    copy: &mut MaskedCopy<'_, B>,
    payload: &N,
) -> Result<B::Value, Failure<N::Error>> {
    let length = if let View::Map(length) = payload.view() { length } else { 0 };
    let most = if length > MOST_ENTRIES { MOST_ENTRIES - 1 } else { MOST_ENTRIES };
    let (mut entries, mut room, mut left_out) = (Vec::new(), MOST_BYTES - LAST_BYTES, 0_usize);
    let (mut beside, mut is_renamed) = (Beside::default(), false);
    payload.entries(|name, value| {
        let words = key_words(&name);
        copy.look_beside(&words, &value, entries.len(), &mut beside);
        let mut shown = None;
        if left_out == 0 && entries.len() < most {
            if entries.len() + 1 == length {
                room += LAST_BYTES;
            }
            let (shown_name, key) = short_name(copy, copy.name(&name))?;
            is_renamed |= is_other(&name, &shown_name);
            let (value, size) = if copy.redaction.hides_words(&words) {
                (copy.build.text(REDACTED.as_bytes()), REDACTED.len())
            } else {
                shortened(copy, &value)?
            };
            shown = room.checked_sub(key + size).map(|left| (shown_name, value, left));
        }
        if let Some((name, value, left)) = shown {
            room = left;
            entries.push((name, value));
        } else {
            left_out += 1;
        }
        Ok(())
    })?;
    copy.mask_beside(beside, &mut entries);
    if left_out > 0 {
        let count = copy.build.text(format!("{} more", grouped(left_out)).as_bytes());
        entries.push((Name::Text(LEFT_OUT.as_bytes().to_vec().into()), count));
    }
    if is_renamed || left_out > 0 {
        number_apart(&mut entries);
    }
    copy.build.map(payload, entries).map_err(Failure::Host)
}

/// Returns a key, cut if it is too long, and its size.
fn short_name<'n, N: Tree, B: Build<N> + Measure<N>>(
    copy: &mut MaskedCopy<'_, B>,
    name: Name<'n, N>,
) -> Result<(Name<'n, N>, usize), Failure<N::Error>> {
    Ok(match name {
        Name::Text(text) => {
            let text = cut(&text, LONGEST_KEY).into_owned();
            let size = text.len();
            (Name::Text(text.into()), size)
        }
        Name::Number(number) => (Name::Number(number), number.to_string().len()),
        Name::Node(node) => {
            if let Some(length) = copy.build.length(&node, LONGEST_KEY).map_err(Failure::Host)? {
                (Name::Node(node), length)
            } else {
                let text = too_long(&node);
                let size = text.len();
                (Name::Text(text.into_bytes().into()), size)
            }
        }
    })
}

/// Returns a text, which is cut and ends in dots if it is longer than the given number of
/// characters.
fn cut(text: &[u8], characters: usize) -> Cow<'_, [u8]> {
    let shown = prefix(text, characters);
    if shown.len() == text.len() { Cow::Borrowed(text) } else { [shown, b"..."].concat().into() }
}

fn too_long<N: Tree>(value: &N) -> String {
    format!("<{} too long to show>", value.view().name())
}

/// Writes a number with commas between its thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a value of the payload and its size. A short value is copied.
fn shortened<N: Tree, B: Build<N> + Measure<N>>(
    copy: &mut MaskedCopy<'_, B>,
    value: &N,
) -> Result<(B::Value, usize), Failure<N::Error>> {
    match value.view() {
        View::Text(text) => {
            // The redaction may not recognise a secret that is cut, so the whole text is masked
            // first.
            let masked = copy.redaction.masked_text(&text);
            let shown = cut(&masked, LONGEST);
            Ok((copy.build.text(&shown), shown.len()))
        }
        view => match copy.build.length(value, LONGEST).map_err(Failure::Host)? {
            Some(length) => Ok((copy.value(value, 1)?, length)),
            None if matches!(view, View::List(_) | View::Map(_)) => {
                Ok((copy.counted(value), COUNTED))
            }
            None => {
                let text = too_long(value);
                Ok((copy.build.text(text.as_bytes()), text.len()))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn summed(payload: &Value) -> Value {
        summarize_payload(&payload, &Redaction::default(), &mut JsonBuild)
            .unwrap_or_else(|_| panic!("reading a JSON value cannot fail"))
    }

    #[test]
    fn long_values_are_cut_and_counted() {
        let long = "ä".repeat(201);
        let numbers: Vec<usize> = (0..100).collect();
        let map: Map<String, Value> =
            numbers.iter().map(|n| (format!("key{n}"), json!(n))).collect();
        let payload =
            json!({"text": long, "list": numbers, "map": map, "n": 1, "short": [1, {"a": null}]});
        let expected = json!({
            "text": "ä".repeat(200) + "...",
            "list": "<list with 100 items>",
            "map": "<dict with 100 items>",
            "n": 1,
            "short": [1, {"a": null}],
        });
        assert_eq!(summed(&payload), expected);
    }

    #[test]
    fn secrets_are_left_out_at_any_depth() {
        let payload = json!({"password": "x", "headers": [{"Authorization": "y", "n": 1}], "apiKey": {"a": 1}});
        let expected = json!({"password": "[redacted]", "headers": [{"Authorization": "[redacted]", "n": 1}], "apiKey": "[redacted]"});
        assert_eq!(summed(&payload), expected);
    }

    #[test]
    fn a_secret_that_the_cut_parts_is_masked() {
        let token = format!("eyJhbGciOiJIUzI1NiJ9.eyJ{}.c2lnbmF0dXJl", "zdWIiOiIxMjM0".repeat(200));
        let short = format!("ghp_{}", "Aa0".repeat(12));
        let expected =
            json!({"text": "[redacted] and more", "nested": {"[redacted]": "[redacted]"}});
        assert_eq!(
            summed(&json!({"text": token.clone() + " and more", "nested": {&*short: short}})),
            expected
        );
        let many = format!("{token}\n").repeat(30);
        assert_eq!(
            summed(&json!(many)),
            json!("[redacted]\n".repeat(30)[..200].to_owned() + "...")
        );
    }

    #[test]
    fn a_summary_has_a_bound_whatever_the_payload() {
        let of = |pairs: Vec<(String, Value)>| Value::Object(pairs.into_iter().collect());
        let text = |length: usize| json!("v".repeat(length));
        let many = (0..20_000).map(|n| (format!("k{n}"), text(19)));
        let digits: Value = serde_json::from_str(&"7".repeat(500_000)).unwrap();
        let payloads = [
            of(vec![("k".repeat(500_000), json!(1))]),
            of(many.collect()),
            of((0..20_000).map(|n| (format!("{n}{}", "\u{1}".repeat(500)), text(5000))).collect()),
            of((0..20_000).map(|n| (n.to_string(), json!(vec!["x"; 40]))).collect()),
            json!({"n": digits}),
            digits,
        ];
        for payload in payloads {
            let size = summed(&payload).to_string().len();
            assert!(size < 110_000, "{size} bytes of {}", payload.to_string().len());
        }
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let payload: Map<String, Value> =
            (0..20_000).map(|n| (format!("k{n}"), json!(n))).collect();
        let summary = summed(&Value::Object(payload));
        assert_eq!(summary.as_object().unwrap().len(), 100);
        assert_eq!((&summary["k98"], &summary["…"]), (&json!(98), &json!("19,901 more")));
        assert_eq!(summed(&summary), summary);
        let large: Map<String, Value> =
            (0..100).map(|n| (format!("k{n}"), json!("v".repeat(400)))).collect();
        let summary = summed(&Value::Object(large));
        assert_eq!((summary.as_object().unwrap().len(), &summary["…"]), (80, &json!("21 more")));
        assert_eq!(summed(&summary), summary);
        let mut taken: Map<String, Value> = (0..100).map(|n| (format!("k{n}"), json!(n))).collect();
        taken.insert("…".to_owned(), json!(1));
        taken.shift_insert(0, "…".to_owned(), json!("mine"));
        let summary = summed(&Value::Object(taken));
        assert_eq!((&summary["…"], &summary["… 2"]), (&json!("mine"), &json!("2 more")));
    }

    #[test]
    fn long_keys_are_cut_and_stay_apart() {
        let long = "ä".repeat(100);
        let payload = json!({&*format!("{long}1"): 1, &*format!("{long}2"): 2, &*long: 3});
        let expected = json!({format!("{long}..."): 1, format!("{long}... 2"): 2, long: 3});
        assert_eq!(summed(&payload), expected);
    }

    #[test]
    fn a_payload_that_nests_without_end_is_counted() {
        let mut payload = json!([]);
        for _ in 0..60 {
            payload = json!([payload]);
        }
        assert!(summed(&json!({"deep": payload})).to_string().contains("<list with 1 items>"));
    }
}
