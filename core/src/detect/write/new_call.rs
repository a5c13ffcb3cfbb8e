//! A call that is to be written.

use serde_json::Value;

use crate::call::ToolCall;
use crate::detect::rule::name::{MAX_NAME, is_name_byte};
use crate::detect::write::json::ExactJson;
use crate::error::{Error, ErrorKind};

/// A call that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCall {
    /// The tool's name.
    pub name: String,
    /// The arguments: the text of a JSON object. `[]` counts as the empty object.
    pub arguments: String,
    /// The id. It is written where the format has a place for one.
    pub id: Option<String>,
}

impl NewCall {
    /// A call without an id.
    pub fn new(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { name: name.into(), arguments: arguments.into(), id: None }
    }

    /// The same call with this id.
    #[must_use]
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// A call that was found in this text, with its id if the text gives one.
    #[must_use]
    pub fn of(call: &ToolCall, text: &[u8]) -> Self {
        let arguments = String::from_utf8_lossy(call.arguments_raw(text));
        let new = Self::new(call.name.as_str(), arguments);
        if call.id_given { new.with_id(call.id.as_str()) } else { new }
    }

    /// A call as an object with `name`, `arguments` (an object, or the text of one) and `id`.
    ///
    /// # Errors
    /// `wrong_type` for another shape, `invalid_option` for an unknown key.
    pub fn from_json(value: &Value) -> Result<Self, Error> {
        let shape = || {
            let message = "a call must be an object with name, arguments and, if it has one, id";
            Error::new(ErrorKind::WrongType, message)
        };
        let call = value.as_object().ok_or_else(shape)?;
        let known = |key: &&String| matches!(key.as_str(), "name" | "arguments" | "id");
        if let Some(key) = call.keys().find(|key| !known(key)) {
            let key = key.escape_debug();
            let message = format!("a call has name, arguments and id, but not \"{key}\"");
            return Err(Error::new(ErrorKind::InvalidOption, message));
        }
        let name = call.get("name").and_then(Value::as_str).ok_or_else(shape)?;
        let arguments = match call.get("arguments").ok_or_else(shape)? {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        let id = match call.get("id") {
            None | Some(Value::Null) => None,
            Some(Value::String(id)) => Some(id.clone()),
            Some(_) => return Err(shape()),
        };
        Ok(Self { name: name.to_owned(), arguments, id })
    }
}

/// A call whose name is valid, with its arguments parsed.
#[derive(Clone, Debug)]
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: Vec<(String, ExactJson)>,
    pub(super) id: Option<&'a str>,
}

impl<'a> Call<'a> {
    /// Checks the name and parses the arguments.
    pub(super) fn read(call: &'a NewCall) -> Result<Self, Error> {
        let name = call.name.as_str();
        if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(is_name_byte) {
            let message = format!(
                "a tool's name has 1 to 128 characters of A-Z a-z 0-9 _ . : / -, not \"{}\"",
                name.escape_debug()
            );
            return Err(Error::new(ErrorKind::CannotRender, message));
        }
        let invalid = |problem: &str| {
            let message = format!("the call of \"{name}\" cannot be written: {problem}");
            Error::new(ErrorKind::InvalidArguments, message)
        };
        let arguments = match ExactJson::parse(call.arguments.as_bytes()) {
            Ok(ExactJson::Object(arguments)) => arguments,
            Ok(ExactJson::Array(none)) if none.is_empty() => Vec::new(),
            Ok(_) => return Err(invalid("the arguments must be a JSON object")),
            Err(error) => return Err(invalid(&error.to_string()).at(error.offset)),
        };
        Ok(Self { name, arguments, id: call.id.as_deref().filter(|id| !id.is_empty()) })
    }
}
