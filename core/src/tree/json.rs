//! JSON values as trees.

use std::borrow::Cow;
use std::convert::Infallible;

use serde_json::{Number, Value};

use super::key::Key;
use super::node::{Failure, Hint, Name, Tree, View};

/// Reads JSON values with Python's rules of truth.
///
/// Null, false, every zero, and an empty text, list or map are false. Everything else is true, even
/// `"0"`.
impl Tree for &Value {
    type Error = Infallible;

    #[inline]
    fn view(&self) -> View<'_> {
        match self {
            Value::Null => View::Null,
            Value::Bool(value) => View::Bool(*value),
            Value::Number(number) => view_number(number),
            Value::String(text) => View::Text(Cow::Borrowed(text.as_bytes())),
            Value::Array(items) => View::List(items.len()),
            Value::Object(entries) => View::Map(entries.len()),
        }
    }

    #[inline]
    fn get(&self, key: Key, _: &mut Hint) -> Result<Option<Self>, Infallible> {
        Ok(self.as_object().and_then(|entries| entries.get(key.slug())))
    }

    #[inline]
    fn member(&self, name: &str) -> Result<Option<Self>, Infallible> {
        Ok(self.as_object().and_then(|entries| entries.get(name)))
    }

    #[inline]
    fn address(&self) -> Option<usize> {
        Some(std::ptr::from_ref::<Value>(self).addr())
    }

    #[inline]
    fn truthy(&self) -> Result<bool, Infallible> {
        Ok(match self.view() {
            View::Null => false,
            View::Bool(value) => value,
            View::Int(value) => value != 0,
            View::Float(value) => value != 0.0,
            View::Text(text) => !text.is_empty(),
            View::List(length) | View::Map(length) => length > 0,
            View::BigInt | View::Opaque => true,
        })
    }

    fn entries<F>(&self, mut visit: F) -> Result<(), Failure<Infallible>>
    where
        F: FnMut(Name<'_, Self>, Self) -> Result<(), Failure<Infallible>>,
    {
        let entries = self.as_object().into_iter().flatten();
        for (name, value) in entries {
            visit(Name::Text(Cow::Borrowed(name.as_bytes())), value)?;
        }
        Ok(())
    }

    fn items<F>(&self, visit: F) -> Result<(), Failure<Infallible>>
    where
        F: FnMut(Self) -> Result<(), Failure<Infallible>>,
    {
        self.as_array().into_iter().flatten().try_for_each(visit)
    }

    fn display(&self, out: &mut Vec<u8>) -> Result<(), Infallible> {
        if let Value::Number(number) = self {
            out.extend_from_slice(number.as_str().as_bytes());
        }
        Ok(())
    }
}

/// The view of a JSON number by its spelling; whole without a fraction or an exponent, as in
/// Python.
fn view_number(number: &Number) -> View<'static> {
    let text = number.as_str();
    if let Ok(value) = text.parse::<i64>() {
        View::Int(value)
    } else if text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        text.parse().map_or(View::Opaque, View::Float)
    } else {
        View::BigInt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_json_number_keeps_its_kind() {
        assert_eq!((&parsed("-0")).view(), View::Int(0));
        assert_eq!((&parsed("9223372036854775807")).view(), View::Int(i64::MAX));
        assert_eq!((&parsed("9223372036854775808")).view(), View::BigInt);
        assert_eq!((&parsed("1.0")).view(), View::Float(1.0));
        assert_eq!((&parsed("1E2")).view(), View::Float(100.0));
        assert_eq!((&parsed("1e400")).view(), View::Float(f64::INFINITY));
    }

    #[test]
    fn truth_of_json_values() {
        for text in ["null", "false", "0", "0.0", "-0.0", "-0", "0e5", "1e-400", "\"\"", "[]", "{}"]
        {
            assert_eq!((&parsed(text)).truthy(), Ok(false), "{text}");
        }
        for text in
            ["true", "1", "-1", "0.1", "\"0\"", "\" \"", "[0]", "{\"a\":0}", "99999999999999999999"]
        {
            assert_eq!((&parsed(text)).truthy(), Ok(true), "{text}");
        }
    }
}
