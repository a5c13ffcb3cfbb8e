//! The parts of a message in the order in which a provider's message has them.
//!
//! A detection and a stream both go through an [`Outline`], so a streamed message has the same
//! parts as the whole one. Reasoning and text keep their order. Calls come last, since mostly only
//! the end of a message shows that they count: a marker that ends reasoning may still turn up, and
//! then the calls before it were only thoughts. Once there was reasoning, no such marker counts any
//! more, and a stream says of a call whether one could.

use serde_json::Value;

use super::id_form::{CallIds, IdForm};
use crate::call::{RejectionCode, Segment, Span, ToolCall};
use crate::detect::{Detection, Event, Stream};
use crate::json::parse::parse_json;

/// A call as the message has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageCall<'a> {
    /// The call's own id.
    pub id: &'a str,
    /// The tool's name.
    pub name: &'a str,
    /// The JSON text of the arguments.
    pub arguments: &'a [u8],
}

impl<'a> MessageCall<'a> {
    /// The call, whose arguments stand in this text.
    #[must_use]
    pub fn of(call: &'a ToolCall, text: &'a [u8]) -> Self {
        let arguments = call.arguments_raw(text);
        Self { id: &call.id, name: &call.name, arguments }
    }
}

/// A call that begins, of which a stream knows the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallStart<'a> {
    /// The number in the stream.
    pub number: usize,
    /// The id that the call will have.
    pub id: &'a str,
    /// The tool's name.
    pub name: &'a str,
    /// Whether no marker behind it can show that the call was only a thought.
    pub certain: bool,
}

/// A part of a message, or what a stream tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessagePart<'a> {
    /// Text for a person.
    Text(&'a [u8]),
    /// Reasoning, and where it stands; pieces that touch belong together.
    Reasoning(&'a [u8], Span),
    /// All before was reasoning: this text.
    ReasoningEnd(&'a [u8], Span),
    /// A call begins.
    CallStart(CallStart<'a>),
    /// The next piece of the JSON of a call's arguments.
    ArgumentsDelta(usize, &'a [u8]),
    /// A call, and its number in the stream.
    Call(usize, MessageCall<'a>),
    /// The call with this number does not count.
    CallRetracted(usize),
    /// The text ends inside a call.
    CutOff,
}

impl<'a> MessagePart<'a> {
    /// The parts of a whole message.
    pub(in crate::provider) fn of_detection(
        found: &'a Detection<'a>,
    ) -> impl Iterator<Item = Self> {
        found.segments().into_iter().filter_map(|segment| {
            let text = segment.span().of(found.input);
            Some(match segment {
                Segment::Text(_) => Self::Text(text),
                Segment::Reasoning(span) => Self::Reasoning(text, span),
                Segment::Call(index, _) => {
                    Self::Call(index, MessageCall::of(found.calls.get(index)?, found.input))
                }
                Segment::Frame(_) => return None,
            })
        })
    }

    /// What an event of a stream tells of the message; none for an event that changes nothing.
    #[must_use]
    pub fn of_event(event: &'a Event, stream: &'a Stream) -> Option<Self> {
        let input = stream.input();
        Some(match event {
            Event::Text(span) => Self::Text(span.of(input)),
            Event::Reasoning(span) => Self::Reasoning(span.of(input), *span),
            Event::ReasoningEnd(span) => Self::ReasoningEnd(span.of(input), *span),
            Event::CallEnd { number, call } => {
                let call = stream.findings().calls.get(*call)?;
                Self::Call(*number, MessageCall::of(call, input))
            }
            Event::CallRetracted { number } => Self::CallRetracted(*number),
            Event::Rejection(index) => {
                let rejection = stream.findings().rejections.get(*index)?;
                return (rejection.code == RejectionCode::Incomplete).then_some(Self::CutOff);
            }
            Event::CallStart { number, name, id, certain } => {
                Self::CallStart(CallStart { number: *number, id, name, certain: *certain })
            }
            Event::ArgumentsDelta { number, json } => Self::ArgumentsDelta(*number, json.of(input)),
        })
    }
}

/// What a block of a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider) enum BlockKind {
    Reasoning,
    Text,
}

/// A step of writing a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::provider) enum MessageStep {
    /// A block begins.
    Open(BlockKind),
    /// The open block goes on.
    Piece(BlockKind, String),
    /// The open block ends.
    Close(BlockKind),
}

/// A call with the id that the provider's message gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::provider) struct WrittenCall {
    pub(in crate::provider) id: String,
    pub(in crate::provider) name: String,
    pub(in crate::provider) arguments: String,
}

impl WrittenCall {
    /// The parts of the call that a provider's object has.
    pub(in crate::provider) fn parts(&self) -> PlainCall<'_> {
        PlainCall { id: Some(&self.id), name: &self.name, arguments: &self.arguments }
    }
}

/// A call to be written.
#[derive(Clone, Copy, Debug)]
pub(in crate::provider) struct PlainCall<'a> {
    pub(in crate::provider) id: Option<&'a str>,
    pub(in crate::provider) name: &'a str,
    /// The JSON text of the arguments.
    pub(in crate::provider) arguments: &'a str,
}

