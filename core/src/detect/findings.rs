//! What was found in a text, and the text without it.

use std::borrow::Cow;
use std::ops::Deref;

use crate::call::{Rejection, Segment, Span, ToolCall};
use crate::error::{Error, ErrorKind};
use crate::json::parse::parse_json;

/// The calls and refusals of one text, without the text itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The calls, in text order; no two spans overlap.
    pub calls: Vec<ToolCall>,
    /// What looked like a call and was refused, in text order.
    pub rejections: Vec<Rejection>,
    /// The number of rejections beyond `max_rejections`.
    pub rejections_dropped: usize,
}

impl Findings {
    /// The text and the calls in order; the spans together cover the `length` bytes of the input.
    #[must_use]
    pub fn segments(&self, length: usize) -> Vec<Segment> {
        let mut segments = Vec::with_capacity(self.calls.len() * 2 + 1);
        let mut start = 0;
        for call in &self.calls {
            if call.span.start > start {
                segments.push(Segment::Text(Span::new(start, call.span.start)));
            }
            segments.push(Segment::Call(call.index, call.span));
            start = call.span.end;
        }
        if length > start {
            segments.push(Segment::Text(Span::new(start, length)));
        }
        segments
    }

    /// The input without the calls' markup.
    #[must_use]
    pub fn text<'t>(&self, input: &'t [u8]) -> Cow<'t, [u8]> {
        if self.calls.is_empty() {
            return Cow::Borrowed(input);
        }
        Cow::Owned(replace(input, self.calls.iter().map(|call| (call.span, &[][..]))))
    }
}

/// A text and what was found in it.
///
/// ```
/// use toolwire::Detector;
///
/// let detection = Detector::default().detect(br#"List: <tool:wp_api>{"action":"list"}</tool> Done."#);
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

    /// The text and the calls in order; the spans together cover the input.
    #[must_use]
    pub fn segments(&self) -> Vec<Segment> {
        self.findings.segments(self.input.len())
    }

    /// The input without the calls' markup.
    #[must_use]
    pub fn text(&self) -> Cow<'t, [u8]> {
        self.findings.text(self.input)
    }

    /// The arguments of one of the calls, parsed; numbers keep their digits.
    #[must_use]
    pub fn arguments(&self, call: &ToolCall) -> serde_json::Map<String, serde_json::Value> {
        match parse_json(call.arguments_raw(self.input)) {
            Ok(serde_json::Value::Object(arguments)) => arguments,
            _ => serde_json::Map::new(),
        }
    }

    /// The input with each call's markup replaced by what `result` gives for it.
    pub fn replace<R: AsRef<[u8]>>(&self, mut result: impl FnMut(&ToolCall) -> R) -> Vec<u8> {
        replace(self.input, self.calls.iter().map(|call| (call.span, result(call))))
    }
}

impl Deref for Detection<'_> {
    type Target = Findings;

    fn deref(&self) -> &Findings {
        &self.findings
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

/// The input with each span replaced by its text.
///
/// # Errors
/// `invalid_option` when the spans are out of order, overlap or reach beyond the input.
pub fn replace_spans(input: &[u8], replacements: &[(Span, &[u8])]) -> Result<Vec<u8>, Error> {
    let mut end = 0;
    for (span, _) in replacements {
        if span.start < end || span.end > input.len() {
            let message = "the spans to replace must be in order, apart, and inside the text";
            return Err(Error::new(ErrorKind::InvalidOption, message).at(span.start));
        }
        end = span.end;
    }
    Ok(replace(input, replacements.iter().copied()))
}
