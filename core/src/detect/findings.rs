//! What was found in a text, and the text without it.

use std::borrow::Cow;
use std::ops::Deref;

use crate::call::{Arguments, CallId, Rejection, RejectionCode, Segment, Span, Status, ToolCall};
use crate::detect::spare;
use crate::json::Parts;
use crate::json::argument_tape::ArgumentTape;
use crate::json::parse::parse_json;

/// The calls and refusals of one text, without the text itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The calls, in text order; no two spans overlap.
    pub calls: Vec<ToolCall>,
    /// What looked like a call and was refused, in text order.
    pub rejections: Vec<Rejection>,
    /// Where the model reasoned, in text order, without the white space around it. Frames may
    /// stand inside.
    pub reasoning: Vec<Span>,
    /// Where tokens frame the message, with the white space around reasoning, in text order.
    pub frames: Vec<Span>,
    /// The number of rejections beyond `max_rejections`.
    pub rejections_dropped: usize,
    /// Whether the text ends in reasoning that nothing closes: the message was cut off, or its
    /// model answered with nothing else.
    pub reasoning_open: bool,
    /// Where the values of the arguments stand, as far as that is known.
    pub(crate) tape: ArgumentTape,
}

/// What stands in place of a call that is not there.
static NO_CALL: ToolCall = ToolCall {
    id: CallId::EMPTY,
    id_given: false,
    index: 0,
    name: String::new(),
    arguments: Arguments::Verbatim(Span { start: 0, end: 0 }),
    format: "",
    span: Span { start: 0, end: 0 },
    status: Status::Complete,
    diagnostics: Vec::new(),
    provider_data: None,
};

impl Findings {
    /// Lets the next text that is searched on this thread use the memory of the calls; the list of
    /// calls is empty then.
    ///
    /// It is for a host that is about to drop the findings.
    pub fn give_back(&mut self) {
        spare::keep(&mut self.calls, &mut self.tape);
    }

    /// Whether the text ends inside a call, or in reasoning that nothing closes.
    #[must_use]
    pub fn ends_open(&self) -> bool {
        let is_cut = |rejection: &Rejection| rejection.code == RejectionCode::Incomplete;
        self.reasoning_open || self.rejections.iter().any(is_cut)
    }

    /// The call at a position; beyond the last call, a call without a name.
    ///
    /// It is for a host whose calls share the findings and keep their positions.
    #[must_use]
    pub fn call(&self, index: usize) -> &ToolCall {
        self.calls.get(index).unwrap_or(&NO_CALL)
    }

    /// The parts of a call's arguments in the searched text; `None` for arguments that have to be
    /// read from their JSON.
    ///
    /// The last part of the arguments is not marked: each object and array says how much it holds.
    #[must_use]
    pub fn argument_parts<'t>(&'t self, call: &ToolCall, input: &'t [u8]) -> Option<Parts<'t>> {
        match &call.arguments {
            Arguments::Verbatim(span) => self.tape.parts(span.start, input),
            Arguments::Made(_) => None,
        }
    }

    /// The parts of the message in order; the spans together cover the `length` bytes of the
    /// input.
    #[must_use]
    pub fn segments(&self, length: usize) -> Vec<Segment> {
        let mut segments = Vec::with_capacity(self.calls.len() * 2 + 1);
        let mut start = 0;
        for segment in self.marked_segments() {
            let span = segment.span();
            if span.start > start {
                segments.push(Segment::Text(Span::new(start, span.start)));
            }
            segments.push(segment);
            start = span.end;
        }
        if length > start {
            segments.push(Segment::Text(Span::new(start, length)));
        }
        segments
    }

    /// Whether the parts are in order, apart, and inside a text of this length.
    #[must_use]
    pub fn is_in_order(&self, length: usize) -> bool {
        let mut end = 0;
        let sorted = |spans: &[Span]| spans.is_sorted_by_key(|span| span.start);
        let apart = self.marked_segments().into_iter().all(|part| {
            let span = part.span();
            let fits = span.start >= end && span.end <= length;
            end = span.end;
            fits
        });
        apart && sorted(&self.reasoning) && sorted(&self.frames)
    }

    /// The calls, the reasoning and the frames, in text order.
    fn marked_segments(&self) -> Vec<Segment> {
        let calls = self.calls.iter().map(|call| Segment::Call(call.index, call.span));
        let reasoning = self.reasoning.iter().flat_map(|block| block.without(&self.frames));
        let reasoning = reasoning.map(Segment::Reasoning);
        let frames = self.frames.iter().copied().map(Segment::Frame);
        let mut segments: Vec<_> = calls.chain(reasoning).chain(frames).collect();
        if !self.reasoning.is_empty() || !self.frames.is_empty() {
            segments.sort_by_key(|segment| segment.span().start);
        }
        segments
    }

