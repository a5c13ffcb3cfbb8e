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
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(Box<str>),
    Text(String),
    Array(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Json {
    /// Reads one value. Of a repeated key the last value counts.
    pub(super) fn parse(text: &[u8]) -> Result<Self, ParseError> {
        let mut builder = Builder { open: Vec::new(), whole: Self::Null };
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
enum Open {
    Object { members: Vec<(String, Json)>, places: HashMap<String, usize>, key: String },
    Array(Vec<Json>),
}

struct Builder {
    open: Vec<Open>,
    whole: Json,
}

impl Builder {
    fn take(&mut self, value: Json) {
        match self.open.last_mut() {
            Some(Open::Object { members, places, key }) => {
                let key = std::mem::take(key);
                let known = places.get(&key).and_then(|place| members.get_mut(*place));
                if let Some((_, known)) = known {
                    *known = value;
                    return;
                }
                places.insert(key.clone(), members.len());
                members.push((key, value));
            }
            Some(Open::Array(items)) => items.push(value),
            None => self.whole = value,
        }
    }
}

impl Visitor<'_> for Builder {
    type Error = Infallible;

    fn open(&mut self, container: Container) -> Result<(), Infallible> {
        self.open.push(match container {
            Container::Object => {
                Open::Object { members: Vec::new(), places: HashMap::new(), key: String::new() }
            }
            Container::Array => Open::Array(Vec::new()),
        });
        Ok(())
    }

    fn close(&mut self, _: Container) -> Result<(), Infallible> {
        match self.open.pop() {
            Some(Open::Object { members, .. }) => self.take(Json::Object(members)),
            Some(Open::Array(items)) => self.take(Json::Array(items)),
            None => {}
        }
        Ok(())
    }

    fn key(&mut self, name: Cow<'_, str>) -> Result<(), Infallible> {
        if let Some(Open::Object { key, .. }) = self.open.last_mut() {
            *key = name.into_owned();
        }
        Ok(())
    }

    fn text(&mut self, text: Cow<'_, str>) -> Result<(), Infallible> {
        self.take(Json::Text(text.into_owned()));
        Ok(())
    }

    fn number(&mut self, digits: &str) -> Result<(), Infallible> {
        self.take(Json::Number(digits.into()));
        Ok(())
    }

    fn boolean(&mut self, value: bool) -> Result<(), Infallible> {
        self.take(Json::Bool(value));
        Ok(())
    }

    fn null(&mut self) -> Result<(), Infallible> {
        self.take(Json::Null);
        Ok(())
    }
}
