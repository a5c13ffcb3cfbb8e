//! `Toolwire\Detector`: finds calls in text.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::borrow::Cow;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use serde_json::{Map, json};
use toolwire::compat::PRESETS;
use toolwire::detect::{
    Format, GrammarSettings, NewCall, NewMessage, Profile as Core, Tools, render_calls,
    render_message,
};
use toolwire::{Error, ErrorKind, Options, kept};

use crate::class::call::ToolCall;
use crate::class::constraint::Constraint;
use crate::class::detection::Detection;
use crate::class::detections::Detections;
use crate::class::profile::Profile;
use crate::class::seen::Seen;
use crate::class::stream::Stream;
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::option;
use crate::host::value::{
    self, ABool, ADetection, AProfile, ASeen, AString, AnArray, AnInt, AnIterator, Anything, As,
    Maybe, Table, Text,
};
use crate::zend;

/// The places of the arguments of the constructor that take an array or something else.
pub(crate) const FORMATS: usize = 0;
/// The place of the model, which may be a profile, an array or a string.
pub(crate) const MODEL: usize = 17;
pub(crate) const THINKING: usize = 20;
/// The same for `constrain()`, each with what it takes too.
pub(crate) const CONSTRAIN: [(usize, DataType); 10] = [
    (1, DataType::Array), // model
    (1, DataType::String),
    (4, DataType::True), // thinking
    (4, DataType::False),
    (5, DataType::String), // format
    (7, DataType::String), // toolChoice
    (9, DataType::True),   // reasoning
    (9, DataType::False),
    (10, DataType::True), // text
    (10, DataType::False),
];

/// A detector with its options.
pub(crate) struct Detector(toolwire::Detector);

php_class!(Detector, "Toolwire\\Detector", [], public, {});

impl Detector {
    pub(crate) fn core(&self) -> &toolwire::Detector {
        &self.0
    }
}

#[php_impl]
impl Detector {
    /// Makes a detector; an option that is missing or null has its default.
    #[allow(clippy::too_many_arguments, reason = "they are named arguments in PHP")]
    fn __construct(
        formats: Option<As<AnArray>>,
        tools: Option<As<AnArray>>,
        aliases: Option<As<AnArray>>,
        legacy: Option<As<AnArray>>,
        preset: Option<As<AString>>,
        fences: Option<As<AString>>,
        reasoning: Option<As<AString>>,
        repair: Option<As<AString>>,
        seen: Option<As<ASeen>>,
        validate: Option<As<AString>>,
        coerce: Option<As<ABool>>,
        maxInput: Option<As<AnInt>>,
        maxCalls: Option<As<AnInt>>,
        maxRejections: Option<As<AnInt>>,
        maxDepth: Option<As<AnInt>>,
        maxArguments: Option<As<AnInt>>,
        htmlClass: Option<As<AString>>,
        model: Option<As<AProfile>>,
        template: Option<As<AString>>,
        prompt: Option<As<AString>>,
        thinking: Option<As<AnArray>>,
        calls: Option<As<AString>>,
    ) -> PhpResult<Self> {
        let given = vec![
            // The preset comes first, so that the other options override its values.
            ("preset", preset.map(|option| option.0)),
            ("model", model.map(|option| option.0)),
            ("template", template.map(|option| as_utf8(option.0))),
            ("prompt", prompt.map(|option| as_utf8(option.0))),
            ("thinking", thinking.map(|option| option.0)),
            ("formats", formats.map(|option| option.0)),
            ("tools", tools.map(|option| option.0)),
            ("aliases", aliases.map(|option| option.0)),
            ("legacy", legacy.map(|option| option.0)),
            ("fences", fences.map(|option| option.0)),
            ("reasoning", reasoning.map(|option| option.0)),
            ("repair", repair.map(|option| option.0)),
            ("seen", seen.map(|option| option.0)),
            ("validate", validate.map(|option| option.0)),
            ("coerce", coerce.map(|option| option.0)),
            ("max_input", maxInput.map(|option| option.0)),
            ("max_calls", maxCalls.map(|option| option.0)),
            ("max_rejections", maxRejections.map(|option| option.0)),
            ("max_depth", maxDepth.map(|option| option.0)),
            ("max_arguments", maxArguments.map(|option| option.0)),
            ("html_class", htmlClass.map(|option| option.0)),
            ("calls", calls.map(|option| option.0)),
        ];
        made(given).map(Self).map_err(|error| exception::from_core(&error))
    }

    /// The built-in formats, in order.
    fn formats() -> PhpResult<As<AnArray>> {
        let formats = Format::all().iter().map(|format| {
            value::record([
                ("slug", value::text(format.slug())),
                ("models", value::text(format.models())),
                ("body", value::text(format.body())),
                ("example", value::text(format.example())),
            ])
        });
        Ok(As::new(value::list(formats.collect::<Result<Vec<_>, _>>()?)?))
    }

