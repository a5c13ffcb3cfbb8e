//! A call's arguments as a provider writes them: JSON text, or an object.
//!
//! Text that is a JSON object is kept as it is. Arguments are never made up from any other text.

use serde_json::Value;

use crate::call::{Diagnostic, DiagnosticCode, RejectionCode};
use crate::json::Repair;
use crate::json::arguments::read_arguments;
use crate::json::lexeme::is_part_of_number;
use crate::json::number::{behind_string, exceeds_float};
use crate::json::outcome::Tolerance;
use crate::json::parse::parse_json;
use crate::json::visit::{MAX_VALUE_DEPTH, ParseErrorKind};

/// How deep arguments and results may nest.
pub(in crate::provider) const MAX_DEPTH: usize = MAX_VALUE_DEPTH;

/// How a provider writes arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider) enum Spelling {
    /// As JSON text.
    Text,
    /// As an object; a text that holds one was encoded twice.
    Object,
    /// As either.
    Either,
}

/// Arguments that are an object.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::provider) struct Read {
    /// Their JSON text.
    pub(in crate::provider) json: String,
    /// Notes on how they were written.
    pub(in crate::provider) notes: Vec<Diagnostic>,
}

/// Why arguments were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::provider) struct Refused {
    pub(in crate::provider) code: RejectionCode,
    pub(in crate::provider) message: String,
}

impl Refused {
    fn new(code: RejectionCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    fn too_deep() -> Self {
        Self::new(RejectionCode::TooDeep, format!("the arguments nest deeper than {MAX_DEPTH}"))
    }

    fn not_an_object() -> Self {
        Self::new(RejectionCode::NotAnObject, "the arguments are JSON, but not an object")
    }
}

/// Reads the arguments. A tool without parameters is called without any.
pub(in crate::provider) fn read(
    value: Option<&Value>,
    spelling: Spelling,
    repair: Repair,
) -> Result<Read, Refused> {
    match value {
        None | Some(Value::Null) => Ok(none("the call carries no arguments")),
        Some(Value::String(text)) => {
            let mut read = read_text(text, RejectionCode::BadJson, repair)?;
            if spelling == Spelling::Object
                && !read.notes.iter().any(|note| is_empty_note(note.code))
            {
                read.notes.insert(0, double_encoded());
            }
            Ok(read)
        }
        Some(value) => read_value(value),
    }
}

/// Reads the arguments of a call of any form, as JSON text; none are an empty object.
pub(crate) fn arguments_of(value: &Value) -> Result<String, (RejectionCode, String)> {
    let read = read(Some(value), Spelling::Either, Repair::Off);
    read.map(|read| read.json).map_err(|refused| (refused.code, refused.message))
}

/// Reads arguments that are JSON text; `cut` is the code for text that ends too early.
pub(in crate::provider) fn read_text(
    text: &str,
    cut: RejectionCode,
    repair: Repair,
) -> Result<Read, Refused> {
    if text.trim_ascii().is_empty() {
        return Ok(none("the arguments are empty text"));
    }
    let parsed = match parse(text, cut) {
        Err(refused) if refused.code == RejectionCode::BadJson && repair == Repair::Safe => {
            return repaired(text).ok_or(refused);
        }
        parsed => parsed?,
    };
    match parsed {
        Value::Null => Ok(none("the arguments are the text null")),
        // The text was encoded twice: it is decoded once more, and no further.
        Value::String(inner) => match parse(&inner, RejectionCode::BadJson) {
            Ok(value @ Value::Object(_)) => {
                let mut notes = vec![double_encoded()];
                notes.extend(Survey::of(&inner).notes(&value));
                Ok(Read { json: inner, notes })
            }
            Err(refused) if refused.code == RejectionCode::TooDeep => Err(refused),
            Err(refused) if refused.code == RejectionCode::BadJson && repair == Repair::Safe => {
                let mut read = repaired(&inner).ok_or_else(Refused::not_an_object)?;
                read.notes.insert(0, double_encoded());
                Ok(read)
            }
            _ => Err(Refused::not_an_object()),
        },
        Value::Array(items) if items.is_empty() => Ok(empty_array()),
        value @ Value::Object(_) => {
            Ok(Read { json: text.to_owned(), notes: Survey::of(text).notes(&value) })
        }
        _ => Err(Refused::not_an_object()),
    }
}

/// The JSON of an object that a text almost is; none for what is JSON, and for what cannot be
/// repaired.
pub(crate) fn repaired_arguments(text: &str) -> Option<String> {
    let is_json = parse_json(text.as_bytes()).is_ok();
    if is_json { None } else { repaired(text).map(|read| read.json) }
}

/// Repairs a text that is almost JSON; none if it cannot be repaired.
fn repaired(text: &str) -> Option<Read> {
    let tolerance = Tolerance { depth: MAX_DEPTH, bytes: usize::MAX, repair: Repair::Safe };
    let read = read_arguments(text.as_bytes(), tolerance).ok()?;
    let json = read.json(text.as_bytes()).into_string();
    let value = parse_json(json.as_bytes()).ok()?;
    let mut notes = read.notes;
    notes.extend(Survey::of(&json).notes(&value));
    Some(Read { json, notes })
}

/// Reads arguments that are not written as text.
fn read_value(value: &Value) -> Result<Read, Refused> {
    if is_deeper(value, MAX_DEPTH) {
        return Err(Refused::too_deep());
    }
    match value {
        Value::Array(items) if items.is_empty() => Ok(empty_array()),
        Value::Object(_) => {
            let json = value.to_string();
            let survey = Survey::of(&json);
            // The program has decoded the object, and most decoders lose the digits.
            if survey.beyond {
                let message = "a number in the arguments is not finite";
                return Err(Refused::new(RejectionCode::BadNumber, message));
            }
            Ok(Read { notes: survey.notes(value), json })
        }
        _ => Err(Refused::not_an_object()),
    }
}

fn parse(text: &str, cut: RejectionCode) -> Result<Value, Refused> {
    parse_json(text.as_bytes()).map_err(|error| {
        let code = match error.kind {
            ParseErrorKind::TooDeep => return Refused::too_deep(),
            ParseErrorKind::Cut => cut,
            ParseErrorKind::Syntax => RejectionCode::BadJson,
        };
        Refused::new(code, format!("the arguments are not JSON: {error}"))
    })
}

/// Whether a value nests deeper than a limit; the search stops at the limit.
pub(in crate::provider) fn is_deeper(value: &Value, limit: usize) -> bool {
    let Some(below) = limit.checked_sub(1) else {
        return value.is_array() || value.is_object();
    };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper(item, below)),
        Value::Object(entries) => entries.values().any(|entry| is_deeper(entry, below)),
        _ => false,
    }
}

