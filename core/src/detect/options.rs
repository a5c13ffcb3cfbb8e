//! The options of a detector.
//!
//! ```
//! use serde_json::json;
//! use toolwire::detect::Fences;
//! use toolwire::Options;
//!
//! let mut options = Options::default();
//! options.set("fences", &json!("none"))?;
//! assert_eq!(options.fences, Fences::None);
//! assert!(options.set("fence", &json!("none")).is_err());
//! # Ok::<(), toolwire::Error>(())
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::detect::format::Format;
use crate::detect::profile::{MessageShape, Profile, Thinking};
use crate::detect::rule::seen::Seen;
use crate::detect::rule::tools::{CallsOffered, Tools};
use crate::error::{Error, ErrorKind};
use crate::json::outcome::Repair;
use crate::nearest::suggestion;
use crate::option::{self, count, unknown, word, wrong_type};
use crate::slug::slugs;

slugs! {
    /// The fenced code blocks in which calls count.
    pub enum Fences {
        /// Blocks whose whole content is a call of the `json` format.
        Json => "json",
        /// Every block, as if there were no fences.
        All => "all",
        /// No block.
        None => "none",
    }
}

slugs! {
    /// What becomes of reasoning.
    pub enum Reasoning {
        /// It is set apart from the text, and calls in it do not count.
        Separate => "separate",
        /// It is part of the text, and calls in it do not count.
        Keep => "keep",
        /// It is set apart from the text, and calls in it count.
        Calls => "calls",
    }
}

slugs! {
    /// What is done about arguments that do not match their tool's schema.
    pub enum Validate {
        /// Nothing.
        Off => "off",
        /// The call gets the diagnostic `schema_mismatch`, or `schema_limit`.
        Report => "report",
        /// The call is refused as `schema_mismatch`, or as `schema_limit`.
        Reject => "reject",
    }
}

/// The options of a detector; [`Options::default`] suits most programs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The formats to look for; empty for those of the profile, or else for every form that tells
    /// itself apart ([`Format::automatic`]).
    pub formats: Vec<Format>,
    /// How the model writes a whole message; `None` when nothing is known of the model.
    pub profile: Option<Profile>,
    /// Whether the model was asked to think; `None` for what its prompt says, or else its profile.
    pub thinking: Option<Thinking>,
    /// The tools that may be called; `None` allows any tool.
    pub tools: Option<Tools>,
    /// The old names of tools.
    pub renamed: Renamed,
    /// The fenced code blocks in which calls count.
    pub fences: Fences,
    /// What becomes of reasoning.
    pub reasoning: Reasoning,
    /// What is done about arguments that are almost JSON.
    pub repair: Repair,
    /// What the tools' schemas do to the arguments.
    pub schemas: SchemaUse,
    /// The calls seen before, which are refused as `duplicate`; with `None` calls may repeat.
    pub seen: Option<Seen>,
    /// The class that marks an HTML element as a call; `None` for the class that the format names.
    pub html_class: Option<String>,
    /// The presets that the option `preset` may name.
    pub presets: &'static [Preset],
    /// How much is read.
    pub limits: Limits,
}

/// What the schemas of tools do to the arguments of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaUse {
    /// What is done about arguments that do not match their tool's schema.
    pub validate: Validate,
    /// Whether values are converted to the type that the tool's schema names, where possible.
    pub coerce: bool,
}

impl Default for SchemaUse {
    fn default() -> Self {
        Self { validate: Validate::Off, coerce: false }
    }
}

/// The old names of tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renamed {
    /// Old names, each with the name that a call gets instead.
    pub aliases: BTreeMap<String, String>,
    /// Retired names, each with its successor. A call of a retired name is refused.
    pub legacy: BTreeMap<String, String>,
}

/// How much a detector reads; the options of the same names set these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of text that are searched; the rest is text.
    pub max_input: usize,
    /// The most calls that are handed out; the rest is text.
    pub max_calls: usize,
    /// The most rejections that are kept; the others are counted.
    pub max_rejections: usize,
    /// The most brackets that may be open at once in a call's JSON.
    pub max_depth: usize,
    /// The most bytes of one call's arguments.
    pub max_arguments: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_input: 16 << 20,
            max_calls: 256,
            max_rejections: 1000,
            max_depth: 128,
            max_arguments: 4 << 20,
        }
    }
}

/// Options under one name, for a program with known calls.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name.
    pub name: &'static str,
    /// Sets the options.
    pub apply: fn(&mut Options),
}

