//! Compares a stream with the detection in the whole text.

use std::collections::HashMap;

use toolwire::call::Segment;
use toolwire::detect::{Detection, Findings};
use toolwire::{Detector, Event, ToolCall};

use super::case::Text;
use super::detection::equal;

/// Fails unless a stream finds the same as a detection in the whole text.
pub fn check_stream(
    detector: &Detector,
    text: &[u8],
    size: usize,
    whole: &Detection<'_>,
    told: Option<&Text>,
) -> Result<(), String> {
    let mut stream = detector.stream();
    let mut events = Vec::new();
    for chunk in text.chunks(size) {
        events.extend(stream.feed(chunk).map_err(|error| error.to_string())?);
    }
    events.extend(stream.finish().map_err(|error| error.to_string())?);
    equal("input", &Text(stream.input().to_vec()), &Text(text.to_vec()))?;
    equal("calls", &without_new_ids(&stream.findings().calls), &without_new_ids(&whole.calls))?;
    equal("rejections", &stream.findings().rejections, &whole.rejections)?;
    let folded = stream.detection().map_err(|error| error.to_string())?;
    equal("rejections_dropped", &folded.rejections_dropped, &whole.rejections_dropped)?;
    equal("reasoning_open", &folded.reasoning_open, &whole.reasoning_open)?;
    equal("text", &Text(folded.text().into_owned()), &Text(whole.text().into_owned()))?;
    equal("segments", &joined_texts(folded.segments()), &joined_texts(whole.segments()))?;
    check_events(&events, stream.findings(), text, told)
}

/// The calls without the ids that are new in each detection.
fn without_new_ids(calls: &[ToolCall]) -> Vec<ToolCall> {
    let plain = |call: &ToolCall| {
        let id = if call.id_given { call.id.clone() } else { "".into() };
        ToolCall { id, ..call.clone() }
    };
    calls.iter().map(plain).collect()
}

/// The segments, with neighbouring texts joined.
fn joined_texts(segments: Vec<Segment>) -> Vec<Segment> {
    let mut joined: Vec<Segment> = Vec::new();
    for segment in segments {
        match (joined.last_mut(), segment) {
            (Some(Segment::Text(last)), Segment::Text(next)) => last.end = next.end,
            _ => joined.push(segment),
        }
    }
    joined
}

/// What the events of a stream told.
#[derive(Default)]
struct Told {
    /// The text and the calls' markup.
    shown: Vec<u8>,
    reasoning: Vec<u8>,
    calls: Vec<usize>,
    rejections: Vec<usize>,
    /// The calls that have begun and not ended, with their names, ids and arguments.
    open: HashMap<usize, ([String; 2], Vec<u8>)>,
    begun: usize,
}

/// Fails unless the events are complete: their texts and calls join to what is shown of the input,
/// each call and rejection is named once, and the pieces of arguments add up to each call's
/// arguments.
///
/// Where a marker shows that all before it was reasoning, what was told before does not count.
///
/// The markup of a call that is cut off is not told as text after its arguments were told: the case
/// says what is `expected` then.
fn check_events(
    events: &[Event],
    findings: &Findings,
    text: &[u8],
    expected: Option<&Text>,
) -> Result<(), String> {
    let reasoning_end = events.iter().position(|event| matches!(event, Event::ReasoningEnd(_)));
    let mut told = Told::default();
    for (place, event) in events.iter().enumerate() {
        let withdrawn = reasoning_end.is_some_and(|end| place < end);
        told.take(event, findings, text, withdrawn)?;
    }
    equal("calls that did not end", &told.open.len(), &0)?;
    let joined = |belongs: fn(&Segment) -> bool| -> Vec<u8> {
        let parts = findings.segments(text.len()).into_iter().filter(belongs);
        parts.flat_map(|part| part.span().of(text).to_vec()).collect()
    };
    let shown = Text(joined(|part| matches!(part, Segment::Text(_) | Segment::Call(..))));
    equal("texts and calls of the events", &Text(told.shown), expected.unwrap_or(&shown))?;
    let reasoning = joined(|part| matches!(part, Segment::Reasoning(_)));
    equal("reasoning of the events", &Text(told.reasoning), &Text(reasoning))?;
    equal("calls of the events", &told.calls, &(0..findings.calls.len()).collect::<Vec<_>>())?;
    if reasoning_end.is_some() {
        told.rejections.sort_unstable();
        told.rejections.dedup();
        return Ok(());
    }
    let all: Vec<_> = (0..findings.rejections.len()).collect();
    equal("rejections of the events", &told.rejections, &all)
}

impl Told {
    fn take(
        &mut self,
        event: &Event,
        findings: &Findings,
        text: &[u8],
        withdrawn: bool,
    ) -> Result<(), String> {
        match event {
            Event::Text(span) => {
                equal("calls that are open while text comes", &self.open.len(), &0)?;
                self.shown.extend_from_slice(span.of(text));
            }
            Event::Reasoning(span) => self.reasoning.extend_from_slice(span.of(text)),
            Event::ReasoningEnd(span) => {
                (self.shown, self.calls) = (Vec::new(), Vec::new());
                self.reasoning = span.of(text).to_vec();
            }
            Event::CallStart { number, name, id, .. } => {
                equal("number of a call that begins", number, &self.begun)?;
                self.begun += 1;
                let text = [name, id].map(ToString::to_string);
                self.open.insert(*number, (text, Vec::new()));
            }
            Event::ArgumentsDelta { number, json } => {
                let (_, told) =
                    self.open.get_mut(number).ok_or("arguments of a call that did not begin")?;
                told.extend_from_slice(json.of(text));
            }
            Event::CallEnd { number, call } => {
                let ([name, id], told) =
                    self.open.remove(number).ok_or("the end of a call that did not begin")?;
                if withdrawn {
                    return Ok(());
                }
                let found = findings.calls.get(*call).ok_or("an event names no call")?;
                equal("name of a call that began", &name, &found.name)?;
                // An id may be written behind the arguments.
                if !found.id_given {
                    equal("id of a call that began", &id, &found.id)?;
                }
                equal("arguments told", &Text(told), &Text(found.arguments_raw(text).to_vec()))?;
                self.shown.extend_from_slice(found.original(text));
                self.calls.push(*call);
            }
            Event::CallRetracted { number } => {
                self.open.remove(number);
            }
            Event::Rejection(index) => self.rejections.push(*index),
            other => return Err(format!("an unknown event: {other:?}")),
        }
        Ok(())
    }
}
