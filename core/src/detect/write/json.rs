//! JSON values whose numbers keep their text.
//!
//! `serde_json` writes `1E5` as `1e+5`; what is written here is `1E5`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::convert::Infallible;

use crate::json::scanner::Container;
use crate::json::visit::{ParseError, VisitError, VisitOptions, Visitor, visit_json};

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ExactJson {
    Null,
    Bool(bool),
    Number(Box<str>),
    Text(String),
    Array(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl ExactJson {
    /// Reads one value. Of a repeated key the last value counts.
    pub(super) fn parse(text: &[u8]) -> Result<Self, ParseError> {
        let mut builder = ExactJsonBuilder { open: Vec::new(), whole: Self::Null };
        match visit_json(text, VisitOptions::default(), &mut builder) {
            Ok(()) => Ok(builder.whole),
            Err(VisitError::Text(error)) => Err(error),
            Err(VisitError::Visitor(never)) => match never {},
        }
    }

    /// The type of the value, by its name in JSON Schema.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

/// An object or an array that is being read.
enum OpenContainer {
    Object { members: Vec<(String, ExactJson)>, places: HashMap<String, usize>, key: String },
    Array(Vec<ExactJson>),
}

struct ExactJsonBuilder {
    open: Vec<OpenContainer>,
    whole: ExactJson,
}

impl ExactJsonBuilder {
    fn take(&mut self, value: ExactJson) {
        match self.open.last_mut() {
            Some(OpenContainer::Object { members, places, key }) => {
                let key = std::mem::take(key);
                let known = places.get(&key).and_then(|place| members.get_mut(*place));
                if let Some((_, known)) = known {
                    *known = value;
                    return;
                }
                places.insert(key.clone(), members.len());
                members.push((key, value));
            }
            Some(OpenContainer::Array(items)) => items.push(value),
            None => self.whole = value,
        }
    }
}

impl Visitor<'_> for ExactJsonBuilder {
    type Error = Infallible;

    fn open(&mut self, container: Container) -> Result<(), Infallible> {
        self.open.push(match container {
            Container::Object => OpenContainer::Object {
                members: Vec::new(),
                places: HashMap::new(),
                key: String::new(),
            },
            Container::Array => OpenContainer::Array(Vec::new()),
        });
        Ok(())
    }

    fn close(&mut self, _: Container) -> Result<(), Infallible> {
        match self.open.pop() {
            Some(OpenContainer::Object { members, .. }) => self.take(ExactJson::Object(members)),
            Some(OpenContainer::Array(items)) => self.take(ExactJson::Array(items)),
            None => {}
        }
        Ok(())
    }

    fn key(&mut self, name: Cow<'_, str>) -> Result<(), Infallible> {
        if let Some(OpenContainer::Object { key, .. }) = self.open.last_mut() {
            *key = name.into_owned();
        }
        Ok(())
    }

    fn text(&mut self, text: Cow<'_, str>) -> Result<(), Infallible> {
        self.take(ExactJson::Text(text.into_owned()));
        Ok(())
    }

    fn number(&mut self, digits: &str) -> Result<(), Infallible> {
        self.take(ExactJson::Number(digits.into()));
        Ok(())
    }

    fn boolean(&mut self, value: bool) -> Result<(), Infallible> {
        self.take(ExactJson::Bool(value));
        Ok(())
    }

    fn null(&mut self) -> Result<(), Infallible> {
        self.take(ExactJson::Null);
        Ok(())
    }
}
