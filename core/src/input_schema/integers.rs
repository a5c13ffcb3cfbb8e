//! Integers that a model writes as floats: `5.0`, `1e3`.
//!
//! A number with an integral value becomes an integer wherever a subschema that applies to it names
//! integers: by its `type`, or as a member of its `enum` or its `const`. The validator decides
//! which subschemas apply. In a copy of the schema, each subschema that names integers carries one
//! more keyword. The validator treats an unknown keyword as an annotation: it reports the
//! annotation for each value that the subschema applies to, and drops it where a branch does not
//! match. So references, conditions, combinations and `unevaluated…` have the same meaning here as
//! in the validator. A schema inside `not` names no integers, but a schema inside two `not`s does.
//!
//! A value without integral floats costs one walk. Any other value costs one more evaluation.

use jsonschema::Validator;
use serde_json::{Map, Number, Value};

use crate::input_schema::looks::{CountedJson, Look, Looks, options};

/// The most digits that an integer is written with: as many as a 64-bit float can have.
const MOST_DIGITS: usize = 309;

/// The keyword that marks integers: `true` for all integers, a list for certain ones.
const MARK: &str = "x-toolwire-integers";

/// The keywords whose value is not a schema and holds none.
const VALUES: [&str; 4] = ["const", "enum", "default", "examples"];

/// The keywords whose value is an object with a schema under each name.
const NAMED: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// The part of a schema that names integers.
pub(crate) struct Integers {
    validator: Validator<CountedJson>,
}

impl Integers {
    /// Takes a schema that a validator was built from; `None` if the marked copy cannot be built.
    pub(crate) fn new(schema: &Value) -> Option<Self> {
        let validator = options().build(&marked(schema)).ok()?;
        Some(Self { validator })
    }

    /// The value with integers in place of integral floats where the schema names integers; `None`
    /// when nothing changes. The value must match the schema.
    pub(crate) fn written(&self, value: &Value, looks: &Looks) -> Option<Value> {
        let evaluation = self.validator.evaluate(Look::new(value, looks));
        let mut whole = None;
        for entry in evaluation.iter_annotations() {
            let Some(mark) = entry.annotations.value().get(MARK) else { continue };
            let path = entry.instance_location.as_str();
            let Some(integer) = value.pointer(path).and_then(integer) else { continue };
            let named = match mark.as_array() {
                Some(listed) => listed.iter().any(|listed| listed.as_number() == Some(&integer)),
                None => true,
            };
            if named
                && let Some(place) = whole.get_or_insert_with(|| value.clone()).pointer_mut(path)
            {
                *place = Value::Number(integer);
            }
        }
        whole
    }
}

/// Whether a value holds an integral number that is not written as an integer.
pub(crate) fn holds_integral_float(value: &Value) -> bool {
    match value {
        Value::Number(_) => integer(value).is_some(),
        Value::Array(items) => items.iter().any(holds_integral_float),
        Value::Object(entries) => entries.values().any(holds_integral_float),
        _ => false,
    }
}

/// The integer for an integral number that is not written as an integer.
fn integer(value: &Value) -> Option<Number> {
    digits(value.as_number()?.as_str())?.parse().ok()
}

/// A copy of a schema in which each subschema that names integers carries an annotation.
fn marked(schema: &Value) -> Value {
    match schema {
        Value::Array(schemas) => schemas.iter().map(marked).collect(),
        Value::Object(keywords) => Value::Object(marked_keywords(keywords)),
        other => other.clone(),
    }
}

fn marked_keywords(keywords: &Map<String, Value>) -> Map<String, Value> {
    let mut copy = Map::with_capacity(keywords.len() + 1);
    for (keyword, value) in keywords.iter().filter(|(keyword, _)| *keyword != MARK) {
        let value = match value {
            value if VALUES.contains(&keyword.as_str()) => value.clone(),
            Value::Object(named) if NAMED.contains(&keyword.as_str()) => {
                named.iter().map(|(name, schema)| (name.clone(), marked(schema))).collect()
            }
            schema => marked(schema),
        };
        copy.insert(keyword.clone(), value);
    }
    if let Some(mark) = mark(keywords) {
        copy.insert(MARK.to_owned(), mark);
    }
    if let Some(schema) = keywords.get("not").and_then(lone_not)
        && let Value::Array(all) = copy.entry("allOf").or_insert_with(|| Value::Array(Vec::new()))
    {
        all.push(marked(schema));
    }
    copy
}

/// The schema under `not`, for a schema that holds no other keyword.
fn lone_not(schema: &Value) -> Option<&Value> {
    schema.as_object().filter(|keywords| keywords.len() == 1)?.get("not")
}

/// The integers that a schema itself names.
fn mark(keywords: &Map<String, Value>) -> Option<Value> {
    let is_integer = |kind: &Value| kind == "integer";
    let by_type = match keywords.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is_integer),
        Some(kind) => is_integer(kind),
        None => false,
    };
    if by_type {
        return Some(Value::Bool(true));
    }
    let listed = keywords.get("enum").and_then(Value::as_array).into_iter().flatten();
    let listed = listed.chain(keywords.get("const")).filter(|listed| listed.is_number()).cloned();
    let listed: Vec<Value> = listed.collect();
    (!listed.is_empty()).then_some(Value::Array(listed))
}

