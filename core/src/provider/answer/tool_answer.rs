//! Writes what a run of a tool gave as the message that tells the model.
//!
//! The data are any values of the host. They become JSON within a bound, and secrets are taken out,
//! since the message leaves the program.
//!
//! ```
//! use serde_json::json;
//! use toolwire::provider::{ToolAnswer, AnswerOptions, AnsweredCall, Ending, Provider};
//!
//! let call = AnsweredCall { id: Some("toolu_1".to_owned()), tool: "send".to_owned() };
//! let message = "Tool 'send' denied: rate limited".to_owned();
//! let answer = ToolAnswer { call, ending: Ending::Failed { message, data: None } };
//! assert_eq!(
//!     answer.dump(Provider::Anthropic, &AnswerOptions::default()),
//!     json!({
//!         "type": "tool_result",
//!         "tool_use_id": "toolu_1",
//!         "content": "Tool 'send' denied: rate limited",
//!         "is_error": true,
//!     })
//! );
//! ```

use serde_json::{Value, json};

use super::bounded::{Shown, read_bounded};
use super::refusal::refused_arguments;
use crate::call::ToolCall;
use crate::error::Error;
use crate::input_schema::Problem;
use crate::nearest::suggestion;
use crate::option;
use crate::provider::dialect;
use crate::provider::kind::Provider;
use crate::provider::read::exchange::ProviderResult;
use crate::provider::write::call_id::call_id;
use crate::provider::write::dump::dump_result;
use crate::redact::Redaction;
use crate::result::ToolResult;
use crate::tree::{Failure, Tree};

/// The most bytes of an error's message.
const MOST_MESSAGE: usize = 16 * 1024;

/// How a result is written for a model.
#[derive(Clone, Debug)]
pub struct AnswerOptions {
    /// The most bytes of the text that the model is given, from 256 on.
    pub max_bytes: usize,
    /// What is a secret.
    pub redaction: Redaction,
}

impl AnswerOptions {
    /// The default of `max_bytes`, about 65,000 tokens.
    pub const MAX_BYTES: usize = 256 * 1024;

    /// The smallest `max_bytes`, which has room for the mark of a cut.
    pub const LEAST_BYTES: usize = 256;

    /// Sets `max_bytes`.
    ///
    /// # Errors
    /// `wrong_type` when the value is not an integer, `invalid_option` when it is less than 256.
    pub fn with_max_bytes(mut self, value: &Value) -> Result<Self, Error> {
        let given = option::count("max_bytes", value, usize::MAX)?;
        if given < Self::LEAST_BYTES {
            let message = format!("max_bytes must be at least {}, not {given}", Self::LEAST_BYTES);
            return Err(Error::new(crate::error::ErrorKind::InvalidOption, message));
        }
        self.max_bytes = given;
        Ok(self)
    }

    /// The message of a failure, within its bound and without secrets.
    fn failure(&self, message: &str) -> String {
        let masked = self.redaction.masked_text(message.as_bytes());
        let message = String::from_utf8_lossy(&masked).into_owned();
        bounded(message, self.max_bytes.min(MOST_MESSAGE), false)
    }
}

impl Default for AnswerOptions {
    fn default() -> Self {
        Self { max_bytes: Self::MAX_BYTES, redaction: Redaction::default() }
    }
}

/// The call that an answer names, as the provider knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnsweredCall {
    /// The id; none for a call that the provider sent without one.
    pub id: Option<String>,
    /// The tool's name, as the call wrote it.
    pub tool: String,
}

impl AnsweredCall {
    /// The call as a request to this provider names it.
    ///
    /// A call that was read from the provider's object keeps its id. Any other call has the id that
    /// [`message`](crate::provider::message) gives it.
    #[must_use]
    pub fn of(call: &ToolCall, provider: Provider) -> Self {
        let ToolCall { id, id_given, name, format, .. } = call;
        Self::found(id, *id_given, name, format, provider)
    }

    /// The same for a call of which a host has these fields.
    #[must_use]
    pub fn found(id: &str, id_given: bool, tool: &str, format: &str, provider: Provider) -> Self {
        let is_own =
            Provider::from_slug(format).is_some_and(|from| from.shares_calls_with(provider));
        let id = match (is_own, id_given) {
            (true, true) => Some(id.to_owned()),
            (true, false) => None,
            (false, _) => Some(named(id, provider)),
        };
        Self { id, tool: tool.to_owned() }
    }

