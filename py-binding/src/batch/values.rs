//! The values of a column of texts, as Arrow lays them out.

use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

/// The values of a chunk.
pub enum Values {
    Small(ScalarBuffer<i32>, Buffer),
    Large(ScalarBuffer<i64>, Buffer),
    Views(ScalarBuffer<u128>, Vec<Buffer>),
    /// There is none that is not null.
    Nothing,
}

impl Values {
    /// Reads the values of an array; `None` if its buffers are too short for it.
    pub fn of(array: &ArrayData) -> Option<Self> {
        if array.is_empty() || *array.data_type() == DataType::Null {
            return Some(Self::Nothing);
        }
        let (offset, length, buffers) = (array.offset(), array.len(), array.buffers());
        Some(match array.data_type() {
            DataType::Utf8 | DataType::Binary => {
                Self::Small(scalars(buffers.first()?, offset, length + 1)?, buffers.get(1)?.clone())
            }
            DataType::LargeUtf8 | DataType::LargeBinary => {
                Self::Large(scalars(buffers.first()?, offset, length + 1)?, buffers.get(1)?.clone())
            }
            _ => Self::Views(
                scalars(buffers.first()?, offset, length)?,
                buffers.get(1..).unwrap_or_default().to_vec(),
            ),
        })
    }

    /// The value at a position; `None` if it does not lie in its buffer.
    #[inline]
    pub fn get(&self, at: usize) -> Option<&[u8]> {
        match self {
            Self::Small(offsets, bytes) => between(offsets, at, bytes),
            Self::Large(offsets, bytes) => between(offsets, at, bytes),
            Self::Views(views, buffers) => {
                let view = View(*views.get(at)?);
                if view.is_inline() {
                    let start = at * size_of::<u128>() + 4;
                    return views.inner().get(start..start + view.length());
                }
                let start = view.offset();
                buffers.get(view.buffer())?.get(start..start.checked_add(view.length())?)
            }
            Self::Nothing => None,
        }
    }
}

/// A view of a value, as Arrow lays it out: its length, its first four bytes, the number of its
/// buffer and the offset in it; or its length and the value itself.
#[derive(Clone, Copy)]
pub struct View(pub u128);

impl View {
    /// The longest value that is in its view.
    pub const INLINE: usize = 12;

    #[allow(clippy::cast_possible_truncation, reason = "the part of the view is meant")]
    fn part(self, at: u32) -> usize {
        (self.0 >> at) as u32 as usize
    }

    /// The number of bytes of the value.
    pub fn length(self) -> usize {
        self.part(0)
    }

    /// Whether the value is in the view.
    pub fn is_inline(self) -> bool {
        self.length() <= Self::INLINE
    }

    /// The number of the value's buffer.
    pub fn buffer(self) -> usize {
        self.part(64)
    }

    fn offset(self) -> usize {
        self.part(96)
    }

    /// The view of a value that stands in another buffer.
    pub fn in_buffer(self, buffer: u32) -> Self {
        Self(self.0 & !(u128::from(u32::MAX) << 64) | u128::from(buffer) << 64)
    }
}

/// So many numbers of a buffer; `None` if it is shorter.
pub fn scalars<T: ArrowNativeType>(
    buffer: &Buffer,
    offset: usize,
    length: usize,
) -> Option<ScalarBuffer<T>> {
    let end = offset.checked_add(length)?.checked_mul(size_of::<T>())?;
    (end <= buffer.len()).then(|| ScalarBuffer::new(buffer.clone(), offset, length))
}

#[inline]
fn between<'a, T: ArrowNativeType>(offsets: &[T], at: usize, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let (start, end) = (offsets.get(at)?.to_usize()?, offsets.get(at + 1)?.to_usize()?);
    bytes.get(start..end)
}
