//! Reads a JSON object that stands complete in the text in one go, onto a tape.
//!
//! Most calls are written so. Anything unusual gives `None`: a fault, the end of the text, a
//! repeated or escaped key, a number that a host may not hold, deep nesting. The reader that can
//! stop at any byte reads such an object and says what there is to say of it.

use crate::json::argument_tape::{ArgumentTape, ContainerSoFar, EntryKind, TapeEntry};
use crate::json::complete::{AfterValue, skip_space, string_end, value_of_key, word_end};
use crate::json::lexeme::{is_number, is_part_of_number};
use crate::json::marks::Marks;
use crate::json::number::exceeds_float;

/// The deepest nesting.
const DEEPEST: usize = 16;
/// The most keys of one object; each key is compared with some of those before it.
const MOST_KEYS: usize = 32;
/// The least length of an integer that may exceed 64 bits.
const LONG_NUMBER: usize = 19;
/// The number of entries for which a tape has room at first, more than most calls need.
const ROOM: usize = 32;

/// Reads the object at `start` with at most `depth` open brackets, and appends its entries.
///
/// Gives the byte after the object. For anything unusual the error is the offset up to which the
/// text was looked at.
pub(crate) fn read_whole(
    input: &[u8],
    start: usize,
    depth: usize,
    tape: &mut ArgumentTape,
) -> Result<usize, usize> {
    let (Ok(base), Ok(_)) = (u32::try_from(start), u32::try_from(input.len())) else {
        return Err(start);
    };
    tape.drop_from(base);
    tape.keys.clear();
    tape.around.clear();
    if tape.entries.is_empty() {
        tape.entries.reserve(ROOM);
    }
    let bytes = input.get(start..).unwrap_or_default();
    let mut pass = ObjectPass {
        bytes,
        base,
        marks: Marks::of(bytes),
        inside: ContainerSoFar::default(),
        depth: 0,
        deepest: depth.min(DEEPEST),
        reached: 0,
        tape,
    };
    if let Some(end) = pass.run() {
        return Ok(start + end);
    }
    let reached = pass.reached.max(pass.marks.reached());
    tape.drop_from(base);
    Err(start + reached.min(bytes.len()))
}

/// One reading; a step gives `None` for anything unusual.
///
/// Steps take and return places from the start of the object.
struct ObjectPass<'d> {
    bytes: &'d [u8],
    base: u32,
    marks: Marks<'d>,
    inside: ContainerSoFar,
    depth: usize,
    deepest: usize,
    /// The start of the last token.
    reached: usize,
    tape: &'d mut ArgumentTape,
}

