//! The format of a case, read strictly.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use toolwire::json::parse_json;
use toolwire::{Error, ErrorKind};

/// A case as it is written in the file.
struct Entry {
    name: String,
    input: Map<String, Value>,
    output: Option<Map<String, Value>>,
    error: Option<ErrorEntry>,
}

impl Entry {
    /// Reads a case by hand, since `serde_json` would misread some keys of a value.
    fn new(case: Value) -> Result<Self, String> {
        let Value::Object(mut case) = case else { return Err(format!("not a case: {case}")) };
        let mut object = |key: &str| match case.remove(key) {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(other) => Err(format!("{key} must be an object, not {other}")),
        };
        let (input, output, error) = (object("input")?, object("output")?, object("error")?);
        let error = error.map(|error| serde_json::from_value(error.into())).transpose();
        let name = case.remove("name");
        match (name, input, error, case.keys().next()) {
            (Some(Value::String(name)), Some(input), Ok(error), None) => {
                Ok(Self { name, input, output, error })
            }
            (name, ..) => {
                Err(format!("{name:?}: a case has a name, an input, and an output or an error"))
            }
        }
    }
}

/// The error that a case expects.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorEntry {
    kind: String,
}

/// One case.
pub struct Case {
    /// Unique in its topic.
    pub name: String,
    input: Value,
    expected: Result<Value, ErrorKind>,
}

impl Case {
    /// The input, in the type that a topic needs.
    pub fn input<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_value(self.input.clone()).map_err(|error| format!("input: {error}"))
    }

    /// The function that the input names, for topics with several functions.
    pub fn function(&self) -> Result<&str, String> {
        self.input["function"].as_str().ok_or_else(|| "input: no function".to_owned())
    }

    /// Compares an outcome with the expected output or error.
    pub fn check(&self, outcome: Result<Value, Error>) -> Result<(), String> {
        match self.outcome(outcome)? {
            Some((made, expected)) if !identical(&made, expected) => {
                Err(format!("expected {expected}\n    but got {made}"))
            }
            _ => Ok(()),
        }
    }

    /// The outcome and the expected output; `None` if the expected error occurred.
    pub fn outcome<T>(&self, outcome: Result<T, Error>) -> Result<Option<(T, &Value)>, String> {
        match (outcome, &self.expected) {
            (Ok(made), Ok(expected)) => Ok(Some((made, expected))),
            (Err(error), Err(kind)) if error.kind() == *kind => Ok(None),
            (Err(error), Err(kind)) => Err(format!(
                "expected the error {}, but got {}: {error}",
                kind.slug(),
                error.kind().slug()
            )),
            (Ok(_), Err(kind)) => Err(format!("expected the error {}, but got none", kind.slug())),
            (Err(error), Ok(_)) => Err(format!("got the error {}: {error}", error.kind().slug())),
        }
    }
}

/// Reads a file of cases.
pub fn read(text: &str) -> Result<Vec<Case>, String> {
    let mut cases = parse_json(text.as_bytes()).map_err(|error| error.to_string())?;
    expand(&mut cases)?;
    let entries = match cases {
        Value::Array(cases) if !cases.is_empty() => cases.into_iter().map(Entry::new),
        _ => return Err("a topic without cases".to_owned()),
    };
    let mut names = HashSet::new();
    entries
        .map(|entry| {
            let Entry { name, input, output, error } = entry?;
            if !names.insert(name.clone()) {
                return Err(format!("{name}: the name comes twice"));
            }
            let expected = match (output, error) {
                (Some(output), None) => Ok(Value::Object(output)),
                (None, Some(ErrorEntry { kind })) => Err(kind_of(&kind)?),
                _ => return Err(format!("{name}: give either an output or an error")),
            };
            Ok(Case { name, input: Value::Object(input), expected })
        })
        .collect()
}

/// The kind of error with this slug.
fn kind_of(slug: &str) -> Result<ErrorKind, String> {
    ErrorKind::ALL
        .iter()
        .copied()
        .find(|kind| kind.slug() == slug)
        .ok_or_else(|| format!("there is no error kind {slug:?}"))
}

/// Whether two values are the same, including the order of keys and the kinds of numbers.
pub fn identical(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| left.0 == right.0 && identical(left.1, right.1))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| identical(left, right))
        }
        (Value::Number(left), Value::Number(right)) => {
            // A whole number equals its digits; a double has many spellings.
            let whole = |text: &str| !text.contains(['.', 'e', 'E']);
            match (whole(left.as_str()), whole(right.as_str())) {
                (true, true) => left == right,
                (false, false) => left.as_f64() == right.as_f64(),
                _ => false,
            }
        }
        _ => left == right,
    }
}

