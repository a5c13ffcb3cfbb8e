//! Integers that a model writes as floats: `5.0`, `1e3`.
//!
//! Which numbers a schema asks to be integers is found by one more validation: every integral float is made
//! half an integer, and where the schema now wants an integer, it asked for one. So references, combinations
//! and conditions mean here what they mean to the validator. A value without integral floats costs one walk.

use std::collections::HashMap;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::{Number, Value};

/// The most digits that an integer is given: what a 64-bit float can hold.
const MOST_DIGITS: usize = 309;

/// A value that matches its schema, with its integral floats as integers where the schema takes no other
/// numbers; none when there is nothing to change.
pub(crate) fn written(validator: &Validator, value: &Value) -> Option<Value> {
    if !holds_integral_float(value) {
        return None;
    }
    let mut halves = value.clone();
    let mut integers = HashMap::new();
    halve(&mut halves, &mut String::new(), &mut integers);
    let mut asked = HashMap::new();
    for error in validator.iter_errors(&halves) {
        collect(&error, &integers, &mut asked);
    }
    let mut whole = None;
    for (path, integer) in asked {
        let whole = whole.get_or_insert_with(|| value.clone());
        if let Some(place) = whole.pointer_mut(path) {
            *place = Value::Number(integer.clone());
        }
    }
    whole
}

fn holds_integral_float(value: &Value) -> bool {
    match value {
        Value::Number(number) => digits(number.as_str()).is_some(),
        Value::Array(items) => items.iter().any(holds_integral_float),
        Value::Object(entries) => entries.values().any(holds_integral_float),
        _ => false,
    }
}

/// Adds a half to every integral float, and notes the integer under its JSON Pointer.
fn halve(value: &mut Value, path: &mut String, integers: &mut HashMap<String, Number>) {
    let length = path.len();
    match value {
        Value::Number(number) => {
            let Some(digits) = digits(number.as_str()) else { return };
            let (Ok(integer), Ok(half)) = (digits.parse(), format!("{digits}.5").parse()) else { return };
            integers.insert(path.clone(), integer);
            *number = half;
        }
        Value::Array(items) => {
            for (place, item) in items.iter_mut().enumerate() {
                path.push('/');
                path.push_str(&place.to_string());
                halve(item, path, integers);
                path.truncate(length);
            }
        }
        Value::Object(entries) => {
            for (key, entry) in entries {
                path.push('/');
                path.push_str(&key.replace('~', "~0").replace('/', "~1"));
                halve(entry, path, integers);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

/// Notes the places at which an error asks for an integer, also inside alternatives of which none matches.
fn collect<'i>(
    error: &ValidationError<'_>,
    integers: &'i HashMap<String, Number>,
    asked: &mut HashMap<&'i str, &'i Number>,
) {
    let asks = match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            return context.iter().flatten().for_each(|error| collect(error, integers, asked));
        }
        ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => *kind == JsonType::Integer,
        ValidationErrorKind::Type { kind: TypeKind::Multiple(kinds) } => kinds.contains(JsonType::Integer),
        ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. } => true,
        _ => false,
    };
    if !asks {
        return;
    }
    let Some((path, integer)) = integers.get_key_value(error.instance_path().as_str()) else { return };
    let listed = |value: &Value| value.as_number().is_some_and(|number| number == integer);
    let listed = match error.kind() {
        ValidationErrorKind::Enum { options } => {
            options.as_array().is_some_and(|options| options.iter().any(listed))
        }
        ValidationErrorKind::Constant { expected_value } => listed(expected_value),
        _ => true,
    };
    if listed {
        asked.insert(path, integer);
    }
}

