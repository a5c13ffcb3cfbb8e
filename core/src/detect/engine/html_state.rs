//! What is known of HTML in the text so far.

use crate::call::Span;
use crate::detect::block::markup::Hiding;
use crate::detect::block::markup::element::{ContentState, MarkedElement};

/// What is known of HTML in the text so far.
#[derive(Debug, Default)]
pub(super) struct HtmlState {
    pub(super) hiding: Hiding,
    /// Marked elements whose ends were searched for up to the end of the text.
    pub(super) marked: Option<Vec<MarkedElement>>,
}

impl HtmlState {
    /// Passes a start tag without attributes.
    pub(super) fn pass_tag(&mut self, tag: Span, input: &[u8]) {
        self.hiding.until(tag.end);
        let after_bracket = tag.of(input).get(1..).unwrap_or_default();
        if !after_bracket.first().is_some_and(|byte| ContentState::may_begin(*byte)) {
            return;
        }
        let name =
            after_bracket.split(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte)).next();
        self.hide_content(name.unwrap_or_default(), tag);
    }

    /// Hides what stands between a start tag and its end tag, if HTML knows no tags there.
    pub(super) fn hide_content(&mut self, name: &[u8], tag: Span) {
        if let Some(hidden) = ContentState::opened_by_tag(name) {
            self.hiding.hide_from(hidden, tag.end);
        }
    }
}
