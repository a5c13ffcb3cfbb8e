//! Decodes a log that is not UTF-8 without a mark, as the consoles of Windows write it.

use std::borrow::Cow;

/// The order of the bytes of UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
}

/// How the bytes of a log are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Encoding {
    /// Too few bytes have come to tell.
    #[default]
    Open,
    Utf8,
    Utf16(ByteOrder),
}

/// Turns the pieces of a log into UTF-8, as far as they are encoded otherwise.
#[derive(Debug, Default)]
pub(super) struct LogDecoder {
    encoding: Encoding,
    /// Bytes that only the next piece completes.
    held: Vec<u8>,
}

impl LogDecoder {
    /// The piece as UTF-8. Plain UTF-8 is not copied.
    pub(super) fn decode<'p>(&mut self, piece: &'p [u8]) -> Cow<'p, [u8]> {
        let piece = match self.encoding {
            Encoding::Utf8 => return Cow::Borrowed(piece),
            Encoding::Open if self.held.is_empty() => match piece.first() {
                None => return Cow::Borrowed(piece),
                Some(0xEF | 0xFE | 0xFF) => piece,
                Some(_) => {
                    self.encoding = Encoding::Utf8;
                    return Cow::Borrowed(piece);
                }
            },
            _ => piece,
        };
        self.held.extend_from_slice(piece);
        if self.encoding == Encoding::Open && !self.decide() {
            return Cow::Borrowed(&[]);
        }
        Cow::Owned(self.take())
    }

    /// The bytes that no piece completed.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        if let Encoding::Utf16(_) = self.encoding {
            // Half of a character at the end is lost.
            self.held.clear();
        }
        std::mem::take(&mut self.held)
    }

    /// Reads the mark at the start; false if more bytes are needed.
    fn decide(&mut self) -> bool {
        let (encoding, mark) = match *self.held.as_slice() {
            [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, 3),
            [0xFF, 0xFE, ..] => (Encoding::Utf16(ByteOrder::Little), 2),
            [0xFE, 0xFF, ..] => (Encoding::Utf16(ByteOrder::Big), 2),
            [0xEF | 0xFE | 0xFF] | [0xEF, 0xBB] => return false,
            _ => (Encoding::Utf8, 0),
        };
        self.encoding = encoding;
        self.held.drain(..mark);
        true
    }

    /// The held bytes that are complete, as UTF-8.
    fn take(&mut self) -> Vec<u8> {
        let Encoding::Utf16(order) = self.encoding else { return std::mem::take(&mut self.held) };
        let unit = |pair: &[u8]| match (order, pair) {
            (ByteOrder::Little, &[low, high]) | (ByteOrder::Big, &[high, low]) => {
                u16::from_be_bytes([high, low])
            }
            _ => 0,
        };
        let mut units: Vec<u16> = self.held.chunks_exact(2).map(unit).collect();
        if units.last().is_some_and(|last| (0xD800..0xDC00).contains(last)) {
            units.pop();
        }
        self.held.drain(..units.len() * 2);
        String::from_utf16_lossy(&units).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], size: usize) -> String {
        let mut decoder = LogDecoder::default();
        let mut out = Vec::new();
        for piece in bytes.chunks(size) {
            out.extend_from_slice(&decoder.decode(piece));
        }
        out.extend(decoder.finish());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_cut_gives_the_same() {
        let text = "a\u{e9}\u{1f600}\n\u{2028}b";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for size in 1..8 {
            assert_eq!(decoded(text.as_bytes(), size), text);
            assert_eq!(decoded(&[b"\xEF\xBB\xBF", text.as_bytes()].concat(), size), text);
            assert_eq!(decoded(&[b"\xFF\xFE", little.as_slice()].concat(), size), text);
            assert_eq!(decoded(&[b"\xFE\xFF", big.as_slice()].concat(), size), text);
        }
    }
}