fn none(message: &str) -> Read {
    Read { json: "{}".to_owned(), notes: vec![note(DiagnosticCode::NoArguments, message)] }
}

fn empty_array() -> Read {
    let message = "[] counts as the empty object";
    Read { json: "{}".to_owned(), notes: vec![note(DiagnosticCode::EmptyArray, message)] }
}

fn double_encoded() -> Diagnostic {
    note(DiagnosticCode::DoubleEncoded, "the arguments were a text that holds JSON")
}

fn is_empty_note(code: DiagnosticCode) -> bool {
    matches!(code, DiagnosticCode::NoArguments | DiagnosticCode::DoubleEncoded)
}

fn note(code: DiagnosticCode, message: &str) -> Diagnostic {
    Diagnostic { code, message: message.to_owned(), offset: 0 }
}

/// Facts about JSON text that its parsed value does not show.
#[derive(Debug, Default, PartialEq, Eq)]
struct Survey {
    /// How many entries the text's objects have, repeated keys included.
    entries: usize,
    /// Whether an integer exceeds 64 bits.
    big: bool,
    /// Whether a number exceeds a float.
    beyond: bool,
}

impl Survey {
    /// Surveys a text; each byte is read once.
    fn of(text: &str) -> Self {
        let mut survey = Self::default();
        let mut rest = text.as_bytes();
        while let [byte, behind @ ..] = rest {
            let from = rest;
            rest = behind;
            match byte {
                b'"' => rest = behind_string(behind),
                b':' => survey.entries += 1,
                b'-' | b'0'..=b'9' => {
                    let more = behind.iter().take_while(|byte| is_part_of_number(**byte)).count();
                    let (tail, after) = behind.split_at(more);
                    let number = from.get(..=more).unwrap_or_default();
                    survey.big |= is_big(*byte, tail);
                    survey.beyond |= exceeds_float(number);
                    rest = after;
                }
                _ => {}
            }
        }
        survey
    }

