//! Tells a model without tool support, in words, which tools it has and how to call them.
//!
//! The tools are listed as JSON in a code block. In their texts, every character that a marker of a
//! format could be made of is escaped, so a description cannot pretend to be a call. The text is
//! read back before it is handed out: a detector finds the example's call in it, and no other.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::detect::engine::{Config, Engine};
use crate::detect::format::Format;
use crate::detect::options::Options;
use crate::detect::profile::Profile;
use crate::detect::rule::tools::Tools;
use crate::detect::write::new_call::{Call, NewCall};
use crate::detect::write::proof::{limits, same_call, types};
use crate::detect::write::render::{Writer, render_calls};
use crate::detect::write::sample::sample_arguments;
use crate::error::{Error, ErrorKind};
use crate::input_schema::InputSchema;

/// What stands above the list of tools.
const ABOVE: &str = "You can call tools. Each line of this list is a tool as JSON: its name, what \
    it does, and the JSON Schema of its arguments.\n\n```json\n";

/// What stands between the list and the example.
const BETWEEN: &str = "```\n\nTo call a tool, end your message with a call of exactly the form \
    below, with the name of the tool and with arguments that match its schema. Write nothing \
    behind it: the next message tells you the result. This is an example of a call:\n\n";

/// The characters beside letters and digits that stand as they are in a text of the list.
const PLAIN: &str = " _.,:;!?()/+*=%'#@&$~^-–—‘’“”…°€£§×";

/// A tool of which a model is told.
#[derive(Clone, Copy, Debug)]
pub struct PromptTool<'t> {
    /// The name, which the format must be able to hold.
    pub name: &'t str,
    /// What the tool does; empty for nothing.
    pub description: &'t str,
    /// The schema of its arguments.
    pub input_schema: Option<&'t InputSchema>,
}

/// How a model is to write its calls.
#[derive(Clone, Debug)]
pub struct PromptStyle {
    format: Format,
    /// The profile whose detector reads the calls.
    profile: Option<Profile>,
}

impl PromptStyle {
    /// Calls of this format.
    ///
    /// # Errors
    /// `cannot_render` when the format cannot be written.
    pub fn of_format(format: &Format) -> Result<Self, Error> {
        let style = Self { format: format.clone(), profile: None };
        if style.can_name("f") {
            return Ok(style);
        }
        let message = format!("calls of the format {} cannot be written", format.slug());
        Err(Error::new(ErrorKind::CannotRender, message))
    }

    /// Calls as a model of this profile writes them, in the first of its formats that can be
    /// written.
    ///
    /// # Errors
    /// `cannot_render` when the profile is of no family of models or has no such format.
    pub fn of_profile(profile: &Profile) -> Result<Self, Error> {
        let slug = profile.slug();
        let fault = |problem: &str| {
            let message = format!("the profile {slug} {problem}");
            Error::new(ErrorKind::CannotRender, message)
        };
        if profile.is_automatic() {
            return Err(fault("is of no family of models; name one, or a format"));
        }
        let profile = profile.clone().with_reasoning_begun(false);
        let written = profile.formats().iter().find_map(|format| Self::of_format(format).ok());
        let style = written.ok_or_else(|| fault("has no format of calls"))?;
        Ok(Self { profile: Some(profile), ..style })
    }

    /// The style of a profile or of a format, whichever is given.
    ///
    /// # Errors
    /// `invalid_option` when both are given or none is; else those of [`of_profile`] and
    /// [`of_format`].
    ///
    /// [`of_profile`]: Self::of_profile
    /// [`of_format`]: Self::of_format
    pub fn choose(profile: Option<&Profile>, format: Option<&Format>) -> Result<Self, Error> {
        match (profile, format) {
            (Some(profile), None) => Self::of_profile(profile),
            (None, Some(format)) => Self::of_format(format),
            _ => {
                let message = "give either a profile or a format";
                Err(Error::new(ErrorKind::InvalidOption, message))
            }
        }
    }

    /// The format of the calls.
    #[must_use]
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// A call as the profile lays it out, or else as the format does.
    fn written(&self, call: &NewCall) -> Result<String, Error> {
        let Some(profile) = &self.profile else {
            return render_calls(std::slice::from_ref(call), &self.format, None);
        };
        let calls = [Call::read(call)?];
        let writer = Writer::of_profile(&self.format, profile, None)?;
        writer.write(&calls)?.ok_or_else(|| writer.fault(&calls))
    }

    /// Whether the format can hold a call of a tool of this name.
    #[must_use]
    pub fn can_name(&self, name: &str) -> bool {
        render_calls(&[NewCall::new(name, "{}")], &self.format, None).is_ok()
    }
}

