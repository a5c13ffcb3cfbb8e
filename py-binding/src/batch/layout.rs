//! The columns of a batch: which there are, and their types.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use toolwire::ErrorKind;

use crate::batch::texts::Kind;
use crate::host::error::{raise_kind, wrong_type};

/// A column of a batch, as one of the children of each row.
pub trait Part: Copy + Eq + 'static {
    /// All of them, in the order in which they are made.
    const ALL: &'static [Self];

    /// What it is called.
    fn name(self) -> &'static str;
}

/// A column of what was found in texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Calls,
    Text,
    Reasoning,
    Rejections,
}

impl Part for Found {
    const ALL: &'static [Self] = &[Self::Calls, Self::Text, Self::Reasoning, Self::Rejections];

    fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Text => "text",
            Self::Reasoning => "reasoning",
            Self::Rejections => "rejections",
        }
    }
}

impl Found {
    /// The column's type, for texts of this kind.
    fn field(self, kind: Kind) -> Field {
        match self {
            Self::Calls => Field::new(self.name(), list(calls()), false),
            Self::Text => Field::new(self.name(), kind.data_type(), false),
            Self::Reasoning => Field::new(self.name(), DataType::Utf8, true),
            Self::Rejections => Field::new(self.name(), list(rejections()), false),
        }
    }
}

/// The wanted parts, in order: those that are named, or all.
///
/// # Errors
/// `wrong_type` for what is no list of names; `invalid_option` for an unknown name, or none.
pub fn parts<P: Part>(fields: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<P>> {
    let Some(fields) = fields.filter(|fields| !fields.is_none()) else {
        return Ok(P::ALL.to_vec());
    };
    let named = named(fields, &P::ALL.iter().map(|part| part.name()).collect::<Vec<_>>())?;
    let wanted = |part: &P| named.contains(&part.name());
    Ok(P::ALL.iter().copied().filter(wanted).collect())
}

/// Those of the known names that are wanted.
fn named<'n>(fields: &Bound<'_, PyAny>, known: &[&'n str]) -> PyResult<Vec<&'n str>> {
    let py = fields.py();
    let is_one = fields.is_instance_of::<PyString>() || fields.is_instance_of::<PyBytes>();
    let names = if is_one { None } else { fields.try_iter().ok() };
    let Some(names) = names else {
        return Err(wrong_type(py, "fields", "a list of names", fields));
    };
    let all = known.join(", ");
    let mut wanted = Vec::new();
    for name in names {
        let name = name?;
        let Ok(text) = name.cast::<PyString>() else {
            return Err(wrong_type(py, "each of fields", "str", &name));
        };
        let text = text.to_string_lossy();
        let Some(name) = known.iter().find(|name| **name == text) else {
            let message = format!("unknown field {text:?}; known: {all}");
            return Err(raise_kind(py, ErrorKind::InvalidOption, message));
        };
        wanted.push(*name);
    }
    if wanted.is_empty() {
        let message = format!("fields must name at least one of {all}");
        return Err(raise_kind(py, ErrorKind::InvalidOption, message));
    }
    Ok(wanted)
}

/// The type of a column of detections.
pub fn detections(parts: &[Found], kind: Kind) -> DataType {
    DataType::Struct(parts.iter().map(|part| part.field(kind)).collect())
}

/// The fields of a call.
pub fn calls() -> Fields {
    Fields::from(vec![
        given("name"),
        given("arguments"),
        any("id"),
        given("format"),
        Field::new("start", DataType::Int64, false),
        Field::new("end", DataType::Int64, false),
        given("status"),
    ])
}

/// The fields of a rejection.
pub fn rejections() -> Fields {
    Fields::from(vec![
        given("code"),
        any("format"),
        Field::new("start", DataType::Int64, false),
        Field::new("end", DataType::Int64, false),
    ])
}

/// A column of texts, none of which is null.
pub fn given(name: &str) -> Field {
    Field::new(name, DataType::Utf8, false)
}

/// A column of texts.
pub fn any(name: &str) -> Field {
    Field::new(name, DataType::Utf8, true)
}

/// The type of a list of these.
pub fn list(fields: Fields) -> DataType {
    DataType::List(Arc::new(Field::new("item", DataType::Struct(fields), false)))
}