/// Replaces each `{"$concat": […]}` by its text. A part is a text, or `[text, count]` for a
/// repeated text.
fn expand(value: &mut Value) -> Result<(), String> {
    if let Some(Value::Array(parts)) = value.get("$concat") {
        let text = |part: &Value| match part {
            Value::String(text) => Some(text.clone()),
            Value::Array(repeated) => match repeated.as_slice() {
                [Value::String(text), count] => {
                    Some(text.repeat(usize::try_from(count.as_u64()?).ok()?))
                }
                _ => None,
            },
            _ => None,
        };
        let whole: Option<String> = parts.iter().map(text).collect();
        *value = Value::String(whole.ok_or_else(|| format!("not parts of a text: {value}"))?);
        return Ok(());
    }
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(expand),
        Value::Object(entries) => entries.values_mut().try_for_each(expand),
        _ => Ok(()),
    }
}

#[test]
fn long_texts_are_written_in_parts() {
    let mut value = serde_json::json!([{"text": {"$concat": ["a", ["xy", 3], "b"]}}]);
    expand(&mut value).unwrap();
    assert_eq!(value, serde_json::json!([{"text": "axyxyxyb"}]));
    assert!(expand(&mut serde_json::json!({"$concat": [1]})).is_err());
}

/// A text of a case: a JSON string, or `{"$base64": "…"}` for a text that is not UTF-8.
#[derive(Clone, PartialEq, Eq)]
pub struct Text(pub Vec<u8>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Bytes {
            #[serde(rename = "$base64")]
            base64: String,
        }
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text.into_bytes())),
            other => {
                let bytes: Bytes = serde_json::from_value(other).map_err(D::Error::custom)?;
                decode_base64(&bytes.base64)
                    .map(Self)
                    .ok_or_else(|| D::Error::custom("this is not base64"))
            }
        }
    }
}

impl Text {
    /// Writes the text as a case does: printable ASCII as it is, anything else as base64.
    pub fn written(&self) -> Value {
        let printable = self.0.iter().all(|byte| (b' '..=b'~').contains(byte));
        match str::from_utf8(&self.0) {
            Ok(text) if printable => text.into(),
            _ => serde_json::json!({ "$base64": encode_base64(&self.0) }),
        }
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "\"{}\"", self.0.escape_ascii())
    }
}

/// The digits of base64.
const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The base64 text of bytes, with its padding.
fn encode_base64(bytes: &[u8]) -> String {
    let groups = bytes.chunks(3).flat_map(|group| {
        let mut whole = [0_u8; 4];
        whole[1..=group.len()].copy_from_slice(group);
        let bits = u32::from_be_bytes(whole);
        let digit = move |place: u32| DIGITS[usize::try_from(bits >> place & 63).unwrap()];
        let mut digits = [18, 12, 6, 0].map(|place| char::from(digit(place)));
        digits[group.len() + 1..].fill('=');
        digits
    });
    groups.collect()
}

/// The bytes of a base64 text with its padding.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0_u32);
    for digit in digits.bytes() {
        let value = DIGITS.iter().position(|known| *known == digit)?;
        bits = bits << 6 | u32::try_from(value).ok()?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xFF).ok()?);
        }
    }
    Some(bytes)
}

#[test]
fn texts_are_strings_or_base64() {
    for bytes in [&b"\xFF\x00a"[..], b"\xFF", b"\xFFa", b"\x00\x01\x02\xFD"] {
        let written = Text(bytes.to_vec()).written();
        assert_eq!(serde_json::from_value::<Text>(written).unwrap().0, bytes);
    }
    let text = |json: &str| serde_json::from_str::<Text>(json).ok().map(|text| text.0);
    assert_eq!(text(r#""aé""#), Some("aé".into()));
    assert_eq!(text(r#"{"$base64": "/wBh"}"#), Some(b"\xFF\x00a".to_vec()));
    assert_eq!(text(r#"{"$base64": "/w=="}"#), Some(b"\xFF".to_vec()));
    for bad in ["1", "null", "{}", r#"{"$base64": "/w"}"#, r#"{"$base64": "/w==", "more": 1}"#] {
        assert_eq!(text(bad), None, "{bad}");
    }
}
