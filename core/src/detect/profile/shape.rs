//! The markers around the parts of a message, ready for the engine.

use std::sync::Arc;

use serde::Deserialize;

use super::frame_tokens::FrameTokens;
use super::thought_tags::ThoughtTags;
use crate::detect::format::marker::Marker;

/// How a message is divided into reasoning, framing and the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MessageShape {
    pub(crate) reasoning: Vec<ReasoningStyle>,
    /// The tokens that frame parts of the message and are not shown.
    pub(crate) frames: Vec<Marker>,
    /// Those of the tokens behind which the text is for a person: no call of it counts.
    pub(crate) answers: Vec<Marker>,
    /// What is not shown where the message begins.
    pub(crate) begins: Vec<Marker>,
    /// The tokens that begin the turn of somebody else: what follows was made up.
    pub(crate) after_end: Vec<Marker>,
    /// The index of the reasoning in which the message begins.
    pub(crate) begun: Option<usize>,
    /// Whether a call inside the reasoning counts.
    pub(crate) calls_in_reasoning: bool,
}

impl MessageShape {
    /// Whether a marker counts only where the message begins.
    pub(crate) fn has_first(&self) -> bool {
        !self.begins.is_empty() || self.reasoning.iter().any(|one| !one.open_first.is_empty())
    }

    /// The markers that end reasoning, and show that what stands before them was reasoning. One
    /// that also ends other parts of a message says nothing of that.
    pub(crate) fn closing(&self) -> impl Iterator<Item = &Marker> {
        let closes = self.reasoning.iter().flat_map(|style| &style.close);
        closes.filter(|marker| !self.frames.contains(marker))
    }

    /// The markers that may stand inside each style of reasoning, and do not end it.
    pub(crate) fn inner_markers(&self) -> Vec<InnerMarkers> {
        let inside = |style: &ReasoningStyle| {
            let belongs = |frame: &&Marker| {
                let mut ending = style.close.iter().chain(&style.ends_at);
                !ending.any(|marker| frame.lead().starts_with(marker.lead()))
            };
            let inner = FrameTokens::new(self.frames.iter().filter(belongs).cloned());
            let leading = style.open.iter().chain(inner.iter()).cloned().collect();
            let tags = ThoughtTags::new(&style.close);
            InnerMarkers { inner, leading, names: channel_names(&style.open), tags }
        };
        self.reasoning.iter().map(inside).collect()
    }
}

/// The lines that stand in one opening marker behind another: `thought` behind `<|channel>`.
fn channel_names(open: &[Marker]) -> Vec<Marker> {
    let behind = |long: &Marker| {
        let rest = open.iter().filter_map(|short| long.written().strip_prefix(short.written()));
        let line = rest.max_by_key(|rest| rest.len()).filter(|rest| rest.ends_with('\n'));
        line.and_then(|line| Marker::parse(line).ok())
    };
    open.iter().filter_map(behind).collect()
}

/// The markers that may stand inside reasoning, and what ends it besides its own markers.
#[derive(Clone, Debug, Default)]
pub(crate) struct InnerMarkers {
    /// Framing tokens in angle brackets; others, as `assistant:`, may be words of the reasoning.
    pub(crate) inner: FrameTokens,
    /// The same where the reasoning begins, and the markers that open it: a model may repeat them.
    pub(crate) leading: Vec<Marker>,
    /// The lines with which reasoning begins that lacks the token in front of them.
    pub(crate) names: Vec<Marker>,
    /// The tags that are written in another way than the style's own.
    pub(crate) tags: ThoughtTags,
}

/// One way to write reasoning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReasoningStyle {
    pub(crate) style: Arc<str>,
    pub(crate) open: Vec<Marker>,
    /// The markers that open it only where the message begins.
    pub(crate) open_first: Vec<Marker>,
    pub(crate) close: Vec<Marker>,
    /// The markers that end the reasoning but do not belong to it.
    pub(crate) ends_at: Vec<Marker>,
    /// Whether no template tells it: it is what servers leave of another style, or shares its
    /// markers with one.
    pub(crate) leak: bool,
    /// What a model writes round reasoning; `None` for the first markers.
    pub(crate) written: Option<FrontAndBack>,
}

