//! The definition of a profile, and the checks that turn it into a usable profile.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::data::{Profile, ProfileData, Source};
use super::pattern::Pattern;
use super::shape::{
    FrameList, Framing, FrontAndBack, MessageShape, ReasoningStyle, ThinkingSwitch,
};
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::Syntax;
use crate::detect::format::{Example, Format, TextList, check_slug};
use crate::error::{Error, ErrorKind};
use crate::nearest::suggestion;

/// The parts that a definition may name, instead of writing them out.
#[derive(Default)]
pub(super) struct NamedParts {
    pub(super) reasoning: BTreeMap<String, Value>,
    pub(super) frames: BTreeMap<String, Value>,
}

/// The members of a definition.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileDefinition {
    slug: String,
    #[serde(default)]
    models: String,
    #[serde(default, rename = "match")]
    patterns: TextList,
    #[serde(default)]
    aliases: TextList,
    #[serde(default)]
    formats: Several,
    #[serde(default)]
    reasoning: Several,
    #[serde(default)]
    frames: Several,
    begun: Option<String>,
    thinking: Option<ThinkingSwitch>,
    #[serde(default)]
    calls_in_reasoning: bool,
    #[serde(default)]
    calls_end_reasoning: bool,
    #[serde(default)]
    siblings: TextList,
    #[serde(default = "yes")]
    exact: bool,
}

fn yes() -> bool {
    true
}

/// A format that the family writes in a layout of its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LaidOutFormat {
    format: String,
    example: Example,
}

/// The members of a style of reasoning.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StyleDefinition {
    name: Option<String>,
    #[serde(default)]
    open: TextList,
    #[serde(default)]
    open_first: TextList,
    #[serde(default)]
    close: TextList,
    #[serde(default)]
    ends_at: TextList,
    #[serde(default)]
    leak: bool,
    written: Option<FrontAndBack>,
}

impl StyleDefinition {
    /// Whether it only says how a style is written that is known by its name.
    fn is_written_alone(&self) -> bool {
        let lists = [&self.open, &self.open_first, &self.close, &self.ends_at];
        self.written.is_some() && lists.iter().all(|list| list.texts().is_empty())
    }
}

/// The members of a list of framing tokens that says what is written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameListDefinition {
    #[serde(default)]
    tokens: TextList,
    #[serde(default)]
    answers: TextList,
    #[serde(default)]
    begins: TextList,
    #[serde(default)]
    after_end: TextList,
    #[serde(default)]
    written: Framing,
}

/// One value or a list of values.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Several {
    Many(Vec<Value>),
    One(Value),
    #[default]
    None,
}

impl Several {
    fn values(&self) -> &[Value] {
        match self {
            Self::Many(values) => values,
            Self::One(value) => std::slice::from_ref(value),
            Self::None => &[],
        }
    }
}

/// Makes a profile from its definition.
pub(super) fn read(value: &Value, named: &NamedParts) -> Result<Profile, Error> {
    let invalid = |problem: String| {
        let slug = value.get("slug").and_then(Value::as_str).unwrap_or("?");
        let message = format!("the profile \"{}\" is not usable: {problem}", slug.escape_debug());
        Error::new(ErrorKind::InvalidProfile, message)
    };
    let definition =
        ProfileDefinition::deserialize(value).map_err(|error| invalid(error.to_string()))?;
    profile(definition, named, Arc::new(value.clone())).map_err(invalid)
}

fn profile(
    definition: ProfileDefinition,
    named: &NamedParts,
    value: Arc<Value>,
) -> Result<Profile, String> {
    check_slug(&definition.slug)?;
    let mut examples = BTreeMap::new();
    let formats = each("formats", &definition.formats, |value| format(value, &mut examples))?;
    let calls = if definition.calls_end_reasoning { openings(&formats) } else { Vec::new() };
    let reasoning = each("reasoning", &definition.reasoning, |value| style(value, named, &calls))?;
    let frames = each("frames", &definition.frames, |value| list(value, named))?;
    let begun = definition.begun.as_deref().map(|style| {
        let index = reasoning.iter().position(|one| &*one.style == style);
        index.ok_or_else(|| format!("begun: \"{}\" is not in reasoning", style.escape_debug()))
    });
    let framing = joined(&frames);
    let message = MessageShape {
        begun: begun.transpose()?,
        after_end: frames.iter().flat_map(|list| list.after_end.clone()).collect(),
        begins: frames.iter().flat_map(|list| list.begins.clone()).collect(),
        answers: frames.iter().flat_map(|list| list.answers.clone()).collect(),
        frames: frames.into_iter().flat_map(|list| list.tokens).collect(),
        reasoning,
        calls_in_reasoning: definition.calls_in_reasoning,
    };
    let patterns = definition.patterns.texts().iter().map(|pattern| Pattern::parse(pattern));
    let lists = definition.frames.values().iter().filter_map(Value::as_str);
    let siblings = definition.siblings.texts().iter().map(|slug| Format::named(slug));
    let data = ProfileData {
        patterns: patterns
            .collect::<Result<_, _>>()
            .map_err(|problem| format!("match: {problem}"))?,
        frames: lists.map(Into::into).collect(),
        examples,
        framing,
        thinking: definition.thinking,
        slug: definition.slug.into(),
        models: definition.models,
        aliases: definition.aliases.texts().to_vec(),
        siblings: siblings
            .collect::<Result<_, _>>()
            .map_err(|error| format!("siblings: {error}"))?,
        formats,
    };
    let (source, begun_source) = (Source::Model, Source::Model);
    let (data, message) = (Arc::new(data), Arc::new(message));
    let exact = definition.exact;
    Ok(Profile { data, message, definition: value, source, begun_source, exact })
}

