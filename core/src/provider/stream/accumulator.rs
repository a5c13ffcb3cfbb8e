//! Joins the events of a streamed response into calls.
//!
//! Events of OpenAI's two APIs, Anthropic, Bedrock and Cohere carry pieces of a call. Events of
//! Gemini and Ollama carry whole calls, and so does any other event in which
//! [`parse`](crate::provider::parse) finds calls. Each byte is read a bounded number of times.
//!
//! Servers that copy OpenAI's stream do not keep to its indexes, so an id counts more than an
//! index. Pieces with the same id are one call. A new id under an index in use begins a call. A
//! piece with neither id nor index continues the last call.
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

use super::own_slot::OwnSlot;
use super::piece::CallPiece;
use super::slot::{EndMark, Slot};
use crate::call::RejectionCode;
use crate::error::{Error, ErrorKind};
use crate::provider::kind::Provider;
use crate::provider::read::beside;
use crate::provider::read::exchange::{Exchange, ProviderRejection};
use crate::provider::read::place::ObjectPlace;
use crate::provider::read::walk::{ParseOptions, made, name_of, parse_at};

/// Joins the events of one streamed response.
#[derive(Clone, Debug, Default)]
pub struct Accumulator {
    pub(in crate::provider) options: ParseOptions,
    entries: Vec<StreamItem>,
    /// The call under each index of a choice; none if the index is not a call's.
    indexes: HashMap<(usize, i64), Option<usize>>,
    /// The call of each id of a choice.
    ids: HashMap<(usize, String), usize>,
    /// The last call of each choice.
    last: HashMap<usize, usize>,
    /// The call of each choice whose arguments come in parts with paths, until its last part.
    pub(in crate::provider) in_parts: HashMap<usize, usize>,
    /// The choices that have ended, and whether the provider cut each one off at its limit.
    ended: HashMap<usize, bool>,
    events: usize,
    finished: bool,
}

/// One thing that the stream brought.
#[derive(Clone, Debug)]
pub(in crate::provider) enum StreamItem {
    /// A call in pieces.
    Slot(Box<Slot>),
    /// Whole calls and results.
    Found(Exchange),
    /// What the provider keeps for itself.
    Own(OwnSlot),
}

impl Accumulator {
    /// Begins a stream; `provider` names the provider where several share a shape of calls.
    #[must_use]
    pub fn new(provider: Option<Provider>) -> Self {
        Self::with(ParseOptions { provider, ..ParseOptions::default() })
    }

