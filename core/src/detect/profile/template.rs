//! The profile that a chat template describes.

use std::collections::BTreeMap;
use std::sync::Arc;

use memchr::memmem;
use serde_json::json;

use super::builtin::table;
use super::data::{Profile, ProfileData, Source};
use super::definition::joined;
use super::generation::generation_prompt;
use super::jinja::unescaped;
use super::shape::{FrameList, MessageShape, ReasoningStyle};
use super::signature::formats_in;
use crate::detect::format::Format;
use crate::detect::format::marker::Marker;

impl Profile {
    /// The profile that the text of a chat template describes; `None` if it writes nothing known.
    ///
    /// The markers in the template decide the formats, the reasoning and the framing. Its
    /// generation prompt decides whether the message begins in reasoning. Where a built-in profile
    /// says the same, the result is that profile.
    ///
    /// ```
    /// use toolwire::detect::Profile;
    ///
    /// let template = "<tool_call>{{ call }}</tool_call>{% if add_generation_prompt %}\
    ///                 <|im_start|>assistant\n<think>\n{% endif %}";
    /// let profile = Profile::from_template(template).unwrap();
    /// assert_eq!(profile.slug(), "qwen3_thinking");
    /// ```
    #[must_use]
    pub fn from_template(template: &str) -> Option<Self> {
        let text = unescaped(template);
        let written = Written::read(&text);
        if written.is_empty() {
            return None;
        }
        let profile = written.profile();
        let begun = profile.left_open(generation_prompt(template).as_bytes());
        let known = written.best(begun.is_some()).cloned();
        let mut profile = known.unwrap_or(profile);
        let begun = profile.left_open(generation_prompt(template).as_bytes());
        profile.source = Source::Template;
        Some(profile.beginning_in(begun, Source::Template))
    }
}

/// What a template writes.
struct Written {
    formats: Vec<Format>,
    styles: Vec<&'static ReasoningStyle>,
    /// The lists of framing tokens whose first token stands in the template.
    frames: Vec<&'static (Box<str>, FrameList)>,
    /// Whether the template has to do with tools.
    tools: bool,
}

impl Written {
    fn read(text: &str) -> Self {
        let holds = |markers: &[Marker]| Marker::find(markers, text.as_bytes()).is_some();
        let mut styles: Vec<&ReasoningStyle> = Vec::new();
        for style in table().styles.iter().filter(|style| !style.leak) {
            // A marker with a placeholder may also stand for another style's marker.
            let known = styles.iter().any(|one| overlap(&one.open, &style.open));
            // A marker that also ends other parts of a message says nothing of reasoning alone.
            let stands = match (holds(&style.open), holds(&style.close)) {
                (true, true) => true,
                (false, false) => false,
                _ => !style.close.iter().any(frames_a_message),
            };
            if !known && stands {
                styles.push(style);
            }
        }
        let first =
            |list: &FrameList| list.tokens.first().map(|marker| marker.written().trim().to_owned());
        let found = table().frames.iter().filter(|(_, list)| {
            first(list)
                .is_some_and(|token| memmem::find(text.as_bytes(), token.as_bytes()).is_some())
        });
        let found: Vec<_> = found.collect();
        let is_longest = |list: &FrameList| {
            let own = first(list).unwrap_or_default();
            let longer = |other: String| other.len() > own.len() && other.starts_with(&own);
            !found.iter().any(|(_, other)| first(other).is_some_and(longer))
        };
        let frames = found.iter().copied().filter(|(_, list)| is_longest(list)).collect();
        Self { formats: formats_in(text), styles, frames, tools: text.contains("tool") }
    }

    fn is_empty(&self) -> bool {
        self.formats.is_empty() && self.styles.is_empty() && self.frames.is_empty()
    }

