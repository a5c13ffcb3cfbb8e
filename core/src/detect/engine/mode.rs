//! What the engine reads at its position.

use super::ThoughtCalls;
use super::marked_calls::MarkedCalls;
use super::reasoning::{FramingMarker, ReasoningReader};
use crate::call::Span;
use crate::detect::block::closing::{FenceMarker, FenceText, TailReader};
use crate::detect::block::code_span::CodeSpanReader;
use crate::detect::block::fence::FenceReader;
use crate::detect::block::markup::element::ElementReader;
use crate::detect::block::markup::tag::TagReader;
use crate::detect::body::json::JsonReader;
use crate::detect::candidate::{Candidate, Found};

/// What is being read at the engine's position.
#[derive(Debug)]
pub(super) enum Mode {
    Search,
    Marked(Box<MarkedCalls>),
    Json(Box<JsonReader>),
    /// JSON that is too large to be a call.
    Oversized(Box<JsonReader>),
    Fence(Box<FenceReader>),
    Backticks(Box<CodeSpanReader>),
    /// The content of a code block in which calls do not count.
    FenceText(FenceText),
    /// The line after calls that so far fill a code block.
    FenceEnd {
        calls: Vec<Found>,
        end: usize,
        resume: usize,
        tail: TailReader,
        opened: OpenFence,
    },
    /// An object that is no call has ended here; the end marker of a call may follow.
    BehindObject(Span),
    /// The text begins, perhaps with a call that has no other marker; or such a call has ended.
    First,
    Frame(FramingMarker),
    /// Reasoning, and the calls in it where the text arrives in pieces.
    Reasoning(Box<ReasoningReader>, Option<Box<ThoughtCalls>>),
    StartTag(usize, TagReader),
    Element(Box<ElementReader>, Candidate),
    /// The turn of somebody else, which the model made up, has begun here.
    AfterEnd(usize),
    /// The rest is text.
    Done,
}

/// A code block whose content is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenFence {
    pub(super) start: usize,
    /// The offset of the first byte in the content that is not white space, as far as it is known.
    /// Only a call that starts here can fill the block.
    pub(super) content: usize,
    pub(super) marker: FenceMarker,
}

impl OpenFence {
    pub(super) fn skip_blank(&mut self, input: &[u8]) {
        while input.get(self.content).is_some_and(u8::is_ascii_whitespace) {
            self.content += 1;
        }
    }
}

/// A step changed what is being read or where; the next step can follow.
pub(super) struct Moved;
