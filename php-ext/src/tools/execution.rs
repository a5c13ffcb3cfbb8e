//! `Toolwire\Tools\Execution`: the result of a run.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use serde_json::value::RawValue;
use toolwire::lifecycle::{Interruption, OutputGap, RunState};

use super::callback::Raised;
use super::output::ToolOutput;
use crate::host::class::php_class;
use crate::host::value::{self, AnArray, As, held};

/// The result of a run.
pub(crate) struct Execution {
    pub(super) id: String,
    /// The id of the call that asked for the run, in the process that was given the call.
    pub(super) call_id: Option<String>,
    pub(super) state: RunState,
    pub(super) tool: Option<String>,
    pub(super) output: Option<Zval>,
    /// The output as JSON, unless it is none.
    pub(super) written: Option<Box<RawValue>>,
    pub(super) error: Option<Zval>,
    pub(super) approval_id: Option<String>,
    pub(super) events: Vec<Zval>,
    pub(super) gap: Option<OutputGap>,
    /// Why the handler was cut off last.
    pub(super) interruption: Option<Interruption>,
    /// Why the store does not have the end of the run.
    pub(super) not_kept: Option<String>,
}

php_class!(Execution, "Toolwire\\Tools\\Execution", [], private, {
    "id": DataType::String, false => id;
    "state": DataType::String, false => state;
    "tool": DataType::String, true => tool;
    "output": DataType::object("Toolwire\\Tools\\ToolOutput"), true => output;
    "error": DataType::object("Toolwire\\Tools\\Exception\\ToolException"), true => error;
    "approvalId": DataType::String, true => approval_id;
    "events": DataType::Array, false => events;
    "outputGap": DataType::String, true => output_gap;
    "interruption": DataType::Array, true => interruption;
    "notKept": DataType::String, true => not_kept;
});

impl Execution {
    /// Makes a result without anything that happened.
    pub(super) fn bare(id: String, state: RunState, tool: Option<String>) -> Self {
        Self {
            id,
            call_id: None,
            state,
            tool,
            output: None,
            written: None,
            error: None,
            approval_id: None,
            events: Vec::new(),
            gap: None,
            interruption: None,
            not_kept: None,
        }
    }

    /// Adds the id of the call that asked for the run, if it has one.
    pub(super) fn of_call(self, id: String) -> Self {
        Self { call_id: (!id.is_empty()).then_some(id), ..self }
    }

    fn id(&self) -> Zval {
        value::text(&self.id)
    }

    fn state(&self) -> Zval {
        value::text(self.state.slug())
    }

    fn tool(&self) -> Zval {
        value::text_or_null(self.tool.as_ref())
    }

    fn output(&self) -> Zval {
        self.output.as_ref().map_or_else(Zval::null, Zval::shallow_clone)
    }

    fn error(&self) -> Zval {
        self.error.as_ref().map_or_else(Zval::null, Zval::shallow_clone)
    }

    fn approval_id(&self) -> Zval {
        value::text_or_null(self.approval_id.as_ref())
    }

    fn events(&self) -> PhpResult<Zval> {
        Ok(value::list(self.events.iter().map(Zval::shallow_clone))?)
    }

    fn interruption(&self) -> PhpResult<Zval> {
        let Some(why) = &self.interruption else { return Ok(Zval::null()) };
        Ok(value::record([
            ("code", value::text(why.code.slug())),
            ("detail", value::text_or_null(why.detail.as_ref())),
            ("seen_at", value::text(why.seen_at.to_string())),
            ("attempt", value::whole(why.attempt as usize)),
        ])?)
    }

    fn not_kept(&self) -> Zval {
        value::text_or_null(self.not_kept.as_ref())
    }

    fn output_gap(&self) -> Zval {
        value::text_or_null(self.gap.map(OutputGap::slug))
    }
}

#[php_impl]
impl Execution {
    /// Whether the handler gave an output that reports success.
    fn succeeded(&self) -> bool {
        let output = self.output.as_ref().and_then(held::<ToolOutput>);
        output.is_some_and(|output| output.facts().success)
    }

    /// Returns every field, by its name in snake case. The output is an array, and the error is its
    /// message.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        let output = self.output.as_ref().and_then(held::<ToolOutput>);
        let error = self.error.as_ref().map(|error| Raised::of(error).message);
        Ok(As::new(value::record([
            ("id", self.id()),
            ("state", self.state()),
            ("tool", self.tool()),
            ("output", output.map_or_else(|| Ok(Zval::null()), ToolOutput::fields)?),
            ("error", value::text_or_null(error)),
            ("approval_id", self.approval_id()),
            ("events", self.events()?),
            ("output_gap", self.output_gap()),
            ("interruption", self.interruption()?),
            ("not_kept", self.not_kept()),
        ])?))
    }
}