impl PlainCall<'_> {
    /// The arguments as an object.
    pub(in crate::provider) fn value(&self) -> Value {
        parse_json(self.arguments.as_bytes()).unwrap_or_default()
    }
}

/// A call that waits for the end of the message.
#[derive(Clone, Debug)]
struct HeldCall {
    number: usize,
    id: String,
    name: String,
    arguments: String,
}

/// Orders the parts of a message as they come.
#[derive(Debug)]
pub(in crate::provider) struct Outline {
    open: Option<BlockKind>,
    /// The kind of the last part, whose block may not be open yet.
    last: Option<BlockKind>,
    /// White space that is written only if text follows it.
    blank: String,
    /// The bytes of an incomplete character.
    cut: Vec<u8>,
    /// Where the reasoning so far ends.
    reasoning_end: usize,
    /// Whether no marker makes a thought of a call any more, as behind reasoning.
    sure: bool,
    calls: Vec<HeldCall>,
    ids: CallIds,
}

impl Outline {
    /// Begins a message whose calls have ids of this form.
    pub(in crate::provider) fn new(ids: IdForm) -> Self {
        Self {
            open: None,
            last: None,
            blank: String::new(),
            cut: Vec::new(),
            reasoning_end: 0,
            sure: false,
            calls: Vec::new(),
            ids: CallIds::new(ids),
        }
    }

    /// Takes the next part, and adds the steps that it leads to.
    pub(in crate::provider) fn take(
        &mut self,
        part: MessagePart<'_>,
        steps: &mut Vec<MessageStep>,
    ) {
        match part {
            MessagePart::Text(text) => {
                if self.last != Some(BlockKind::Text) {
                    self.end_character(steps);
                }
                self.last = Some(BlockKind::Text);
                let text = self.decode(text);
                self.text(&text, steps);
            }
            MessagePart::Reasoning(text, span) => self.reasoning(text, span, steps),
            // Text that was written cannot be taken back, but the reasoning is whole.
            MessagePart::ReasoningEnd(text, span) => {
                self.blank.clear();
                self.cut.clear();
                self.calls.clear();
                self.reasoning(text, span, steps);
            }
            MessagePart::Call(number, call) => self.calls.push(HeldCall {
                number,
                id: call.id.to_owned(),
                name: call.name.to_owned(),
                arguments: String::from_utf8_lossy(call.arguments).into_owned(),
            }),
            MessagePart::CallRetracted(number) => self.calls.retain(|held| held.number != number),
            MessagePart::CallStart(call) => self.sure |= call.certain,
            MessagePart::ArgumentsDelta(..) | MessagePart::CutOff => {}
        }
    }

    /// Whether nothing can take back a call that has ended.
    pub(in crate::provider) fn calls_are_sure(&self) -> bool {
        self.sure
    }

    /// Gives the calls so far that nothing can take back, each once.
    pub(in crate::provider) fn sure_calls(&mut self) -> Vec<WrittenCall> {
        if self.calls_are_sure() { self.written_calls() } else { Vec::new() }
    }

    /// Ends the open block, since a part of another kind follows.
    pub(in crate::provider) fn close_block(&mut self, steps: &mut Vec<MessageStep>) {
        self.end_character(steps);
        steps.extend(self.open.take().map(MessageStep::Close));
    }

    /// Ends the message, and gives the calls that were not given before.
    pub(in crate::provider) fn finish(&mut self, steps: &mut Vec<MessageStep>) -> Vec<WrittenCall> {
        self.close_block(steps);
        self.written_calls()
    }

    fn written_calls(&mut self) -> Vec<WrittenCall> {
        let written = |held: HeldCall| WrittenCall {
            id: self.ids.next(&held.id),
            name: held.name,
            arguments: held.arguments,
        };
        std::mem::take(&mut self.calls).into_iter().map(written).collect()
    }

