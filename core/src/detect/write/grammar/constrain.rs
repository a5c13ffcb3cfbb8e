//! Makes the grammar of the messages of a profile, or of the calls of a format.

use serde_json::{Value, json};

use super::arguments::marks;
use super::banned::Banned;
use super::calls::{CallsGrammar, calls};
use super::constraint::{Constraint, RequestShape};
use super::expression::{Expression, Grammar};
use super::gbnf::gbnf;
use super::lark::lark;
use super::message::{CallsPart, Message, ReasoningPart, TextPart};
use super::notation::Values;
use super::notes::{ConstraintNote, SchemaNotes};
use super::options::{ConstrainOptions, GrammarBackend, GrammarReasoning, GrammarText, ToolChoice};
use super::request::CallsRequest;
use super::schema::{GrammarEngine, Tidier};
use super::structural_tag::structural_tag;
use super::words::Words;
use crate::detect::format::Format;
use crate::detect::profile::Profile;
use crate::detect::rule::name::{MAX_NAME, is_name_byte};
use crate::detect::rule::tools::Tools;
use crate::detect::write::message::gap_of;
use crate::detect::write::value::{Notation, Style};
use crate::error::{Error, ErrorKind};
use crate::input_schema::usual_form;

/// Makes the grammar of the messages that a model of this profile may write with these tools: its
/// reasoning, text, and calls of known tools with arguments that fit the schemas.
///
/// A detector for the profile reads the calls of such a message. The same input gives the same
/// bytes, so that servers can keep what they compiled.
///
/// ```
/// use serde_json::json;
/// use toolwire::detect::{ConstrainOptions, Profile, Tools, constrain};
///
/// let tools = Tools::from_json(&json!([{"name": "now", "parameters": {"properties": {}}}]))?;
/// let profile = Profile::named("qwen-2.5-7b-instruct")?;
/// let constraint = constrain(&tools, &profile, &ConstrainOptions::default())?;
/// assert_eq!(constraint.stop, ["<|im_end|>"]);
/// assert_eq!(constraint.request()["response_format"]["type"], "structural_tag");
/// # Ok::<(), toolwire::Error>(())
/// ```
///
/// # Errors
/// `cannot_constrain` when the profile knows no format, the format cannot be said as a grammar, or,
/// with `strict`, a keyword is not held; the message says which. `unknown_tool` for a tool choice
/// that is not among the tools, `invalid_option` for options that do not go together.
pub fn constrain(
    tools: &Tools,
    profile: &Profile,
    options: &ConstrainOptions,
) -> Result<Constraint, Error> {
    let slug = profile.slug();
    let fault = |problem: &str| {
        let message = format!("the profile {slug} {problem}");
        Error::new(ErrorKind::CannotConstrain, message)
    };
    if profile.is_automatic() {
        return Err(fault("is of no family of models; name one, or a format"));
    }
    let maker = Maker { tools, profile: Some(profile), options };
    let mut first = None;
    for format in profile.formats() {
        match maker.make(Some(format)) {
            // Who asks for all keywords wants them in the family's own format.
            Err(error) if is_not_held(&error) && !options.strict => {
                first = first.or(Some(error));
            }
            made => return made,
        }
    }
    match first {
        Some(error) => Err(error),
        None if maker.has_calls() => Err(fault("knows no format of calls")),
        None => maker.make(None),
    }
}

/// Makes the grammar of text and calls in one format, without what a family of models writes round
/// them.
///
/// # Errors
/// As [`constrain`].
pub fn constrain_calls(
    tools: &Tools,
    format: &Format,
    options: &ConstrainOptions,
) -> Result<Constraint, Error> {
    Maker { tools, profile: None, options }.make(Some(format))
}

fn is_not_held(error: &Error) -> bool {
    error.kind() == ErrorKind::CannotConstrain
}

