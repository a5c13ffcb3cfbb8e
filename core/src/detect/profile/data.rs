//! A profile, and how several ways to name one are put together.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::pattern::Pattern;
use super::shape::{Framing, MessageShape, ReasoningStyle, ThinkingSwitch};
use crate::detect::format::marker::Marker;
use crate::detect::format::{Example, Format};

/// How the models of a family write a message.
///
/// Two profiles are equal when they say the same, whatever named them.
#[derive(Clone, Debug)]
pub struct Profile {
    pub(super) data: Arc<ProfileData>,
    pub(super) message: Arc<MessageShape>,
    /// The definition that it was made from, which may say otherwise how the message begins.
    pub(super) definition: Arc<Value>,
    /// What named the profile.
    pub(super) source: Source,
    /// What decided whether the message begins in reasoning.
    pub(super) begun_source: Source,
    /// Whether the version is known of the model that named it.
    pub(super) exact: bool,
}

/// What a profile consists of beside the shape of its messages.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProfileData {
    pub(super) slug: Box<str>,
    pub(super) models: String,
    pub(super) aliases: Vec<String>,
    /// The names of models that the profile is for.
    pub(super) patterns: Vec<Pattern>,
    pub(super) formats: Vec<Format>,
    /// The formats that the models are known to write besides.
    pub(super) siblings: Vec<Format>,
    /// The names of the lists of framing tokens.
    pub(super) frames: Vec<Box<str>>,
    /// The examples that differ from those of the formats, by the formats' slugs.
    pub(super) examples: BTreeMap<&'static str, Example>,
    /// What is written round the parts of a message.
    pub(super) framing: Framing,
    /// How thinking is switched, if that is known.
    pub(super) thinking: Option<ThinkingSwitch>,
}

/// What a profile was taken from.
///
/// A model says most about the formats, and a prompt says most about the start of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    Model,
    Template,
    Prompt,
}

impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data && self.message == other.message
    }
}

impl Eq for Profile {}

impl Profile {
    /// The name of the profile; `auto` for one that understands every marker that identifies
    /// itself, and `template` for one from a template that no built-in profile describes.
    #[must_use]
    pub fn slug(&self) -> &str {
        &self.data.slug
    }

    /// The models that it is for, as text for people.
    #[must_use]
    pub fn models(&self) -> &str {
        &self.data.models
    }

    /// The names that inference servers give the parsers of these models.
    #[must_use]
    pub fn aliases(&self) -> &[String] {
        &self.data.aliases
    }

    /// Whether it is the profile of the model that was named: `false` where the model's family is
    /// known and its version is not, so that this is the profile of the nearest version.
    ///
    /// ```
    /// use toolwire::detect::Profile;
    ///
    /// let profile = Profile::named("deepseek-v3.4")?;
    /// assert_eq!((profile.slug(), profile.is_exact()), ("deepseek_v32", false));
    /// # Ok::<(), toolwire::Error>(())
    /// ```
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The formats of the calls; empty when no format is known.
    #[must_use]
    pub fn formats(&self) -> &[Format] {
        &self.data.formats
    }

    /// The formats that the models are known to write besides their own, which are read too.
    #[must_use]
    pub fn siblings(&self) -> &[Format] {
        &self.data.siblings
    }

    /// The formats that are looked for.
    pub(crate) fn read_formats(&self) -> Vec<Format> {
        let new = |sibling: &&Format| !self.data.formats.contains(sibling);
        self.data.formats.iter().chain(self.data.siblings.iter().filter(new)).cloned().collect()
    }

    /// The names of the styles in which the models reason, as `think` for `<think>…</think>`.
    pub fn reasoning(&self) -> impl Iterator<Item = &str> {
        self.message.reasoning.iter().map(|reasoning| &*reasoning.style)
    }

    /// The markers of each style of reasoning: those that open it and those that close it.
    pub fn reasoning_markers(&self) -> impl Iterator<Item = (Vec<&str>, Vec<&str>)> {
        self.message.reasoning.iter().map(|one| (written(&one.open), written(&one.close)))
    }

    /// The framing tokens, which are not shown.
    #[must_use]
    pub fn frames(&self) -> Vec<&str> {
        written(&self.message.frames)
    }

    /// The style of the reasoning that the prompt has already begun, if it has.
    #[must_use]
    pub fn reasoning_begun(&self) -> Option<&str> {
        let begun = self.message.reasoning.get(self.message.begun?)?;
        Some(&begun.style)
    }

    /// Whether a call inside the reasoning counts.
    #[must_use]
    pub fn calls_in_reasoning(&self) -> bool {
        self.message.calls_in_reasoning
    }

