//! Chunks of a column as one array.

use std::collections::HashMap;

use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer, NullBuffer, NullBufferBuilder};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::batch::strings::TooLong;
use crate::batch::values::View;
use crate::raw::arrow::Parts;

/// One array of chunks that this package made, all of this type.
///
/// # Errors
/// If a column of this type cannot hold so many bytes.
pub fn join(data_type: &DataType, chunks: &[&ArrayData]) -> Result<ArrayData, TooLong> {
    if let [one] = chunks {
        return Ok((*one).clone());
    }
    let (mut buffers, mut children) = (Vec::new(), Vec::new());
    match data_type {
        DataType::Struct(fields) => {
            for (at, field) in fields.iter().enumerate() {
                children.push(join(field.data_type(), &nth_children(chunks, at))?);
            }
        }
        DataType::List(item) => {
            buffers.push(offsets::<i32>(chunks)?);
            children.push(join(item.data_type(), &nth_children(chunks, 0))?);
        }
        DataType::Utf8View | DataType::BinaryView => buffers = views(chunks)?,
        DataType::LargeUtf8 | DataType::LargeBinary => {
            buffers.extend([offsets::<i64>(chunks)?, nth_buffers(chunks, 1)]);
        }
        DataType::Utf8 | DataType::Binary => {
            buffers.extend([offsets::<i32>(chunks)?, nth_buffers(chunks, 1)]);
        }
        DataType::Boolean => buffers.push(bits(chunks)),
        _ => buffers.push(nth_buffers(chunks, 0)),
    }
    let length = chunks.iter().map(|chunk| chunk.len()).sum();
    let (data_type, nulls) = (data_type.clone(), nulls(chunks, length));
    Ok(Parts { data_type, length, nulls, buffers, children }.into_array())
}

fn nth_children<'a>(chunks: &[&'a ArrayData], at: usize) -> Vec<&'a ArrayData> {
    chunks.iter().filter_map(|chunk| chunk.child_data().get(at)).collect()
}

fn nth_buffers(chunks: &[&ArrayData], at: usize) -> Buffer {
    let parts = || chunks.iter().filter_map(|chunk| chunk.buffers().get(at));
    let mut joined = Vec::with_capacity(parts().map(Buffer::len).sum());
    parts().for_each(|buffer| joined.extend_from_slice(buffer));
    Buffer::from_vec(joined)
}

/// The flags of all chunks, one bit each.
fn bits(chunks: &[&ArrayData]) -> Buffer {
    let mut joined = BooleanBufferBuilder::new(chunks.iter().map(|chunk| chunk.len()).sum());
    for chunk in chunks {
        if let Some(buffer) = chunk.buffers().first() {
            joined.append_packed_range(0..chunk.len(), buffer);
        }
    }
    joined.finish().into_inner()
}

fn offsets<O: ArrowNativeType>(chunks: &[&ArrayData]) -> Result<Buffer, TooLong> {
    let length = chunks.iter().map(|chunk| chunk.len()).sum::<usize>();
    let mut joined = Vec::with_capacity(length + 1);
    joined.push(O::default());
    let mut base = 0;
    for chunk in chunks {
        let offsets = chunk.buffers().first().map_or(&[][..], |buffer| buffer.typed_data::<O>());
        for offset in offsets.iter().skip(1) {
            joined.push(O::from_usize(base + offset.as_usize()).ok_or(TooLong)?);
        }
        base += offsets.last().map_or(0, |last| last.as_usize());
    }
    Ok(Buffer::from_vec(joined))
}

/// The views of all chunks, and each of their buffers once.
fn views(chunks: &[&ArrayData]) -> Result<Vec<Buffer>, TooLong> {
    let (mut joined, mut buffers) = (Vec::new(), Vec::new());
    let mut known = HashMap::new();
    for chunk in chunks {
        let mut numbers = Vec::new();
        for buffer in chunk.buffers().iter().skip(1) {
            let next = u32::try_from(buffers.len()).map_err(|_| TooLong)?;
            let number = *known.entry((buffer.as_ptr(), buffer.len())).or_insert(next);
            if number == next {
                buffers.push(buffer.clone());
            }
            numbers.push(number);
        }
        let views = chunk.buffers().first().map_or(&[][..], |buffer| buffer.typed_data::<u128>());
        joined.extend(views.iter().copied().map(View).map(|view| {
            let number = numbers.get(view.buffer()).copied().unwrap_or_default();
            if view.is_inline() { view.0 } else { view.in_buffer(number).0 }
        }));
    }
    buffers.insert(0, Buffer::from_vec(joined));
    Ok(buffers)
}

fn nulls(chunks: &[&ArrayData], length: usize) -> Option<NullBuffer> {
    let mut joined = NullBufferBuilder::new(length);
    for chunk in chunks {
        match chunk.nulls() {
            Some(nulls) => joined.append_buffer(nulls),
            None => joined.append_n_non_nulls(chunk.len()),
        }
    }
    joined.finish()
}