    /// Begins a stream with options.
    #[must_use]
    pub fn with(options: ParseOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Takes the next event, decoded, or a list of events.
    ///
    /// # Errors
    /// `stream_finished` after [`finish`](Self::finish).
    pub fn feed(&mut self, event: &Value) -> Result<(), Error> {
        self.refuse_finished()?;
        let root = ObjectPlace::root();
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

    /// Ends the stream and gives what it held.
    ///
    /// A call whose arguments are cut off is rejected as `incomplete`. The path of a rejection
    /// leads into the list of events, to where the call began.
    ///
    /// # Errors
    /// `stream_finished` when called again.
    pub fn finish(&mut self) -> Result<Exchange, Error> {
        self.refuse_finished()?;
        self.finished = true;
        let mut exchange = Exchange::default();
        for (position, entry) in std::mem::take(&mut self.entries).into_iter().enumerate() {
            match entry {
                StreamItem::Found(found) => exchange.extend(found),
                StreamItem::Own(own) => exchange.items.push(own.finish()),
                StreamItem::Slot(slot) => {
                    let ended = self.ended.get(&slot.choice_index).copied();
                    let is_last = self.last.get(&slot.choice_index) == Some(&position);
                    finish(*slot, self.options, (ended, is_last), &mut exchange);
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

    /// Takes an event that holds no pieces of calls.
    pub(in crate::provider) fn take_whole(&mut self, event: &Value, place: &ObjectPlace<'_>) {
        let found = parse_at(event, self.options, place);
        if found != Exchange::default() {
            self.entries.push(StreamItem::Found(found));
        }
    }

    /// Rejects a value that stands in the place of a piece of a call.
    pub(in crate::provider) fn misshapen(&mut self, place: &ObjectPlace<'_>) {
        self.reject(RejectionCode::BadShape, "this is no piece of a call", place);
    }

    /// Adds a rejection.
    pub(in crate::provider) fn reject(
        &mut self,
        code: RejectionCode,
        message: &str,
        place: &ObjectPlace<'_>,
    ) {
        let rejection = ProviderRejection {
            code,
            message: message.to_owned(),
            path: place.pointer(),
            format: None,
        };
        self.entries.push(StreamItem::Found(Exchange {
            rejections: vec![rejection],
            ..Exchange::default()
        }));
    }

    /// Notes that a choice has ended.
    pub(in crate::provider) fn end(&mut self, choice_index: usize, cut: bool) {
        self.ended.insert(choice_index, cut);
    }

    /// Begins a call, even if its index or its id is in use.
    pub(in crate::provider) fn begin(
        &mut self,
        piece: &CallPiece<'_>,
        place: &ObjectPlace<'_>,
    ) -> Option<&mut Slot> {
        let position = self.entries.len();
        self.entries.push(StreamItem::Slot(Box::new(Slot::new(
            piece.provider,
            piece.choice_index,
            place.pointer(),
        ))));
        self.last.insert(piece.choice_index, position);
        self.join(position, piece)
    }

    /// Notes that there is no call under an index.
    pub(in crate::provider) fn skip(&mut self, choice_index: usize, index: Option<i64>) {
        if let Some(index) = index {
            self.indexes.insert((choice_index, index), None);
        }
    }

    /// Adds what is no call under the index and the ids of a piece.
    pub(in crate::provider) fn add(&mut self, item: StreamItem, piece: &CallPiece<'_>) {
        let position = self.entries.len();
        self.entries.push(item);
        self.last.insert(piece.choice_index, position);
        self.map(position, piece);
    }

    /// Whether the stream has told of this piece's item before.
    pub(in crate::provider) fn knows(&self, piece: &CallPiece<'_>) -> bool {
        match piece.item.or(piece.id) {
            Some(id) => self.ids.contains_key(&(piece.choice_index, id.to_owned())),
            None => piece
                .index
                .is_some_and(|index| self.indexes.contains_key(&(piece.choice_index, index))),
        }
    }

    /// The provider's own item that a piece continues.
    pub(in crate::provider) fn own_at(&mut self, piece: &CallPiece<'_>) -> Option<&mut OwnSlot> {
        let position = match (piece.item.or(piece.id), piece.index) {
            (Some(id), _) => self.ids.get(&(piece.choice_index, id.to_owned())).copied(),
            (None, Some(index)) => {
                self.indexes.get(&(piece.choice_index, index)).copied().flatten()
            }
            (None, None) => self.last.get(&piece.choice_index).copied(),
        };
        match self.entries.get_mut(position?)? {
            StreamItem::Own(own) => Some(own),
            StreamItem::Slot(_) | StreamItem::Found(_) => None,
        }
    }

    /// The call that a piece continues, or a new call; none if the piece's index is not a call's.
    pub(in crate::provider) fn go_on(
        &mut self,
        piece: &CallPiece<'_>,
        place: &ObjectPlace<'_>,
    ) -> Option<&mut Slot> {
        let known = [piece.item, piece.id].into_iter().flatten();
        let known = known
            .filter_map(|id| self.ids.get(&(piece.choice_index, id.to_owned())))
            .copied()
            .next();
        if let Some(position) = known {
            return self.join(position, piece);
        }
        let indexed =
            piece.index.and_then(|index| self.indexes.get(&(piece.choice_index, index)).copied());
        let fragment = piece.name.is_none() && piece.id.is_none() && piece.item.is_none();
        let position = match indexed {
            Some(None) if fragment => return None,
            Some(position) => position,
            // A fragment under a new index belongs to the last call.
            None if piece.index.is_none() || fragment => {
                self.last.get(&piece.choice_index).copied()
            }
            None => None,
        };
        match position
            .filter(|&position| self.slot(position).is_some_and(|slot| piece.continues(slot)))
        {
            Some(position) => self.join(position, piece),
            None => self.begin(piece, place),
        }
    }

    /// The call under a piece's index, or the last call if the piece has no index.
    pub(in crate::provider) fn at(&mut self, piece: &CallPiece<'_>) -> Option<&mut Slot> {
        let position = match piece.index {
            Some(index) => self.indexes.get(&(piece.choice_index, index)).copied().flatten(),
            None => self.last.get(&piece.choice_index).copied(),
        };
        self.slot(position?)
    }

    /// Maps the index and the ids of a piece to a call, and adds the piece's data to the call.
    fn join(&mut self, position: usize, piece: &CallPiece<'_>) -> Option<&mut Slot> {
        self.map(position, piece);
        let slot = self.slot(position)?;
        if slot.id.is_none() {
            slot.id = piece.id.map(str::to_owned);
        }
        if let Some(name) = piece.name {
            slot.push_name(name);
        }
        Some(slot)
    }

    /// Maps the index and the ids of a piece to an entry.
    fn map(&mut self, position: usize, piece: &CallPiece<'_>) {
        if let Some(index) = piece.index {
            self.indexes.insert((piece.choice_index, index), Some(position));
        }
        for id in [piece.item, piece.id].into_iter().flatten() {
            self.ids.insert((piece.choice_index, id.to_owned()), position);
        }
    }

    /// The call at a position.
    pub(in crate::provider) fn slot(&mut self, position: usize) -> Option<&mut Slot> {
        match self.entries.get_mut(position)? {
            StreamItem::Slot(slot) => Some(slot),
            StreamItem::Found(_) | StreamItem::Own(_) => None,
        }
    }

    /// The position of the last entry of a choice.
    pub(in crate::provider) fn last_of(&self, choice_index: usize) -> Option<usize> {
        self.last.get(&choice_index).copied()
    }
}

/// Turns the pieces of a call into a call or a rejection.
fn finish(
    mut slot: Slot,
    options: ParseOptions,
    (ended, is_last): (Option<bool>, bool),
    exchange: &mut Exchange,
) {
    // A chat ends all its calls at once.
    if slot.end == EndMark::Open && slot.provider.is_chat() && ended.is_some() {
        slot.end = EndMark::Told;
    }
    let provider = slot.provider;
    let arguments = slot.arguments(is_last && ended == Some(true), options.repair);
    let refused = match (name_of(Some(&Value::from(slot.name.as_str())), provider), arguments) {
        (Ok(name), Ok(read)) => {
            let beside = match slot.free_text {
                Some(form) => form.marked(slot.beside),
                None => slot.beside,
            };
            let mut call = made(slot.id, name, read, provider);
            call.provider_data = beside::written(beside);
            return exchange.push_call(call);
        }
        (Err(refused), _) => refused,
        (Ok(_), Err(refused)) => (refused.code, refused.message),
    };
    let (code, message) = refused;
    let format = Some(provider.slug());
    exchange.rejections.push(ProviderRejection { code, message, path: slot.path, format });
}
