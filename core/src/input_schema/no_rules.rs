//! What stands for the rules of a schema where the crate was built without a validator.

use serde_json::Value;

use crate::input_schema::problem::{Mismatch, Unusable};

/// The rules of a schema: there are none, so no schema can be built.
pub(super) enum NoRules {}

impl NoRules {
    pub(super) fn new(_schema: &Value) -> Result<Self, Unusable> {
        Err(Unusable::Invalid("toolwire was built without its feature `schema`".to_owned()))
    }

    pub(super) fn check(&self, _value: &Value) -> Result<(), Mismatch> {
        match *self {}
    }

    pub(super) fn integers_written(
        &self,
        _schema: &Value,
        _value: &Value,
    ) -> Result<Option<Value>, Mismatch> {
        match *self {}
    }
}