    fn notes(&self, value: &Value) -> Vec<Diagnostic> {
        let mut notes = Vec::new();
        if count(value) < self.entries {
            notes.push(note(
                DiagnosticCode::DuplicateKey,
                "an object repeats a key; the last one counts",
            ));
        }
        if self.big {
            notes.push(note(DiagnosticCode::BigInteger, "an integer exceeds 64 bits"));
        }
        if self.beyond {
            notes.push(note(DiagnosticCode::BigNumber, "a number exceeds a float"));
        }
        notes
    }
}

/// Whether a number is an integer that does not fit into a signed 64-bit integer.
fn is_big(first: u8, tail: &[u8]) -> bool {
    let digits = tail.len() + usize::from(first != b'-');
    digits >= 19
        && tail.iter().all(u8::is_ascii_digit)
        && std::str::from_utf8(tail)
            .is_ok_and(|tail| format!("{}{tail}", char::from(first)).parse::<i64>().is_err())
}

/// How many entries the objects of a value have.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(entries) => entries.len() + entries.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn codes(text: &str) -> Vec<DiagnosticCode> {
        read_text(text, RejectionCode::BadJson, Repair::Off)
            .unwrap()
            .notes
            .iter()
            .map(|note| note.code)
            .collect()
    }

    #[test]
    fn text_is_kept_as_it_is() {
        let text = " {\"b\": 1.50,\n\"a\": 1e300, \"c\":{}} ";
        assert_eq!(
            read_text(text, RejectionCode::BadJson, Repair::Off),
            Ok(Read { json: text.into(), notes: vec![] })
        );
    }

    #[test]
    fn notes_tell_what_a_value_does_not() {
        assert_eq!(codes(r#"{"a":1,"a":2}"#), [DiagnosticCode::DuplicateKey]);
        assert_eq!(codes(r#"{"a":{"b:":"::","c":[{"d":1},{"d":2}]}}"#), []);
        assert_eq!(codes(r#"{"a":9223372036854775808}"#), [DiagnosticCode::BigInteger]);
        for text in [r#"{"a":1e309}"#, r#"{"a":[-17.9E+400]}"#] {
            assert_eq!(codes(text), [DiagnosticCode::BigNumber], "{text}");
        }
        assert_eq!(codes(r#"{"1e400":"1e400","a":1e-400}"#), []);
        assert_eq!(codes(r#"{"a":-9223372036854775808,"b":123456789012345678901.5}"#), []);
        assert_eq!(
            codes(r#""{\"a\":1,\"a\":2}""#),
            [DiagnosticCode::DoubleEncoded, DiagnosticCode::DuplicateKey]
        );
    }

    #[test]
    fn what_is_not_an_object_is_refused() {
        let read = |text: &str| read_text(text, RejectionCode::Incomplete, Repair::Off);
        let code = |text: &str| read(text).unwrap_err().code;
        for text in ["1", "[1]", "\"x\"", "\"[]\"", r#""\"{}\"""#] {
            assert_eq!(code(text), RejectionCode::NotAnObject, "{text}");
        }
        for text in ["{]", "{\"a\":1}}", "x", "{'a':1}"] {
            assert_eq!(code(text), RejectionCode::BadJson, "{text}");
        }
        for text in ["{", "{\"a", "{\"a\":[1,2"] {
            assert_eq!(code(text), RejectionCode::Incomplete, "{text}");
        }
    }

    #[test]
    fn depth_is_bounded_in_text_and_in_values() {
        let text = |depth: usize| "{\"a\":".repeat(depth) + "1" + &"}".repeat(depth);
        let of_text =
            |depth| read_text(&text(depth), RejectionCode::BadJson, Repair::Safe).map(|_| ());
        assert!(of_text(128).is_ok());
        assert_eq!(of_text(129).unwrap_err().code, RejectionCode::TooDeep);
        let value = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!({ "a": inner }));
        assert!(read(Some(&value(128)), Spelling::Object, Repair::Off).is_ok());
        assert_eq!(
            read(Some(&value(129)), Spelling::Object, Repair::Off).unwrap_err().code,
            RejectionCode::TooDeep
        );
    }
}