impl ReasoningStyle {
    /// Whether a marker opens this style that may open the other one too.
    pub(crate) fn opens_like(&self, other: &Self) -> bool {
        let shares = |marker: &Marker| {
            other.open.iter().any(|other| other.lead().starts_with(marker.lead()))
        };
        self.open.iter().any(shares)
    }
}

/// What stands on the two sides of a part of a message.
pub(crate) type FrontAndBack = [Box<str>; 2];

/// What a model writes round the parts of a message that are neither reasoning nor calls.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Framing {
    /// What stands round the text.
    pub(crate) text: Option<FrontAndBack>,
    /// What stands round a text that calls follow, where that differs.
    pub(crate) preamble: Option<FrontAndBack>,
    /// What stands between the reasoning and the text.
    pub(crate) behind_reasoning: Option<Box<str>>,
    /// What ends the message.
    pub(crate) end: Option<Box<str>>,
    /// What ends a message with calls, where that differs.
    pub(crate) end_behind_calls: Option<Box<str>>,
    /// The tokens with which the model stops; the end is, or ends with, one of them.
    #[serde(default)]
    pub(crate) stop: Vec<Box<str>>,
    /// What the prompt has written of the first part.
    pub(crate) begins_behind: Option<Box<str>>,
}

impl Framing {
    /// Takes from the other what this one does not say.
    pub(super) fn or(self, other: &Self) -> Self {
        let or = |own: Option<Box<str>>, other: &Option<Box<str>>| own.or_else(|| other.clone());
        let sides =
            |own: Option<FrontAndBack>, other: &Option<FrontAndBack>| own.or_else(|| other.clone());
        Self {
            // What belongs together is taken together.
            preamble: if self.text.is_some() {
                self.preamble
            } else {
                sides(self.preamble, &other.preamble)
            },
            text: sides(self.text, &other.text),
            behind_reasoning: or(self.behind_reasoning, &other.behind_reasoning),
            end_behind_calls: if self.end.is_some() {
                self.end_behind_calls
            } else {
                or(self.end_behind_calls, &other.end_behind_calls)
            },
            stop: if self.end.is_some() || !self.stop.is_empty() {
                self.stop
            } else {
                other.stop.clone()
            },
            end: or(self.end, &other.end),
            begins_behind: or(self.begins_behind, &other.begins_behind),
        }
    }

    /// What is wrong with it.
    pub(super) fn problem(&self) -> Option<&'static str> {
        if self.stop.iter().any(|token| token.is_empty()) {
            return Some("written: stop must hold tokens");
        }
        let stops = |end: &str| {
            let end = end.trim_ascii_end();
            self.stop.iter().any(|token| end.ends_with(&**token))
        };
        let mut ends = self.end.iter().chain(&self.end_behind_calls);
        let is_wrong = !self.stop.is_empty() && !ends.all(|end| stops(end));
        is_wrong.then_some("written: end must end with a token of stop")
    }
}

/// A list of framing tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameList {
    /// The tokens that are not shown.
    pub(super) tokens: Vec<Marker>,
    /// Those of the tokens behind which the text is for a person.
    pub(super) answers: Vec<Marker>,
    /// What is not shown where the message begins.
    pub(super) begins: Vec<Marker>,
    /// The tokens that begin the turn of somebody else.
    pub(super) after_end: Vec<Marker>,
    /// What a model writes of them.
    pub(super) framing: Framing,
}

/// How thinking is switched for the models of a profile.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(super) struct ThinkingSwitch {
    /// The variables of the chat template that switch it; none where the models always think.
    #[serde(default)]
    pub(super) names: Vec<Box<str>>,
}
