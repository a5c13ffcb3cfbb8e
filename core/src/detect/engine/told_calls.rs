//! The calls that were reported so far, and how much of the arguments of each.

use crate::call::{Arguments, Span};
use crate::detect::body::outcome::ReadSoFar;

/// A call whose start was reported, and whose end was not.
#[derive(Debug)]
struct ToldCall {
    number: usize,
    id: Box<str>,
    /// How many bytes of its arguments were reported.
    sent: usize,
}

/// The calls whose start was reported.
#[derive(Debug, Default)]
pub(super) struct ToldCalls {
    begun: usize,
    open: Vec<ToldCall>,
    ended: Vec<usize>,
}

impl ToldCalls {
    /// Begins the next call, and gives its number.
    pub(super) fn begin(&mut self, id: &str) -> usize {
        let number = self.begun;
        self.begun += 1;
        self.open.push(ToldCall { number, id: id.into(), sent: 0 });
        number
    }

    /// The id with which an open call was reported.
    pub(super) fn id(&self, number: usize) -> Option<&str> {
        self.open.iter().find(|call| call.number == number).map(|call| &*call.id)
    }

    /// The part of the arguments of an open call that was not reported yet, in whole characters.
    pub(super) fn new_arguments(
        &mut self,
        number: usize,
        read: ReadSoFar<'_>,
        input: &[u8],
    ) -> Option<Arguments> {
        let call = self.open.iter_mut().find(|call| call.number == number)?;
        let (text, from) = match read {
            ReadSoFar::Verbatim(span) => (span.of(input), Some(span.start)),
            ReadSoFar::Made(json) => (json, None),
        };
        let new = text.get(call.sent..).unwrap_or_default();
        let whole = new.len() - cut_character(new);
        let new = new.get(..whole).filter(|new| !new.is_empty())?;
        let start = call.sent;
        call.sent += whole;
        Some(match from {
            Some(from) => Arguments::Verbatim(Span::new(from + start, from + call.sent)),
            None => Arguments::Made(String::from_utf8_lossy(new).into()),
        })
    }

    /// Ends a call.
    pub(super) fn end(&mut self, number: usize) {
        self.drop(number);
        self.ended.push(number);
    }

    /// Forgets an open call that turned out to be none.
    pub(super) fn drop(&mut self, number: usize) {
        self.open.retain(|call| call.number != number);
    }

    /// Takes the numbers of the calls that have ended.
    pub(super) fn take_ended(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.ended)
    }
}

/// The number of bytes at the end of the text that begin an incomplete character.
fn cut_character(text: &[u8]) -> usize {
    let starts = |length: &usize| {
        let first = text
            .len()
            .checked_sub(*length)
            .and_then(|at| text.get(at))
            .copied()
            .unwrap_or_default();
        match first {
            0xF0.. => *length < 4,
            0xE0.. => *length < 3,
            0xC0.. => *length < 2,
            _ => false,
        }
    };
    (1..=3).find(starts).unwrap_or_default()
}
