//! Calls that a model wrote as text inside a message, and that did not run.

use std::sync::LazyLock;

use crate::detect::{Detector, Options};

/// A detector of calls in any form.
static DETECTOR: LazyLock<Option<Detector>> =
    LazyLock::new(|| Detector::new(Options::default()).ok());

/// What the markup of a call begins with. A text without any of these is not searched further.
const MARKS: [&str; 6] = [
    "<invoke name=",
    "<tool_call",
    "<function=",
    "<function_calls>",
    "<|tool_call",
    "[TOOL_CALLS]",
];

/// How many calls a text holds, damaged ones included.
pub(super) fn count(text: &str) -> u64 {
    if !text.contains(['<', '[']) || !MARKS.iter().any(|mark| text.contains(mark)) {
        return 0;
    }
    let Some(detector) = &*DETECTOR else { return 0 };
    let found = detector.detect(text.as_bytes());
    let is_begun = |start: usize| {
        text.get(start..).is_some_and(|rest| MARKS.iter().any(|mark| rest.starts_with(mark)))
    };
    let damaged = found.rejections.iter().filter(|one| is_begun(one.span.start)).count();
    u64::try_from(found.calls.len() + damaged).unwrap_or(u64::MAX)
}
