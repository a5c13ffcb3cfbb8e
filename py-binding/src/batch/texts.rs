//! A column of texts, from another package or an iterable, and its pieces.

use std::ops::Range;

use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, NullBufferBuilder};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyString};
use toolwire::ErrorKind;

use crate::batch::values::{Values, View, scalars};
use crate::host::error::{raise_kind, wrong_type};
use crate::host::text::to_bytes;
use crate::raw::arrow::{self, NotTaken};

/// The most bytes of text in a piece that has more than one row. Fresh memory costs more than what
/// is written to it, and a piece of this size is written to memory that was used before.
const PIECE_BYTES: usize = 4 << 20;

/// The most rows of a piece.
const PIECE_ROWS: usize = 16_384;

/// What a column's values are, and how they are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    LargeText,
    TextView,
    Binary,
    LargeBinary,
    BinaryView,
}

impl Kind {
    /// The kind of a column of this type; that of its values if it is a dictionary.
    pub fn of(data_type: &DataType) -> Option<Self> {
        Some(match data_type {
            // A column that holds nulls alone has no other type.
            DataType::Utf8 | DataType::Null => Self::Text,
            DataType::LargeUtf8 => Self::LargeText,
            DataType::Utf8View => Self::TextView,
            DataType::Binary => Self::Binary,
            DataType::LargeBinary => Self::LargeBinary,
            DataType::BinaryView => Self::BinaryView,
            DataType::Dictionary(_, values) if !values.is_nested() => return Self::of(values),
            _ => return None,
        })
    }

    /// The type of a column that keeps its values in this way.
    pub fn data_type(self) -> DataType {
        match self {
            Self::Text => DataType::Utf8,
            Self::LargeText => DataType::LargeUtf8,
            Self::TextView => DataType::Utf8View,
            Self::Binary => DataType::Binary,
            Self::LargeBinary => DataType::LargeBinary,
            Self::BinaryView => DataType::BinaryView,
        }
    }

    /// Whether the values are text, of which spans count code points.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::LargeText | Self::TextView)
    }
}

/// A chunk of a column.
pub struct Chunk {
    length: usize,
    nulls: Option<NullBuffer>,
    /// For a dictionary: the position of each row's value, and which values are null.
    keys: Option<(Vec<usize>, Option<NullBuffer>)>,
    values: Values,
}

impl Chunk {
    /// Reads an array; `None` if its buffers are too short for it.
    fn of(array: &ArrayData) -> Option<Self> {
        let (length, nulls) = (array.len(), array.nulls().cloned());
        let DataType::Dictionary(key, _) = array.data_type() else {
            let is_null = *array.data_type() == DataType::Null;
            let nulls = if is_null { Some(NullBuffer::new_null(length)) } else { nulls };
            return Some(Self { length, nulls, keys: None, values: Values::of(array)? });
        };
        let values = array.child_data().first()?;
        let is_null = *values.data_type() == DataType::Null;
        let value_nulls = if is_null {
            Some(NullBuffer::new_null(values.len()))
        } else {
            values.nulls().cloned()
        };
        let keys = match key.as_ref() {
            DataType::Int8 => keys::<i8>(array),
            DataType::Int16 => keys::<i16>(array),
            DataType::Int32 => keys::<i32>(array),
            DataType::Int64 => keys::<i64>(array),
            DataType::UInt8 => keys::<u8>(array),
            DataType::UInt16 => keys::<u16>(array),
            DataType::UInt32 => keys::<u32>(array),
            DataType::UInt64 => keys::<u64>(array),
            _ => None,
        }?;
        let known = |(row, key): (usize, &usize)| {
            *key < values.len() || nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
        };
        if !keys.iter().enumerate().all(known) {
            return None;
        }
        Some(Self { length, nulls, keys: Some((keys, value_nulls)), values: Values::of(values)? })
    }

    /// As [`of`](Self::of), for values that no pieces are cut of: each is looked at here.
    pub fn read(array: &ArrayData) -> Option<Self> {
        let chunk = Self::of(array)?;
        let lies = |row| chunk.is_null(row) || chunk.get(row).is_some();
        (0..chunk.length).all(lies).then_some(chunk)
    }

    /// Whether the row is null.
    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        let null = |nulls: &Option<NullBuffer>, at| {
            nulls.as_ref().is_some_and(|nulls: &NullBuffer| nulls.is_null(at))
        };
        null(&self.nulls, row)
            || self.keys.as_ref().is_some_and(|(keys, nulls)| null(nulls, at(keys, row)))
    }

    /// The bytes of a row that is not null; `None` if they do not lie in their buffer.
    #[inline]
    fn get(&self, row: usize) -> Option<&[u8]> {
        match &self.keys {
            None => self.values.get(row),
            Some((keys, _)) => self.values.get(at(keys, row)),
        }
    }

    /// The bytes of a row that is not null, of a column that was cut into pieces.
    #[inline]
    pub fn bytes(&self, row: usize) -> &[u8] {
        self.get(row).unwrap_or_default()
    }

    /// The view of a row that is not null, if the column has views.
    pub fn view(&self, row: usize) -> Option<View> {
        let Values::Views(views, _) = &self.values else { return None };
        let row = self.keys.as_ref().map_or(row, |(keys, _)| at(keys, row));
        views.get(row).copied().map(View)
    }

    /// The buffers in which the views' values stand.
    pub fn view_buffers(&self) -> &[Buffer] {
        if let Values::Views(_, buffers) = &self.values { buffers } else { &[] }
    }
}

fn at(keys: &[usize], row: usize) -> usize {
    keys.get(row).copied().unwrap_or_default()
}

