//! Columns of results: each row is a result, a list of results, or a struct with such a list under
//! `results`, as of providers' objects.
//!
//! A result is a struct of `tool`, `success`, and as far as they are there `data` (JSON text),
//! `error_message` and `confidence`; other fields are not read. A null result is left out.

use std::ops::Range;

use arrow_buffer::{ArrowNativeType, BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Fields};
use pyo3::prelude::*;
use serde_json::Value;
use toolwire::json::parse_json;
use toolwire::result::Tally;
use toolwire::{ErrorKind, ToolResult};

use crate::batch::strings::text;
use crate::batch::texts::{Chunk, Kind, broken};
use crate::batch::values::scalars;
use crate::host::error::raise_kind;
use crate::raw::arrow::{self, NotTaken};

const EXPECTED: &str = "a column of structs with tool (text) and success (flag), and where wanted \
    data (JSON text), error_message (text) and confidence (float), or of lists of them";

/// A column of results.
pub struct Results {
    chunks: Vec<Rows>,
}

impl Results {
    /// Reads a column; `None` for a value that is none.
    ///
    /// # Errors
    /// `wrong_type` for a column of something else; `invalid_option` for a broken one.
    pub fn read(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let py = value.py();
        let kind = |kind, message: String| raise_kind(py, kind, format!("{what}: {message}"));
        let imported = match arrow::import(value, of_results) {
            Ok(Some(imported)) => imported,
            Ok(None) => return Ok(None),
            Err(NotTaken::Raised(error)) => return Err(error),
            Err(NotTaken::Producer(message)) => {
                return Err(kind(ErrorKind::InvalidOption, message));
            }
            Err(NotTaken::Type(data_type)) => {
                let message = format!("{what} must be {EXPECTED}, not of {data_type}");
                return Err(raise_kind(py, ErrorKind::WrongType, message));
            }
        };
        let chunks = imported.chunks.iter().map(Rows::of).collect::<Option<_>>();
        Ok(Some(Self { chunks: chunks.ok_or_else(|| broken(py, what))? }))
    }

    /// The chunks, in order.
    pub fn chunks(&self) -> &[Rows] {
        &self.chunks
    }

    /// All results that are not null.
    pub fn each(&self) -> impl Iterator<Item = ToolResult<Value>> {
        let rows = self.chunks.iter().flat_map(|rows| rows.rows.iter().map(move |row| (rows, row)));
        rows.flat_map(|(rows, row)| rows.results(row.clone().unwrap_or_default()))
    }

    /// Counts them; what their data is does not matter.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for rows in &self.chunks {
            for at in rows.rows.iter().flatten().cloned().flatten() {
                if !rows.results.is_null(at) {
                    let (success, confidence) = rows.results.figures(at);
                    tally.add(rows.results.tool(at), success, Some(confidence));
                }
            }
        }
        tally
    }
}

/// Whether a column of this type holds results.
fn of_results(data_type: &DataType) -> bool {
    is_result(data_type) || is_list(data_type) || inner_list(data_type).is_some()
}

fn is_list(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) => is_result(item.data_type()),
        _ => false,
    }
}

/// The place of the lists of results in structs that are no results.
fn inner_list(data_type: &DataType) -> Option<usize> {
    let DataType::Struct(fields) = data_type else { return None };
    let (at, field) = fields.find("results")?;
    (!is_result(data_type) && is_list(field.data_type())).then_some(at)
}

fn is_result(data_type: &DataType) -> bool {
    let DataType::Struct(fields) = data_type else { return false };
    let fits = |name, fits: fn(&DataType) -> bool| {
        fields.find(name).map(|(_, field)| fits(field.data_type()))
    };
    let is_text = |data_type: &DataType| Kind::of(data_type).is_some();
    let is_flag = |data_type: &DataType| *data_type == DataType::Boolean;
    let is_number = |data_type: &DataType| {
        matches!(data_type, DataType::Float64 | DataType::Float32 | DataType::Null)
    };
    fits("tool", is_text) == Some(true)
        && fits("success", is_flag) == Some(true)
        && fits("data", is_text) != Some(false)
        && fits("error_message", is_text) != Some(false)
        && fits("confidence", is_number) != Some(false)
}

/// The rows of a chunk.
pub struct Rows {
    /// Where each row's results are; `None` for a null row.
    rows: Vec<Option<Range<usize>>>,
    results: Items,
}

impl Rows {
    /// Reads an array; `None` if its buffers are too short for it.
    fn of(array: &ArrayData) -> Option<Self> {
        if let Some(at) = inner_list(array.data_type()) {
            let end = array.offset().checked_add(array.len())?;
            let lists = array.child_data().get(at).filter(|lists| lists.len() >= end)?;
            let mut rows = Self::of(&lists.slice(array.offset(), array.len()))?;
            rows.leave_out(array.nulls());
            return Some(rows);
        }
        let ranges = match array.data_type() {
            DataType::List(_) => ends::<i32>(array)?,
            DataType::LargeList(_) => ends::<i64>(array)?,
            _ => (0..array.len()).map(|row| row..row + 1).collect(),
        };
        let items = if is_list(array.data_type()) { array.child_data().first()? } else { array };
        let results = Items::of(items)?;
        let mut rows = Self { rows: ranges.into_iter().map(Some).collect(), results };
        // What stands in a null row is not read.
        rows.leave_out(array.nulls());
        let lies = |range: &Range<usize>| range.start <= range.end && range.end <= items.len();
        rows.rows.iter().flatten().all(lies).then_some(rows)
    }

    fn leave_out(&mut self, nulls: Option<&NullBuffer>) {
        let Some(nulls) = nulls else { return };
        let rows = self.rows.iter_mut().enumerate();
        rows.filter(|(row, _)| nulls.is_null(*row)).for_each(|(_, range)| *range = None);
    }