    /// What a person should see: the input without calls, reasoning and frames.
    #[must_use]
    pub fn text<'t>(&self, input: &'t [u8]) -> Cow<'t, [u8]> {
        let hidden = self.marked_segments();
        if hidden.is_empty() {
            return Cow::Borrowed(input);
        }
        Cow::Owned(replace(input, hidden.iter().map(|segment| (segment.span(), &[][..]))))
    }

    /// What the model thought; an empty line divides several parts. `None` without reasoning.
    #[must_use]
    pub fn reasoning_text<'t>(&self, input: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        let text = |block: &Span| match block.without(&self.frames).as_slice() {
            [only] => Cow::Borrowed(only.of(input)),
            parts => Cow::Owned(parts.iter().flat_map(|part| part.of(input)).copied().collect()),
        };
        match self.reasoning.as_slice() {
            [] => None,
            [only] => Some(text(only)),
            several => {
                let blocks: Vec<_> = several.iter().map(text).collect();
                Some(Cow::Owned(blocks.join(&b"\n\n"[..])))
            }
        }
    }

    /// What a person should see, with each call replaced by what `result` gives for it.
    pub fn replace<R: AsRef<[u8]>>(
        &self,
        input: &[u8],
        mut result: impl FnMut(&ToolCall) -> R,
    ) -> Vec<u8> {
        let parts = self.marked_segments();
        let replacements = parts.iter().map(|part| match part {
            Segment::Call(index, span) => (*span, self.calls.get(*index).map(&mut result)),
            other => (other.span(), None),
        });
        let replacements = replacements.map(|(span, made)| (span, Replacement(made)));
        replace(input, replacements)
    }
}

/// A text and what was found in it.
///
/// ```
/// use toolwire::Detector;
///
/// let text = br#"List: <tool:wp_api>{"action":"list"}</tool> Done."#;
/// let detection = Detector::default().detect(text);
/// assert_eq!(detection.calls[0].name, "wp_api");
/// assert_eq!(detection.arguments(&detection.calls[0])["action"], "list");
/// assert_eq!(detection.text().as_ref(), b"List:  Done.");
/// ```
#[derive(Clone, Debug)]
pub struct Detection<'t> {
    /// The searched text.
    pub input: &'t [u8],
    findings: Findings,
}

impl<'t> Detection<'t> {
    pub(crate) fn new(input: &'t [u8], findings: Findings) -> Self {
        Self { input, findings }
    }

    /// The calls and refusals, without the text.
    #[must_use]
    pub fn into_findings(self) -> Findings {
        self.findings
    }

    /// The parts of the message in order; the spans together cover the input.
    #[must_use]
    pub fn segments(&self) -> Vec<Segment> {
        self.findings.segments(self.input.len())
    }

    /// What a person should see: the input without calls, reasoning and frames.
    #[must_use]
    pub fn text(&self) -> Cow<'t, [u8]> {
        self.findings.text(self.input)
    }

    /// What the model thought; an empty line divides several parts. `None` without reasoning.
    #[must_use]
    pub fn reasoning(&self) -> Option<Cow<'t, [u8]>> {
        self.findings.reasoning_text(self.input)
    }

    /// As [`text`](Self::text), as a string; what is no UTF-8 becomes replacement characters.
    #[must_use]
    pub fn text_lossy(&self) -> Cow<'t, str> {
        string(self.text())
    }

    /// As [`reasoning`](Self::reasoning), as a string; what is no UTF-8 becomes replacement
    /// characters.
    #[must_use]
    pub fn reasoning_lossy(&self) -> Option<Cow<'t, str>> {
        self.reasoning().map(string)
    }

    /// The arguments of one of the calls, parsed; numbers keep their digits.
    #[must_use]
    pub fn arguments(&self, call: &ToolCall) -> serde_json::Map<String, serde_json::Value> {
        match parse_json(call.arguments_raw(self.input)) {
            Ok(serde_json::Value::Object(arguments)) => arguments,
            _ => serde_json::Map::new(),
        }
    }

    /// What a person should see, with each call replaced by what `result` gives for it.
    pub fn replace<R: AsRef<[u8]>>(&self, result: impl FnMut(&ToolCall) -> R) -> Vec<u8> {
        self.findings.replace(self.input, result)
    }
}

/// Bytes as a string.
fn string(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
    }
}

impl Deref for Detection<'_> {
    type Target = Findings;

    fn deref(&self) -> &Findings {
        &self.findings
    }
}

/// What stands in place of a part; nothing in place of what is not shown.
struct Replacement<R>(Option<R>);

impl<R: AsRef<[u8]>> AsRef<[u8]> for Replacement<R> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], AsRef::as_ref)
    }
}

/// The input with each span replaced; the spans are in order and do not overlap.
fn replace<R: AsRef<[u8]>>(input: &[u8], replacements: impl Iterator<Item = (Span, R)>) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(input.len());
    let mut start = 0;
    for (span, replacement) in replacements {
        replaced.extend_from_slice(Span::new(start, span.start).of(input));
        replaced.extend_from_slice(replacement.as_ref());
        start = span.end;
    }
    replaced.extend_from_slice(input.get(start..).unwrap_or_default());
    replaced
}
