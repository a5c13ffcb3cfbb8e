//! Joins the events of a streamed response to calls.
//!
//! Events of OpenAI's two APIs, Anthropic, Bedrock and Cohere carry pieces of a call; those of
//! Gemini and Ollama carry whole calls, as does anything that [`parse`](super::parse) finds calls
//! in. Each byte is looked at a bounded number of times.
//!
//! Servers that copy OpenAI's stream are loose about its indexes, so an id counts more: pieces of
//! one id are one call, a new id under an index in use begins a call, and a piece with neither goes
//! on with the last.
//!
//! ```
//! use serde_json::json;
//! use toolwire::provider::Accumulator;
//!
//! let mut stream = Accumulator::new(None);
//! stream.feed(&json!({"choices": [{"delta": {"tool_calls": [
//!     {"index": 0, "id": "call_1", "function": {"name": "weather", "arguments": ""}},
//! ]}}]}))?;
//! for piece in ["{\"city\":", "\"Oslo\"}"] {
//!     stream.feed(&json!({"choices": [{"delta": {"tool_calls": [
//!         {"index": 0, "function": {"arguments": piece}},
//!     ]}}]}))?;
//! }
//! let exchange = stream.finish()?;
//! assert_eq!(exchange.calls[0].arguments_raw(b""), br#"{"city":"Oslo"}"#);
//! # Ok::<(), toolwire::Error>(())
//! ```

use std::collections::HashMap;

use serde_json::Value;

use super::exchange::{Exchange, ProviderRejection};
use super::kind::Provider;
use super::piece::Piece;
use super::place::Place;
use super::slot::{End, Slot};
use super::walk::{made, name_of, parse_at};
use crate::call::RejectionCode;
use crate::error::{Error, ErrorKind};

/// Joins the events of one streamed response.
#[derive(Clone, Debug, Default)]
pub struct Accumulator {
    /// The provider that the caller named.
    pub(super) named: Option<Provider>,
    entries: Vec<Entry>,
    /// The call under each index of an answer; none for what is not a call.
    indexes: HashMap<(usize, i64), Option<usize>>,
    /// The call of each id of an answer.
    ids: HashMap<(usize, String), usize>,
    /// The last call of each answer.
    last: HashMap<usize, usize>,
    /// The answers that have ended, and whether the provider cut them at its limit.
    ended: HashMap<usize, bool>,
    events: usize,
    finished: bool,
}

/// What came, in order.
#[derive(Clone, Debug)]
enum Entry {
    /// A call in pieces.
    Slot(Slot),
    /// Whole calls and results.
    Found(Exchange),
}

impl Accumulator {
    /// Begins; `provider` says whose calls of a shape that several share are.
    #[must_use]
    pub fn new(provider: Option<Provider>) -> Self {
        Self { named: provider, ..Self::default() }
    }

    /// Takes the next event, decoded, or a list of events.
    ///
    /// # Errors
    /// `stream_finished` after [`finish`](Self::finish).
    pub fn feed(&mut self, event: &Value) -> Result<(), Error> {
        self.refuse_finished()?;
        let root = Place::root();
        let place = root.item(self.events);
        self.events += 1;
        match event {
            Value::Array(events) => {
                for (index, event) in events.iter().enumerate() {
                    self.take(event, &place.item(index));
                }
            }
            event => self.take(event, &place),
        }
        Ok(())
    }

    /// Ends the stream and gives what it held. A call whose arguments are cut off is rejected as
    /// `incomplete`; the paths of rejections lead into the list of events, to where the call began.
    ///
    /// # Errors
    /// `stream_finished` when called again.
    pub fn finish(&mut self) -> Result<Exchange, Error> {
        self.refuse_finished()?;
        self.finished = true;
        let mut exchange = Exchange::default();
        for (position, entry) in std::mem::take(&mut self.entries).into_iter().enumerate() {
            match entry {
                Entry::Found(found) => exchange.extend(found),
                Entry::Slot(slot) => {
                    let ended = self.ended.get(&slot.lane).copied();
                    let is_last = self.last.get(&slot.lane) == Some(&position);
                    finish(slot, ended, is_last, &mut exchange);
                }
            }
        }
        exchange.name_results();
        Ok(exchange)
    }

    fn refuse_finished(&self) -> Result<(), Error> {
        if self.finished {
            return Err(Error::new(
                ErrorKind::StreamFinished,
                "the stream is finished; begin another one",
            ));
        }
        Ok(())
    }

