//! What columns are made of: texts, places, lists.

use std::borrow::Cow;

use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, NullBufferBuilder};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Fields};

use crate::batch::layout::list;
use crate::batch::values::View;
use crate::raw::arrow::Parts;

/// A column of this type cannot hold so many bytes.
#[derive(Debug)]
pub struct TooLong;

/// The values of a column of texts or bytes, with offsets of this type.
pub struct Strings<O> {
    offsets: Vec<O>,
    bytes: Vec<u8>,
    nulls: NullBufferBuilder,
}

impl<O: ArrowNativeType> Strings<O> {
    pub fn with_capacity(rows: usize, bytes: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(O::default());
        Self { offsets, bytes: Vec::with_capacity(bytes), nulls: NullBufferBuilder::new(rows) }
    }

    /// Adds a value.
    ///
    /// # Errors
    /// If the column would be too long.
    pub fn push(&mut self, value: &[u8]) -> Result<(), TooLong> {
        self.bytes.extend_from_slice(value);
        self.nulls.append_non_null();
        self.end()
    }

    /// Adds a text; what is not UTF-8 becomes U+FFFD.
    ///
    /// # Errors
    /// If the column would be too long.
    pub fn push_text(&mut self, value: &[u8]) -> Result<(), TooLong> {
        self.push(text(value).as_bytes())
    }

    /// Adds a text, or null.
    ///
    /// # Errors
    /// If the column would be too long.
    pub fn push_any(&mut self, value: Option<&[u8]>) -> Result<(), TooLong> {
        let Some(value) = value else {
            self.nulls.append_null();
            return self.end();
        };
        self.push_text(value)
    }

    fn end(&mut self) -> Result<(), TooLong> {
        self.offsets.push(O::from_usize(self.bytes.len()).ok_or(TooLong)?);
        Ok(())
    }

    pub fn finish(mut self, data_type: DataType) -> ArrayData {
        let length = self.offsets.len().saturating_sub(1);
        let buffers = vec![Buffer::from_vec(self.offsets), Buffer::from_vec(self.bytes)];
        Parts { data_type, length, nulls: self.nulls.finish(), buffers, children: Vec::new() }
            .into_array()
    }
}

/// The text of these bytes; what is not UTF-8 becomes U+FFFD.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// The values of a column of views, most of which stand in the buffers of another column.
#[derive(Default)]
pub struct Views {
    words: Vec<u128>,
    buffers: Vec<Buffer>,
    own: Vec<u8>,
}

impl Views {
    pub fn new(rows: usize, buffers: &[Buffer]) -> Self {
        Self { words: Vec::with_capacity(rows), buffers: buffers.to_vec(), own: Vec::new() }
    }

    /// Adds a value of the other column.
    pub fn push_view(&mut self, view: View) {
        self.words.push(view.0);
    }

    /// Adds a value of no other column.
    ///
    /// # Errors
    /// If the column would be too long.
    pub fn push(&mut self, value: &[u8]) -> Result<(), TooLong> {
        let length = u32::try_from(value.len()).map_err(|_| TooLong)?;
        let mut view = [0; 16];
        let (head, rest) = view.split_at_mut(4);
        head.copy_from_slice(&length.to_le_bytes());
        if let Some(place) = rest.get_mut(..value.len()) {
            place.copy_from_slice(value);
        } else {
            let number = u32::try_from(self.buffers.len()).map_err(|_| TooLong)?;
            let offset = i32::try_from(self.own.len()).map_err(|_| TooLong)?;
            let parts = value.iter().take(4).copied();
            let parts = parts.chain(number.to_le_bytes()).chain(offset.to_le_bytes());
            rest.iter_mut().zip(parts).for_each(|(place, byte)| *place = byte);
            self.own.extend_from_slice(value);
        }
        self.words.push(u128::from_le_bytes(view));
        Ok(())
    }

    pub fn finish(self, data_type: DataType) -> ArrayData {
        let length = self.words.len();
        let mut buffers = vec![Buffer::from_vec(self.words)];
        buffers.extend(self.buffers);
        if !self.own.is_empty() {
            buffers.push(Buffer::from_vec(self.own));
        }
        Parts { data_type, length, nulls: None, buffers, children: Vec::new() }.into_array()
    }
}

/// The places at which something stands.
#[derive(Default)]
pub struct Places {
    starts: Vec<i64>,
    ends: Vec<i64>,
}

impl Places {
    pub fn push(&mut self, (start, end): (usize, usize)) {
        self.starts.push(i64::try_from(start).unwrap_or(i64::MAX));
        self.ends.push(i64::try_from(end).unwrap_or(i64::MAX));
    }

    /// The columns of the starts and of the ends.
    pub fn finish(self) -> [ArrayData; 2] {
        [self.starts, self.ends].map(|numbers| {
            Parts {
                data_type: DataType::Int64,
                length: numbers.len(),
                nulls: None,
                buffers: vec![Buffer::from_vec(numbers)],
                children: Vec::new(),
            }
            .into_array()
        })
    }
}

/// A column of these, side by side.
pub fn structs(
    fields: Fields,
    length: usize,
    nulls: Option<NullBuffer>,
    children: Vec<ArrayData>,
) -> ArrayData {
    let data_type = DataType::Struct(fields);
    Parts { data_type, length, nulls, buffers: Vec::new(), children }.into_array()
}

/// How many items each list of a column has, all told.
pub struct Lists(Vec<i32>);

impl Lists {
    pub fn with_capacity(rows: usize) -> Self {
        let mut ends = Vec::with_capacity(rows + 1);
        ends.push(0);
        Self(ends)
    }

    /// Ends a list behind so many items of the column.
    ///
    /// # Errors
    /// If there are too many.
    pub fn push(&mut self, items: usize) -> Result<(), TooLong> {
        self.0.push(i32::try_from(items).map_err(|_| TooLong)?);
        Ok(())
    }

    /// A column of lists, whose items have these columns.
    pub fn finish(self, fields: Fields, columns: Vec<ArrayData>) -> ArrayData {
        let items = columns.first().map_or(0, ArrayData::len);
        let data_type = list(fields.clone());
        let children = vec![structs(fields, items, None, columns)];
        let length = self.0.len().saturating_sub(1);
        let buffers = vec![Buffer::from_vec(self.0)];
        Parts { data_type, length, nulls: None, buffers, children }.into_array()
    }
}