    /// Where the results of each row are; `None` for a null row.
    pub fn ranges(&self) -> &[Option<Range<usize>>] {
        &self.rows
    }

    /// The results of a row that are not null.
    pub fn results(&self, range: Range<usize>) -> impl Iterator<Item = ToolResult<Value>> {
        range.filter(|at| !self.results.is_null(*at)).map(|at| self.results.get(at))
    }
}

/// The items of each list; `None` if the offsets are too few, or one is negative.
fn ends<O: ArrowNativeType>(lists: &ArrayData) -> Option<Vec<Range<usize>>> {
    if lists.is_empty() {
        return Some(Vec::new());
    }
    let buffer = lists.buffers().first()?;
    let offsets: ScalarBuffer<O> = scalars(buffer, lists.offset(), lists.len() + 1)?;
    let pairs = offsets.iter().zip(offsets.iter().skip(1));
    pairs.map(|(start, end)| Some(start.to_usize()?..end.to_usize()?)).collect()
}

/// Results, side by side.
struct Items {
    nulls: Option<NullBuffer>,
    /// Where the first of them is in the columns.
    offset: usize,
    tools: Chunk,
    success: Flags,
    data: Option<Chunk>,
    errors: Option<Chunk>,
    confidences: Numbers,
}

impl Items {
    fn of(array: &ArrayData) -> Option<Self> {
        let DataType::Struct(fields) = array.data_type() else { return None };
        let end = array.offset().checked_add(array.len())?;
        let child = |name| {
            let (at, _) = fields.find(name)?;
            array.child_data().get(at).filter(|child| child.len() >= end)
        };
        let texts = |name| {
            if has(fields, name) { Chunk::read(child(name)?).map(Some) } else { Some(None) }
        };
        Some(Self {
            nulls: array.nulls().cloned(),
            offset: array.offset(),
            tools: Chunk::read(child("tool")?)?,
            success: Flags::of(child("success")?)?,
            data: texts("data")?,
            errors: texts("error_message")?,
            confidences: if has(fields, "confidence") {
                Numbers::of(child("confidence")?)?
            } else {
                Numbers::None
            },
        })
    }

    fn is_null(&self, at: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(at))
    }

    /// The name of a tool; empty if it is null.
    fn tool(&self, at: usize) -> &[u8] {
        bytes(&self.tools, self.offset + at).unwrap_or_default()
    }

    /// Whether a result is a success, and its confidence.
    fn figures(&self, at: usize) -> (bool, f64) {
        let at = self.offset + at;
        (self.success.get(at), self.confidences.get(at))
    }

    /// A result; data that are no JSON are a text.
    fn get(&self, at: usize) -> ToolResult<Value> {
        let (success, confidence) = self.figures(at);
        let of = |chunk: &Option<Chunk>| {
            let raw = bytes(chunk.as_ref()?, self.offset + at)?;
            Some(text(raw).into_owned())
        };
        let data = of(&self.data)
            .map(|data| parse_json(data.as_bytes()).unwrap_or_else(|_| Value::String(data)));
        ToolResult {
            tool: text(self.tool(at)).into_owned(),
            success,
            data: data.unwrap_or_default(),
            confidence,
            error_message: of(&self.errors),
        }
    }
}

fn has(fields: &Fields, name: &str) -> bool {
    fields.find(name).is_some()
}

fn bytes(chunk: &Chunk, at: usize) -> Option<&[u8]> {
    (!chunk.is_null(at)).then(|| chunk.bytes(at))
}

/// A column of flags.
struct Flags {
    values: BooleanBuffer,
    nulls: Option<NullBuffer>,
}

impl Flags {
    fn of(array: &ArrayData) -> Option<Self> {
        let (offset, length) = (array.offset(), array.len());
        if length == 0 {
            return Some(Self { values: BooleanBuffer::new_unset(0), nulls: None });
        }
        let buffer = array.buffers().first()?;
        let is_whole = buffer.len().saturating_mul(8) >= offset.checked_add(length)?;
        let values = || BooleanBuffer::new(buffer.clone(), offset, length);
        is_whole.then(|| Self { values: values(), nulls: array.nulls().cloned() })
    }

    /// The flag; false if it is null.
    fn get(&self, at: usize) -> bool {
        let is_null = self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(at));
        !is_null && self.values.value(at)
    }
}

/// A column of floats; one that is null is 0, as that of a result without one.
enum Numbers {
    Double(ScalarBuffer<f64>, Option<NullBuffer>),
    Single(ScalarBuffer<f32>, Option<NullBuffer>),
    None,
}

impl Numbers {
    fn of(array: &ArrayData) -> Option<Self> {
        if array.is_empty() || *array.data_type() == DataType::Null {
            return Some(Self::None);
        }
        let (buffer, offset, length) = (array.buffers().first()?, array.offset(), array.len());
        let nulls = array.nulls().cloned();
        Some(match array.data_type() {
            DataType::Float32 => Self::Single(scalars(buffer, offset, length)?, nulls),
            _ => Self::Double(scalars(buffer, offset, length)?, nulls),
        })
    }

    fn get(&self, at: usize) -> f64 {
        let is_null = |nulls: &Option<NullBuffer>| {
            nulls.as_ref().is_some_and(|nulls: &NullBuffer| nulls.is_null(at))
        };
        let number = match self {
            Self::Double(numbers, nulls) if !is_null(nulls) => numbers.get(at).copied(),
            Self::Single(numbers, nulls) if !is_null(nulls) => {
                numbers.get(at).copied().map(f64::from)
            }
            _ => None,
        };
        number.unwrap_or_default()
    }
}
