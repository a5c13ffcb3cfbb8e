//! A call that is to be written.

use crate::detect::rule::name::{MAX_NAME, is_name_byte};
use crate::detect::write::json::Json;
use crate::error::{Error, ErrorKind};

/// A call that is to be written.
#[derive(Clone, Copy, Debug)]
pub struct NewCall<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// The arguments: the text of a JSON object. `[]` counts as the empty object.
    pub arguments: &'a str,
    /// The id. It is written where the format has a place for one.
    pub id: Option<&'a str>,
}

/// A call whose name is valid, with its arguments parsed.
#[derive(Clone, Debug)]
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: Vec<(String, Json)>,
    pub(super) id: Option<&'a str>,
}

impl<'a> Call<'a> {
    /// Checks the name and parses the arguments.
    pub(super) fn read(call: &NewCall<'a>) -> Result<Self, Error> {
        let name = call.name;
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
        let arguments = match Json::parse(call.arguments.as_bytes()) {
            Ok(Json::Object(arguments)) => arguments,
            Ok(Json::Array(none)) if none.is_empty() => Vec::new(),
            Ok(_) => return Err(invalid("the arguments must be a JSON object")),
            Err(error) => return Err(invalid(&error.to_string()).at(error.offset)),
        };
        Ok(Self { name, arguments, id: call.id.filter(|id| !id.is_empty()) })
    }
}