    /// A profile of just what the template writes.
    fn profile(&self) -> Profile {
        let message = MessageShape {
            reasoning: self.styles.iter().map(|style| (*style).clone()).collect(),
            frames: self.frames.iter().flat_map(|(_, list)| list.tokens.clone()).collect(),
            begins: self.frames.iter().flat_map(|(_, list)| list.begins.clone()).collect(),
            answers: self.frames.iter().flat_map(|(_, list)| list.answers.clone()).collect(),
            after_end: self.frames.iter().flat_map(|(_, list)| list.after_end.clone()).collect(),
            begun: None,
            calls_in_reasoning: false,
        };
        let data = ProfileData {
            thinking: None,
            siblings: Vec::new(),
            examples: BTreeMap::new(),
            slug: "template".into(),
            models: "models with this template".to_owned(),
            aliases: Vec::new(),
            patterns: Vec::new(),
            formats: self.formats.clone(),
            frames: self.frames.iter().map(|(name, _)| name.clone()).collect(),
            framing: joined(self.frames.iter().map(|(_, list)| list)),
        };
        let (source, begun_source) = (Source::Template, Source::Template);
        let definition = json!({
            "slug": &*data.slug,
            "models": data.models,
            "formats": data.formats.iter().map(Format::slug).collect::<Vec<_>>(),
            "reasoning": self.styles.iter().map(|style| &*style.style).collect::<Vec<_>>(),
            "frames": data.frames,
        });
        let (data, message) = (Arc::new(data), Arc::new(message));
        Profile {
            data,
            message,
            definition: Arc::new(definition),
            source,
            begun_source,
            exact: true,
        }
    }

    /// The built-in profile that says the same.
    ///
    /// The instructions for calls may come from the caller, so a template with tools but without
    /// markers of calls takes the formats of the profile with its framing. A template that leaves
    /// reasoning to the model does not mention it, so a profile with reasoning does too, where no
    /// other does.
    fn best(&self, begun: bool) -> Option<&'static Profile> {
        let same = Profile::all().iter().filter_map(|profile| {
            let fits = self.shares_calls(profile) && self.shares_frames(profile);
            let (exact, all) = fits.then(|| self.shares_reasoning(profile))?;
            let is_first = profile.formats().first() == self.formats.first();
            let nearness = (exact, profile.reasoning_begun().is_some() == begun, is_first);
            // Framing alone says nothing of reasoning.
            let says_more = self.tools || !self.formats.is_empty() || !self.styles.is_empty();
            (exact || all && says_more).then_some((profile, nearness))
        });
        // Of profiles that are as near, the first counts.
        let best = same.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(profile, _)| profile)
    }

    fn shares_calls(&self, profile: &Profile) -> bool {
        let formats = profile.formats();
        let same = formats.len() == self.formats.len();
        (same && formats.iter().all(|format| self.formats.contains(format)))
            || (self.formats.is_empty() && self.tools && !formats.is_empty())
    }

    /// Whether the profile reasons in the styles of the template and no other, and whether it does
    /// in all of them.
    fn shares_reasoning(&self, profile: &Profile) -> (bool, bool) {
        let theirs = || profile.message.reasoning.iter().filter(|style| !style.leak);
        let known = |own: &&&ReasoningStyle| theirs().any(|their| their.style == own.style);
        let all = self.styles.iter().filter(known).count() == self.styles.len();
        (all && theirs().count() == self.styles.len(), all)
    }

    fn shares_frames(&self, profile: &Profile) -> bool {
        let (own, lists) = (&self.frames, &profile.data.frames);
        if self.formats.is_empty() || own.is_empty() || lists.is_empty() {
            return !self.formats.is_empty() || own.iter().any(|(name, _)| lists.contains(name));
        }
        own.iter().any(|(name, _)| lists.contains(name))
    }
}

/// Whether a marker is one of the framing tokens of some family.
fn frames_a_message(marker: &Marker) -> bool {
    table().frames.iter().any(|(_, list)| list.tokens.contains(marker))
}

/// Whether a marker of the one list is, or begins with, a marker of the other.
fn overlap(known: &[Marker], others: &[Marker]) -> bool {
    known.iter().any(|marker| others.iter().any(|other| marker.lead().starts_with(other.lead())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_of_an_unknown_family_is_described() {
        let template = "<minimax:tool_call><invoke name=\"x\"><parameter name=\"y\">\
                        [THINK]{% if add_generation_prompt %}[THINK]{% endif %}";
        let profile = Profile::from_template(template).unwrap();
        let formats: Vec<_> = profile.formats().iter().map(Format::slug).collect();
        assert_eq!((profile.slug(), formats), ("template", vec!["minimax_m2"]));
        assert_eq!(profile.reasoning_begun(), Some("mistral"));
        assert_eq!(Profile::from_template("{{ messages }}"), None);
    }

    #[test]
    fn a_long_template_is_read() {
        let long = "<tool_call>{% set x = '<think>' %}{# {{ #}".repeat(5_000);
        assert!(Profile::from_template(&long).is_some());
        assert!(Profile::from_template(&"{{ '".repeat(50_000)).is_none());
    }
}
