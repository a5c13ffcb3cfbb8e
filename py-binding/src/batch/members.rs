//! A member of each line of JSON, as a column of texts.
//!
//! A line is read once, however deep the member is. Lines need no common shape: what has no such
//! member, or a member that is no text, is null.

use std::collections::VecDeque;

use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::DataType;
use jiter::{Jiter, JiterError, Peek};

use crate::batch::strings::{Strings, TooLong};
use crate::raw::arrow::Parts;

/// What a line is.
#[derive(Clone, Copy)]
pub enum Line {
    /// It has the member, which is a text.
    Text = b't' as isize,
    /// It has no such member, or one that is no text.
    NoText = b'n' as isize,
    /// It is no JSON.
    NoJson = b'x' as isize,
}

/// The members of lines, the numbers of the lines, and what each line is; for each line that is not
/// blank.
pub struct Members {
    pub texts: ArrayData,
    pub numbers: ArrayData,
    pub lines: Vec<u8>,
}

/// Reads the member at a path out of each line, of which the first has this number.
///
/// # Errors
/// If the texts are too long for a column.
pub fn members(piece: &[u8], path: &[String], first: i64) -> Result<Members, TooLong> {
    let mut texts = Strings::<i32>::with_capacity(0, piece.len() / 2);
    let (mut numbers, mut lines) = (Vec::<i64>::new(), Vec::new());
    for (number, line) in (first..).zip(piece.split(|&byte| byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (kind, text) = member(line, path);
        texts.push_any(text.as_deref())?;
        numbers.push(number);
        lines.push(kind as u8);
    }
    let numbers = Parts {
        data_type: DataType::Int64,
        length: numbers.len(),
        nulls: None,
        buffers: vec![Buffer::from_vec(numbers)],
        children: Vec::new(),
    };
    Ok(Members { texts: texts.finish(DataType::Utf8), numbers: numbers.into_array(), lines })
}

/// The text at a path of a line.
fn member(line: &[u8], path: &[String]) -> (Line, Option<Vec<u8>>) {
    let read = |line: &[u8]| {
        let mut reader = Jiter::new(line);
        let peek = reader.peek()?;
        let found = find(&mut reader, peek, path)?;
        reader.finish()?;
        Ok::<_, JiterError>(found.and_then(|(start, end)| decode(line.get(start..end)?)))
    };
    // The reader refuses the half of a character, which programs write that cut a text anywhere.
    let found = read(line).or_else(|_| read(&without_lone_surrogates(line)));
    match found {
        Ok(Some(text)) => (Line::Text, Some(text)),
        Ok(None) => (Line::NoText, None),
        Err(_) => (Line::NoJson, None),
    }
}

/// Where a member stands in a line.
type Place = Option<(usize, usize)>;

/// Reads a value to its end, and finds the member at a path of it; of a key that is repeated, the
/// last one counts.
fn find(reader: &mut Jiter<'_>, peek: Peek, path: &[String]) -> Result<Place, JiterError> {
    let Some((name, rest)) = path.split_first() else {
        let start = reader.current_index();
        reader.known_skip(peek)?;
        return Ok(Some((start, reader.current_index())));
    };
    if peek == Peek::Object {
        let mut found = None;
        let mut key = reader.known_object()?.map(|key| key == name);
        while let Some(is_it) = key {
            if is_it {
                let peek = reader.peek()?;
                found = find(reader, peek, rest)?;
            } else {
                reader.next_skip()?;
            }
            key = reader.next_key()?.map(|key| key == name);
        }
        return Ok(found);
    }
    let position = name.parse::<i64>().ok();
    let (Peek::Array, Some(position)) = (peek, position) else {
        reader.known_skip(peek)?;
        return Ok(None);
    };
    element(reader, position, rest)
}

/// As [`find`], for the path of an element; a negative position counts from the end.
fn element(reader: &mut Jiter<'_>, position: i64, rest: &[String]) -> Result<Place, JiterError> {
    let from_end = usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX);
    let (mut last, mut count, mut found) = (VecDeque::new(), 0_usize, None);
    let mut next = reader.known_array()?;
    while let Some(peek) = next {
        if position < 0 {
            last.push_back(find(reader, peek, rest)?);
            if last.len() > from_end {
                last.pop_front();
            }
        } else if i64::try_from(count) == Ok(position) {
            found = find(reader, peek, rest)?;
        } else {
            reader.known_skip(peek)?;
        }
        count += 1;
        next = reader.array_step()?;
    }
    let is_there = position < 0 && last.len() == from_end;
    Ok(if is_there { last.pop_front().flatten() } else { found })
}

/// The text of a JSON string.
fn decode(raw: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Jiter::new(raw);
    (reader.peek().ok()? == Peek::String).then_some(())?;
    reader.known_str().ok().map(|text| text.as_bytes().to_vec())
}

/// A line of JSON whose escapes of lone surrogates are escapes of U+FFFD.
pub fn without_lone_surrogates(raw: &[u8]) -> Vec<u8> {
    let mut mended = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        let step = match (byte, unit(raw, at), unit(raw, at + 6)) {
            (b'\\', Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (b'\\', Some(0xD800..=0xDFFF), _) => {
                mended.extend_from_slice(b"\\ufffd");
                at += 6;
                continue;
            }
            (b'\\', _, _) => 2,
            _ => 1,
        };
        mended.extend_from_slice(raw.get(at..raw.len().min(at + step)).unwrap_or_default());
        at += step;
    }
    mended
}

/// The code unit of an escape `\uXXXX` at an offset.
fn unit(raw: &[u8], at: usize) -> Option<u32> {
    let digits = raw.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
