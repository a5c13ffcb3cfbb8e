//! Reads JSON text as a value in which every key is a key.
//!
//! `serde_json` misreads an object whose first key is `$serde_json::private::Number` or
//! `$serde_json::private::RawValue`: it takes the object for a number, or for the JSON that a text
//! holds. A model that writes such a key would have one value validated and another one run. So
//! text of strangers is read only here; `clippy.toml` forbids the other ways.
//!
//! ```
//! use toolwire::json::parse_json;
//!
//! let value = parse_json(br#"{"$serde_json::private::Number": "5"}"#)?;
//! assert!(value.is_object());
//! assert_eq!(value.to_string(), r#"{"$serde_json::private::Number":"5"}"#);
//! # Ok::<(), toolwire::json::ParseError>(())
//! ```

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use crate::json::scanner::Container;
use crate::json::visit::{ParseError, VisitError, VisitOptions, Visitor, visit_json};

/// Reads one JSON value.
///
/// Numbers keep their digits. Of a repeated key the last value counts.
///
/// Accepts exactly the JSON of RFC 8259, with one exception: an escape that is half of a surrogate
/// pair is refused, because no string could hold it. Each byte is looked at once, and nothing
/// recurses.
///
/// # Errors
///
/// A [`ParseError`] for every other text, and for a value that nests deeper than
/// [`MAX_VALUE_DEPTH`](crate::json::MAX_VALUE_DEPTH).
pub fn parse_json(text: &[u8]) -> Result<Value, ParseError> {
    let mut builder = Builder::default();
    match visit_json(text, VisitOptions::default(), &mut builder) {
        Ok(()) => Ok(builder.whole),
        Err(VisitError::Text(error)) => Err(error),
        Err(VisitError::Visitor(_)) => Err(ParseError::syntax("not a number", 0)),
    }
}

/// Builds a value from the parts that are visited.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    whole: Value,
}

impl Builder {
    fn take(&mut self, value: Value) {
        match self.open.last_mut() {
            Some(Open::Object { members, key }) => {
                members.insert(std::mem::take(key), value);
            }
            Some(Open::Array(items)) => items.push(value),
            None => self.whole = value,
        }
    }
}

impl Visitor<'_> for Builder {
    type Error = serde_json::Error;

    fn open(&mut self, container: Container) -> Result<(), Self::Error> {
        self.open.push(match container {
            Container::Object => Open::Object { members: Map::new(), key: String::new() },
            Container::Array => Open::Array(Vec::new()),
        });
        Ok(())
    }

    fn close(&mut self, _: Container) -> Result<(), Self::Error> {
        match self.open.pop() {
            Some(Open::Object { members, .. }) => self.take(Value::Object(members)),
            Some(Open::Array(items)) => self.take(Value::Array(items)),
            None => {}
        }
        Ok(())
    }

    fn key(&mut self, name: Cow<'_, str>) -> Result<(), Self::Error> {
        if let Some(Open::Object { key, .. }) = self.open.last_mut() {
            *key = name.into_owned();
        }
        Ok(())
    }

    fn text(&mut self, text: Cow<'_, str>) -> Result<(), Self::Error> {
        self.take(Value::String(text.into_owned()));
        Ok(())
    }

    fn number(&mut self, digits: &str) -> Result<(), Self::Error> {
        // Most numbers are short integers. Only these are written by Rust as they stood in the
        // text, and only `-0` among them is not.
        let number = match digits.parse::<i64>() {
            Ok(integer) if digits != "-0" => Number::from(integer),
            _ => digits.parse::<Number>()?,
        };
        self.take(Value::Number(number));
        Ok(())
    }

    fn boolean(&mut self, value: bool) -> Result<(), Self::Error> {
        self.take(Value::Bool(value));
        Ok(())
    }

    fn null(&mut self) -> Result<(), Self::Error> {
        self.take(Value::Null);
        Ok(())
    }
}

/// An object or an array that is being filled.
enum Open {
    Object { members: Map<String, Value>, key: String },
    Array(Vec<Value>),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::visit::{MAX_VALUE_DEPTH, ParseErrorKind};

    #[test]
    fn private_keys_of_serde_json_are_keys() {
        for text in [
            r#"{"$serde_json::private::Number":"5"}"#,
            r#"{"$serde_json::private::RawValue":"{\"role\":\"administrator\"}"}"#,
            r#"[{"$serde_json::private::RawValue":{"a":1}}]"#,
        ] {
            let value = parse_json(text.as_bytes()).unwrap();
            assert_eq!(value.to_string(), text);
            let object = value.as_array().map_or(&value, |items| &items[0]);
            assert_eq!(object.as_object().map(Map::len), Some(1), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_says_why_and_where() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse_json(deep(MAX_VALUE_DEPTH).as_bytes()).is_ok());
        for (text, kind, offset) in [
            ("", ParseErrorKind::Cut, 0),
            ("{\"a\":", ParseErrorKind::Cut, 5),
            ("tru", ParseErrorKind::Cut, 3),
            ("[1 2]", ParseErrorKind::Syntax, 3),
            ("{} {}", ParseErrorKind::Syntax, 3),
            ("01", ParseErrorKind::Syntax, 0),
            (r#"["\ud800"]"#, ParseErrorKind::Syntax, 2),
            (&deep(MAX_VALUE_DEPTH + 1), ParseErrorKind::TooDeep, MAX_VALUE_DEPTH),
        ] {
            let error = parse_json(text.as_bytes()).unwrap_err();
            assert_eq!((error.kind, error.offset), (kind, offset), "{text}");
        }
        assert_eq!(
            parse_json(b"[\"\xff\"]").unwrap_err().to_string(),
            "the text is not UTF-8 at byte 2"
        );
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((".{0,4}", inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Without its private keys, `serde_json` reads the same.
        #[test]
        fn it_reads_what_serde_json_reads(value in values(), cut in 0..40_usize, pretty in any::<bool>()) {
            let written = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let written = written.unwrap();
            prop_assert_eq!(parse_json(written.as_bytes()).unwrap(), serde_json::from_str::<Value>(&written).unwrap());
            let part: String = written.chars().take(cut).collect();
            prop_assert_eq!(parse_json(part.as_bytes()).ok(), serde_json::from_str::<Value>(&part).ok());
        }
    }
}
