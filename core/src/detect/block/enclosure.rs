//! The quotes and the list item in which a line stands, as `CommonMark` has them.
//!
//! A code block ends with the quote or the list item that holds it. A quote goes on while each line
//! begins with its `>`; an item goes on while each line is indented as far as its text. Indentation
//! in front of a `>` is not counted.

use memchr::memrchr;

use crate::progress::{NeedMore, Progress};

/// How many bytes before a code block are searched for the list item that holds it.
const LOOK_BACK: usize = 1024;

/// The mark of UTF-8 that a text may begin with.
const BOM: &[u8] = "\u{FEFF}".as_bytes();

/// The longest number of a list item, in digits.
const LONGEST_NUMBER: usize = 9;

/// What holds a line: so many quotes, and in the innermost one an item with this indentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Enclosure {
    quotes: usize,
    indent: usize,
}

/// Where a later line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinePlace {
    /// In the enclosure; what the enclosure holds begins at the offset.
    Inside(usize),
    /// In the quotes, and blank.
    Blank(usize),
    /// In the quotes, but not indented as far as the item.
    Unindented(usize),
    /// Behind the end of a quote.
    Outside,
}

/// What stands at the start of a line.
struct LinePrefix {
    enclosure: Enclosure,
    /// The first byte behind it, and the column of that byte within the quotes.
    end: usize,
    column: usize,
}

impl Enclosure {
    const ANY: Self = Self { quotes: usize::MAX, indent: usize::MAX };

    /// Whether a line stands in no quote and in no item.
    pub(crate) fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Whether what stands at `pos` is quoted.
    pub(crate) fn is_quoted(input: &[u8], pos: usize) -> bool {
        let prefix = || LinePrefix::read(input, line_start(input, pos), pos, Enclosure::ANY);
        !is_first(input, pos) && prefix().enclosure.quotes > 0
    }

    /// Whether nothing but the marks of quotes and items stands between the start of the line and
    /// `pos`.
    pub(crate) fn begins_at(input: &[u8], pos: usize) -> bool {
        let before = input.get(..pos).unwrap_or_default();
        // The way back ends at the backtick before this one, so that no byte is passed often.
        let other = before.iter().rposition(|byte| {
            !matches!(byte, b' ' | b'\t' | b'>' | b'-' | b'*' | b'+' | b'.' | b')' | b'0'..=b'9')
        });
        let start = match other {
            None => 0,
            Some(2) if input.starts_with(BOM) => 0,
            Some(other) if matches!(input.get(other), Some(b'\n' | b'\r')) => other + 1,
            Some(_) => return false,
        };
        LinePrefix::read(input, start, pos, Self::ANY).end == pos
    }

    /// What holds the code block whose marker stands at `pos`.
    pub(crate) fn of_block(input: &[u8], pos: usize) -> Self {
        if is_first(input, pos) {
            return Self::default();
        }
        let start = line_start(input, pos);
        let prefix = LinePrefix::read(input, start, pos, Enclosure::ANY);
        let held = prefix.enclosure;
        if held.indent > 0 || prefix.column < 2 {
            return held;
        }
        let indent = held.item_before(input, start, prefix.column);
        Self { indent, ..held }
    }

    /// The indentation of the item that an earlier line begins and that reaches to a line whose
    /// text is in `column`; 0 if there is none.
    fn item_before(self, input: &[u8], line: usize, column: usize) -> usize {
        let within = Self { indent: column, ..self };
        let mut start = line;
        while start > 0 && line - start < LOOK_BACK {
            let end = start - 1;
            start = line_start(input, end);
            let prefix = LinePrefix::read(input, start, end, within);
            let blank = matches!(input.get(prefix.end), Some(b'\n' | b'\r'));
            match prefix.enclosure {
                Self { quotes, .. } if quotes != self.quotes => return 0,
                Self { indent: 0, .. } if blank || prefix.column >= 2 => {}
                Self { indent, .. } => return indent,
            }
        }
        0
    }

    /// Where the line that begins at `start` stands.
    pub(crate) fn place(self, input: &[u8], start: usize, finished: bool) -> Progress<LinePlace> {
        let mut at = start;
        for _ in 0..self.quotes {
            at += blanks(input, at, input.len());
            match input.get(at) {
                Some(b'>') => at += 1,
                None if !finished => return Err(NeedMore),
                _ => return Ok(LinePlace::Outside),
            }
        }
        if self.quotes > 0 && input.get(at) == Some(&b' ') {
            at += 1;
        }
        let content = at;
        let mut column = 0;
        while let Some(byte @ (b' ' | b'\t')) = input.get(at)
            && column < self.indent
        {
            column = next_column(column, *byte);
            at += 1;
        }
        Ok(match input.get(at) {
            _ if column >= self.indent => LinePlace::Inside(content),
            None if !finished => return Err(NeedMore),
            Some(b'\n' | b'\r') | None => LinePlace::Blank(content),
            Some(_) => LinePlace::Unindented(content),
        })
    }

