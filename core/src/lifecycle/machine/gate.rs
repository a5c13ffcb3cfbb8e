//! The checks before a run: which ones a tool needs, and in which order.
//!
//! The caller's permission is checked before a person is asked, and again after the approval.

use std::borrow::Cow;

use serde_json::Value;

use super::failure::RunFailure;
use super::phase::Phase;
use super::step::{Run, Settings};
use crate::input_schema::Mismatch;
use crate::registry::ToolSpec;

/// The checks before a run, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::lifecycle) enum Gate {
    Mode,
    Input,
    Permission,
    Limit,
    Approval,
}

/// What the checks depend on.
#[derive(Clone, Copy)]
pub(in crate::lifecycle) struct Gates<'e> {
    pub(in crate::lifecycle) tool: &'e ToolSpec,
    pub(in crate::lifecycle) run: &'e Run,
    pub(in crate::lifecycle) settings: &'e Settings,
}

impl Gates<'_> {
    /// Returns the phase of the first check that the tool needs, beginning with `from`, or the
    /// phase that starts the tool if no check is left.
    pub(in crate::lifecycle) fn next(self, from: Gate) -> Phase {
        let (tool, settings) = (self.tool, self.settings);
        if from <= Gate::Mode && !tool.runs_in(self.run.mode.as_deref()) {
            let (mode, allowed) = (self.run.mode.clone(), tool.allowed_modes.clone());
            return Phase::denied(RunFailure::ModeNotAllowed { mode, allowed });
        }
        if from <= Gate::Input && tool.input_schema.is_some() {
            return Phase::CheckingInput;
        }
        if from <= Gate::Permission && self.asks_permission() {
            return Phase::CheckingPermission;
        }
        if from <= Gate::Limit && tool.limits.rate.is_some() {
            return Phase::CheckingLimit;
        }
        if tool.requires_approval && settings.ask_approval {
            return Phase::RequestingApproval;
        }
        Phase::ToldStarted
    }

    /// Returns the phase of a run after its arguments are known.
    pub(in crate::lifecycle) fn input(self, arguments: &Value) -> Phase {
        let Some(schema) = &self.tool.input_schema else { return self.next(Gate::Permission) };
        match schema.validate(arguments) {
            Err(Mismatch::Problems(problems)) => {
                Phase::denied(RunFailure::InvalidInput { problems })
            }
            Err(Mismatch::Limit) => Phase::denied(RunFailure::SchemaLimit),
            Ok(Cow::Borrowed(_)) => self.next(Gate::Permission),
            Ok(Cow::Owned(arguments)) => {
                Phase::ReplacingArguments { arguments: arguments.to_string() }
            }
        }
    }

    /// Returns the phase of a run after its approval. The caller's permission is checked again.
    pub(in crate::lifecycle) fn again(self) -> Phase {
        if self.asks_permission() { Phase::RecheckingPermission } else { Phase::ToldStarted }
    }

    fn asks_permission(self) -> bool {
        self.settings.ask_permission || self.tool.capability.is_some()
    }
}
