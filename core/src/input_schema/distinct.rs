//! Whether the items of a list differ, in linear time.
//!
//! The validator's own search compares all items whose hashes agree, and lists can be made whose
//! hashes all agree. Here the hash knows the brackets, the types and the digits of a value, and has
//! a key that nobody knows.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use jsonschema::json::cmp::equal;
use serde_json::Value;

/// Whether all items differ, as JSON Schema compares values: `1` and `1.0` are equal.
pub(super) fn are_distinct(items: &[Value]) -> bool {
    let mut seen = HashSet::with_capacity(items.len());
    items.iter().all(|item| seen.insert(ComparedItem(item)))
}

struct ComparedItem<'v>(&'v Value);

impl PartialEq for ComparedItem<'_> {
    fn eq(&self, other: &Self) -> bool {
        equal(self.0, other.0)
    }
}

impl Eq for ComparedItem<'_> {}

impl Hash for ComparedItem<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self.0).hash(state);
        match self.0 {
            Value::Null => {}
            Value::Bool(item) => item.hash(state),
            Value::Number(item) => Decimal::of(item.as_str()).hash(state),
            Value::String(item) => item.hash(state),
            Value::Array(items) => {
                items.len().hash(state);
                for item in items {
                    Self(item).hash(state);
                }
            }
            Value::Object(entries) => {
                let mut sorted: Vec<_> = entries.iter().collect();
                sorted.sort_unstable_by_key(|(key, _)| *key);
                sorted.len().hash(state);
                for (key, value) in sorted {
                    key.hash(state);
                    ComparedItem(value).hash(state);
                }
            }
        }
    }
}

/// A number by its digits: equal numbers have equal digits, however they are written.
#[derive(Hash)]
struct Decimal {
    is_negative: bool,
    /// Without zeros at either end.
    digits: String,
    /// The place of the point, counted from the first digit; zero for the number zero.
    point: i64,
}

impl Decimal {
    fn of(text: &str) -> Self {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let joined = [whole, fraction].concat();
        let digits = joined.trim_start_matches('0');
        let leading = i64::try_from(joined.len() - digits.len()).unwrap_or(i64::MAX);
        let digits = digits.trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Self { is_negative: false, digits, point: 0 };
        }
        let whole = i64::try_from(whole.len()).unwrap_or(i64::MAX);
        let exponent: i64 = exponent.parse().unwrap_or_default();
        let point = whole.saturating_sub(leading).saturating_add(exponent);
        Self { is_negative, digits, point }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distinct(text: &str) -> bool {
        let value: Value = serde_json::from_str(text).unwrap();
        are_distinct(value.as_array().unwrap())
    }

    #[test]
    fn equal_values_are_found_however_they_are_written() {
        for same in [
            "[1,2,1.0]",
            "[0,-0.0]",
            "[100,1e2]",
            "[0.5,5e-1]",
            r#"[{"a":1,"b":[2]},{"b":[2.0],"a":1}]"#,
            "[[],[]]",
            "[null,1,null]",
        ] {
            assert!(!distinct(same), "{same}");
        }
        for different in
            ["[]", "[1]", "[1,2,\"1\",true,null,[1],{}]", "[[1],[1,[]],[[1]]]", "[1,10,0.1,-1]"]
        {
            assert!(distinct(different), "{different}");
        }
    }
}
