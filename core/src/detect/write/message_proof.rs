//! Reads a written message back, and compares.

use std::sync::Arc;

use crate::call::ToolCall;
use crate::detect::engine::{Config, Engine};
use crate::detect::format::Format;
use crate::detect::options::Options;
use crate::detect::profile::Profile;
use crate::detect::rule::tools::Tools;
use crate::detect::write::new_call::Call;
use crate::detect::write::proof::{limits, same_call, types};
use crate::error::Error;

/// The parts of a message, without the white space at their ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageParts<'m> {
    pub(super) reasoning: &'m str,
    pub(super) text: &'m str,
    pub(super) calls: &'m [Call<'m>],
}

/// The detectors of a profile that are to read a message.
pub(super) struct MessageProof {
    /// Knows the tools, or schemas that name the types of the arguments.
    typed: Arc<Config>,
    /// Knows no tools: it refuses no call in the text because its tool is unknown, and no call that
    /// an object of the text opens around.
    untyped: Option<Arc<Config>>,
}

impl MessageProof {
    /// Takes the tools as the reader will know them. Without them, the message must be read alike
    /// with schemas that name the types of the arguments and without any.
    pub(super) fn new(
        calls: &[Call<'_>],
        profile: &Profile,
        tools: Option<&Tools>,
    ) -> Result<Self, Error> {
        let config = |tools: Option<Tools>| {
            let profile = Some(profile.clone());
            let options = Options { profile, tools, limits: limits(), ..Options::default() };
            Config::new(options).map(Arc::new)
        };
        if tools.is_some() || calls.is_empty() {
            return Ok(Self { typed: config(tools.cloned())?, untyped: None });
        }
        let types = Tools::from_json(&types(calls))?;
        Ok(Self { typed: config(Some(types))?, untyped: Some(config(None)?) })
    }

    /// Whether exactly these parts are read from the text, whose calls are in this format.
    pub(super) fn holds(
        &self,
        text: &str,
        parts: MessageParts<'_>,
        format: Option<&Format>,
    ) -> bool {
        let same = |found: &ToolCall, call: &Call<'_>| {
            format.is_some_and(|format| same_call(found, call, text, format))
        };
        reads(&self.typed, text, parts, same)
            && self.untyped.as_ref().is_none_or(|config| {
                reads(config, text, parts, |found, call| found.name == call.name)
            })
    }
}

/// Whether the parts are read, with calls that are the same.
fn reads(
    config: &Arc<Config>,
    text: &str,
    parts: MessageParts<'_>,
    same: impl Fn(&ToolCall, &Call<'_>) -> bool,
) -> bool {
    let input = text.as_bytes();
    let mut engine = Engine::new(Arc::clone(config));
    engine.run_whole(config, input);
    let findings = engine.take_findings();
    findings.calls.len() == parts.calls.len()
        && findings.reasoning_text(input).unwrap_or_default() == parts.reasoning.as_bytes()
        && findings.text(input).trim_ascii() == parts.text.as_bytes()
        && findings.calls.iter().zip(parts.calls).all(|(found, call)| same(found, call))
}