    /// A call of which only the id and the tool are known.
    #[must_use]
    pub fn new(id: &str, tool: &str, provider: Provider) -> Self {
        let id = (!id.is_empty()).then(|| named(id, provider));
        Self { id, tool: tool.to_owned() }
    }
}

/// The id of a call in the provider's messages.
fn named(id: &str, provider: Provider) -> String {
    let talks = dialect::of(provider).messages.is_some();
    if talks { call_id(id, provider) } else { id.to_owned() }
}

/// How a run ended, or that it has not ended yet.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// The tool ran.
    Completed(AnswerData),
    /// The tool failed, or was not allowed to run.
    Failed {
        /// Why, for the model; empty if nobody said why.
        message: String,
        /// What the tool gave all the same.
        data: Option<AnswerData>,
    },
    /// The tool did not run, since its arguments do not match its schema.
    WrongArguments {
        /// The code of the failure.
        code: String,
        /// Where they do not match; empty if the schema could not be applied within its limits.
        problems: Vec<Problem>,
    },
    /// The tool ran, and what it gave cannot be shown.
    NotShown {
        /// Why.
        reason: String,
    },
    /// The run waits until a person approves it.
    Waiting,
    /// Another process runs the tool.
    Running,
}

impl Ending {
    /// The ending of a call of no tool; it has the names that are like it, or all if there are few.
    #[must_use]
    pub fn no_tool(name: &str, known: &[&str]) -> Self {
        let message = format!("There is no tool '{name}'{}", suggestion(name, known));
        Self::Failed { message, data: None }
    }
}

/// The data of a result, read from a host's value within a bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerData {
    value: Value,
    /// Whether something was left out.
    cut: bool,
}

impl AnswerData {
    /// Reads a host's value. `told` says what stands for an object that only the host can read.
    ///
    /// # Errors
    /// Whatever the host raised.
    pub fn read<N: Tree>(
        node: &N,
        options: &AnswerOptions,
        told: impl FnMut(&N) -> Result<Shown<N>, N::Error>,
    ) -> Result<Self, Failure<N::Error>> {
        // The rest behind the bound lets a secret at the cut be seen as a whole.
        let most = options.max_bytes.saturating_mul(2);
        let (value, cut) = read_bounded(node, most, told)?;
        Ok(Self { value, cut })
    }

    /// Whether there are no data; some providers refuse an empty text.
    fn is_nothing(&self) -> bool {
        self.value.is_null() || self.value == ""
    }

    /// The data without secrets, as a text if they are longer than the bound.
    fn shown(&self, options: &AnswerOptions, most: usize) -> Value {
        let value = options.redaction.masked(&self.value);
        let text = match &value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if !self.cut && text.len() <= most { value } else { bounded(text, most, self.cut).into() }
    }
}

/// A tool's result for the model that called it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolAnswer {
    /// The call.
    pub call: AnsweredCall,
    /// What became of it.
    pub ending: Ending,
}

impl ToolAnswer {
    /// Writes the provider's object for the result of a tool.
    #[must_use]
    pub fn dump(&self, provider: Provider, options: &AnswerOptions) -> Value {
        dump_shown(self.result(options), provider)
    }

    /// The result within its bound and without secrets.
    #[must_use]
    pub fn result(&self, options: &AnswerOptions) -> ProviderResult {
        let tool = self.call.tool.as_str();
        let named = if tool.is_empty() { "The tool".to_owned() } else { format!("Tool '{tool}'") };
        let said = |text: String| ToolResult::success(tool, Value::String(text), 0.0);
        let outcome = match &self.ending {
            Ending::Completed(data) if data.is_nothing() => {
                said(format!("{named} ran and gave no data."))
            }
            Ending::Completed(data) => {
                ToolResult::success(tool, data.shown(options, options.max_bytes), 0.0)
            }
            Ending::Failed { message, data } => {
                let message = options.failure(message);
                let left = options.max_bytes.saturating_sub(message.len());
                let left = left.max(AnswerOptions::LEAST_BYTES);
                let data =
                    data.as_ref().map_or_else(|| json!({}), |data| data.shown(options, left));
                let message = if message.is_empty() { format!("{named} failed") } else { message };
                ToolResult::failure(tool, data, message)
            }
            Ending::WrongArguments { code, problems } => {
                let message = options.failure(&refused_arguments(code, problems));
                ToolResult::failure(tool, json!({}), message)
            }
            Ending::NotShown { reason } => said(format!(
                "{named} ran, but what it gave cannot be shown: {reason}. Do not repeat the call."
            )),
            Ending::Waiting => said(format!(
                "{named} has not run yet: a person has to approve this call first. Do not repeat it."
            )),
            Ending::Running => said(format!(
                "{named} is still running, so its result is not known yet. Do not repeat the call."
            )),
        };
        ProviderResult { call_id: self.call.id.clone(), format: "", outcome }
    }
}