/// Reads each value of a member; a problem names the member.
fn each<T>(
    member: &str,
    values: &Several,
    mut read: impl FnMut(&Value) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let read = |value| read(value).map_err(|problem| format!("{member}: {problem}"));
    values.values().iter().map(read).collect()
}

/// Reads a format: its name, a definition, or an object with its name and the family's example.
fn format(value: &Value, examples: &mut BTreeMap<&'static str, Example>) -> Result<Format, String> {
    let format = match value {
        Value::String(slug) => Format::named(slug),
        Value::Object(members) if members.contains_key("format") => {
            let laid_out = LaidOutFormat::deserialize(value).map_err(|error| error.to_string())?;
            let format = Format::named(&laid_out.format).map_err(|error| error.to_string())?;
            examples.insert(format.slug(), laid_out.example);
            return Ok(format);
        }
        Value::Object(_) => Format::define(value),
        _ => return Err("a format is a name or a definition".to_owned()),
    };
    format.map_err(|error| error.to_string())
}

/// Reads a style of reasoning: its name, an object with its markers, or a name with what is
/// written.
pub(super) fn style(
    value: &Value,
    named: &NamedParts,
    calls: &[Marker],
) -> Result<ReasoningStyle, String> {
    let known = value.as_str();
    let members = match known {
        Some(name) => found("style", name, &named.reasoning)?,
        None => value,
    };
    let definition = StyleDefinition::deserialize(members).map_err(|error| error.to_string())?;
    if let (None, Some(name), true) = (known, &definition.name, definition.is_written_alone()) {
        let style = style(&Value::from(name.as_str()), named, calls)?;
        return Ok(ReasoningStyle { written: definition.written, ..style });
    }
    let (open, close) = (definition.open.markers()?, definition.close.markers()?);
    if open.is_empty() || close.is_empty() {
        return Err("open and close must hold a marker".to_owned());
    }
    let mut ends_at = definition.ends_at.markers()?;
    ends_at.extend_from_slice(calls);
    let own = definition.name.as_deref().or(definition.open.texts().first().map(String::as_str));
    let style = known.or(own).unwrap_or_default().into();
    let open_first = definition.open_first.markers()?;
    let StyleDefinition { leak, written, .. } = definition;
    Ok(ReasoningStyle { style, open, open_first, close, ends_at, leak, written })
}

/// Reads framing tokens: the name of a list, a list of tokens, or an object that also says what is
/// written.
pub(super) fn list(value: &Value, named: &NamedParts) -> Result<FrameList, String> {
    let value = match value {
        Value::String(name) => found("list", name, &named.frames)?,
        value => value,
    };
    let definition = if value.is_object() {
        FrameListDefinition::deserialize(value)
    } else {
        TextList::deserialize(value)
            .map(|tokens| FrameListDefinition { tokens, ..FrameListDefinition::default() })
    };
    let definition = definition.map_err(|error| error.to_string())?;
    if let Some(problem) = definition.written.problem() {
        return Err(problem.to_owned());
    }
    let answers = definition.answers.markers()?;
    let mut tokens = definition.tokens.markers()?;
    tokens.extend(answers.iter().cloned());
    Ok(FrameList {
        tokens,
        answers,
        begins: definition.begins.markers()?,
        after_end: definition.after_end.markers()?,
        framing: definition.written,
    })
}

/// What the lists together say of writing; the first that says something counts.
pub(super) fn joined<'l>(lists: impl IntoIterator<Item = &'l FrameList>) -> Framing {
    lists.into_iter().fold(Framing::default(), |all, list| all.or(&list.framing))
}

fn found<'n>(
    what: &str,
    name: &str,
    known: &'n BTreeMap<String, Value>,
) -> Result<&'n Value, String> {
    known.get(name).ok_or_else(|| {
        let names: Vec<_> = known.keys().map(String::as_str).collect();
        format!("unknown {what} \"{}\"{}", name.escape_debug(), suggestion(name, &names))
    })
}

/// The markers with which calls of these formats begin.
fn openings(formats: &[Format]) -> Vec<Marker> {
    let opened = formats.iter().flat_map(|format| match &format.data.syntax {
        Syntax::Marked(marked) => {
            let calls = if marked.bare { marked.call.opens_anywhere() } else { &[] };
            let wrappers = marked.wrapper.iter().flat_map(|wrapper| &wrapper.open);
            wrappers.chain(calls).cloned().collect()
        }
        Syntax::Bare(_) | Syntax::Element(_) => Vec::new(),
    });
    opened.collect()
}