    /// The same profile for a message that begins in reasoning, or does not.
    ///
    /// The style is the one that the profile begins with, or its first; a profile without
    /// reasoning stays as it is.
    #[must_use]
    pub fn with_reasoning_begun(self, begun: bool) -> Self {
        let first = (!self.message.reasoning.is_empty()).then_some(0);
        let style = if begun { self.message.begun.or(first) } else { None };
        self.beginning_in(style, Source::Prompt)
    }

    /// The tokens with which the models end their turn; empty where none is known.
    ///
    /// ```
    /// use toolwire::detect::Profile;
    ///
    /// assert_eq!(Profile::named("gpt-oss")?.stop(), ["<|return|>", "<|call|>"]);
    /// # Ok::<(), toolwire::Error>(())
    /// ```
    #[must_use]
    pub fn stop(&self) -> Vec<&str> {
        self.data.framing.stop.iter().map(|token| &**token).collect()
    }

    /// How the family writes calls of this format, where that differs from the format.
    pub(crate) fn example(&self, format: &Format) -> Option<&Example> {
        self.data.examples.get(format.slug())
    }

    /// What is written round the parts of a message.
    pub(crate) fn framing(&self) -> &Framing {
        &self.data.framing
    }

    /// A definition of the same profile, for [`Profile::define`].
    ///
    /// ```
    /// use toolwire::detect::Profile;
    ///
    /// let profile = Profile::named("qwen3")?.with_reasoning_begun(true);
    /// let definition = profile.definition();
    /// assert_eq!(definition["begun"], "think");
    /// assert_eq!(Profile::define(&definition)?, profile);
    /// # Ok::<(), toolwire::Error>(())
    /// ```
    #[must_use]
    pub fn definition(&self) -> Value {
        let mut definition = Value::clone(&self.definition);
        let Some(members) = definition.as_object_mut() else { return definition };
        let mut styles = match members.get("reasoning") {
            Some(Value::Array(several)) => several.clone(),
            one => one.cloned().into_iter().collect(),
        };
        // A prompt may have begun reasoning in a style that is new to the profile.
        styles.extend(self.message.reasoning.iter().skip(styles.len()).map(|style| {
            json!({
                "name": &*style.style,
                "open": written(&style.open),
                "open_first": written(&style.open_first),
                "close": written(&style.close),
                "ends_at": written(&style.ends_at),
                "written": style.written,
            })
        }));
        if !self.is_automatic() {
            members.insert("reasoning".to_owned(), styles.into());
        }
        if !self.exact {
            members.insert("exact".to_owned(), false.into());
        }
        match self.reasoning_begun() {
            Some(begun) => members.insert("begun".to_owned(), begun.into()),
            None => members.remove("begun"),
        };
        definition
    }

    /// The shape of the messages, for the engine.
    pub(crate) fn message(&self) -> &Arc<MessageShape> {
        &self.message
    }

    /// The same profile with another start of the message.
    pub(super) fn beginning_in(mut self, begun: Option<usize>, source: Source) -> Self {
        if self.message.begun != begun {
            Arc::make_mut(&mut self.message).begun = begun;
        }
        self.begun_source = source;
        self
    }

    /// Whether another profile says the same, and was named and defined in the same way.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        let defined = || Arc::ptr_eq(&self.definition, &other.definition);
        self == other
            && (self.source, self.begun_source) == (other.source, other.begun_source)
            && self.exact == other.exact
            && (defined() || self.definition == other.definition)
    }

    /// Puts two profiles of one detector together, whichever was named first.
    ///
    /// The model, or else the template, decides the formats. The prompt, or else the template,
    /// decides the start of the message.
    pub(crate) fn joined(self, other: Self) -> Self {
        let (whole, rest) = if other.source < self.source { (other, self) } else { (self, other) };
        if rest.begun_source <= whole.begun_source {
            return whole;
        }
        let begun = rest.message.begun.and_then(|index| rest.message.reasoning.get(index));
        whole.with_style(begun, rest.begun_source)
    }

    /// The same profile, beginning in this reasoning, which may be new to it.
    fn with_style(mut self, begun: Option<&ReasoningStyle>, source: Source) -> Self {
        let Some(begun) = begun else { return self.beginning_in(None, source) };
        let known = self.message.reasoning.iter().position(|one| one.open == begun.open);
        let index = known.unwrap_or_else(|| {
            let reasoning = &mut Arc::make_mut(&mut self.message).reasoning;
            reasoning.push(begun.clone());
            reasoning.len() - 1
        });
        self.beginning_in(Some(index), source)
    }
}

fn written(markers: &[Marker]) -> Vec<&str> {
    markers.iter().map(Marker::written).collect()
}