    /// Writes a call as a model of the format writes it.
    fn render_call(
        name: Text<'_>,
        arguments: As<Anything>,
        format: Option<As<AnArray>>,
        id: Maybe<Text<'_>>,
        tools: Option<As<AnArray>>,
    ) -> PhpResult<String> {
        written(format, tools, || {
            let call = json!({
                "name": name.lossy(),
                "arguments": option::option("arguments", &arguments.0)?,
                "id": id.0.as_ref().map(Text::lossy),
            });
            Ok(vec![NewCall::from_json(&call)?])
        })
    }

    /// Writes several calls as one turn of a model of the format.
    fn render_calls(
        calls: Table<'_>,
        format: Option<As<AnArray>>,
        tools: Option<As<AnArray>>,
    ) -> PhpResult<String> {
        written(format, tools, || {
            let table = calls.0.array().into_iter();
            table.flat_map(zend::entries).map(|(_, call)| new_call(call)).collect()
        })
    }

    /// Writes a message as a model of the profile writes it.
    fn render_message(
        message: As<ADetection>,
        profile: As<AProfile>,
        tools: Option<As<AnArray>>,
    ) -> PhpResult<String> {
        let text = || {
            let profile = any_profile(&profile.0)?;
            let tools = tools.map(|tools| tools.0).filter(|tools| !tools.is_null());
            let tools = tools.map(|tools| Tools::from_json(&option::option("tools", &tools)?));
            render_message(&new_message(&message.0)?, &profile, tools.transpose()?.as_ref())
        };
        text().map_err(|error| exception::from_core(&error))
    }

    /// Makes the grammar that holds a model to calls of these tools.
    #[allow(clippy::too_many_arguments, reason = "they are named arguments in PHP")]
    fn constrain(
        tools: As<AnArray>,
        model: Option<As<AProfile>>,
        template: Option<As<AString>>,
        prompt: Option<As<AString>>,
        thinking: Option<As<AnArray>>,
        format: Option<As<AnArray>>,
        backend: Option<As<AString>>,
        toolChoice: Option<As<AnArray>>,
        parallel: Option<As<ABool>>,
        reasoning: Option<As<AString>>,
        text: Option<As<AnArray>>,
        specialTokens: Option<As<AnArray>>,
        strict: Option<As<ABool>>,
        server: Option<As<AString>>,
    ) -> PhpResult<Constraint> {
        let mut settings = GrammarSettings::default();
        let profile = model.as_ref().and_then(|model| profile_of(&model.0)).cloned();
        let is_profile = profile.is_some();
        if let Some(profile) = profile {
            settings.set_profile(profile);
        }
        let given = [
            ("model", model.map(|option| option.0).filter(|_| !is_profile)),
            ("template", template.map(|option| as_utf8(option.0))),
            ("prompt", prompt.map(|option| as_utf8(option.0))),
            ("thinking", thinking.map(|option| option.0)),
            ("format", format.map(|option| option.0)),
            ("backend", backend.map(|option| option.0)),
            ("tool_choice", toolChoice.map(|option| option.0)),
            ("parallel", parallel.map(|option| option.0)),
            ("reasoning", reasoning.map(|option| option.0)),
            ("text", text.map(|option| option.0)),
            ("special_tokens", specialTokens.map(|option| option.0)),
            ("strict", strict.map(|option| option.0)),
            ("server", server.map(|option| option.0)),
        ];
        option::set_each(given, |name, value| settings.set(name, value))?;
        let made = || {
            let tools = Tools::from_json(&option::option("tools", &tools.0)?)?;
            settings.constrain(&tools)
        };
        let made = made().map_err(|error| exception::from_core(&error))?;
        Constraint::new(made)
    }

    /// The built-in profiles, in order.
    fn profiles() -> PhpResult<As<AnArray>> {
        let profiles = Core::all().iter().map(|profile| value::object(Profile::of(profile)));
        Ok(As::new(value::list(profiles.collect::<Result<Vec<_>, _>>()?)?))
    }

    /// The built-in profile for a model's name, or null.
    fn profile_for(model: Text<'_>) -> Option<Profile> {
        Core::find(&model.lossy()).as_ref().map(Profile::of)
    }

    /// The profile that the options named, or null.
    fn profile(&self) -> Option<Profile> {
        self.0.profile().map(Profile::of)
    }

    /// Finds the calls in a text; no text makes this throw.
    fn detect(&self, text: Text<'_>) -> As<ADetection> {
        let findings = self.0.detect(text.bytes()).into_findings();
        As::new(zend::new_object(Detection::new(text.into_value(), findings)))
    }