#[allow(
    clippy::inline_always,
    reason = "a call for each of many short tokens is half of their cost"
)]
impl ObjectPass<'_> {
    fn run(&mut self) -> Option<usize> {
        let mut place = 0;
        loop {
            self.reached = place;
            let end = match *self.bytes.get(place)? {
                b'{' => {
                    let first = self.open(place, EntryKind::Object)?;
                    if *self.bytes.get(first)? != b'}' {
                        place = self.key(first)?;
                        continue;
                    }
                    first
                }
                b'[' => {
                    let first = self.open(place, EntryKind::Array)?;
                    if *self.bytes.get(first)? != b']' {
                        self.inside.count = 1;
                        place = first;
                        continue;
                    }
                    first
                }
                byte => self.scalar(place, byte)?,
            };
            match self.after_value(end)? {
                AfterValue::Value(start) => place = start,
                AfterValue::End(end) => return Some(end),
            }
        }
    }

    /// Reads what follows a value: the ends of the containers that end with it, and a comma.
    #[inline(always)]
    fn after_value(&mut self, mut place: usize) -> Option<AfterValue> {
        loop {
            place = skip_space(self.bytes, place)?;
            match (self.inside.is_object, *self.bytes.get(place)?) {
                (true, b',') => {
                    let start = skip_space(self.bytes, place + 1)?;
                    return self.key(start).map(AfterValue::Value);
                }
                (false, b',') => {
                    self.inside.count += 1;
                    return skip_space(self.bytes, place + 1).map(AfterValue::Value);
                }
                (true, b'}') | (false, b']') => {
                    place += 1;
                    if self.close(place)? {
                        return Some(AfterValue::End(place));
                    }
                }
                _ => return None,
            }
        }
    }

    /// Opens a container, and gives the place of the first thing in it.
    fn open(&mut self, place: usize, kind: EntryKind) -> Option<usize> {
        if self.depth >= self.deepest {
            return None;
        }
        if self.depth > 0 {
            self.tape.around.push(self.inside);
        }
        self.depth += 1;
        self.inside = ContainerSoFar {
            entry: self.tape.entries.len(),
            is_object: kind == EntryKind::Object,
            count: 0,
            first_key: self.tape.keys.len(),
            seen: 0,
        };
        self.push(place, place, kind);
        skip_space(self.bytes, place + 1)
    }

    /// Closes the innermost container, which ends here, and returns whether it was the outermost.
    fn close(&mut self, end: usize) -> Option<bool> {
        let end = self.offset(end);
        let ContainerSoFar { entry, count, first_key, .. } = self.inside;
        self.tape.entries.get_mut(entry)?.close(end, count)?;
        self.tape.keys.truncate(first_key);
        self.depth -= 1;
        if self.depth == 0 {
            return Some(true);
        }
        self.inside = self.tape.around.pop()?;
        Some(false)
    }

    /// Reads a key, and gives the place of its value.
    #[inline(always)]
    fn key(&mut self, place: usize) -> Option<usize> {
        self.reached = place;
        if *self.bytes.get(place)? != b'"' {
            return None;
        }
        let end = self.marks.next(place + 1)?;
        if *self.bytes.get(end)? != b'"' {
            return None;
        }
        self.note_key(place + 1, end)?;
        self.push(place, end + 1, EntryKind::Plain);
        value_of_key(self.bytes, end + 1)
    }

    /// Notes a key; `None` if the object has it already, or has too many keys.
    #[inline(always)]
    fn note_key(&mut self, start: usize, end: usize) -> Option<()> {
        let key = self.bytes.get(start..end)?;
        let (first, last) = (key.first().copied(), key.last().copied());
        let (first, last) = (first.unwrap_or_default(), last.unwrap_or_default());
        let mixed = usize::from(first) ^ (usize::from(last) << 3) ^ key.len();
        let bit = 1 << (mixed % 64);
        if self.inside.seen & bit != 0 {
            let known = self.tape.keys.get(self.inside.first_key..)?;
            let equal = |(start, end): &(u32, u32)| {
                self.bytes.get(*start as usize..*end as usize) == Some(key)
            };
            if known.len() >= MOST_KEYS || known.iter().any(equal) {
                return None;
            }
        }
        self.inside.seen |= bit;
        self.inside.count += 1;
        self.tape.keys.push((u32::try_from(start).ok()?, u32::try_from(end).ok()?));
        Some(())
    }

    #[inline(always)]
    fn scalar(&mut self, place: usize, byte: u8) -> Option<usize> {
        let (end, kind) = match byte {
            b'"' => return self.text(place),
            b'-' | b'0'..=b'9' => (self.number(place)?, EntryKind::Number),
            b't' => (word_end(self.bytes, place, b"true")?, EntryKind::True),
            b'f' => (word_end(self.bytes, place, b"false")?, EntryKind::False),
            b'n' => (word_end(self.bytes, place, b"null")?, EntryKind::Null),
            _ => return None,
        };
        self.push(place, end, kind);
        Some(end)
    }

    #[inline(always)]
    fn push(&mut self, start: usize, end: usize, kind: EntryKind) {
        self.tape.entries.push(TapeEntry::new(self.offset(start), self.offset(end), kind));
    }

    /// The offset of a place in the whole text, whose length was checked.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "the text is no longer than 4 GiB")]
    fn offset(&self, place: usize) -> u32 {
        self.base + place as u32
    }

    #[inline(always)]
    fn text(&mut self, start: usize) -> Option<usize> {
        let end = string_end(self.bytes, &mut self.marks, start)?;
        let kind = if end.is_escaped { EntryKind::Escaped } else { EntryKind::Plain };
        self.push(start, end.place, kind);
        Some(end.place)
    }

    fn number(&self, start: usize) -> Option<usize> {
        let rest = self.bytes.get(start..)?;
        // Most numbers are integers without a sign.
        if rest.first() != Some(&b'0') {
            let digits = rest.iter().take(LONG_NUMBER).take_while(|byte| byte.is_ascii_digit());
            let length = digits.count();
            let after = rest.get(length)?;
            if length > 0 && length < LONG_NUMBER && !is_part_of_number(*after) {
                return Some(start + length);
            }
        }
        let length = rest.iter().take(LONG_NUMBER).position(|byte| !is_part_of_number(*byte))?;
        let number = rest.get(..length)?;
        (is_number(number) && !exceeds_float(number)).then_some(start + length)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::argument_tape::Part;
    use crate::json::arguments::read_arguments;
    use crate::json::outcome::{Repair, Tolerance};
    use crate::json::parse::parse_json;

    /// The value that the parts stand for, as JSON text.
    fn written(parts: &mut dyn Iterator<Item = Part<'_>>) -> serde_json::Value {
        let text = |text: &[u8]| String::from_utf8(text.to_vec()).unwrap();
        match parts.next().unwrap() {
            Part::Object(count) => {
                let mut members = serde_json::Map::new();
                for _ in 0..count {
                    let Some(Part::Text(key)) = parts.next() else { panic!("a key") };
                    members.insert(text(&key), written(parts));
                }
                members.into()
            }
            Part::Array(count) => (0..count).map(|_| written(parts)).collect(),
            Part::Text(content) => text(&content).into(),
            Part::Integer(number) => number.into(),
            Part::Number(digits) => parse_json(digits).unwrap(),
            Part::Boolean(value) => value.into(),
            Part::Null => serde_json::Value::Null,
        }
    }

    #[test]
    fn what_is_unusual_is_left_to_the_other_reader() {
        let deep = format!("{}1{}", "{\"a\":".repeat(17), "}".repeat(17));
        for text in [
            r#"{"a":1,"a":2}"#,
            r#"{"a":{"b":1,"c":2,"b":3}}"#,
            r#"{"\u0061":1}"#,
            r#"{"a":1234567890123456789}"#,
            r#"{"a":-1e400}"#,
            r#"{"a":"\ud800"}"#,
            r#"{"a":1"#,
            r#"{"a":tru}"#,
            "{\"a\":\"\t\"}",
            "{\"a\":01}",
            "{\"a\":[1,]}",
            "{\"a\" 1}",
            "{,}",
            &deep,
        ] {
            let mut tape = ArgumentTape::default();
            assert!(read_whole(text.as_bytes(), 0, 99, &mut tape).is_err(), "{text}");
            assert!(tape.entries.is_empty());
        }
        let mut tape = ArgumentTape::default();
        assert_eq!(read_whole(b"{\"a\":[[]]}", 0, 2, &mut tape), Err(10));
        assert_eq!(read_whole(b"{\"a\":[[]]}", 0, 3, &mut tape), Ok(10));
    }

    #[test]
    fn a_tape_serves_all_objects_of_a_text() {
        let text = br#"x {"a":[1,"\n"]} y {"b":{}} z"#;
        let mut tape = ArgumentTape::default();
        assert_eq!(read_whole(text, 19, 9, &mut tape), Ok(27));
        assert_eq!(read_whole(text, 2, 9, &mut tape), Ok(16));
        assert_eq!(read_whole(text, 19, 9, &mut tape), Ok(27));
        assert!([3, 7].into_iter().all(|offset| tape.parts(offset, text).is_none()));
        for (start, json) in [(2, r#"{"a":[1,"\n"]}"#), (19, r#"{"b":{}}"#)] {
            let value = written(&mut tape.parts(start, text).unwrap());
            assert_eq!(value, parse_json(json.as_bytes()).unwrap());
        }
    }

    /// Texts that are JSON or nearly so.
    fn nearly_json() -> impl Strategy<Value = String> {
        let pieces =
            r#"{ } [ ] , : "a" "\n" "b": "c":1, "\ " 1 -2.5e3 0 true null é "key":[ }, "\u0041""#;
        let pieces: Vec<_> = pieces.split(' ').chain([" ", "\u{1}"]).collect();
        let piece = prop::sample::select(pieces);
        prop::collection::vec(piece, 0..14).prop_map(|pieces| format!("{{{}}} x", pieces.concat()))
    }

    proptest! {
        /// What is read in one go is what the other reader takes without a note.
        #[test]
        fn it_reads_what_the_other_reader_takes(text in nearly_json()) {
            let mut tape = ArgumentTape::default();
            if let Ok(end) = read_whole(text.as_bytes(), 0, 9, &mut tape) {
                let json = text.get(..end).unwrap().as_bytes();
                let tolerance = Tolerance { depth: 9, bytes: 999, repair: Repair::Off };
                let read = read_arguments(json, tolerance).unwrap();
                prop_assert!(read.notes.is_empty());
                let value = written(&mut tape.parts(0, text.as_bytes()).unwrap());
                prop_assert_eq!(value, parse_json(json).unwrap());
            }
        }
    }
}
