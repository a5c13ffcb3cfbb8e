//! Lines that come in pieces, and lines that are too long.

/// The longest line that is read as it is, in bytes.
///
/// Of a longer line, the long texts are cut, so that ids and statuses are kept. A line that is
/// still longer is left out, and its length is reported.
pub const MAX_LINE: usize = 16 << 20;

/// The longest text that is kept in a line that is too long.
const MAX_TEXT: usize = 64 << 10;

/// One line of a log.
#[derive(Clone, Copy, Debug)]
pub(super) enum LogLine<'l> {
    Whole(&'l [u8]),
    /// A line whose long texts were cut.
    Cut(&'l [u8]),
    /// The length of a line that is left out.
    TooLong(usize),
}

/// The start of a line whose end has not come yet.
#[derive(Default)]
pub(super) struct PartialLine {
    held: Vec<u8>,
    /// How many bytes of the line have come.
    length: usize,
    cutter: Option<TextCutter>,
}

impl PartialLine {
    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Gives the line that ends with these bytes.
    pub(super) fn complete(&mut self, end: &[u8], give: impl FnOnce(LogLine<'_>)) {
        if self.length == 0 && end.len() <= MAX_LINE {
            return give(LogLine::Whole(end));
        }
        self.hold(end);
        if self.held.len() > MAX_LINE || self.length > 0 && self.held.is_empty() {
            give(LogLine::TooLong(self.length));
        } else if self.cutter.is_some() {
            give(LogLine::Cut(&self.held));
        } else {
            give(LogLine::Whole(&self.held));
        }
        self.length = 0;
        self.cutter = None;
        self.held.clear();
        // The memory of one long line is given back.
        self.held.shrink_to(1 << 16);
    }

    /// Keeps the start of a line.
    pub(super) fn hold(&mut self, start: &[u8]) {
        let was_left_out = self.length > 0 && self.held.is_empty();
        self.length += start.len();
        if was_left_out {
            return;
        }
        if self.cutter.is_none() && self.length > MAX_LINE {
            let mut cutter = TextCutter::default();
            let held = std::mem::take(&mut self.held);
            cutter.cut(&held, &mut self.held);
            self.cutter = Some(cutter);
        }
        match &mut self.cutter {
            Some(cutter) => cutter.cut(start, &mut self.held),
            None => self.held.extend_from_slice(start),
        }
        if self.held.len() > MAX_LINE {
            self.held = Vec::new();
        }
    }
}

/// Copies JSON and cuts its long texts.
#[derive(Default)]
struct TextCutter {
    is_in_text: bool,
    /// How many bytes of an escape are still to come.
    escape: usize,
    /// The length of the text so far.
    length: usize,
    /// How many bytes of the text were left out.
    left_out: usize,
}

impl TextCutter {
    fn cut(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for &byte in bytes {
            if !self.is_in_text {
                self.is_in_text = byte == b'"';
                (self.length, self.left_out) = (0, 0);
                out.push(byte);
                continue;
            }
            self.length += 1;
            let is_in_escape = self.escape > 0;
            if is_in_escape {
                // The letter behind the backslash tells how long the escape is.
                self.escape = if self.escape == 5 && byte != b'u' { 0 } else { self.escape - 1 };
            } else if byte == b'\\' {
                self.escape = 5;
            } else if byte == b'"' {
                self.is_in_text = false;
                if self.left_out > 0 {
                    let note = format!(" [{} bytes are left out]", self.left_out);
                    out.extend_from_slice(note.as_bytes());
                }
                out.push(byte);
                continue;
            }
            // A text is cut only before a plain letter, never inside an escape or a character.
            let may_begin = !is_in_escape && byte != b'\\' && byte.is_ascii();
            if self.left_out > 0 || self.length > MAX_TEXT && may_begin {
                self.left_out += 1;
            } else {
                out.push(byte);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_all_else_is_kept() {
        let blob = "x".repeat(MAX_TEXT + 7);
        let line = format!(r#"{{"id":"a\"\u00e9","blob":"{blob}","ok":[true,"{blob}"]}}"#);
        let mut out = Vec::new();
        let mut cutter = TextCutter::default();
        line.as_bytes().chunks(3).for_each(|piece| cutter.cut(piece, &mut out));
        let kept = "x".repeat(MAX_TEXT);
        let expected = format!(
            r#"{{"id":"a\"\u00e9","blob":"{kept} [7 bytes are left out]","ok":[true,"{kept} [7 bytes are left out]"]}}"#
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
