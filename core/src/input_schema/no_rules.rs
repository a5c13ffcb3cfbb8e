//! What stands for the rules of a schema where the crate was built without a validator.

use serde_json::Value;

/// The rules of a schema: there are none, so no schema can be built.
pub(super) enum NoRules {}

impl NoRules {
    pub(super) fn new(_schema: &Value) -> Result<Self, String> {
        Err("toolwire was built without its feature `schema`".to_owned())
    }

    pub(super) fn problems(&self, _value: &Value) -> Vec<(String, String)> {
        match *self {}
    }

    pub(super) fn integers_written(&self, _schema: &Value, _value: &Value) -> Option<Value> {
        match *self {}
    }
}
