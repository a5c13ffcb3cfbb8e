//! End markers that close nothing: the call that they belong to has lost its beginning.

use crate::call::{RejectionCode, Span};
use crate::detect::body::value_end::{closes_quote, opens_quote};
use crate::detect::candidate::Refusal;
use crate::detect::engine::config::Config;
use crate::detect::engine::reasoning::FramingMarker;
use crate::detect::engine::sought_marker::{Closes, ClosingMarker};
use crate::detect::engine::stray::UNREAD;
use crate::detect::engine::{Engine, Mode, Moved};
use crate::progress::{NeedMore, Progress};

/// The most white space behind an end marker that is passed.
const MOST_SPACE: usize = 16;

/// The longest word between two markers that are only mentioned: `and`.
const LONGEST_WORD: usize = 3;

/// Whether nothing but blanks stands in front of the end of a line, or of another marker.
fn ends_line<'t>(behind: impl Iterator<Item = &'t u8>) -> bool {
    let mut solid = behind.skip_while(|byte| matches!(byte, b' ' | b'\t'));
    matches!(solid.next(), None | Some(b'\n' | b'\r' | b'<'))
}

impl Engine {
    /// Refuses an end marker that closes nothing, unless it stands behind a call or a text only
    /// mentions it.
    pub(super) fn lone_end(
        &mut self,
        (closing, span): (ClosingMarker, Span),
        input: &[u8],
        finished: bool,
    ) -> Progress<Option<Moved>> {
        if self.code.fence.is_some() {
            return Ok(None);
        }
        self.pass_empty(span, input);
        if self.marking.refused.take() == Some(closing.format) && self.probe.is_none() {
            self.marking.unclosed.close(closing);
            let frame = FramingMarker { start: span.start, pos: span.end, opens: None };
            return Ok(Some(self.enter(Mode::Frame(frame))));
        }
        let after = input.get(span.end..).unwrap_or_default().iter().take(MOST_SPACE);
        let next = after.clone().next().copied();
        let solid = after.clone().find(|byte| !byte.is_ascii_whitespace());
        if solid.is_none() && after.len() < MOST_SPACE && !finished {
            return Err(NeedMore);
        }
        // An object behind an end marker is a call that has lost its opening.
        let object = closing.closes == Closes::Name
            || closing.closes == Closes::Wrapper && solid == Some(&b'{');
        let before = span.start.checked_sub(1).and_then(|at| input.get(at)).copied();
        let is_mentioned = before.is_none_or(opens_quote)
            && next.is_none_or(closes_quote)
            && !(object && solid == Some(&b'{'));
        let refused = self.recorder.findings.rejections.last().map_or(0, |last| last.span.end);
        let (last, chained) = self.marking.unclosed.last;
        let call = self.floor.max(refused);
        let between = input.get(call.max(last)..span.start).unwrap_or_default();
        let known = if last > call { chained } else { call > 0 };
        let follows = known && between.trim_ascii().is_empty();
        let opening = self.marking.unclosed.opening.filter(|_| self.probe.is_none());
        let is_lone = self.marking.unclosed.close(closing);
        if let Some(opening) = opening
            && closing.is_last
            && !is_lone
            && ends_line(after.clone())
            && Span::new(opening.end, span.start).of(input).trim_ascii().len() > LONGEST_WORD
        {
            let span = Span::new(opening.start, span.end);
            let refusal = Refusal::new(closing.format, RejectionCode::Malformed, span, UNREAD);
            self.refuse(refusal, input);
            return Ok(Some(self.search_from(span.end)));
        }
        self.marking.unclosed.last = (span.end, follows);
        if is_lone && (object || !follows) && !is_mentioned {
            let message = "the end of a call stands where none has begun";
            let refusal = Refusal::new(closing.format, RejectionCode::Malformed, span, message);
            self.refuse(refusal, input);
        }
        // Behind a call, such a marker is one too many, and nothing to show.
        if self.probe.is_none()
            && self.config.markers.tells_unread()
            && follows
            && !object
            && self.floor > refused.max(last)
        {
            let frame = FramingMarker { start: span.start, pos: span.end, opens: None };
            return Ok(Some(self.enter(Mode::Frame(frame))));
        }
        Ok(Some(self.search_from(span.end)))
    }

    /// Looks for an end marker behind an object that is no call: its opening is missing.
    pub(super) fn behind_object(
        &mut self,
        config: &Config,
        object: Span,
        input: &[u8],
        finished: bool,
    ) -> Progress<Moved> {
        let found = match &config.json {
            Some(json) if self.code.fence.is_none() => json.end_behind(object, input, finished)?,
            _ => None,
        };
        let Some((format, span)) = found else { return Ok(self.search_from(object.end)) };
        let closing = ClosingMarker { format, closes: Closes::Call, is_last: true };
        if self.marking.unclosed.close(closing) {
            let message = "the end of a call stands where none has begun";
            self.refuse(Refusal::new(format, RejectionCode::Malformed, span, message), input);
        }
        Ok(self.search_from(span.end))
    }
}
