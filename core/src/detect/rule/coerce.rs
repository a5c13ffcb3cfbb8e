//! Converts an argument to the type that its tool's schema names.
//!
//! Only the arguments themselves are converted, not the values inside them. A string becomes a
//! number, a boolean, null, an array or an object where it is written as one and the schema allows
//! no string. A number or a boolean becomes a string where the schema allows strings and not its
//! own type. Any other value that does not fit stays as it is.

use serde_json::Value;

use crate::detect::rule::schema::{Schema, ValueKinds};
use crate::detect::rule::typed::of_kinds;
use crate::json::outcome::Repair;
use crate::json::outcome::Tolerance;
use crate::json::parse::parse_json;

/// Arguments of which some were converted.
pub(crate) struct Coerced {
    pub(crate) json: String,
    /// The names of the converted arguments.
    pub(crate) names: Vec<String>,
}

/// Converts the arguments that do not fit; `None` when there is nothing to do.
pub(crate) fn coerce(arguments: &[u8], schema: &Schema, depth: usize) -> Option<Coerced> {
    let Ok(Value::Object(mut arguments)) = parse_json(arguments) else { return None };
    let mut names = Vec::new();
    for (name, value) in &mut arguments {
        if let Some(fitting) = fit(value, &schema.kinds(name), depth) {
            *value = fitting;
            names.push(name.clone());
        }
    }
    let json = serde_json::to_string(&arguments).ok()?;
    (!names.is_empty()).then_some(Coerced { json, names })
}

/// The value converted to one of the kinds; `None` when it is of one already or cannot be
/// converted.
fn fit(value: &Value, kinds: &ValueKinds, depth: usize) -> Option<Value> {
    if kinds.unknown() {
        return None;
    }
    match value {
        Value::String(text) if !kinds.text => {
            let tolerance = Tolerance { depth, bytes: text.len(), repair: Repair::Off };
            let typed = of_kinds(text.as_bytes(), Some(kinds), tolerance);
            typed.matches.then(|| parse_json(typed.json.as_bytes()).ok())?
        }
        Value::Number(number) if kinds.text && !kinds.number && !kinds.integer => {
            Some(Value::String(number.to_string()))
        }
        Value::Bool(flag) if kinds.text && !kinds.boolean => Some(Value::String(flag.to_string())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_can_be_made_to_fit_is_and_the_rest_stays() {
        let properties = json!({
            "n": {"type": "integer"}, "f": {"type": "boolean"}, "t": {"type": "string"},
            "l": {"type": ["array", "null"]}, "u": {}, "e": {"enum": [1, 2]},
        });
        let schema = Schema::new(json!({"properties": properties}));
        let made = |arguments: &str| {
            coerce(arguments.as_bytes(), &schema, 8).map(|made| (made.json, made.names))
        };
        let expected = r#"{"n":12345678901234567890,"f":true,"t":"1.50","l":[1],"e":2}"#;
        let (json, names) =
            made(r#"{"n":"12345678901234567890","f":"true","t":1.50,"l":"[1]","e":"2"}"#).unwrap();
        assert_eq!(json, expected);
        assert_eq!(names, ["n", "f", "t", "l", "e"]);
        assert_eq!(made(r#"{"n":"12a","f":"yes","t":null,"l":"x","u":"5","n2":"5"}"#), None);
        assert_eq!(made(r#"{"n":1,"f":false,"t":"x","l":null}"#), None);
    }
}