    /// Takes an event that holds no pieces.
    pub(super) fn take_whole(&mut self, event: &Value, place: &Place<'_>) {
        let found = parse_at(event, self.named, place);
        if found != Exchange::default() {
            self.entries.push(Entry::Found(found));
        }
    }

    /// Refuses what stands where a piece of a call has to.
    pub(super) fn misshapen(&mut self, place: &Place<'_>) {
        let rejection = ProviderRejection {
            code: RejectionCode::BadShape,
            message: "this is no piece of a call".to_owned(),
            path: place.pointer(),
            format: None,
        };
        self.entries
            .push(Entry::Found(Exchange { rejections: vec![rejection], ..Exchange::default() }));
    }

    /// Notes that an answer has ended.
    pub(super) fn end(&mut self, lane: usize, cut: bool) {
        self.ended.insert(lane, cut);
    }

    /// Begins a call, whatever there is under its index and id.
    pub(super) fn begin(&mut self, piece: &Piece<'_>, place: &Place<'_>) -> Option<&mut Slot> {
        let position = self.entries.len();
        self.entries.push(Entry::Slot(Slot::new(piece.provider, piece.lane, place.pointer())));
        self.last.insert(piece.lane, position);
        self.join(position, piece)
    }

    /// Notes that there is no call under an index.
    pub(super) fn skip(&mut self, lane: usize, index: Option<i64>) {
        if let Some(index) = index {
            self.indexes.insert((lane, index), None);
        }
    }

    /// The call that a piece goes on with, or a new one; none if its index is that of something
    /// else.
    pub(super) fn go_on(&mut self, piece: &Piece<'_>, place: &Place<'_>) -> Option<&mut Slot> {
        let known = [piece.item, piece.id].into_iter().flatten();
        let known =
            known.filter_map(|id| self.ids.get(&(piece.lane, id.to_owned()))).copied().next();
        if let Some(position) = known {
            return self.join(position, piece);
        }
        let indexed = piece.index.and_then(|index| self.indexes.get(&(piece.lane, index)).copied());
        let fragment = piece.name.is_none() && piece.id.is_none() && piece.item.is_none();
        let position = match indexed {
            Some(None) if fragment => return None,
            Some(position) => position,
            // A tail under an index of its own belongs to the head before it.
            None if piece.index.is_none() || fragment => self.last.get(&piece.lane).copied(),
            None => None,
        };
        match position
            .filter(|&position| self.slot(position).is_some_and(|slot| piece.continues(slot)))
        {
            Some(position) => self.join(position, piece),
            None => self.begin(piece, place),
        }
    }

    /// The call that is under a piece's index, or the last one for a piece without.
    pub(super) fn at(&mut self, piece: &Piece<'_>) -> Option<&mut Slot> {
        let position = match piece.index {
            Some(index) => self.indexes.get(&(piece.lane, index)).copied().flatten(),
            None => self.last.get(&piece.lane).copied(),
        };
        self.slot(position?)
    }

    /// Lets an index and ids lead to a call, and gives it what the piece tells.
    fn join(&mut self, position: usize, piece: &Piece<'_>) -> Option<&mut Slot> {
        if let Some(index) = piece.index {
            self.indexes.insert((piece.lane, index), Some(position));
        }
        for id in [piece.item, piece.id].into_iter().flatten() {
            self.ids.insert((piece.lane, id.to_owned()), position);
        }
        let slot = self.slot(position)?;
        if slot.id.is_none() {
            slot.id = piece.id.map(str::to_owned);
        }
        if let Some(name) = piece.name {
            slot.push_name(name);
        }
        Some(slot)
    }

    fn slot(&mut self, position: usize) -> Option<&mut Slot> {
        match self.entries.get_mut(position)? {
            Entry::Slot(slot) => Some(slot),
            Entry::Found(_) => None,
        }
    }
}

/// Makes a call of its pieces, or a rejection.
fn finish(mut slot: Slot, ended: Option<bool>, is_last: bool, exchange: &mut Exchange) {
    // A chat ends all its calls at once.
    if slot.end == End::Open && slot.provider.is_chat() && ended.is_some() {
        slot.end = End::Told;
    }
    let provider = slot.provider;
    let arguments = slot.arguments(is_last && ended == Some(true));
    let refused = match (name_of(Some(&Value::from(slot.name.as_str())), provider), arguments) {
        (Ok(name), Ok(read)) => return exchange.push_call(made(slot.id, name, read, provider)),
        (Err(refused), _) => refused,
        (Ok(_), Err(refused)) => (refused.code, refused.message),
    };
    let (code, message) = refused;
    let format = Some(provider.slug());
    exchange.rejections.push(ProviderRejection { code, message, path: slot.path, format });
}
