//! The messages of errors.

use pyo3::prelude::*;
use toolwire::compat::stageflow;
use toolwire::input_schema::Problem;
use toolwire::lifecycle::{
    ApprovalCode, ApprovalError, RunFailure, lost_message, microseconds, undo_message, whole_ms,
};
use toolwire::registry::{AskCode, AskRefusal};

/// Returns the message for a call that no tool runs.
#[pyfunction]
pub fn message_not_found(tool: &str) -> String {
    RunFailure::ToolNotFound.message(tool)
}

/// Returns the message for a tool that may not run in a mode.
#[pyfunction]
#[pyo3(signature = (tool, mode, allowed))]
pub fn message_mode(tool: &str, mode: Option<String>, allowed: Vec<String>) -> String {
    RunFailure::ModeNotAllowed { mode, allowed }.message(tool)
}

/// Returns the message for a run whose end was not kept.
#[pyfunction]
pub fn message_lost(run_id: &str) -> String {
    lost_message(run_id)
}

/// Returns the message for a caller without permission.
#[pyfunction]
pub fn message_permission(tool: &str, reason: String) -> String {
    RunFailure::PermissionDenied { reason }.message(tool)
}

/// Returns the message for arguments that do not match their schema.
#[pyfunction]
pub fn message_input(tool: &str, problems: Vec<(String, String)>) -> String {
    let problems = problems.into_iter().map(|(path, message)| Problem { path, message }).collect();
    RunFailure::InvalidInput { problems }.message(tool)
}

/// Returns the message for a call that cannot be read.
#[pyfunction]
pub fn message_bad_call(tool: &str, path: String, message: String) -> String {
    let problem = Problem { path, message };
    let (name, id) = (String::new(), String::new());
    let refusal = AskRefusal { code: AskCode::NoCall.slug(), problem, name, id };
    RunFailure::from(refusal).message(tool)
}

/// Returns the message for a tool that has run too often.
#[pyfunction]
pub fn message_limited(tool: &str, retry_after_seconds: f64) -> String {
    let retry_after_ms = whole_ms(microseconds(retry_after_seconds));
    RunFailure::RateLimited { retry_after_ms }.message(tool)
}

/// Returns the message for an approval that was not given.
#[pyfunction]
pub fn message_approval(tool: &str, reason: String) -> String {
    RunFailure::ApprovalDenied { request_id: String::new(), reason }.message(tool)
}

/// Returns the message for an approval on which nobody decided in time.
#[pyfunction]
pub fn message_timeout(tool: &str) -> String {
    RunFailure::ApprovalTimeout { request_id: String::new(), timeout_ms: 0 }.message(tool)
}

/// Returns the message for a run that differs from what was approved.
#[pyfunction]
pub fn message_changed(tool: &str) -> String {
    RunFailure::ChangedSince { request_id: String::new() }.message(tool)
}

/// Returns the message for changed arguments that were refused, or for those of a run that does
/// not wait if there is no reason.
#[pyfunction]
#[pyo3(signature = (request_id, reason))]
pub fn message_arguments(request_id: String, reason: Option<String>) -> String {
    let (id, code) = (request_id, ApprovalCode::ArgumentsRefused.slug());
    let refused = match reason {
        Some(reason) => ApprovalError::ArgumentsRefused { id, code, reason },
        None => ApprovalError::NotWaiting { id },
    };
    refused.to_string()
}

/// Returns the message for a call whose id belongs to another call.
#[pyfunction]
pub fn message_reused(tool: &str) -> String {
    RunFailure::CallIdReused.message(tool)
}

/// Returns the message for a schema that cannot be applied to the arguments within the limits.
#[pyfunction]
pub fn message_schema_limit(tool: &str) -> String {
    RunFailure::SchemaLimit.message(tool)
}

/// Returns the message for a handler that raised.
#[pyfunction]
pub fn message_failed(tool: &str, cause: String) -> String {
    RunFailure::Raised { class: String::new(), message: cause }.message(tool)
}

/// Returns the message for a run that could not be undone.
#[pyfunction]
pub fn message_undo(tool: &str, run_id: &str, reason: &str) -> String {
    undo_message(tool, run_id, reason)
}

/// Returns stageflow's message for an action that no tool runs.
#[pyfunction]
pub fn stageflow_not_found(action_type: &str) -> String {
    stageflow::not_found_message(action_type)
}

/// Returns stageflow's message for an approval that was not given.
#[pyfunction]
pub fn stageflow_approval(tool: &str, reason: String) -> String {
    let failure = RunFailure::ApprovalDenied { request_id: String::new(), reason };
    stageflow::failure_message(&failure, tool)
}

/// Returns stageflow's message for a handler that raised.
#[pyfunction]
pub fn stageflow_failed(tool: &str, cause: String) -> String {
    let failure = RunFailure::Raised { class: String::new(), message: cause };
    stageflow::failure_message(&failure, tool)
}

/// Returns stageflow's message for an action that could not be undone.
#[pyfunction]
pub fn stageflow_undo(tool: &str, action_id: &str, reason: &str) -> String {
    stageflow::undo_message(tool, action_id, reason)
}