    /// Finds the calls in each text, when its detection is asked for.
    fn detect_all(&self, texts: As<Anything>) -> PhpResult<As<AnIterator>> {
        let found = Detections::of(self.0.clone(), &texts.0)?;
        Ok(As::new(value::object(found)?))
    }

    /// Starts a stream for a text that comes in pieces.
    fn stream(&self) -> Stream {
        Stream::new(self.0.stream())
    }
}

/// Reads one call: an object of the class, or an array.
fn new_call(call: &Zval) -> Result<NewCall, Error> {
    match call.extract::<&ToolCall>() {
        Some(call) => Ok(call.as_new_call()),
        None => NewCall::from_json(&option::option("calls", call)?),
    }
}

/// Reads a message: an object of the class, or an array whose calls may be objects of theirs.
fn new_message(message: &Zval) -> Result<NewMessage, Error> {
    if let Some(detection) = message.extract::<&Detection>() {
        return Ok(detection.as_new_message());
    }
    let Some(table) = zend::table(message) else {
        return NewMessage::from_json(&option::option("message", message)?);
    };
    let (mut members, mut calls) = (Map::new(), Vec::new());
    for (key, value) in zend::entries(table) {
        let zend::Key::Name(name) = key else {
            return NewMessage::from_json(&option::option("message", message)?);
        };
        let name = String::from_utf8_lossy(name).into_owned();
        match zend::table(value).filter(|_| name == "calls") {
            Some(list) => {
                let each = zend::entries(list).map(|(_, call)| new_call(call));
                calls = each.collect::<Result<_, _>>()?;
            }
            None => drop(members.insert(name, option::option("message", value)?)),
        }
    }
    Ok(NewMessage { calls, ..NewMessage::from_json(&members.into())? })
}

/// Writes calls in a format, `hermes` unless another is given.
fn written(
    format: Option<As<AnArray>>,
    tools: Option<As<AnArray>>,
    calls: impl FnOnce() -> Result<Vec<NewCall>, Error>,
) -> PhpResult<String> {
    let given = |name: &str, value: Option<As<AnArray>>| {
        let value = value.filter(|value| !value.0.is_null());
        value.map(|value| option::option(name, &value.0)).transpose()
    };
    let text = || {
        let format = match given("format", format)? {
            Some(format) => Format::from_json(&format)?,
            None => Format::named("hermes")?,
        };
        let tools = given("tools", tools)?.map(|tools| Tools::from_json(&tools)).transpose()?;
        render_calls(&calls()?, &format, tools.as_ref())
    };
    text().map_err(|error| exception::from_core(&error))
}

/// The profile that an object of the class is.
fn profile_of(given: &Zval) -> Option<&Core> {
    given.extract::<&Profile>().map(Profile::core)
}

/// Reads a profile: an object, the name of a model, or a definition.
pub(crate) fn any_profile(given: &Zval) -> Result<Core, Error> {
    match profile_of(given) {
        Some(profile) => Ok(profile.clone()),
        None => Core::from_json(&option::option("profile", given)?),
    }
}

/// A text with its bytes that are not UTF-8 replaced: no marker holds such bytes.
fn as_utf8(text: Zval) -> Zval {
    let lossy = text.zend_str().map(|text| String::from_utf8_lossy(text.as_bytes()));
    let replaced = match lossy {
        Some(Cow::Owned(replaced)) => Some(replaced),
        Some(Cow::Borrowed(_)) | None => None,
    };
    replaced.map_or(text, value::text)
}

/// Makes a detector of the options that are given; without a set of seen calls, one that is kept
/// for equal options.
///
/// # Errors
///
/// The errors of [`Options::set`], and `wrong_type` or `invalid_option` for a value that JSON
/// cannot represent.
fn made(given: Vec<(&str, Option<Zval>)>) -> Result<toolwire::Detector, Error> {
    let (mut settings, mut calls) = (Vec::new(), None);
    for (name, argument) in given {
        let Some(argument) = argument.filter(|argument| !argument.is_null()) else { continue };
        if name == "seen" {
            calls = Some(seen(&argument)?);
        } else {
            let value = match profile_of(&argument).filter(|_| name == "model") {
                Some(profile) => profile.definition(),
                None => option::option(name, &argument)?,
            };
            settings.push((name.to_owned(), value));
        }
    }
    if calls.is_none() {
        return kept::detector(&settings, PRESETS);
    }
    let mut options = Options { presets: PRESETS, seen: calls, ..Options::default() };
    settings.iter().try_for_each(|(name, value)| options.set(name, value))?;
    toolwire::Detector::new(options)
}

fn seen(argument: &Zval) -> Result<toolwire::detect::Seen, Error> {
    argument.extract::<&Seen>().map(Seen::shared).ok_or_else(|| {
        let message = format!("seen must be a Toolwire\\Seen, not {}", value::type_name(argument));
        Error::new(ErrorKind::WrongType, message)
    })
}
