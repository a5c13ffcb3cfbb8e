//! Laws for every detection, and for every way to cut its text.

use serde_json::value::RawValue;
use toolwire::call::{Rejection, RejectionCode};
use toolwire::detect::Findings;
use toolwire::{Detection, Detector, Event, Span};

/// Findings without the generated ids.
fn comparable(findings: &Findings) -> Findings {
    let mut findings = findings.clone();
    for call in &mut findings.calls {
        if !call.id_given {
            call.id = "".into();
        }
    }
    findings
}

pub fn check_laws(detection: &Detection<'_>) {
    let mut end = 0;
    for segment in detection.segments() {
        let span = segment.span();
        assert_eq!(span.start, end, "{}", String::from_utf8_lossy(detection.input));
        assert!(span.end > span.start);
        end = span.end;
    }
    assert_eq!(end, detection.input.len());
    for (index, call) in detection.calls.iter().enumerate() {
        assert_eq!(call.index, index);
        let raw = call.arguments_raw(detection.input);
        // A `Value` of serde_json takes one key for its own.
        let arguments = serde_json::from_slice::<&RawValue>(raw).unwrap_or_else(|error| {
            panic!("{error}: {call:?} in {}", detection.input.escape_ascii())
        });
        let inside = arguments.get().strip_prefix('[').map(str::trim_start);
        assert!(inside.map_or(arguments.get().starts_with('{'), |inside| inside.starts_with(']')));
    }
    for rejection in &detection.rejections {
        assert!(rejection.span.end <= detection.input.len());
        assert!(rejection.excerpt.chars().count() <= 120);
    }
    let starts: Vec<_> =
        detection.rejections.iter().map(|rejection| rejection.span.start).collect();
    let shown = String::from_utf8_lossy(detection.input);
    assert!(starts.is_sorted(), "{starts:?} {:?} in {shown}", detection.rejections);
}

/// What a stream finds, and the end of what its events tell: before the end of the text, that is
/// the markup of a call that is cut off.
fn streamed(detector: &Detector, text: &[u8], cuts: &[usize]) -> (Findings, usize) {
    let mut stream = detector.stream();
    let mut told = Vec::new();
    let (mut open, mut certain) = (Vec::new(), Vec::new());
    let mut retracted = false;
    let mut start = 0;
    // What frames the message is told by no event.
    let mut take = |events: Vec<Event>, findings: &Findings| {
        for event in events {
            match event {
                Event::Text(span) | Event::Reasoning(span) => told.push(span),
                // Of a channel that holds nothing, no reasoning is left.
                Event::ReasoningEnd(span) => {
                    told = Some(span).filter(|span| !span.is_empty()).into_iter().collect();
                }
                Event::CallRetracted { number } => {
                    let ended = certain.contains(&number) && !open.contains(&number);
                    assert!(!ended, "a certain call was a thought: {}", text.escape_ascii());
                    open.retain(|other| *other != number);
                    retracted = true;
                }
                Event::CallStart { number, certain: is_certain, .. } => {
                    open.push(number);
                    certain.extend(is_certain.then_some(number));
                }
                Event::CallEnd { number, call } => {
                    assert!(open.contains(&number), "a call ends that did not begin");
                    open.retain(|other| *other != number);
                    told.push(findings.calls[call].span);
                }
                _ => {}
            }
        }
    };
    for &cut in cuts {
        let events = stream.feed(&text[start..cut]).unwrap();
        take(events, stream.findings());
        start = cut;
    }
    let events = stream.feed(&text[start..]).unwrap();
    take(events, stream.findings());
    let events = stream.finish().unwrap();
    take(events, stream.findings());
    let frames = &stream.findings().frames;
    // Frames may follow one another.
    let frame_from =
        |start: usize| {
            frames.iter().fold(start, |start, frame| {
                if frame.start <= start { start.max(frame.end) } else { start }
            })
        };
    let joined = told.iter().fold(0, |end, span: &Span| {
        let end = if span.start == end { end } else { frame_from(end) };
        assert_eq!(span.start, end, "an event was repeated or lost: {}", text.escape_ascii());
        span.end
    });
    // The markup of a call that is cut off is not told as text after its arguments were told.
    let cut_off = |start: usize| {
        let is_cut_off = |rejection: &Rejection| {
            rejection.code == RejectionCode::Incomplete && rejection.span.start >= start
        };
        retracted && stream.findings().rejections.iter().any(is_cut_off)
    };
    let end = frame_from(joined);
    assert!(end == text.len() || cut_off(end), "{}", text.escape_ascii());
    assert!(open.is_empty(), "calls that did not end: {open:?} in {}", text.escape_ascii());
    (comparable(stream.findings()), end)
}

/// The whole text obeys the laws, and each way to cut it gives the same.
pub fn check_cuts(detector: &Detector, text: &[u8], ways: impl IntoIterator<Item = Vec<usize>>) {
    let whole = detector.detect(text);
    check_laws(&whole);
    let expected = comparable(&whole);
    let mut cut_off = text.len();
    for cuts in ways {
        let (found, end) = streamed(detector, text, &cuts);
        let what = format!("cut at {cuts:?}: {}", text.escape_ascii());
        assert_eq!(found, expected, "{what}");
        // The markup that is not told begins at one place, wherever the text is cut.
        assert!(end == text.len() || cut_off == text.len() || end == cut_off, "{what}");
        cut_off = cut_off.min(end);
    }
}

/// Cuts a text in two at each byte, and into single bytes.
pub fn check_splits(detectors: &[Detector], text: &[u8]) {
    for detector in detectors {
        let in_two = (0..=text.len()).map(|cut| vec![cut]);
        check_cuts(detector, text, in_two.chain([single_bytes(text)]));
    }
}

/// Cuts a text at two places, each in parts of 255 of it, and a short text into single bytes.
#[allow(dead_code, reason = "the fuzz targets use it")]
pub fn check_two_cuts(detector: &Detector, text: &[u8], places: [u8; 2]) {
    let mut cuts = places.map(|place| usize::from(place) * text.len() / 255);
    cuts.sort_unstable();
    let short = (text.len() < 256).then(|| single_bytes(text));
    check_cuts(detector, text, [cuts.to_vec()].into_iter().chain(short));
}

fn single_bytes(text: &[u8]) -> Vec<usize> {
    (1..text.len()).collect()
}