/// The digits of an integral number that is not written as an integer.
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
    // The number of digits before the point, without leading zeros.
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
    use std::borrow::Cow;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::input_schema::InputSchema;

    fn made(schema: &Value, text: &str) -> Option<String> {
        let value: Value = serde_json::from_str(text).unwrap();
        let schema = InputSchema::new("tool", schema).unwrap();
        match schema.validate(&value).unwrap() {
            Cow::Borrowed(_) => None,
            Cow::Owned(value) => Some(value.to_string()),
        }
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
    fn an_integral_float_becomes_an_integer_wherever_the_schema_names_integers() {
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
                "half": {"enum": [0.5, 1.0]},
                "either": {"anyOf": [{"type": "integer"}, {"type": "number"}]},
            },
            "additionalProperties": {"type": "integer"},
        });
        let made = |text| made(&schema, text);
        assert_eq!(made(r#"{"id":5.0}"#).as_deref(), Some(r#"{"id":5}"#));
        assert_eq!(made(r#"{"ids":[1.0,2.0,3]}"#).as_deref(), Some(r#"{"ids":[1.0,2,3]}"#));
        let text = r#"{"any":2e0,"one":-3.0,"all":4.0,"level":1.0,"a/b~":{"n":0.0},"either":5.0,"more":7.00}"#;
        let expected = r#"{"any":2,"one":-3,"all":4,"level":1,"a/b~":{"n":0},"either":5,"more":7}"#;
        assert_eq!(made(text).as_deref(), Some(expected));
        for text in [r#"{"float":5.0,"half":1.0}"#, r#"{"id":5,"float":1.5}"#] {
            assert_eq!(made(text), None, "{text}");
        }
    }

    #[test]
    fn the_branch_that_matches_says_what_is_named() {
        let branch = |kind: &str, n: &str| json!({"required": ["kind"], "properties": {"kind": {"const": kind}, "n": {"type": n}}});
        let schema = json!({"anyOf": [branch("a", "integer"), branch("b", "number")]});
        assert_eq!(
            made(&schema, r#"{"kind":"a","n":5.0}"#).as_deref(),
            Some(r#"{"kind":"a","n":5}"#)
        );
        assert_eq!(made(&schema, r#"{"kind":"b","n":5.0}"#), None);
        let tree = json!({"properties": {"n": {"type": "integer"}, "in": {"$ref": "#"}}});
        let nested = r#"{"in":{"in":{"n":1.0}},"n":2.0}"#;
        assert_eq!(made(&tree, nested).as_deref(), Some(r#"{"in":{"in":{"n":1}},"n":2}"#));
    }

    #[test]
    fn one_number_does_not_decide_what_another_one_becomes() {
        let then = json!({"properties": {"post_id": {"type": "integer"}}});
        let when = |n: Value| json!({"if": {"properties": {"n": n}}, "then": then});
        let made = |schema: &Value, text| made(schema, text).unwrap();
        let both = r#"{"n":5,"post_id":7}"#;
        assert_eq!(made(&when(json!({"const": 5})), r#"{"n":5.0,"post_id":7.0}"#), both);
        let mut typed = when(json!({"const": 5}));
        typed["properties"] = json!({"n": {"type": "integer"}});
        assert_eq!(made(&typed, r#"{"n":5.0,"post_id":7.0}"#), both);
        let switched = json!({"anyOf": [
            {"properties": {"n": {"maximum": 5}, "post_id": {"type": "integer"}}},
            {"properties": {"n": {"exclusiveMinimum": 5}, "post_id": {"type": "number"}}},
        ]});
        assert_eq!(made(&switched, r#"{"n":5.0,"post_id":7.0}"#), r#"{"n":5.0,"post_id":7}"#);
    }

    #[test]
    fn what_no_other_keyword_evaluates_and_what_is_not_no_integer_are_integers() {
        let made = |schema: Value, text| made(&schema, text).unwrap();
        let rest = json!({"properties": {"a": true}, "unevaluatedProperties": {"type": "integer"}});
        assert_eq!(made(rest, r#"{"a":1.0,"n":7.0}"#), r#"{"a":1.0,"n":7}"#);
        let rest = json!({"prefixItems": [true], "unevaluatedItems": {"type": "integer"}});
        assert_eq!(made(rest, "[1.0,7.0]"), "[1.0,7]");
        let twice = json!({"properties": {"n": {"not": {"not": {"type": "integer"}}}}});
        assert_eq!(made(twice, r#"{"n":7.0}"#), r#"{"n":7}"#);
    }

    #[test]
    fn names_and_values_in_a_schema_are_no_schemas() {
        let schema = json!({"properties": {
            "type": {"type": "integer"},
            "enum": {"type": "number"},
            "like": {"const": {"type": "integer"}},
        }});
        let text = r#"{"type":1.0,"enum":2.0,"like":{"type":"integer"}}"#;
        let expected = r#"{"type":1,"enum":2.0,"like":{"type":"integer"}}"#;
        assert_eq!(made(&schema, text).as_deref(), Some(expected));
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