    /// The quotes alone.
    pub(crate) fn without_item(self) -> Self {
        Self { indent: 0, ..self }
    }
}

impl LinePrefix {
    /// Reads the start of the line at `start`, up to `limit`, and no deeper than `within`.
    fn read(input: &[u8], start: usize, limit: usize, within: Enclosure) -> Self {
        let (mut enclosure, mut column) = (Enclosure::default(), 0);
        let has_bom = start == 0 && input.get(..limit).is_some_and(|text| text.starts_with(BOM));
        let mut at = if has_bom { BOM.len() } else { start };
        loop {
            let space = blanks(input, at, limit);
            column = input
                .get(at..at + space)
                .unwrap_or_default()
                .iter()
                .fold(column, |at, byte| next_column(at, *byte));
            at += space;
            let rest = input.get(at..limit).unwrap_or_default();
            if rest.first() == Some(&b'>') && enclosure.quotes < within.quotes {
                enclosure = Enclosure { quotes: enclosure.quotes + 1, indent: 0 };
                column = 0;
                at += if rest.get(1) == Some(&b' ') { 2 } else { 1 };
                continue;
            }
            let Some(marker) = item_marker(rest) else { break };
            let space = blanks(input, at + marker, limit);
            // Text that is indented more is code, which begins behind one space.
            let indent = if space > 4 { 1 } else { space };
            if column + marker + indent > within.indent {
                break;
            }
            enclosure.indent = column + marker + indent;
            column += marker + space;
            at += marker + space;
        }
        Self { enclosure, end: at, column }
    }
}

/// The length of the marker of a list item, without the white space that follows it.
fn item_marker(line: &[u8]) -> Option<usize> {
    let length = match line.first()? {
        b'-' | b'*' | b'+' => 1,
        _ => {
            let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let closed = matches!(line.get(digits), Some(b'.' | b')'));
            ((1..=LONGEST_NUMBER).contains(&digits) && closed).then_some(digits + 1)?
        }
    };
    matches!(line.get(length), Some(b' ' | b'\t')).then_some(length)
}

fn blanks(input: &[u8], start: usize, limit: usize) -> usize {
    let rest = input.get(start..limit).unwrap_or_default();
    rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn next_column(column: usize, byte: u8) -> usize {
    if byte == b'\t' { (column / 4 + 1) * 4 } else { column + 1 }
}

/// Whether a line begins at `pos`, as with most blocks.
fn is_first(input: &[u8], pos: usize) -> bool {
    pos.checked_sub(1).is_none_or(|before| input.get(before) == Some(&b'\n'))
}

fn line_start(input: &[u8], pos: usize) -> usize {
    memrchr(b'\n', input.get(..pos).unwrap_or_default()).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (usize, usize) {
        let held = Enclosure::of_block(text.as_bytes(), text.find("```").unwrap());
        (held.quotes, held.indent)
    }

    #[test]
    fn what_holds_a_block() {
        assert_eq!(of("```"), (0, 0));
        assert_eq!(of("  ```"), (0, 0));
        assert_eq!(of("> ```"), (1, 0));
        assert_eq!(of(" >> ```"), (2, 0));
        assert_eq!(of("> see: ```"), (1, 0));
        assert_eq!(of("- ```"), (0, 2));
        assert_eq!(of("12) a ```"), (0, 4));
        assert_eq!(of("> 1. ```"), (1, 3));
        assert_eq!(of("- > ```"), (1, 0));
        assert_eq!(of("1. a\n\n   b\n   ```"), (0, 3));
        assert_eq!(of("- a\n  - b\n  ```"), (0, 2));
        assert_eq!(of("- a\n\nb\n  ```"), (0, 0));
        assert_eq!(of("> - a\n>   ```"), (1, 2));
    }

    #[test]
    fn what_begins_a_line() {
        let begins = |text: &str| Enclosure::begins_at(text.as_bytes(), text.find('`').unwrap());
        assert!(begins("`") && begins("a\n> `") && begins("- 1. > `") && begins("\u{FEFF}> `"));
        assert!(!begins("a `") && !begins("1.`") && !begins("-- `") && !begins("(1) `"));
    }
}
