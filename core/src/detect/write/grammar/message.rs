//! The grammar of a whole message: reasoning, text and calls, with what frames them.

use super::expression::{Expression, Text};
use super::facts::{MOST_BREAKS, MessageEnd, begun};
use super::words::Words;
use crate::detect::format::example::CallsGap;
use crate::detect::profile::{Profile, ReasoningStyle};
use crate::detect::write::message::sides;

/// The text of a message.
#[derive(Clone, Debug)]
pub(super) enum TextPart {
    /// Any text.
    Free,
    None,
    /// Text that is a value of this grammar.
    Value(Expression),
}

/// Who writes the reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReasoningPart {
    Written,
    None,
    /// The server reads over it, and its end.
    Skipped,
}

/// The calls of a message.
#[derive(Clone, Debug)]
pub(super) enum CallsPart {
    /// There is none.
    None,
    /// There may be some.
    Allowed(Expression),
    Required(Expression),
}

/// What a message consists of.
pub(super) struct Message<'m> {
    /// `None` where only the format is known.
    pub(super) profile: Option<&'m Profile>,
    pub(super) words: Words,
    pub(super) text: TextPart,
    pub(super) reasoning: ReasoningPart,
    pub(super) calls: CallsPart,
    /// The white space in front of calls, where the format or the profile says it.
    pub(super) gap: Option<&'m CallsGap>,
}

/// What stands round the text and behind the calls.
#[derive(Default)]
struct MessageSides {
    text: [String; 2],
    preamble: [String; 2],
    behind_reasoning: String,
    /// What ends a message of text, without the token that ends the turn.
    end_text: String,
    end_calls: String,
}