impl Default for Options {
    fn default() -> Self {
        Self {
            formats: Vec::new(),
            profile: None,
            thinking: None,
            tools: None,
            renamed: Renamed::default(),
            fences: Fences::Json,
            reasoning: Reasoning::Separate,
            repair: Repair::Off,
            schemas: SchemaUse::default(),
            seen: None,
            html_class: None,
            presets: &[],
            limits: Limits::default(),
        }
    }
}

impl Options {
    /// The names of the options that [`Options::set`] takes.
    pub const NAMES: &'static [&'static str] = &[
        "formats",
        "model",
        "template",
        "prompt",
        "thinking",
        "tools",
        "calls",
        "aliases",
        "legacy",
        "preset",
        "fences",
        "reasoning",
        "repair",
        "validate",
        "coerce",
        "html_class",
        "max_input",
        "max_calls",
        "max_rejections",
        "max_depth",
        "max_arguments",
    ];

    /// The deepest nesting that may be asked for.
    pub const DEEPEST: usize = option::DEEPEST;

    /// Sets the option of this name.
    ///
    /// # Errors
    /// `unknown_option`, `unknown_format`, `unknown_model`, `unknown_preset`, `invalid_option`,
    /// `invalid_profile`, `wrong_type`, `invalid_tool`, `invalid_schema`; the message names the
    /// option and what is allowed.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), Error> {
        match name {
            "formats" => self.formats = formats(value)?,
            "model" | "template" | "prompt" => self.name_profile(name, value)?,
            "thinking" => self.thinking = Thinking::from_json(value)?,
            "tools" => {
                let refuses = self.tools.as_ref().is_some_and(Tools::is_refusing);
                let tools = if value.is_null() { None } else { Some(Tools::from_json(value)?) };
                self.tools =
                    if refuses { Some(tools.unwrap_or_default().refusing()) } else { tools };
            }
            "calls" => {
                let calls = word(name, value, CallsOffered::SLUGS, CallsOffered::from_slug)?;
                if calls == CallsOffered::Refuse {
                    self.tools = Some(self.tools.take().unwrap_or_default().refusing());
                }
            }
            "aliases" => self.renamed.aliases = names(name, value)?,
            "legacy" => self.renamed.legacy = names(name, value)?,
            "preset" => self.preset(value)?,
            "fences" => self.fences = word(name, value, Fences::SLUGS, Fences::from_slug)?,
            "repair" => self.repair = word(name, value, Repair::SLUGS, Repair::from_slug)?,
            "validate" => {
                self.schemas.validate = word(name, value, Validate::SLUGS, Validate::from_slug)?;
            }
            "reasoning" => {
                self.reasoning = word(name, value, Reasoning::SLUGS, Reasoning::from_slug)?;
            }
            "coerce" => {
                self.schemas.coerce =
                    value.as_bool().ok_or_else(|| wrong_type(name, "a boolean"))?;
            }
            "html_class" => self.html_class = Some(class(name, value)?),
            "max_input" => self.limits.max_input = count(name, value, usize::MAX)?,
            "max_calls" => self.limits.max_calls = count(name, value, usize::MAX)?,
            "max_rejections" => self.limits.max_rejections = count(name, value, usize::MAX)?,
            "max_depth" => self.limits.max_depth = count(name, value, Self::DEEPEST)?,
            "max_arguments" => self.limits.max_arguments = count(name, value, usize::MAX)?,
            _ => return Err(unknown(name, Self::NAMES)),
        }
        Ok(())
    }

    /// The formats that count: those that are given, those of the profile, or the default.
    ///
    /// The default is every form that tells itself apart, also for a model whose calls nobody
    /// described.
    pub(crate) fn chosen_formats(&self) -> Vec<Format> {
        let known = self.profile.as_ref().map(Profile::read_formats);
        let given = [self.formats.clone(), known.unwrap_or_default()];
        given.into_iter().find(|formats| !formats.is_empty()).unwrap_or_else(Format::automatic)
    }

    /// Whether the formats were not named one by one, or every form that tells itself apart is
    /// among them.
    ///
    /// Then markup that is not read is told; formats that are named one by one are exact.
    pub(crate) fn reads_automatic(&self) -> bool {
        let covers = |format: &Format| self.formats.contains(format);
        self.formats.is_empty() || Format::automatic().iter().all(covers)
    }

    /// How the message around the calls is read.
    pub(crate) fn message(&self) -> Arc<MessageShape> {
        if let Some(profile) = &self.profile {
            if profile.is_automatic() {
                return Arc::clone(profile.message());
            }
            return Arc::new(profile.message().with_common_reasoning());
        }
        let mut shape = if self.reads_automatic() {
            Arc::clone(Profile::automatic().message())
        } else {
            MessageShape::plain()
        };
        let begun = self.thinking.as_ref().and_then(Thinking::begun);
        if begun == Some(true) {
            // `think` stands first among the styles.
            Arc::make_mut(&mut shape).begun = Some(0);
        }
        shape
    }

    /// The profile, for a model that was asked to think or not to.
    #[must_use]
    pub fn settled_profile(&self) -> Option<Profile> {
        let profile = self.profile.clone()?;
        Some(match &self.thinking {
            Some(thinking) => profile.asked_to_think(thinking),
            None => profile,
        })
    }

    /// Takes the profile from a model's name or definition, a chat template or a prompt.
    ///
    /// The order of the options does not matter: see [`Profile::joined`].
    fn name_profile(&mut self, option: &str, value: &Value) -> Result<(), Error> {
        let known = self.profile.clone();
        let named = match (option, value) {
            (_, Value::Null) => return Ok(()),
            ("model", Value::String(_) | Value::Object(_)) => Profile::from_json(value)?,
            ("model", _) => return Err(wrong_type(option, "a name or a definition")),
            ("template", Value::String(template)) => match Profile::from_template(template) {
                Some(profile) => profile,
                None if known.is_some() => return Ok(()),
                None => {
                    let message = "the template writes no known format, reasoning or framing; \
                                   model or formats can say how the model writes";
                    return Err(Error::new(ErrorKind::UnknownModel, message));
                }
            },
            (_, Value::String(prompt)) => {
                let profile = known.clone().unwrap_or_else(Profile::automatic);
                profile.begun_by(prompt.as_bytes())
            }
            _ => return Err(wrong_type(option, "a text")),
        };
        self.profile = Some(match known {
            Some(known) => named.joined(known),
            None => named,
        });
        Ok(())
    }

    fn preset(&mut self, value: &Value) -> Result<(), Error> {
        let wanted = match value {
            Value::Null => return Ok(()),
            Value::String(wanted) => wanted,
            _ => return Err(wrong_type("preset", "a name")),
        };
        let Some(preset) = self.presets.iter().find(|preset| preset.name == wanted) else {
            let known: Vec<_> = self.presets.iter().map(|preset| preset.name).collect();
            let (shown, known) = (wanted.escape_debug(), suggestion(wanted, &known));
            let message = format!("unknown preset \"{shown}\"{known}");
            return Err(Error::new(ErrorKind::UnknownPreset, message));
        };
        (preset.apply)(self);
        Ok(())
    }
}

