//! The columns of a batch: which there are, and their types.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use toolwire::ErrorKind;

use crate::batch::texts::Kind;
use crate::host::error::{raise_kind, wrong_type};

/// A column of what was found, in the order in which they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Calls,
    Text,
    Reasoning,
    Rejections,
}

impl Part {
    const ALL: [Self; 4] = [Self::Calls, Self::Text, Self::Reasoning, Self::Rejections];

    pub fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Text => "text",
            Self::Reasoning => "reasoning",
            Self::Rejections => "rejections",
        }
    }

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
pub fn parts(fields: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Part>> {
    let Some(fields) = fields.filter(|fields| !fields.is_none()) else {
        return Ok(Part::ALL.to_vec());
    };
    let py = fields.py();
    let is_one = fields.is_instance_of::<PyString>() || fields.is_instance_of::<PyBytes>();
    let names = if is_one { None } else { fields.try_iter().ok() };
    let Some(names) = names else {
        return Err(wrong_type(py, "fields", "a list of names", fields));
    };
    let known = Part::ALL.map(Part::name).join(", ");
    let mut wanted = Vec::new();
    for name in names {
        let name = name?;
        let Ok(text) = name.cast::<PyString>() else {
            return Err(wrong_type(py, "each of fields", "str", &name));
        };
        let text = text.to_string_lossy();
        let Some(part) = Part::ALL.into_iter().find(|part| part.name() == text) else {
            let message = format!("unknown field {text:?}; known: {known}");
            return Err(raise_kind(py, ErrorKind::InvalidOption, message));
        };
        wanted.push(part);
    }
    if wanted.is_empty() {
        let message = format!("fields must name at least one of {known}");
        return Err(raise_kind(py, ErrorKind::InvalidOption, message));
    }
    Ok(Part::ALL.into_iter().filter(|part| wanted.contains(part)).collect())
}

/// The type of a column of detections.
pub fn detections(parts: &[Part], kind: Kind) -> DataType {
    DataType::Struct(parts.iter().map(|part| part.field(kind)).collect())
}

/// The fields of a call.
pub fn calls() -> Fields {
    let text = |name| Field::new(name, DataType::Utf8, false);
    let offset = |name| Field::new(name, DataType::Int64, false);
    Fields::from(vec![
        text("name"),
        text("arguments"),
        Field::new("id", DataType::Utf8, true),
        text("format"),
        offset("start"),
        offset("end"),
        text("status"),
    ])
}

/// The fields of a rejection.
pub fn rejections() -> Fields {
    let offset = |name| Field::new(name, DataType::Int64, false);
    Fields::from(vec![
        Field::new("code", DataType::Utf8, false),
        Field::new("format", DataType::Utf8, true),
        offset("start"),
        offset("end"),
    ])
}

/// The type of a list of these.
pub fn list(fields: Fields) -> DataType {
    DataType::List(Arc::new(Field::new("item", DataType::Struct(fields), false)))
}
