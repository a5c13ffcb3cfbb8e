//! Options as a host hands them over: a name and a JSON value.

use serde_json::Value;

use crate::error::{Error, ErrorKind};
use crate::nearest::suggestion;

/// The deepest nesting of JSON that an option may ask for.
pub(crate) const DEEPEST: usize = 4096;

/// The error for an option that does not exist.
pub(crate) fn unknown(option: &str, known: &[&str]) -> Error {
    let (shown, known) = (option.escape_debug(), suggestion(option, known));
    Error::new(ErrorKind::UnknownOption, format!("unknown option \"{shown}\"{known}"))
}

/// The error for an option whose value is of the wrong type.
pub(crate) fn wrong_type(option: &str, expected: &str) -> Error {
    Error::new(ErrorKind::WrongType, format!("{option} must be {expected}"))
}

/// A list of texts.
pub(crate) fn texts(name: &str, value: &Value) -> Result<Vec<String>, Error> {
    let texts =
        value.as_array().map(|items| items.iter().map(|item| item.as_str().map(str::to_owned)));
    texts.and_then(Iterator::collect).ok_or_else(|| wrong_type(name, "a list of texts"))
}

/// Reads an option whose value is one of a few words.
pub(crate) fn word<W>(
    option: &str,
    value: &Value,
    allowed: &[&str],
    from_slug: impl Fn(&str) -> Option<W>,
) -> Result<W, Error> {
    let allowed = allowed.join(", ");
    let Value::String(word) = value else {
        return Err(wrong_type(option, &format!("one of {allowed}")));
    };
    from_slug(word).ok_or_else(|| {
        let message = format!("{option} must be one of {allowed}, not \"{}\"", word.escape_debug());
        Error::new(ErrorKind::InvalidOption, message)
    })
}

/// Reads an option whose value is a number from 1 to `most`.
pub(crate) fn count(option: &str, value: &Value, most: usize) -> Result<usize, Error> {
    let Value::Number(number) = value else { return Err(wrong_type(option, "a positive integer")) };
    let count = number.as_u64().and_then(|count| usize::try_from(count).ok());
    count.filter(|count| (1..=most).contains(count)).ok_or_else(|| {
        let range =
            if most == usize::MAX { "at least 1".to_owned() } else { format!("from 1 to {most}") };
        Error::new(
            ErrorKind::InvalidOption,
            format!("{option} must be an integer {range}, not {number}"),
        )
    })
}