/// The digits of a number that is integral and not written as an integer.
fn digits(text: &str) -> Option<String> {
    if !text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        return None;
    }
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |text| ("-", text));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let joined = [whole, fraction].concat();
    let significant = joined.trim_start_matches('0');
    if significant.is_empty() {
        return Some("0".to_owned());
    }
    // How many digits stand before the point, without leading zeros.
    let shift: i64 = exponent.parse().ok()?;
    let leading = i64::try_from(joined.len() - significant.len()).ok()?;
    let before = i64::try_from(whole.len()).ok()?.checked_add(shift)?.checked_sub(leading)?;
    let before = usize::try_from(before).ok()?;
    let significant = significant.trim_end_matches('0');
    if before < significant.len() || before > MOST_DIGITS {
        return None;
    }
    Some(format!("{sign}{significant:0<before$}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn made(schema: &Value, text: &str) -> Option<String> {
        let validator = jsonschema::options().offline().build(schema).unwrap();
        let value: Value = serde_json::from_str(text).unwrap();
        assert!(validator.is_valid(&value), "{text}");
        written(&validator, &value).map(|value| value.to_string())
    }

    #[test]
    fn an_integral_float_has_digits() {
        for (text, expected) in [
            ("5.0", "5"),
            ("-5.000", "-5"),
            ("1e3", "1000"),
            ("1.50E+2", "150"),
            ("0.5e1", "5"),
            ("500e-2", "5"),
            ("-0.0", "0"),
            ("0e999", "0"),
            ("1e22", "10000000000000000000000"),
        ] {
            assert_eq!(digits(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["5", "-5", "5.5", "5e-1", "1e400", "1e99999999999999999999", "1e-400"] {
            assert_eq!(digits(text), None, "{text}");
        }
    }

    #[test]
    fn an_integral_float_becomes_an_integer_wherever_the_schema_asks_for_one() {
        let schema = json!({
            "$defs": {"id": {"type": "integer"}},
            "properties": {
                "id": {"$ref": "#/$defs/id"},
                "ids": {"type": "array", "prefixItems": [{"type": "number"}], "items": {"$ref": "#/$defs/id"}},
                "any": {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 1}]},
                "one": {"oneOf": [{"type": "boolean"}, {"type": ["integer", "null"]}]},
                "all": {"allOf": [{"type": "number"}, {"type": "integer"}]},
                "level": {"enum": [1, 2, "high"]},
                "a/b~": {"properties": {"n": {"type": "integer"}}},
                "float": {"type": "number"},
                "either": {"anyOf": [{"type": "integer"}, {"type": "number"}]},
            },
            "additionalProperties": {"type": "integer"},
        });
        let made = |text| made(&schema, text);
        assert_eq!(made(r#"{"id":5.0}"#).as_deref(), Some(r#"{"id":5}"#));
        assert_eq!(made(r#"{"ids":[1.0,2.0,3]}"#).as_deref(), Some(r#"{"ids":[1.0,2,3]}"#));
        let text = r#"{"any":2e0,"one":-3.0,"all":4.0,"level":1.0,"a/b~":{"n":0.0},"more":7.00}"#;
        let expected = r#"{"any":2,"one":-3,"all":4,"level":1,"a/b~":{"n":0},"more":7}"#;
        assert_eq!(made(text).as_deref(), Some(expected));
        for text in [r#"{"float":5.0,"either":5.0}"#, r#"{"id":5,"float":1.5}"#] {
            assert_eq!(made(text), None, "{text}");
        }
    }

    #[test]
    fn the_branch_that_matches_says_what_is_asked() {
        let branch = |kind: &str, n: &str| json!({"required": ["kind"], "properties": {"kind": {"const": kind}, "n": {"type": n}}});
        let schema = json!({"anyOf": [branch("a", "integer"), branch("b", "number")]});
        assert_eq!(made(&schema, r#"{"kind":"a","n":5.0}"#).as_deref(), Some(r#"{"kind":"a","n":5}"#));
        assert_eq!(made(&schema, r#"{"kind":"b","n":5.0}"#), None);
        let tree = json!({"properties": {"n": {"type": "integer"}, "in": {"$ref": "#"}}});
        let nested = r#"{"in":{"in":{"n":1.0}},"n":2.0}"#;
        assert_eq!(made(&tree, nested).as_deref(), Some(r#"{"in":{"in":{"n":1}},"n":2}"#));
    }

    proptest! {
        #[test]
        fn an_integer_is_found_however_it_is_written(number in any::<i64>(), zeros in 1_usize..20, shift in 0_usize..18) {
            let plain = number.to_string();
            prop_assert_eq!(digits(&format!("{number}.{}", "0".repeat(zeros))), Some(plain.clone()));
            let scaled = format!("{number}{}e-{shift}", "0".repeat(shift));
            prop_assert_eq!(digits(&scaled), Some(plain));
        }
    }
}
