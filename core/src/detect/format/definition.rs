//! The definition of a format, and the checks that turn it into a usable format.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::detect::format::example::Example;
use crate::detect::format::keys::{Keys, MOST_KEYS, SoughtKeys};
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{
    Attributes, Body, CallShape, EndRule, LiteralDialect, Marked, NamePlace, NameShape, Parameter,
    Syntax, Wrapper,
};
use crate::detect::format::{Data, Format, tool_tags};
use crate::error::{Error, ErrorKind};

/// The longest slug, in bytes.
const LONGEST_SLUG: usize = 64;

/// The members of a definition.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    slug: String,
    #[serde(default)]
    models: String,
    #[serde(default)]
    example: Example,
    body: BodyWord,
    wrapper: Option<WrapperDefinition>,
    #[serde(default)]
    call: CallDefinition,
    parameter: Option<ParameterDefinition>,
    keys: Option<KeysDefinition>,
    attributes: Option<AttributesDefinition>,
    /// The quote of strings in literals; `None` for Python's quotes.
    quote: Option<String>,
    #[serde(default)]
    bare: bool,
    #[serde(default)]
    plain: bool,
    #[serde(default)]
    leak: bool,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum BodyWord {
    Json,
    Named,
    Tagged,
    Literal,
    Bare,
    Element,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum EndWord {
    Required,
    #[default]
    Lenient,
    Optional,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrapperDefinition {
    open: TextList,
    #[serde(default)]
    close: TextList,
    #[serde(default)]
    end: EndWord,
    #[serde(default)]
    single: bool,
    between: Option<Box<str>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallDefinition {
    #[serde(default)]
    open: TextList,
    #[serde(default)]
    open_first: TextList,
    attribute: Option<String>,
    name_behind: Option<String>,
    #[serde(default)]
    prefix: String,
    #[serde(default)]
    numbered: bool,
    #[serde(default)]
    name_end: TextList,
    #[serde(default)]
    name_end_optional: bool,
    #[serde(default)]
    names: TextList,
    #[serde(default)]
    close: TextList,
    #[serde(default)]
    end: EndWord,
    #[serde(default)]
    turns: TextList,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParameterDefinition {
    open: TextList,
    attribute: Option<String>,
    type_attribute: Option<String>,
    key_end: TextList,
    close: TextList,
    #[serde(default)]
    trim_lines: bool,
    #[serde(default)]
    nested: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeysDefinition {
    #[serde(default)]
    name: TextList,
    #[serde(default)]
    arguments: TextList,
    #[serde(default)]
    weak: TextList,
    #[serde(default)]
    id: TextList,
    #[serde(default)]
    wrapper: String,
    #[serde(default)]
    name_is_key: bool,
    #[serde(default)]
    python: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AttributesDefinition {
    name: String,
    arguments: String,
    id: String,
    class: Option<String>,
}

/// One text or a list of texts.
#[derive(Default)]
pub(crate) struct TextList(Vec<String>);

impl<'de> Deserialize<'de> for TextList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a text or a list of texts")]
        enum OneOrMany {
            One(String),
            Many(Vec<String>),
        }
        Ok(Self(match OneOrMany::deserialize(deserializer)? {
            OneOrMany::One(word) => vec![word],
            OneOrMany::Many(words) => words,
        }))
    }
}

impl TextList {
    pub(crate) fn markers(&self) -> Result<Vec<Marker>, String> {
        self.0.iter().map(|word| Marker::parse(word)).collect()
    }

    pub(crate) fn texts(&self) -> &[String] {
        &self.0
    }

    fn boxed(self) -> Vec<Box<str>> {
        self.0.into_iter().map(String::into_boxed_str).collect()
    }
}

impl From<EndWord> for EndRule {
    fn from(word: EndWord) -> Self {
        match word {
            EndWord::Required => Self::Required,
            EndWord::Lenient => Self::Lenient,
            EndWord::Optional => Self::Optional,
        }
    }
}

/// Makes a format from its definition.
pub(crate) fn read(value: &Value) -> Result<Format, Error> {
    let invalid = |problem: String| {
        let slug = value.get("slug").and_then(Value::as_str).unwrap_or("?");
        let message = format!("the format \"{}\" is not usable: {problem}", slug.escape_debug());
        Error::new(ErrorKind::InvalidFormat, message)
    };
    let definition = Definition::deserialize(value).map_err(|error| invalid(error.to_string()))?;
    check_slug(&definition.slug).map_err(invalid)?;
    let slug = intern(&definition.slug);
    let (models, example) = (definition.models.clone(), definition.example.clone());
    let syntax = syntax(definition).map_err(invalid)?;
    Ok(Format { data: Arc::new(Data { slug, models, example, syntax }) })
}

/// Whether a slug can name a format or a profile; the error says what a slug is.
pub(crate) fn check_slug(slug: &str) -> Result<(), String> {
    let valid = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if slug.is_empty() || slug.len() > LONGEST_SLUG || !slug.bytes().all(valid) {
        return Err(format!("a slug has 1 to {LONGEST_SLUG} characters of a-z 0-9 _"));
    }
    if slug == "auto" {
        return Err("\"auto\" stands for every format".to_owned());
    }
    Ok(())
}

/// Keeps a slug for as long as the program runs.
///
/// A program has few formats, and calls refer to their slugs.
fn intern(slug: &str) -> &'static str {
    static SLUGS: LazyLock<Mutex<BTreeSet<&'static str>>> = LazyLock::new(Mutex::default);
    let mut slugs = SLUGS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = slugs.get(slug) {
        return known;
    }
    let kept: &'static str = Box::leak(slug.to_owned().into_boxed_str());
    slugs.insert(kept);
    kept
}

fn syntax(definition: Definition) -> Result<Syntax, String> {
    match definition.body {
        BodyWord::Bare => Ok(Syntax::Bare(Arc::new(keys(definition.keys)?))),
        BodyWord::Element => {
            let attributes =
                definition.attributes.ok_or("the body \"element\" needs attributes")?;
            Ok(Syntax::Element(Attributes {
                name: attributes.name.into(),
                arguments: attributes.arguments.into(),
                id: attributes.id.into(),
                class: attributes.class.map(Into::into),
            }))
        }
        _ => Ok(Syntax::Marked(Box::new(marked(definition)?))),
    }
}

fn marked(definition: Definition) -> Result<Marked, String> {
    let mut body = match definition.body {
        BodyWord::Json => Body::Json(Arc::new(keys(definition.keys)?)),
        BodyWord::Named => Body::Named,
        BodyWord::Tagged => Body::Tagged(parameter(
            definition.parameter.ok_or("the body \"tagged\" needs a parameter")?,
        )?),
        BodyWord::Literal => Body::Literal(
            definition
                .quote
                .map_or(LiteralDialect::Python, |quote| LiteralDialect::Braces(quote.into())),
        ),
        BodyWord::Bare | BodyWord::Element => return Err("the body takes no markers".to_owned()),
    };
    let wrapper = definition.wrapper.as_ref().map(wrapper).transpose()?;
    let call = call(definition.call)?;
    if matches!(body, Body::Json(_)) && !call.open.is_empty() {
        return Err("the body \"json\" has its markers in wrapper".to_owned());
    }
    if wrapper.is_none() && call.open.is_empty() {
        return Err("wrapper.open or call.open must hold a marker".to_owned());
    }
    let bare = definition.bare || wrapper.is_none();
    if bare && call.open.is_empty() && !matches!(body, Body::Json(_)) {
        return Err("a bare call needs call.open".to_owned());
    }
    if let Body::Tagged(parameter) = &mut body {
        parameter.pieces = pieces(&call, parameter);
    }
    if !call.names.is_empty() && (wrapper.is_some() || !tool_tags::are_plain(&call, &body)) {
        return Err(tool_tags::MUST_BE_PLAIN.to_owned());
    }
    let Definition { plain, leak, .. } = definition;
    Ok(Marked { wrapper, call, bare, plain, leak, body })
}

fn wrapper(definition: &WrapperDefinition) -> Result<Wrapper, String> {
    let open = definition.open.markers()?;
    if open.is_empty() {
        return Err("wrapper.open must hold a marker".to_owned());
    }
    let (close, end) = (definition.close.markers()?, definition.end.into());
    Ok(Wrapper { open, close, end, single: definition.single, between: definition.between.clone() })
}

fn call(definition: CallDefinition) -> Result<CallShape, String> {
    let place = match (definition.attribute, definition.name_behind) {
        (None, None) => NamePlace::Inline,
        (Some(attribute), None) => NamePlace::Attribute(attribute.into()),
        (None, Some(text)) => NamePlace::After(text.into()),
        (Some(_), Some(_)) => return Err("call has both attribute and name_behind".to_owned()),
    };
    let name_end = definition.name_end.markers()?;
    if place != NamePlace::Inline && name_end.is_empty() {
        return Err("call.attribute and call.name_behind need call.name_end".to_owned());
    }
    Ok(CallShape {
        open: definition.open.markers()?,
        open_first: definition.open_first.markers()?,
        only_first: false,
        name: NameShape { place, prefix: definition.prefix.into(), numbered: definition.numbered },
        names: tool_tags::sorted(definition.names.boxed()),
        name_end,
        name_end_optional: definition.name_end_optional,
        close: definition.close.markers()?,
        end: definition.end.into(),
        turns: definition.turns.markers()?,
    })
}

fn parameter(definition: ParameterDefinition) -> Result<Parameter, String> {
    let (open, close) = (definition.open.markers()?, definition.close.markers()?);
    let key_end = definition.key_end.markers()?;
    if open.is_empty() || close.is_empty() || key_end.is_empty() {
        return Err(
            "parameter.open, parameter.key_end and parameter.close must hold a marker".to_owned()
        );
    }
    Ok(Parameter {
        open,
        key: definition
            .attribute
            .map_or(NamePlace::Inline, |attribute| NamePlace::Attribute(attribute.into())),
        type_attribute: definition.type_attribute.map(Into::into),
        key_end,
        close,
        trim_lines: definition.trim_lines,
        nested: definition.nested,
        pieces: Vec::new(),
    })
}

/// The tags of which the markers of a call are made. A tag that is a whole marker is none.
fn pieces(call: &CallShape, parameter: &Parameter) -> Vec<Box<[u8]>> {
    let groups = [&call.open, &call.close, &parameter.open, &parameter.key_end, &parameter.close];
    let markers = || groups.into_iter().flatten();
    let tags = markers().flat_map(Marker::tags);
    let closes = || call.open.iter().chain(&call.close).chain(&parameter.close);
    let mut tags: Vec<Box<[u8]>> =
        tags.filter(|tag| !closes().any(|marker| marker.lead() == *tag)).map(Into::into).collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

fn keys(definition: Option<KeysDefinition>) -> Result<Keys, String> {
    let Some(definition) = definition else { return Ok(Keys::usual()) };
    // Where the key is the name, its value is the arguments.
    let arguments =
        if definition.name_is_key { vec!["*".into()] } else { definition.arguments.boxed() };
    let keys = Keys {
        name: definition.name.boxed(),
        sought: SoughtKeys::default(),
        arguments,
        weak: definition.weak.boxed(),
        id: definition.id.boxed(),
        wrapper: definition.wrapper.into(),
        name_is_key: definition.name_is_key,
        python: definition.python,
        joined: Vec::new(),
    };
    if !keys.name_is_key && (keys.name.is_empty() || keys.arguments.is_empty()) {
        return Err("keys.name and keys.arguments must hold a key".to_owned());
    }
    if [&keys.name, &keys.arguments, &keys.id].iter().any(|part| part.len() > MOST_KEYS) {
        return Err(format!(
            "keys.name, keys.arguments and keys.id hold at most {MOST_KEYS} keys each"
        ));
    }
    Ok(keys)
}

impl Keys {
    /// The keys that most formats use.
    fn usual() -> Self {
        let boxed = |words: &[&str]| words.iter().map(|word| (*word).into()).collect();
        Self {
            name: boxed(&["name"]),
            arguments: boxed(&["arguments", "parameters"]),
            sought: SoughtKeys::default(),
            id: boxed(&["id"]),
            ..Self::default()
        }
    }
}
