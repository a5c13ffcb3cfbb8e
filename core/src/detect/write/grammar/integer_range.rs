//! Integers that rules of our own hold.

use serde_json::{Map, Value};

use super::kinds::kinds;

/// The most integers that own rules list.
const MOST_INTEGERS: i64 = 256;

/// Integers that own rules hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntegerRange {
    /// All of them from this one, 0 or 1, on.
    From(i64),
    /// These, which are few.
    Between(i64, i64),
}

impl IntegerRange {
    /// What a schema allows; `None` where it names no range, or one that is not held.
    pub(super) fn of(schema: &Map<String, Value>) -> Option<Self> {
        if !kinds(schema.get("type")).iter().all(|kind| *kind != "number") {
            return None;
        }
        let bound = |key: &str, exclusive: &str, step: i64| {
            let inclusive = schema.get(key).map(Value::as_i64);
            let exclusive = schema.get(exclusive).map(|bound| Some(bound.as_i64()? + step));
            match (inclusive, exclusive) {
                (None, None) => Some(None),
                (Some(bound), None) | (None, Some(bound)) => bound.map(Some),
                (Some(one), Some(other)) => {
                    let (one, other) = (one?, other?);
                    Some(Some(if step > 0 { one.max(other) } else { one.min(other) }))
                }
            }
        };
        let least = bound("minimum", "exclusiveMinimum", 1)?;
        let most = bound("maximum", "exclusiveMaximum", -1)?;
        match (least, most) {
            (Some(least @ (0 | 1)), None) => Some(Self::From(least)),
            (Some(least), Some(most))
                if (0..MOST_INTEGERS).contains(&most.saturating_sub(least)) =>
            {
                Some(Self::Between(least, most))
            }
            _ => None,
        }
    }
}