/// Reads names of built-in formats, `auto` for the automatic ones, and definitions of others.
fn formats(value: &Value) -> Result<Vec<Format>, Error> {
    let one = |value: &Value| match value {
        Value::String(slug) if slug == "auto" => Ok(Format::automatic()),
        Value::String(slug) => Format::named(slug).map(|format| vec![format]),
        Value::Object(_) => Format::define(value).map(|format| vec![format]),
        _ => Err(wrong_type("formats", "a name, a definition, or a list of these")),
    };
    let mut formats: Vec<Format> = Vec::new();
    let several = match value {
        Value::Array(several) => several.as_slice(),
        one => std::slice::from_ref(one),
    };
    for value in several {
        formats.extend(one(value)?);
    }
    if formats.is_empty() {
        let message = "formats must name at least one format".to_owned();
        return Err(Error::new(ErrorKind::InvalidOption, message));
    }
    Ok(formats)
}

fn names(option: &str, value: &Value) -> Result<BTreeMap<String, String>, Error> {
    let expected = || wrong_type(option, "a map of old names to new names");
    match value {
        Value::Object(pairs) => pairs
            .iter()
            .map(|(old, new)| Some((old.clone(), new.as_str()?.to_owned())))
            .collect::<Option<_>>()
            .ok_or_else(expected),
        // An empty PHP array does not say whether it is a list or a map.
        Value::Array(none) if none.is_empty() => Ok(BTreeMap::new()),
        _ => Err(expected()),
    }
}

fn class(option: &str, value: &Value) -> Result<String, Error> {
    let Value::String(class) = value else { return Err(wrong_type(option, "a class name")) };
    if class.is_empty() || class.contains(char::is_whitespace) {
        let message = format!("{option} must be one class name without white space");
        return Err(Error::new(ErrorKind::InvalidOption, message));
    }
    Ok(class.clone())
}
