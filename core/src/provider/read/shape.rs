//! Where a provider's object has the parts of a call, as data, and what is seen of an object.

use serde_json::{Map, Value};

use super::arguments::Spelling;
use crate::provider::kind::Provider;

/// The object that a provider writes.
pub(in crate::provider) type JsonObject = Map<String, Value>;

/// Which members beside a call are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider) enum Kept {
    /// None: the object is not written in this shape.
    Nothing,
    /// A signature, which belongs beside the object.
    Signature,
    /// Every member that is not the call's own.
    All,
}

/// Where a provider's object has the parts of a call.
#[derive(Clone, Copy, Debug)]
pub(in crate::provider) struct Shape {
    pub(in crate::provider) provider: Provider,
    /// The keys that lead to the id; empty if there is no id.
    pub(in crate::provider) id: &'static [&'static str],
    /// The keys that lead to the name.
    pub(in crate::provider) name: &'static [&'static str],
    /// The keys that lead to the arguments.
    pub(in crate::provider) arguments: &'static [&'static str],
    pub(in crate::provider) spelling: Spelling,
    /// What is kept of the object's other members.
    pub(in crate::provider) kept: Kept,
    /// The key under which the call is written, if it is not the key under which it is read.
    pub(in crate::provider) written_key: Option<&'static str>,
    /// The key of a text that says why the call could not be resolved, if there is such a key.
    pub(in crate::provider) error: Option<&'static str>,
}

impl Shape {
    pub(in crate::provider) const fn new(
        provider: Provider,
        id: &'static [&'static str],
        name: &'static [&'static str],
        arguments: &'static [&'static str],
    ) -> Self {
        let (spelling, kept) = (Spelling::Object, Kept::Nothing);
        Self { provider, id, name, arguments, spelling, kept, written_key: None, error: None }
    }

    pub(in crate::provider) const fn text(self) -> Self {
        Self { spelling: Spelling::Text, ..self }
    }

    pub(in crate::provider) const fn either(self) -> Self {
        Self { spelling: Spelling::Either, ..self }
    }

    pub(in crate::provider) const fn keeping(self, kept: Kept) -> Self {
        Self { kept, ..self }
    }

    pub(in crate::provider) const fn from(self, provider: Provider) -> Self {
        Self { provider, ..self }
    }
}

/// An object that may be a call or a result.
#[derive(Clone, Copy, Debug)]
pub(in crate::provider) struct SeenObject<'v> {
    pub(in crate::provider) object: &'v JsonObject,
    /// The object's type; empty if it has none.
    pub(in crate::provider) kind: &'v str,
    /// The provider that the objects around it hint at, or that the caller named.
    pub(in crate::provider) near: Option<Provider>,
}

impl<'v> SeenObject<'v> {
    pub(in crate::provider) fn new(object: &'v JsonObject, near: Option<Provider>) -> Self {
        Self { object, kind: text(object, "type").unwrap_or_default(), near }
    }

    pub(in crate::provider) fn has(&self, key: &str) -> bool {
        self.object.contains_key(key)
    }

    pub(in crate::provider) fn get(&self, key: &str) -> Option<&'v Value> {
        self.object.get(key)
    }

    pub(in crate::provider) fn text(&self, key: &str) -> Option<&'v str> {
        text(self.object, key)
    }
}

/// The text under a key.
pub(in crate::provider) fn text<'v>(object: &'v JsonObject, key: &str) -> Option<&'v str> {
    object.get(key).and_then(Value::as_str)
}

/// Whether a member is true.
pub(in crate::provider) fn is_true(object: &JsonObject, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// The value under a path of keys.
pub(in crate::provider) fn at<'v>(object: &'v JsonObject, path: &[&str]) -> Option<&'v Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(object.get(*first)?, |value, key| value.get(*key))
}

/// An id: a text or, in MCP, a number. An empty id counts as missing.
pub(in crate::provider) fn id_of(value: &Value) -> Option<String> {
    match value {
        // Mistral's library writes the text `null` for an id that is not there.
        Value::String(id) if !id.is_empty() && id != "null" => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}