impl Message<'_> {
    /// The grammar, and the tokens that end the turn.
    pub(super) fn whole(self) -> (Expression, Vec<String>) {
        let (sides, stop) = self.sides();
        let whole = match (self.style(), self.reasoning) {
            (Some((style, is_begun)), ReasoningPart::Written) => {
                let reasoning = self.reasoning(style, is_begun);
                let behind = self.body(&sides, true);
                if is_begun {
                    Expression::sequence([reasoning, behind])
                } else if self.is_alike(&sides) {
                    Expression::sequence([reasoning.optional(), behind])
                } else {
                    let alone = self.body(&sides, false);
                    Expression::choice([Expression::sequence([reasoning, behind]), alone])
                }
            }
            (Some(_), ReasoningPart::Skipped) => self.body(&sides, true),
            _ => self.body(&sides, false),
        };
        (whole, stop)
    }

    /// Whether the same stands behind the reasoning and where there is none.
    fn is_alike(&self, sides: &MessageSides) -> bool {
        let repeats = match &self.calls {
            CallsPart::None => false,
            CallsPart::Allowed(calls) | CallsPart::Required(calls) => {
                !begun(&calls.opener(), self.profile).is_empty()
            }
        };
        sides.behind_reasoning.is_empty() && self.words.first_not.is_empty() && !repeats
    }

    /// The style of the reasoning, and whether the prompt has begun it.
    fn style(&self) -> Option<(&ReasoningStyle, bool)> {
        let message = self.profile?.message();
        let style = message.reasoning.get(message.begun.unwrap_or_default())?;
        Some((style, message.begun.is_some()))
    }

    fn sides(&self) -> (MessageSides, Vec<String>) {
        let Some(profile) = self.profile else { return (MessageSides::default(), Vec::new()) };
        let framing = profile.framing();
        let pair = |pair: &Option<[Box<str>; 2]>| {
            pair.as_ref().map(|[front, back]| [front.to_string(), back.to_string()])
        };
        let text = pair(&framing.text).unwrap_or_default();
        let end = framing.end.as_deref().unwrap_or_default();
        let end_text = MessageEnd::of(&format!("{}{end}", text[1]), profile);
        let end_calls = framing.end_behind_calls.as_deref().unwrap_or(end);
        let end_calls = MessageEnd::of(end_calls, profile);
        let mut stop = Vec::new();
        let has_calls = !matches!(self.calls, CallsPart::None);
        let has_text = !matches!(self.calls, CallsPart::Required(_));
        stop.extend(end_text.stop.filter(|_| has_text));
        stop.extend(end_calls.stop.filter(|_| has_calls));
        stop.dedup();
        let preamble = pair(&framing.preamble).unwrap_or_else(|| text.clone());
        let sides = MessageSides {
            text,
            preamble,
            behind_reasoning: framing.behind_reasoning.as_deref().unwrap_or_default().to_owned(),
            // White space in front of the last token is a part of the text.
            end_text: blank_is_none(end_text.kept),
            end_calls: end_calls.kept,
        };
        (sides, stop)
    }

    /// What follows the reasoning, or begins the message.
    fn body(&self, sides: &MessageSides, is_behind: bool) -> Expression {
        let text = self.text_alone(sides, is_behind);
        match &self.calls {
            CallsPart::None => text,
            CallsPart::Required(calls) => self.with_calls(sides, calls, is_behind),
            CallsPart::Allowed(calls) => {
                Expression::choice([text, self.with_calls(sides, calls, is_behind)])
            }
        }
    }

    /// A message without calls.
    fn text_alone(&self, sides: &MessageSides, is_behind: bool) -> Expression {
        let behind = if is_behind { &*sides.behind_reasoning } else { "" };
        let front = Expression::literal(format!("{behind}{}", sides.text[0]));
        let inner = match &self.text {
            TextPart::Free => {
                let mut text = Text::without(self.words.in_text.clone());
                if !matches!(self.calls, CallsPart::None) && front.is_empty() {
                    text.first_not.clone_from(&self.words.first_not);
                }
                if !text.first_not.is_empty() {
                    // White space may not begin it, since a call may follow that.
                    let text = Expression::until(text, &sides.end_text).optional();
                    return Expression::sequence([breaks_if(is_behind), text]);
                }
                // Of two ends that begin alike, a lexer takes the shorter one.
                let shared = match &self.calls {
                    CallsPart::None => None,
                    _ => sides.end_text.strip_prefix(&*sides.preamble[1]),
                };
                match shared.filter(|_| !sides.preamble[1].is_empty()) {
                    Some(rest) => Expression::sequence([
                        Expression::until(text, &sides.preamble[1]),
                        Expression::literal(rest),
                    ]),
                    None => Expression::until(text, &sides.end_text),
                }
            }
            TextPart::Value(value) => {
                Expression::sequence([value.clone(), Expression::literal(&*sides.end_text)])
            }
            TextPart::None => return Expression::literal(&*sides.end_calls),
        };
        Expression::sequence([breaks_if(!front.is_empty()), front, inner])
    }

    /// A message with calls, and with text in front of them where there may be some.
    fn with_calls(&self, sides: &MessageSides, calls: &Expression, is_behind: bool) -> Expression {
        let end = Expression::literal(&*sides.end_calls);
        let repeated = begun(&calls.opener(), self.profile);
        let alone = if is_behind || repeated.is_empty() {
            calls.clone()
        } else {
            calls.clone().behind(repeated.len())
        };
        let has_text = matches!(self.text, TextPart::Free) && self.words.first_not.is_empty();
        let [front, back] = &sides.preamble;
        if !has_text {
            return Expression::sequence([self.gap(false), alone, end]);
        }
        let text = Text::without(self.words.in_text.clone());
        if front.is_empty() && back.is_empty() {
            return Expression::sequence([lead(text, alone), end]);
        }
        let behind = if is_behind { &*sides.behind_reasoning } else { "" };
        let front = Expression::literal(format!("{behind}{front}"));
        if back.is_empty() {
            let led = Expression::sequence([front, lead(text, calls.clone())]);
            return Expression::sequence([Expression::choice([alone, led]), end]);
        }
        let is_open = front.is_empty();
        let unframed = text.clone();
        let (opener, rest) = (back.clone(), Box::new(Expression::literal("")));
        let preamble = Expression::sequence([front, Expression::Lead { text, opener, rest }]);
        if repeated.is_empty() {
            let led = Expression::sequence([preamble, self.gap(true)]);
            if is_open {
                // A lexer cannot tell text from white space in front of calls.
                let led = Expression::sequence([led, alone.clone()]);
                return Expression::sequence([
                    Expression::choice([led, lead(unframed, alone)]),
                    end,
                ]);
            }
            let led = Expression::choice([led, self.gap(false)]);
            return Expression::sequence([breaks_if(true), led, alone, end]);
        }
        let led = Expression::sequence([preamble, calls.clone()]);
        Expression::sequence([Expression::choice([led, alone]), end])
    }

    /// The white space in front of calls.
    fn gap(&self, is_behind_text: bool) -> Expression {
        match &self.gap {
            // The server's parser of the reasoning may take line breaks behind it, or leave them.
            _ if self.reasoning == ReasoningPart::Skipped && !is_behind_text => breaks_if(true),
            Some(gap) if is_behind_text => Expression::literal(&*gap.behind_text),
            Some(gap) => Expression::literal(&*gap.alone),
            None => breaks_if(true),
        }
    }

    fn reasoning(&self, style: &ReasoningStyle, is_begun: bool) -> Expression {
        let [front, back] = sides(style);
        let marker = style.close.first();
        let marker = marker.and_then(|marker| str::from_utf8(marker.lead()).ok());
        let marker = marker.unwrap_or_default();
        let end = back.find(marker).map_or(back.len(), |at| at + marker.len());
        let (end, behind) = back.split_at_checked(end).unwrap_or((&back, ""));
        let text = Text::without(self.words.in_reasoning.clone());
        let front = if is_begun { "" } else { &front };
        let behind = if behind.trim().is_empty() {
            match (&self.text, behind.is_empty()) {
                (TextPart::Free, _) | (_, true) => Expression::literal(""),
                _ => breaks_if(true),
            }
        } else {
            Expression::literal(behind)
        };
        Expression::sequence([
            Expression::literal(front),
            Expression::until(text, end.trim_start()),
            behind,
        ])
    }
}

/// Text, and calls behind it.
fn lead(text: Text, calls: Expression) -> Expression {
    let opener = calls.opener();
    if opener.is_empty() {
        return calls;
    }
    let rest = Box::new(calls.behind(opener.len()));
    Expression::Lead { text, opener, rest }
}

/// The line breaks between two parts, where there may be some.
fn breaks_if(may_be: bool) -> Expression {
    if may_be {
        Expression::literal("\n").repeated(0, Some(MOST_BREAKS))
    } else {
        Expression::literal("")
    }
}

fn blank_is_none(text: String) -> String {
    if text.trim().is_empty() { String::new() } else { text }
}
