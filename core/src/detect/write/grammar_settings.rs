//! For whom a grammar is made, and what is asked of it: options that are set by their names.

use serde_json::Value;

use super::grammar::{ConstrainOptions, Constraint, constrain, constrain_calls};
use super::prompt::PromptStyle;
use crate::detect::format::Format;
use crate::detect::options::Options;
use crate::detect::profile::Profile;
use crate::detect::rule::tools::Tools;
use crate::error::{Error, ErrorKind};

/// For whom a grammar is made, and what is asked of it.
///
/// ```
/// use serde_json::json;
/// use toolwire::detect::{GrammarSettings, Tools};
///
/// let mut settings = GrammarSettings::default();
/// settings.set("model", &json!("qwen2.5-7b-instruct"))?;
/// settings.set("backend", &json!("gbnf"))?;
/// let constraint = settings.constrain(&Tools::named(["now"]))?;
/// assert_eq!(constraint.format.as_deref(), Some("hermes"));
/// # Ok::<(), toolwire::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct GrammarSettings {
    /// What the grammar is to hold.
    pub options: ConstrainOptions,
    /// Who writes: of a detector's options, those that name a model.
    writer: Options,
    /// The format whose calls alone are written.
    format: Option<Format>,
}

impl GrammarSettings {
    /// Sets an option by its name: `model`, `template`, `prompt`, `thinking`, `format`, or one of
    /// [`ConstrainOptions::set`].
    ///
    /// # Errors
    /// `unknown_option`, `invalid_option`, `wrong_type`, `unknown_model` or `unknown_format`.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), Error> {
        match name {
            "model" | "template" | "prompt" | "thinking" => self.writer.set(name, value),
            "format" if value.is_null() => {
                self.format = None;
                Ok(())
            }
            "format" => {
                self.format = Some(Format::from_json(value)?);
                Ok(())
            }
            _ => self.options.set(name, value),
        }
    }

    /// Sets the model that writes by its profile, in place of the one that is set.
    pub fn set_profile(&mut self, profile: Profile) {
        self.writer.profile = Some(profile);
    }

    /// Whether they say who writes: a model, or a format.
    #[must_use]
    pub fn name_writer(&self) -> bool {
        self.writer.profile.is_some() || self.format.is_some()
    }

    /// Makes the grammar for these tools.
    ///
    /// # Errors
    /// Those of [`constrain`]; `invalid_option` unless either a model or a format is named, and for
    /// `thinking` without a model.
    pub fn constrain(&self, tools: &Tools) -> Result<Constraint, Error> {
        match (self.writer.settled_profile(), &self.format) {
            (Some(profile), None) => constrain(tools, &profile, &self.options),
            (None, Some(_)) if self.writer.thinking.is_some() => {
                let message = "thinking says how a model was asked, so it needs a model";
                Err(Error::new(ErrorKind::InvalidOption, message))
            }
            (None, Some(format)) => constrain_calls(tools, format, &self.options),
            _ => Err(Self::no_writer()),
        }
    }

    /// How a prompt shows the calls that the grammar of a constraint allows.
    ///
    /// # Errors
    /// Those of [`PromptStyle::choose`].
    pub fn prompt_style(&self, constraint: &Constraint) -> Result<PromptStyle, Error> {
        let profile = self.writer.settled_profile();
        let style = PromptStyle::choose(profile.as_ref(), self.format.as_ref())?;
        // A grammar may have to take another format of the profile than a text would.
        match constraint.format.as_deref().filter(|slug| *slug != style.format().slug()) {
            Some(slug) => PromptStyle::of_format(&Format::named(slug)?),
            None => Ok(style),
        }
    }

    /// The options of a detector that reads what the grammar allows.
    #[must_use]
    pub fn detector_options(&self) -> Options {
        Options { formats: self.format.iter().cloned().collect(), ..self.writer.clone() }
    }

    fn no_writer() -> Error {
        let message = "give either a model, a template or a prompt, or a format";
        Error::new(ErrorKind::InvalidOption, message)
    }
}
