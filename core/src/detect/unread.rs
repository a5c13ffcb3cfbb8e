//! What a detector of a few formats did not read.

use std::sync::LazyLock;

use crate::call::{Rejection, RejectionCode, Span};
use crate::detect::engine::{LineCounter, excerpt};
use crate::detect::{Detector, Options};

static AUTOMATIC: LazyLock<Option<Detector>> =
    LazyLock::new(|| Detector::new(Options::default()).ok());

/// The calls of any format that identifies itself, and the damaged ones, which a detector of a few
/// formats left in a text.
///
/// `is_read` says whether that detector found something at a place. Each is a rejection of the code
/// `other_format`, or of `malformed`. The text is searched again, so a host asks only when a
/// message without calls surprises it.
///
/// ```
/// use toolwire::detect::{Format, unread};
/// use toolwire::{Detector, Options};
///
/// let formats = vec![Format::named("kimi_k2")?];
/// let detector = Detector::new(Options { formats, ..Options::default() })?;
/// let text = b"<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
/// assert!(detector.detect(text).calls.is_empty());
/// let left = unread(text, |_| false);
/// assert_eq!((left[0].code.slug(), left[0].format), ("other_format", Some("hermes")));
/// # Ok::<(), toolwire::Error>(())
/// ```
#[must_use]
pub fn unread(text: &[u8], is_read: impl Fn(Span) -> bool) -> Vec<Rejection> {
    let Some(detector) = AUTOMATIC.as_ref() else { return Vec::new() };
    let found = detector.detect(text).into_findings();
    let mut lines = LineCounter::default();
    let calls = found.calls.iter().map(|call| {
        let (line, column) = lines.at(text, call.span.start);
        Rejection {
            code: RejectionCode::OtherFormat,
            message: format!(
                "this is a call of the format \"{}\", which was not read",
                call.format
            ),
            span: call.span,
            line,
            column,
            excerpt: excerpt(call.span.of(text)),
            format: Some(call.format),
        }
    });
    let mut left: Vec<_> = calls.collect();
    let is_damaged = |one: &Rejection| one.code == RejectionCode::Malformed;
    left.extend(found.rejections.into_iter().filter(is_damaged));
    left.retain(|one| !is_read(one.span));
    left.sort_by_key(|one| one.span.start);
    left
}
