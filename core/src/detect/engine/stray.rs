//! Markup that no call owns: of another format, of a damaged call, or of a turn that is made up.
//!
//! What cannot be read is told, so that nothing is lost without a word.

use memchr::memmem;

use crate::call::{RejectionCode, Span};
use crate::detect::candidate::Refusal;
use crate::detect::engine::apart::begins_line;
use crate::detect::engine::marker_index::TOKEN_BEGINNINGS;
use crate::detect::engine::sought_marker::StandingMark;
use crate::detect::engine::{Engine, Mode, Moved};
use crate::json::reason::Reason;
use crate::progress::{NeedMore, Progress};

/// What is said of markup that no call owns.
pub(super) const UNREAD: &str = "markup of a call stands here, and no call can be read of it";

impl Engine {
    /// Refuses markup that no call owns. One refusal stands for all of it up to an empty line.
    pub(super) fn stray(&mut self, standing: StandingMark, input: &[u8]) {
        self.refuse_stray(None, RejectionCode::Malformed, standing, UNREAD, input);
    }

    /// Refuses markup of a format that is not looked for.
    pub(super) fn other_format(
        &mut self,
        format: &'static str,
        standing: StandingMark,
        input: &[u8],
    ) {
        let message = Reason::Naming(
            "this is markup of the format \"",
            format.into(),
            "\", which is not looked for; naming it in formats, or the model that wrote it, would \
             read it",
        );
        self.refuse_stray(Some(format), RejectionCode::OtherFormat, standing, message, input);
    }

    fn refuse_stray(
        &mut self,
        format: Option<&'static str>,
        code: RejectionCode,
        standing: StandingMark,
        reason: impl Into<Reason>,
        input: &[u8],
    ) {
        let span = standing.span();
        let told = self.recorder.findings.rejections.last().map(|last| last.span.end);
        let last = self.marking.stray.max(told);
        self.marking.stray = Some(span.end);
        let between = last.map(|last| input.get(last..span.start).unwrap_or_default());
        if between.is_some_and(|between| memmem::find(between, b"\n\n").is_none()) {
            return;
        }
        self.refuse(Refusal { format, code, reason: reason.into(), span, claimed: None }, input);
    }

    /// The turn of somebody else begins, which the model made up.
    pub(super) fn made_up_turn(&mut self, standing: StandingMark, input: &[u8]) -> Option<Moved> {
        let start = standing.start;
        let has_called = !self.recorder.findings.calls.is_empty();
        let has_begun = has_called
            || self.recorder.has_reasoned()
            || self.recorder.shows_text_before(start, input);
        let opening = standing.span().of(input);
        let is_token = TOKEN_BEGINNINGS.iter().any(|token| opening.starts_with(token));
        let mut own = self.config.message.after_end.iter();
        let is_known = is_token || own.any(|marker| opening.starts_with(marker.lead()));
        // A tag may be a word of the text, unless it begins a line behind a call.
        let is_made_up = is_known || has_called && begins_line(input, self.floor, start);
        if !has_begun || !is_made_up {
            if is_known {
                self.stray(standing, input);
            }
            // `Observation:` may be a word.
            if !is_token && matches!(opening.first(), Some(b'<' | b'[')) {
                self.note_result(standing.span(), input);
            }
            return None;
        }
        self.recorder.close_reasoning(start, input);
        Some(self.enter(Mode::AfterEnd(start)))
    }

    /// Everything up to the end of the text is no part of the message.
    pub(super) fn after_end(&mut self, input: &[u8], finished: bool) -> Progress<Moved> {
        let Mode::AfterEnd(start) = self.mode else { return Ok(Moved) };
        if !finished {
            return Err(NeedMore);
        }
        let span = Span::new(start, input.len());
        let message = "the model made up another turn; nothing of it counts";
        let reason = message.into();
        let code = RejectionCode::AfterEnd;
        self.refuse(Refusal { format: None, code, reason, span, claimed: None }, input);
        self.recorder.add_frame(span, input);
        Err(self.rest_is_text(true))
    }
}
