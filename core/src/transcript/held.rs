//! Records that are held back until it is known whose log it is.

use crate::transcript::frame::Framed;

/// How many records are held back at most, and how many bytes.
const MOST_HELD: usize = 64;
const MOST_BYTES: usize = 1 << 18;

/// What makes a piece of a log of its text.
pub(super) type MakeFramed = fn(&str) -> Framed<'_>;

/// A piece of a log with a text of its own.
struct HeldPiece {
    number: u64,
    text: String,
    again: MakeFramed,
}

/// The records that are held back, in order.
#[derive(Default)]
pub(super) struct HeldRecords {
    pieces: Vec<HeldPiece>,
    bytes: usize,
}

impl HeldRecords {
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether no more is held back.
    pub(super) fn is_full(&self) -> bool {
        self.pieces.len() >= MOST_HELD || self.bytes >= MOST_BYTES
    }

    pub(super) fn add(&mut self, number: u64, framed: Framed<'_>) {
        let (text, again): (&str, MakeFramed) = match framed {
            Framed::Record(text) => (text, |text| Framed::Record(text)),
            Framed::Cut(text) => (text, |text| Framed::Cut(text)),
            Framed::Document(text) | Framed::OpenDocument(text) => {
                (text, |text| Framed::Document(text))
            }
            Framed::Text(text) => (text, |text| Framed::Text(text)),
            Framed::TooLong(length) => {
                self.pieces.push(HeldPiece {
                    number,
                    text: length.to_string(),
                    again: |text| Framed::TooLong(text.parse().unwrap_or_default()),
                });
                return;
            }
            Framed::Binary(what) => (what, |_| Framed::Binary("no text")),
        };
        self.bytes += text.len();
        self.pieces.push(HeldPiece { number, text: text.to_owned(), again });
    }

    /// Gives the pieces again.
    pub(super) fn each(self, mut give: impl FnMut(u64, Framed<'_>)) {
        for piece in self.pieces {
            give(piece.number, (piece.again)(&piece.text));
        }
    }
}