    fn text(&mut self, text: &str, steps: &mut Vec<MessageStep>) {
        if self.open == Some(BlockKind::Text) {
            if !text.is_empty() {
                steps.push(MessageStep::Piece(BlockKind::Text, text.to_owned()));
            }
            return;
        }
        self.blank.push_str(text);
        if !self.blank.trim().is_empty() {
            self.open(BlockKind::Text, steps);
            steps.push(MessageStep::Piece(BlockKind::Text, std::mem::take(&mut self.blank)));
        }
    }

    fn reasoning(&mut self, text: &[u8], span: Span, steps: &mut Vec<MessageStep>) {
        let goes_on = self.last == Some(BlockKind::Reasoning) && span.start == self.reasoning_end;
        if !goes_on {
            self.end_character(steps);
            if self.open == Some(BlockKind::Reasoning) {
                steps.push(MessageStep::Piece(BlockKind::Reasoning, "\n\n".to_owned()));
            }
        }
        (self.last, self.reasoning_end) = (Some(BlockKind::Reasoning), span.end);
        self.sure = true;
        let text = self.decode(text);
        if !text.is_empty() {
            self.open(BlockKind::Reasoning, steps);
            steps.push(MessageStep::Piece(BlockKind::Reasoning, text));
        }
    }

    /// Opens a block of a kind, unless one is open.
    fn open(&mut self, kind: BlockKind, steps: &mut Vec<MessageStep>) {
        if self.open != Some(kind) {
            steps.extend(self.open.replace(kind).map(MessageStep::Close));
            steps.push(MessageStep::Open(kind));
        }
    }

    /// The text of these bytes; those of an incomplete character wait for the rest of it.
    fn decode(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.cut);
        all.extend_from_slice(bytes);
        let mut text = String::with_capacity(all.len());
        for chunk in all.utf8_chunks() {
            text.push_str(chunk.valid());
            let ends = chunk.invalid().as_ptr_range().end == all.as_ptr_range().end;
            match std::str::from_utf8(chunk.invalid()) {
                Err(error) if ends && error.error_len().is_none() => {
                    self.cut = chunk.invalid().to_vec();
                }
                Err(_) => text.push(char::REPLACEMENT_CHARACTER),
                Ok(_) => {}
            }
        }
        text
    }

    /// Writes what is left of a character that never got complete.
    fn end_character(&mut self, steps: &mut Vec<MessageStep>) {
        if std::mem::take(&mut self.cut).is_empty() {
            return;
        }
        let mark = char::REPLACEMENT_CHARACTER.to_string();
        if self.last == Some(BlockKind::Reasoning) {
            self.open(BlockKind::Reasoning, steps);
            steps.push(MessageStep::Piece(BlockKind::Reasoning, mark));
        } else {
            self.text(&mark, steps);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(parts: &[MessagePart<'_>]) -> Vec<MessageStep> {
        let (mut outline, mut steps) = (Outline::new(IdForm::CALL), Vec::new());
        for part in parts {
            outline.take(*part, &mut steps);
        }
        outline.finish(&mut steps);
        steps
    }

    #[test]
    fn a_character_in_two_pieces_is_one() {
        let (kind, euro) = (BlockKind::Text, "€".as_bytes());
        let whole = vec![
            MessageStep::Open(kind),
            MessageStep::Piece(kind, "€".to_owned()),
            MessageStep::Close(kind),
        ];
        assert_eq!(steps(&[MessagePart::Text(&euro[..1]), MessagePart::Text(&euro[1..])]), whole);
        let lost = vec![MessageStep::Open(kind), MessageStep::Piece(kind, "\u{fffd}".to_owned())];
        assert_eq!(steps(&[MessagePart::Text(&euro[..2])])[..2], lost);
    }

    #[test]
    fn a_character_in_two_pieces_of_reasoning_is_one() {
        let (kind, euro) = (BlockKind::Reasoning, "€".as_bytes());
        let part = |start, end| MessagePart::Reasoning(&euro[start..end], Span::new(start, end));
        let whole = vec![
            MessageStep::Open(kind),
            MessageStep::Piece(kind, "€".to_owned()),
            MessageStep::Close(kind),
        ];
        assert_eq!(steps(&[part(0, 1), part(1, 3)]), whole);
    }

    #[test]
    fn white_space_alone_is_no_block() {
        assert_eq!(steps(&[MessagePart::Text(b"\n"), MessagePart::Text(b" ")]), []);
    }
}
