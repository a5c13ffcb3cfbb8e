//! JSON text as a value in which every key is a key.
//!
//! `serde_json` takes an object whose first key is `$serde_json::private::Number` or
//! `$serde_json::private::RawValue` for something else: for a number, or for the JSON that a text
//! holds. A model that writes such a key would have one value validated and another one run. So
//! text of strangers is read here and nowhere else; `clippy.toml` forbids the other ways.
//!
//! ```
//! use toolwire::json::parse_json;
//!
//! let value = parse_json(br#"{"$serde_json::private::Number": "5"}"#)?;
//! assert!(value.is_object());
//! assert_eq!(value.to_string(), r#"{"$serde_json::private::Number":"5"}"#);
//! # Ok::<(), toolwire::json::ParseError>(())
//! ```

use std::fmt;

use serde_json::{Map, Number, Value};

use crate::json::lexeme::is_number;
use crate::json::scanner::{Container, Fault, Quoted, Scanner, Step, Token};
use crate::json::text::decoded;

/// How deep objects and arrays may nest in a value that is read.
pub const MAX_VALUE_DEPTH: usize = 128;

/// Why a text is not read as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What is wrong with it.
    pub kind: ParseErrorKind,
    /// The byte where that shows.
    pub offset: usize,
    message: &'static str,
}

/// What is wrong with a text that is not read as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// It ends too early.
    Cut,
    /// It is not JSON, or not UTF-8.
    Syntax,
    /// It nests deeper than [`MAX_VALUE_DEPTH`].
    TooDeep,
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at byte {}", self.message, self.offset)
    }
}

impl std::error::Error for ParseError {}

/// Reads one JSON value; its numbers keep their digits, and of a repeated key the last value
/// counts.
///
/// Takes exactly RFC 8259, but for one thing: an escape that is half of a surrogate pair, which no
/// string could hold. Each byte is looked at once, and nothing recurses.
///
/// # Errors
///
/// A [`ParseError`] for everything else, and for what nests deeper than [`MAX_VALUE_DEPTH`].
pub fn parse_json(text: &[u8]) -> Result<Value, ParseError> {
    let text = std::str::from_utf8(text)
        .map_err(|error| syntax("the text is not UTF-8", error.valid_up_to()))?;
    if let Some(read) = lone_number(text) {
        return read;
    }
    let mut scanner = Scanner::new(0, MAX_VALUE_DEPTH);
    let mut open: Vec<Open> = Vec::new();
    let value = loop {
        let token = match scanner.next(text.as_bytes()) {
            Step::Token(token) => token,
            Step::More => return Err(cut(text.len())),
            Step::Fault(fault) => return Err(of_fault(fault)),
        };
        let whole = match token {
            Token::Open(container, _) => {
                open.push(Open::new(container));
                continue;
            }
            Token::Key(quoted) => {
                if let Some(Open::Object { key, .. }) = open.last_mut() {
                    *key = string(text, quoted);
                }
                continue;
            }
            Token::Close(_, end) => open.pop().map(Open::value).ok_or_else(|| cut(end))?,
            Token::Text(quoted) => Value::String(string(text, quoted)),
            Token::Number(start, end) => {
                number(text.get(start..end)).ok_or_else(|| syntax("not a number", start))?
            }
            Token::Literal(start, end) => match text.get(start..end) {
                Some("true") => Value::Bool(true),
                Some("false") => Value::Bool(false),
                _ => Value::Null,
            },
        };
        match open.last_mut() {
            Some(outer) => outer.take(whole),
            None => break whole,
        }
    };
    let rest = text.get(scanner.pos()..).unwrap_or_default();
    match rest.bytes().position(|byte| !is_space(byte)) {
        Some(more) => Err(syntax("text follows the value", scanner.pos() + more)),
        None => Ok(value),
    }
}

/// An object or an array that is being filled.
enum Open {
    Object { members: Map<String, Value>, key: String },
    Array(Vec<Value>),
}

impl Open {
    fn new(container: Container) -> Self {
        match container {
            Container::Object => Self::Object { members: Map::new(), key: String::new() },
            Container::Array => Self::Array(Vec::new()),
        }
    }

    fn take(&mut self, value: Value) {
        match self {
            Self::Object { members, key } => {
                members.insert(std::mem::take(key), value);
            }
            Self::Array(items) => items.push(value),
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Object { members, .. } => Value::Object(members),
            Self::Array(items) => Value::Array(items),
        }
    }
}

/// A text that begins as a number does: only what stands behind a number tells the scanner that it
/// is whole.
fn lone_number(text: &str) -> Option<Result<Value, ParseError>> {
    let text = text.trim_matches(|letter: char| letter.is_ascii() && is_space(letter as u8));
    let begins = matches!(text.as_bytes().first(), Some(b'-' | b'0'..=b'9'));
    let digits = Some(text).filter(|text| is_number(text.as_bytes()));
    begins.then(|| number(digits).ok_or_else(|| syntax("not a number", 0)))
}

fn number(digits: Option<&str>) -> Option<Value> {
    digits?.parse::<Number>().ok().map(Value::Number)
}

fn string(text: &str, quoted: Quoted) -> String {
    let inner = text.get(quoted.start + 1..quoted.end.saturating_sub(1)).unwrap_or_default();
    if quoted.escaped { decoded(inner) } else { inner.to_owned() }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

fn of_fault(fault: Fault) -> ParseError {
    match fault {
        Fault::Syntax(offset, message) => syntax(message, offset),
        Fault::TooDeep(offset) => ParseError {
            kind: ParseErrorKind::TooDeep,
            offset,
            message: "the value nests too deep",
        },
    }
}

fn syntax(message: &'static str, offset: usize) -> ParseError {
    ParseError { kind: ParseErrorKind::Syntax, offset, message }
}

fn cut(offset: usize) -> ParseError {
    ParseError { kind: ParseErrorKind::Cut, offset, message: "the text ends too early" }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
