//! Laws for every detection, and for every way to cut its text.

use toolwire::call::RejectionCode;
use toolwire::detect::Findings;
use toolwire::{Detection, Detector, Event, Span};

/// Findings without the generated ids.
pub fn comparable(findings: &Findings) -> Findings {
    let mut findings = findings.clone();
    for call in &mut findings.calls {
        if !call.id_given {
            call.id.clear();
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
        let arguments = serde_json::from_slice::<serde_json::Value>(raw).unwrap_or_else(|error| {
            panic!("{error}: {call:?} in {}", detection.input.escape_ascii())
        });
        assert!(arguments.is_object() || arguments.as_array().is_some_and(Vec::is_empty));
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

pub fn streamed(detector: &Detector, text: &[u8], cuts: &[usize]) -> Findings {
    let mut stream = detector.stream();
    let mut told = Vec::new();
    let mut open = Vec::new();
    let mut retracted = false;
    let mut start = 0;
    // What frames the message is told by no event.
    let mut take = |events: Vec<Event>, findings: &Findings| {
        for event in events {
            match event {
                Event::Text(span) | Event::Reasoning(span) => told.push(span),
                Event::ReasoningEnd(span) => told = vec![span],
                Event::CallRetracted { number } => {
                    open.retain(|other| *other != number);
                    retracted = true;
                }
                Event::CallStart { number, .. } => open.push(number),
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
        retracted
            && stream.findings().rejections.iter().any(|rejection| {
                rejection.code == RejectionCode::Incomplete && rejection.span.start >= start
            })
    };
    let end = frame_from(joined);
    assert!(end == text.len() || cut_off(end), "{}", text.escape_ascii());
    assert!(open.is_empty(), "calls that did not end: {open:?} in {}", text.escape_ascii());
    comparable(stream.findings())
}

pub fn check_splits(detectors: &[Detector], text: &[u8]) {
    for detector in detectors {
        let whole = detector.detect(text);
        check_laws(&whole);
        let expected = comparable(&whole);
        for cut in 0..=text.len() {
            assert_eq!(
                streamed(detector, text, &[cut]),
                expected,
                "cut at {cut}: {}",
                text.escape_ascii()
            );
        }
        let every: Vec<_> = (1..text.len()).collect();
        assert_eq!(
            streamed(detector, text, &every),
            expected,
            "byte by byte: {}",
            text.escape_ascii()
        );
    }
}