/// Makes one grammar.
struct Maker<'m> {
    tools: &'m Tools,
    profile: Option<&'m Profile>,
    options: &'m ConstrainOptions,
}

impl Maker<'_> {
    fn has_calls(&self) -> bool {
        self.options.tool_choice != ToolChoice::None && self.tools.names().next().is_some()
    }

    fn make(&self, format: Option<&Format>) -> Result<Constraint, Error> {
        self.check()?;
        let shape = RequestShape::of(self.options.backend, self.options.server)?;
        let mut rules = Vec::new();
        let mut notes = Vec::new();
        let mut own_stop = None;
        let expression = match format {
            Some(format) => {
                let made = match self.calls(format) {
                    // Without calls it does not matter how they would be written.
                    Err(error) if !self.has_calls() && is_not_held(&error) => {
                        CallsGrammar::default()
                    }
                    made => made?,
                };
                (rules, notes, own_stop) = (made.rules, made.notes, made.stop);
                Some(made.expression)
            }
            None => None,
        };
        let opener = expression.as_ref().map(Expression::opener).unwrap_or_default();
        let mut words = match (self.profile, format) {
            (Some(profile), format) => Words::of_profile(profile, format, &opener, self.tools),
            (None, Some(format)) => Words::of_format(format, &opener, self.tools),
            (None, None) => Words::default(),
        };
        if let Some(format) = format.filter(|_| !self.has_calls()) {
            words.refuse_calls(format, self.tools);
        }
        let reasoning = self.reasoning();
        let message = Message {
            profile: self.profile,
            words,
            // Calls alone are no message, so no gap stands in front of them.
            gap: self.profile.and(format).and_then(|format| gap_of(format, self.profile)),
            text: self.text(&mut rules, &mut notes)?,
            reasoning: match reasoning {
                GrammarReasoning::Grammar => ReasoningPart::Written,
                GrammarReasoning::None => ReasoningPart::None,
                GrammarReasoning::GrammarEngine => ReasoningPart::Skipped,
            },
            calls: match (expression, &self.options.tool_choice) {
                (Some(calls), ToolChoice::Auto) if self.has_calls() => CallsPart::Allowed(calls),
                (Some(calls), ToolChoice::Required | ToolChoice::Named(_)) => {
                    CallsPart::Required(calls)
                }
                _ => CallsPart::None,
            },
        };
        let has_calls = !matches!(message.calls, CallsPart::None);
        let (start, mut stop) = message.whole();
        stop.extend(own_stop.filter(|_| has_calls).map(str::to_owned));
        let grammar = self.written(&Grammar { start, rules });
        Ok(Constraint {
            grammar,
            stop,
            notes: if has_calls { notes } else { Vec::new() },
            profile: self.profile.map(|profile| profile.slug().to_owned()),
            format: format.filter(|_| has_calls).map(|format| format.slug().to_owned()),
            backend: self.options.backend,
            reasoning,
            shape,
        })
    }

    /// The errors that no format changes.
    fn check(&self) -> Result<(), Error> {
        let invalid = |message: &str| Err(Error::new(ErrorKind::InvalidOption, message));
        match &self.options.tool_choice {
            ToolChoice::Named(name) if !self.tools.contains(name) => {
                let known: Vec<_> = self.tools.names().collect();
                return Err(Error::unknown(ErrorKind::UnknownTool, "tool", name, &known));
            }
            ToolChoice::Required if !self.has_calls() => {
                return invalid("tool_choice is \"required\", but there are no tools");
            }
            ToolChoice::None if self.options.text == GrammarText::None => {
                return invalid("neither calls nor text may be written");
            }
            _ => {}
        }
        let is_name = |name: &&str| name.len() <= MAX_NAME && name.bytes().all(is_name_byte);
        match self.tools.names().find(|name| !is_name(name)) {
            Some(name) => {
                let name = name.escape_debug();
                let message = format!("no call can name the tool \"{name}\"");
                Err(Error::new(ErrorKind::CannotConstrain, message))
            }
            None => Ok(()),
        }
    }

    fn engine(&self) -> GrammarEngine {
        match self.options.backend {
            GrammarBackend::StructuralTag => GrammarEngine::Xgrammar,
            GrammarBackend::Lark => GrammarEngine::Llguidance,
            GrammarBackend::Gbnf => GrammarEngine::Own,
        }
    }

    fn calls(&self, format: &Format) -> Result<CallsGrammar, Error> {
        let names: Vec<_> = match &self.options.tool_choice {
            ToolChoice::Named(name) => vec![name.as_str()],
            _ => self.tools.names().collect(),
        };
        if names.is_empty() {
            return Ok(CallsGrammar::default());
        }
        let is_one = matches!(self.options.tool_choice, ToolChoice::Named(_));
        let request = CallsRequest {
            format,
            profile: self.profile,
            tools: self.tools,
            marks: marks(format, self.tools),
            names,
            is_parallel: !is_one && self.options.parallel.unwrap_or(true),
            engine: self.engine(),
            is_strict: self.options.strict,
        };
        let mut made = calls(&request)?;
        if self.options.parallel == Some(true) && self.has_calls() && !made.is_parallel {
            made.notes.push(self.one_call(format)?);
        }
        Ok(made)
    }

    /// What is said where several calls were asked for and one may be written.
    fn one_call(&self, format: &Format) -> Result<ConstraintNote, Error> {
        let message = if let ToolChoice::Named(name) = &self.options.tool_choice {
            format!("parallel is not held: the choice of the tool \"{name}\" is one call")
        } else {
            let slug = format.slug();
            format!("parallel is not held: in the format {slug} no second call can follow")
        };
        if self.options.strict {
            return Err(Error::new(ErrorKind::CannotConstrain, message));
        }
        let (tool, pointer, keyword) = Default::default();
        Ok(ConstraintNote { tool, pointer, keyword, message })
    }

    fn reasoning(&self) -> GrammarReasoning {
        let can_reason = self.profile.is_some_and(|profile| profile.reasoning().next().is_some());
        match self.options.reasoning {
            _ if !can_reason => GrammarReasoning::None,
            None => GrammarReasoning::Grammar,
            Some(reasoning) => reasoning,
        }
    }

    fn text(
        &self,
        rules: &mut Vec<Expression>,
        notes: &mut Vec<ConstraintNote>,
    ) -> Result<TextPart, Error> {
        let schema = match &self.options.text {
            GrammarText::Free => return Ok(TextPart::Free),
            GrammarText::None => return Ok(TextPart::None),
            GrammarText::Schema(schema) => usual_form(schema),
        };
        // The schema is checked as that of a tool is.
        Tools::from_json(&json!([{"name": "text", "parameters": schema}]))?;
        let mut found = SchemaNotes { tool: "", is_strict: self.options.strict, all: Vec::new() };
        let engine = self.engine();
        let tidied = Tidier { engine, root: &schema, notes: &mut found }.tidy(&schema, "")?;
        found.checked()?;
        notes.append(&mut found.all);
        if engine != GrammarEngine::Own {
            return Ok(TextPart::Value(Expression::json(tidied, true)));
        }
        let style = Style { notation: Notation::Json, spaced: true };
        let value = Values::new(&style, Banned::default(), &tidied, rules).value(&tidied);
        value.map(TextPart::Value).ok_or_else(|| {
            Error::new(ErrorKind::CannotConstrain, "no text fits the schema of the text")
        })
    }

    fn written(&self, grammar: &Grammar) -> Value {
        match self.options.backend {
            GrammarBackend::StructuralTag => structural_tag(grammar),
            GrammarBackend::Lark => lark(grammar, &self.options.special_tokens).into(),
            GrammarBackend::Gbnf => gbnf(&grammar.start, &grammar.rules).into(),
        }
    }
}
