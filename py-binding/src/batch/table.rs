//! Lists of items in the rows of a column, with a column for each field of an item.

use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBufferBuilder};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Fields};

use crate::batch::strings::{Lists, Strings, TooLong};
use crate::raw::arrow::Parts;

/// The value of a field of an item.
#[derive(Clone, Copy)]
pub enum Cell<'a> {
    Null,
    Text(&'a str),
    Flag(bool),
    Number(i64),
}

impl<'a> Cell<'a> {
    /// A text, or null.
    pub fn any(text: Option<&'a str>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

/// The values of a field.
enum Values {
    Texts(Strings<i32>),
    Flags(BooleanBufferBuilder),
    Numbers(Vec<i64>, NullBufferBuilder),
}

impl Values {
    fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Boolean => Self::Flags(BooleanBufferBuilder::new(0)),
            DataType::Int64 => Self::Numbers(Vec::new(), NullBufferBuilder::new(0)),
            _ => Self::Texts(Strings::with_capacity(0, 0)),
        }
    }

    fn push(&mut self, cell: Cell<'_>) -> Result<(), TooLong> {
        match (self, cell) {
            (Self::Texts(texts), Cell::Text(text)) => return texts.push(text.as_bytes()),
            (Self::Texts(texts), _) => return texts.push_any(None),
            (Self::Flags(flags), cell) => flags.append(matches!(cell, Cell::Flag(true))),
            (Self::Numbers(numbers, nulls), cell) => {
                let number = if let Cell::Number(number) = cell { Some(number) } else { None };
                numbers.push(number.unwrap_or_default());
                nulls.append(number.is_some());
            }
        }
        Ok(())
    }

    fn finish(self) -> ArrayData {
        match self {
            Self::Texts(texts) => texts.finish(DataType::Utf8),
            Self::Flags(mut flags) => {
                let length = flags.len();
                let buffers = vec![flags.finish().into_inner()];
                let (data_type, children) = (DataType::Boolean, Vec::new());
                Parts { data_type, length, nulls: None, buffers, children }.into_array()
            }
            Self::Numbers(numbers, mut nulls) => {
                let (length, nulls) = (numbers.len(), nulls.finish());
                let buffers = vec![Buffer::from_vec(numbers)];
                let (data_type, children) = (DataType::Int64, Vec::new());
                Parts { data_type, length, nulls, buffers, children }.into_array()
            }
        }
    }
}

/// The items of the rows.
pub struct Table {
    lists: Lists,
    count: usize,
    fields: Fields,
    columns: Vec<Values>,
}

impl Table {
    /// Lists for so many rows, whose items have these fields: of text, flags that are never null,
    /// or numbers.
    pub fn new(fields: Fields, rows: usize) -> Self {
        let columns = fields.iter().map(|field| Values::of(field.data_type())).collect();
        Self { lists: Lists::with_capacity(rows), count: 0, fields, columns }
    }

    /// Adds an item, with a value for each field.
    ///
    /// # Errors
    /// If a column would be too long.
    pub fn push<const N: usize>(&mut self, cells: [Cell<'_>; N]) -> Result<(), TooLong> {
        self.count += 1;
        debug_assert_eq!(self.columns.len(), N, "a value for each field");
        let cells = cells.into_iter().chain(std::iter::repeat(Cell::Null));
        self.columns.iter_mut().zip(cells).try_for_each(|(values, cell)| values.push(cell))
    }

    /// Ends the row.
    ///
    /// # Errors
    /// If there are too many items.
    pub fn end(&mut self) -> Result<(), TooLong> {
        self.lists.push(self.count)
    }

    /// The column of lists.
    pub fn finish(self) -> ArrayData {
        let columns = self.columns.into_iter().map(Values::finish).collect();
        self.lists.finish(self.fields, columns)
    }
}
