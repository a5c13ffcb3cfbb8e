//! Builds a copy of a value.

use std::convert::Infallible;

use serde_json::Value;

use crate::tree::{Name, Tree};

/// Builds a copy from a host's own values.
pub trait Build<N: Tree> {
    /// The type of the built values.
    type Value;

    /// A text.
    fn text(&mut self, text: &[u8]) -> Self::Value;

    /// A value that is not a text, list or map.
    ///
    /// # Errors
    ///
    /// Any error that the host raises.
    fn leaf(&mut self, node: &N) -> Result<Self::Value, N::Error>;

    /// A list.
    fn list(&mut self, items: Vec<Self::Value>) -> Self::Value;

    /// A map, as a copy of the given node.
    ///
    /// # Errors
    ///
    /// Any error that the host raises.
    fn map(
        &mut self,
        node: &N,
        entries: Vec<(Name<'_, N>, Self::Value)>,
    ) -> Result<Self::Value, N::Error>;
}

/// Builds copies of JSON values, for hosts whose values are JSON.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonBuild;

impl<'v> Build<&'v Value> for JsonBuild {
    type Value = Value;

    fn text(&mut self, text: &[u8]) -> Value {
        Value::String(String::from_utf8_lossy(text).into_owned())
    }

    fn leaf(&mut self, node: &&'v Value) -> Result<Value, Infallible> {
        Ok((*node).clone())
    }

    fn list(&mut self, items: Vec<Value>) -> Value {
        Value::Array(items)
    }

    fn map(
        &mut self,
        _: &&'v Value,
        entries: Vec<(Name<'_, &'v Value>, Value)>,
    ) -> Result<Value, Infallible> {
        let named = entries.into_iter().map(|(name, value)| match name {
            Name::Text(text) => (String::from_utf8_lossy(&text).into_owned(), value),
            Name::Number(number) => (number.to_string(), value),
            Name::Node(node) => (node.to_string(), value),
        });
        Ok(Value::Object(named.collect()))
    }
}