/// Writes which tools a model has and how it calls them, with one example. Without tools, the text
/// is empty.
///
/// ```
/// use toolwire::detect::{Format, PromptStyle, PromptTool, render_prompt};
///
/// let tool = PromptTool { name: "now", description: "Tells the time", input_schema: None };
/// let prompt = render_prompt(&[tool], &PromptStyle::of_format(&Format::named("hermes")?)?)?;
/// assert!(prompt.contains(r#"{"name": "now", "description": "Tells the time"#));
/// assert!(prompt.ends_with("<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>"));
/// # Ok::<(), toolwire::Error>(())
/// ```
///
/// # Errors
/// `cannot_render` when no tool's call can be written, and when the description or the schema of a
/// tool would be read as a call all the same; the message names the tool.
pub fn render_prompt(tools: &[PromptTool<'_>], style: &PromptStyle) -> Result<String, Error> {
    if tools.is_empty() {
        return Ok(String::new());
    }
    let example = example(tools, style)?;
    let call = style.written(&example)?;
    let prompt = composed(tools, &call);
    if reads(&prompt, &example, style)? {
        return Ok(prompt);
    }
    for tool in tools {
        if !reads(&composed(std::slice::from_ref(tool), &call), &example, style)? {
            let name = tool.name.escape_debug();
            let message = format!("what is told of \"{name}\" would be read as a call");
            return Err(Error::new(ErrorKind::CannotRender, message));
        }
    }
    Err(Error::new(ErrorKind::CannotRender, "the list of tools would be read as a call"))
}

/// The whole text.
fn composed(tools: &[PromptTool<'_>], call: &str) -> String {
    let mut out = ABOVE.to_owned();
    for tool in tools {
        write_tool(tool, &mut out);
        out.push('\n');
    }
    out.push_str(BETWEEN);
    out.push_str(call);
    out
}

/// A call of the first tool whose schema gives arguments that can be written.
fn example(tools: &[PromptTool<'_>], style: &PromptStyle) -> Result<NewCall, Error> {
    let calls = tools.iter().map(|tool| {
        let schema = tool.input_schema;
        let arguments = sample_arguments(schema.map(InputSchema::json));
        let fits = schema.is_none_or(|schema| schema.check(&arguments).is_ok());
        (NewCall::new(tool.name, arguments.to_string()), fits)
    });
    let calls: Vec<_> = calls.collect();
    let written =
        |call: &NewCall| render_calls(std::slice::from_ref(call), &style.format, None).is_ok();
    let fitting = calls.iter().filter(|(_, fits)| *fits).chain(&calls).map(|(call, _)| call);
    let bare = tools.iter().map(|tool| NewCall::new(tool.name, "{}"));
    let mut all = fitting.cloned().chain(bare);
    all.find(written).ok_or_else(|| {
        let slug = style.format.slug();
        let message = format!("the format {slug} cannot hold a call of any of the tools");
        Error::new(ErrorKind::CannotRender, message)
    })
}

/// Whether the detector finds the example in a text, and no other call.
fn reads(text: &str, example: &NewCall, style: &PromptStyle) -> Result<bool, Error> {
    let call = Call::read(example)?;
    let tools = Tools::from_json(&types(std::slice::from_ref(&call)))?;
    let formats = match &style.profile {
        Some(_) => Vec::new(),
        None => vec![style.format.clone()],
    };
    let options = Options {
        profile: style.profile.clone(),
        tools: Some(tools),
        formats,
        limits: limits(),
        ..Options::default()
    };
    // Without the tools too: a call of another name must not be found either.
    for tools in [options.tools.clone(), None] {
        let is_typed = tools.is_some();
        let config = Arc::new(Config::new(Options { tools, ..options.clone() })?);
        let mut engine = Engine::new(Arc::clone(&config));
        engine.run_whole(&config, text.as_bytes());
        let found = engine.take_findings();
        let same = |one: &crate::call::ToolCall| {
            if is_typed {
                same_call(one, &call, text, &style.format)
            } else {
                one.name == call.name
            }
        };
        let needed = usize::from(is_typed || style.format.reads_any_name());
        let count = found.calls.len();
        if count < needed || count > 1 || !found.calls.iter().all(same) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn write_tool(tool: &PromptTool<'_>, out: &mut String) {
    let mut members = Map::new();
    members.insert("name".to_owned(), tool.name.into());
    if !tool.description.is_empty() {
        members.insert("description".to_owned(), tool.description.into());
    }
    if let Some(schema) = tool.input_schema {
        members.insert("input_schema".to_owned(), schema.json().clone());
    }
    write_json(&Value::Object(members), out);
}

/// Writes JSON in one line, without a character in its texts that a marker could be made of.
fn write_json(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => write_text(text, out),
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place > 0 { ", " } else { "" });
                write_json(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (place, (name, member)) in members.iter().enumerate() {
                out.push_str(if place > 0 { ", " } else { "" });
                write_text(name, out);
                out.push_str(": ");
                write_json(member, out);
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '"' => out.push_str("\\\""),
            plain if plain.is_alphanumeric() || PLAIN.contains(plain) => out.push(plain),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    // Writing to a text cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}
