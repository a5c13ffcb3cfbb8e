//! Where the values of calls' arguments stand, so that a host builds its own values without reading
//! the JSON again.
//!
//! One tape serves all calls of a text. Its entries are in the order of the text, so the entry of
//! an object is found by the object's offset.

use std::borrow::Cow;

use crate::json::scanner::Quoted;
use crate::json::text::decode;

/// What an entry stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Object,
    Array,
    /// A key or a text without escapes.
    Plain,
    /// A text with escapes.
    Escaped,
    Number,
    True,
    False,
    Null,
}

/// A value, or a key, which stands before its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TapeEntry {
    pub(crate) start: u32,
    /// The byte after it.
    pub(crate) end: u32,
    kind: EntryKind,
    /// The number of members of an object, or of values of an array, up to what three bytes hold.
    count: [u8; 3],
}

impl TapeEntry {
    pub(crate) fn new(start: u32, end: u32, kind: EntryKind) -> Self {
        Self { start, end, kind, count: [0; 3] }
    }

    pub(crate) fn kind(self) -> EntryKind {
        self.kind
    }

    /// Closes a container; `None` if it holds more than can be counted.
    pub(crate) fn close(&mut self, end: u32, count: u32) -> Option<()> {
        let [first, second, third, 0] = count.to_le_bytes() else { return None };
        self.end = end;
        self.count = [first, second, third];
        Some(())
    }

    fn count(self) -> usize {
        let [first, second, third] = self.count;
        u32::from_le_bytes([first, second, third, 0]) as usize
    }

    /// The bytes of a key, a text or a number, without quotes.
    pub(crate) fn inner(self, text: &[u8]) -> &[u8] {
        let quote = u32::from(matches!(self.kind, EntryKind::Plain | EntryKind::Escaped));
        text.get((self.start + quote) as usize..(self.end - quote) as usize).unwrap_or_default()
    }
}

/// The values of the arguments of a text's calls, as far as they were read in one go.
///
/// All tapes are equal: a tape only saves work, and tells nothing that the text does not.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArgumentTape {
    pub(crate) entries: Vec<TapeEntry>,
    /// The keys of the open objects while a value is read.
    pub(crate) keys: Vec<(u32, u32)>,
    /// The containers around the innermost one while a value is read.
    pub(crate) around: Vec<ContainerSoFar>,
}

/// A container whose end is not read yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContainerSoFar {
    /// The index of its entry.
    pub(crate) entry: usize,
    pub(crate) is_object: bool,
    /// The number of its members or values so far.
    pub(crate) count: u32,
    /// The index of its first key among the known keys.
    pub(crate) first_key: usize,
    /// A bit for each of its keys, by the key's length and ends.
    pub(crate) seen: u64,
}

impl PartialEq for ArgumentTape {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ArgumentTape {}

impl ArgumentTape {
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new(), keys: Vec::new(), around: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.keys.clear();
        self.around.clear();
    }

    /// Drops the entries from an offset on, which keeps the entries in order when a text is read
    /// again.
    pub(crate) fn drop_from(&mut self, offset: u32) {
        while self.entries.last().is_some_and(|last| last.start >= offset) {
            self.entries.pop();
        }
    }

    /// The parts of the object at an offset, if it was read in one go.
    pub(crate) fn parts<'t>(&'t self, offset: usize, text: &'t [u8]) -> Option<Parts<'t>> {
        let offset = u32::try_from(offset).ok()?;
        let place = self.entries.binary_search_by_key(&offset, |entry| entry.start).ok()?;
        let entries = self.entries.get(place..)?;
        let is_object = entries.first().is_some_and(|first| first.kind == EntryKind::Object);
        is_object.then(|| Parts { text, entries: entries.iter() })
    }
}

/// A part of a JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'t> {
    /// An object; a text and a value follow for each of this number of members. No key comes twice.
    Object(usize),
    /// An array of this number of values, which follow.
    Array(usize),
    /// A text or a key; borrowed if it has no escapes.
    Text(Cow<'t, [u8]>),
    /// An integer.
    Integer(i64),
    /// A number with a fraction or an exponent, as it is written, in the grammar of RFC 8259.
    Number(&'t [u8]),
    /// `true` or `false`.
    Boolean(bool),
    /// `null`.
    Null,
}

/// The parts of an object, and of everything after it on the tape.
#[derive(Clone, Debug)]
pub struct Parts<'t> {
    text: &'t [u8],
    entries: std::slice::Iter<'t, TapeEntry>,
}

impl<'t> Iterator for Parts<'t> {
    type Item = Part<'t>;

    #[allow(clippy::inline_always, reason = "a call for each short value is half of its cost")]
    #[inline(always)]
    fn next(&mut self) -> Option<Part<'t>> {
        let entry = *self.entries.next()?;
        Some(match entry.kind {
            EntryKind::Object => Part::Object(entry.count()),
            EntryKind::Array => Part::Array(entry.count()),
            EntryKind::Plain => Part::Text(Cow::Borrowed(entry.inner(self.text))),
            EntryKind::Escaped => {
                let (start, end) = (entry.start as usize, entry.end as usize);
                Part::Text(decode(self.text, Quoted { start, end, escaped: true }))
            }
            EntryKind::Number => {
                let digits = entry.inner(self.text);
                integer(digits).map_or(Part::Number(digits), Part::Integer)
            }
            EntryKind::True => Part::Boolean(true),
            EntryKind::False => Part::Boolean(false),
            EntryKind::Null => Part::Null,
        })
    }
}

/// The integer that a number of less than 19 bytes is, if it is one.
#[inline]
fn integer(number: &[u8]) -> Option<i64> {
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    let size = digits.iter().try_fold(0_i64, |size, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit <= 9).then_some(size.wrapping_mul(10).wrapping_add(digit.into()))
    })?;
    Some(if digits.len() < number.len() { -size } else { size })
}