/// The keys of a dictionary; a negative one, as a null row may have, is beyond all values.
fn keys<T: ArrowNativeType>(array: &ArrayData) -> Option<Vec<usize>> {
    if array.is_empty() {
        return Some(Vec::new());
    }
    let keys = scalars::<T>(array.buffers().first()?, array.offset(), array.len())?;
    Some(keys.iter().map(|key| key.to_usize().unwrap_or(usize::MAX)).collect())
}

/// A column of texts.
pub struct Texts {
    pub kind: Kind,
    chunks: Vec<Chunk>,
    /// Whether a text may hold the byte in place of a lone surrogate.
    pub has_surrogates: bool,
}

/// Rows of a chunk that are worked on at once.
pub struct Piece<'t> {
    pub chunk: &'t Chunk,
    pub rows: Range<usize>,
    /// The number of bytes of the rows.
    pub bytes: usize,
}

impl Texts {
    /// Reads a column, or an iterable of `str` and None.
    ///
    /// # Errors
    /// `wrong_type` for anything else; `invalid_option` if another package's column is broken.
    pub fn read(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = value.py();
        let expected = "a column of text or binary, or an iterable of str";
        match arrow::import(value, |data_type| Kind::of(data_type).is_some()) {
            Ok(Some(imported)) => {
                let kind = Kind::of(&imported.data_type).unwrap_or(Kind::Text);
                let chunks = imported.chunks.iter().map(Chunk::of).collect::<Option<_>>();
                let chunks = chunks.ok_or_else(|| broken(py, what))?;
                Ok(Self { kind, chunks, has_surrogates: false })
            }
            Ok(None) => Self::of_iterable(what, expected, value),
            Err(NotTaken::Raised(error)) => Err(error),
            Err(NotTaken::Producer(message)) => {
                Err(raise_kind(py, ErrorKind::InvalidOption, format!("{what}: {message}")))
            }
            Err(NotTaken::Type(DataType::Struct(_))) => {
                let message = format!("{what} must be {expected}, not a table: name a column");
                Err(raise_kind(py, ErrorKind::WrongType, message))
            }
            Err(NotTaken::Type(data_type)) => {
                let message = format!("{what} must be {expected}, not a column of {data_type}");
                Err(raise_kind(py, ErrorKind::WrongType, message))
            }
        }
    }

    fn of_iterable(what: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = value.py();
        let is_one = value.is_instance_of::<PyString>()
            || value.is_instance_of::<PyBytes>()
            || value.is_instance_of::<PyByteArray>()
            || value.is_instance_of::<PyDict>();
        if is_one {
            return Err(wrong_type(py, what, expected, value));
        }
        let Ok(items) = value.try_iter() else {
            return Err(wrong_type(py, what, expected, value));
        };
        let (mut chunks, mut made, mut has_surrogates) = (Vec::new(), Gathered::default(), false);
        for item in items {
            let item = item?;
            if item.is_none() {
                made.nulls.append_null();
            } else if let Ok(text) = item.cast::<PyString>() {
                let bytes = to_bytes(text)?;
                has_surrogates |= matches!(bytes, std::borrow::Cow::Owned(_));
                made.bytes.extend_from_slice(&bytes);
                made.nulls.append_non_null();
            } else {
                return Err(wrong_type(py, &format!("each of {what}"), "str or None", &item));
            }
            made.ends.push(made.bytes.len());
            if made.bytes.len() >= PIECE_BYTES || made.ends.len() >= PIECE_ROWS {
                chunks.push(std::mem::take(&mut made).chunk());
            }
        }
        if !made.ends.is_empty() {
            chunks.push(made.chunk());
        }
        Ok(Self { kind: Kind::Text, chunks, has_surrogates })
    }

    /// The pieces, in order.
    ///
    /// # Errors
    /// `invalid_option` if a row does not lie in its buffer.
    pub fn pieces(&self, py: Python<'_>, what: &str) -> PyResult<Vec<Piece<'_>>> {
        let mut pieces = Vec::new();
        for chunk in &self.chunks {
            let (mut start, mut bytes) = (0, 0_usize);
            for row in 0..chunk.length {
                let length = if chunk.is_null(row) {
                    0
                } else {
                    chunk.get(row).ok_or_else(|| broken(py, what))?.len()
                };
                let is_full =
                    row - start == PIECE_ROWS || bytes.saturating_add(length) > PIECE_BYTES;
                if row > start && is_full {
                    pieces.push(Piece { chunk, rows: start..row, bytes });
                    (start, bytes) = (row, 0);
                }
                bytes = bytes.saturating_add(length);
            }
            if chunk.length > start {
                pieces.push(Piece { chunk, rows: start..chunk.length, bytes });
            }
        }
        Ok(pieces)
    }
}

/// The error for a column whose buffers are too short for what it says.
pub fn broken(py: Python<'_>, what: &str) -> PyErr {
    let message = format!("{what}: a value does not lie in its buffer");
    raise_kind(py, ErrorKind::InvalidOption, message)
}

/// The texts of an iterable, until they are a chunk.
struct Gathered {
    ends: Vec<usize>,
    bytes: Vec<u8>,
    nulls: NullBufferBuilder,
}

impl Default for Gathered {
    fn default() -> Self {
        Self { ends: Vec::new(), bytes: Vec::new(), nulls: NullBufferBuilder::new(0) }
    }
}

impl Gathered {
    fn chunk(mut self) -> Chunk {
        let offsets = std::iter::once(0).chain(self.ends.iter().copied());
        let offsets = offsets.map(|end| i64::try_from(end).unwrap_or(i64::MAX));
        Chunk {
            length: self.ends.len(),
            nulls: self.nulls.finish(),
            keys: None,
            values: Values::Large(offsets.collect(), Buffer::from_vec(self.bytes)),
        }
    }
}