/// Writes a result that [`ToolAnswer::result`] gave as the provider's object.
pub(in crate::provider) fn dump_shown(mut result: ProviderResult, provider: Provider) -> Value {
    let data = &mut result.outcome.data;
    if !(dialect::of(provider).takes_data)(data) {
        *data = data.to_string().into();
    }
    dump_result(&result, provider)
}

/// A text of at most `most` bytes; a text that is cut says so at its end.
fn bounded(mut text: String, most: usize, cut: bool) -> String {
    if !cut && text.len() <= most {
        return text;
    }
    let mark = format!("\n[cut: the whole is longer than {most} bytes]");
    let mut end = most.saturating_sub(mark.len()).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push_str(&mark);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(ending: Ending, provider: Provider) -> Value {
        let call = AnsweredCall::new("call_1", "send", provider);
        ToolAnswer { call, ending }.dump(provider, &AnswerOptions::default())
    }

    #[test]
    fn a_run_that_has_not_ended_is_no_failure() {
        for (ending, words) in [
            (Ending::Waiting, "Tool 'send' has not run yet: a person has to approve this call"),
            (Ending::Running, "Tool 'send' is still running, so its result is not known yet."),
            (
                Ending::NotShown { reason: "it is no JSON".to_owned() },
                "Tool 'send' ran, but what it gave cannot be shown: it is no JSON. Do not repeat",
            ),
        ] {
            let block = told(ending, Provider::Anthropic);
            assert!(block["content"].as_str().unwrap().starts_with(words), "{block}");
            assert_eq!(block.get("is_error"), None);
        }
    }

    #[test]
    fn wrong_arguments_are_told_with_their_place() {
        let problem = |path: &str, message: &str| Problem {
            path: path.to_owned(),
            message: message.to_owned(),
        };
        let problems = vec![
            problem("/id", "value is not of type \"string\""),
            problem("", "\"to\" is a required property"),
        ];
        let code = "invalid_input".to_owned();
        let block = told(Ending::WrongArguments { code, problems }, Provider::Anthropic);
        assert_eq!(
            block["content"],
            "Your tool call was not run (invalid_input) at /id of its arguments: value is not of \
             type \"string\"; /: \"to\" is a required property"
        );
        assert_eq!(block["is_error"], true);
        let nothing = Ending::WrongArguments { code: "schema_limit".to_owned(), problems: vec![] };
        let block = told(nothing, Provider::Anthropic);
        assert_eq!(
            block["content"],
            "Your tool call was not run (schema_limit) at / of its arguments: the schema cannot be \
             applied to the arguments within the limits on steps, depth and memory"
        );
    }

    #[test]
    fn a_result_that_holds_nothing_says_so() {
        for value in [Value::Null, "".into()] {
            let data = AnswerData { value, cut: false };
            let block = told(Ending::Completed(data), Provider::Bedrock);
            let content = json!([{"text": "Tool 'send' ran and gave no data."}]);
            assert_eq!(block["toolResult"]["content"], content);
        }
    }

    #[test]
    fn a_secret_at_the_bound_is_masked_as_a_whole() {
        let token = format!("ghp_{}", "Aa0".repeat(12));
        let options = AnswerOptions { max_bytes: 300, ..AnswerOptions::default() };
        for before in 200..=300 {
            let text = Value::from(format!("{} {token} {}", "x".repeat(before), "y".repeat(999)));
            let read = |_: &&Value| Ok(Shown::Text(String::new()));
            let Ok(data) = AnswerData::read(&&text, &options, read) else { panic!("{before}") };
            let call = AnsweredCall::default();
            let answer = ToolAnswer { call, ending: Ending::Completed(data) };
            let content = answer.dump(Provider::OpenAi, &options)["content"].to_string();
            assert!(!content.contains("ghp_"), "{content}");
        }
    }
}
