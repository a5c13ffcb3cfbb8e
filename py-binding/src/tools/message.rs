//! What errors say: core's words.

use pyo3::prelude::*;
use toolwire::input_schema::Problem;
use toolwire::lifecycle::{Failure, not_found_message, undo_message};

/// What is said of an action that no tool runs.
#[pyfunction]
pub fn message_not_found(action_type: &str) -> String {
    not_found_message(action_type)
}

/// What is said of a behaviour that is not allowed.
#[pyfunction]
#[pyo3(signature = (tool, behavior, allowed))]
pub fn message_behavior(tool: &str, behavior: Option<String>, allowed: Vec<String>) -> String {
    Failure::BehaviorNotAllowed { behavior, allowed }.message(tool)
}

/// What is said of a caller who may not.
#[pyfunction]
pub fn message_permission(tool: &str, reason: String) -> String {
    Failure::PermissionDenied { reason }.message(tool)
}

/// What is said of arguments that do not match their schema.
#[pyfunction]
pub fn message_input(tool: &str, problems: Vec<(String, String)>) -> String {
    let problems = problems.into_iter().map(|(path, message)| Problem { path, message }).collect();
    Failure::InvalidInput { problems }.message(tool)
}

/// What is said of a tool that has run too often.
#[pyfunction]
pub fn message_limited(tool: &str, retry_after_seconds: f64) -> String {
    let retry_after_ms =
        u64::try_from(super::clock::micros(retry_after_seconds) / 1000).unwrap_or(0);
    Failure::RateLimited { retry_after_ms }.message(tool)
}

/// What is said of an approval that was not given.
#[pyfunction]
pub fn message_approval(tool: &str, reason: String) -> String {
    Failure::ApprovalDenied { request_id: String::new(), reason }.message(tool)
}

/// What is said of a run that is not what was approved.
#[pyfunction]
pub fn message_changed(tool: &str) -> String {
    Failure::ChangedSince { request_id: String::new() }.message(tool)
}

/// What is said of a handler that raised.
#[pyfunction]
pub fn message_failed(tool: &str, cause: String) -> String {
    Failure::Raised { class: String::new(), message: cause }.message(tool)
}

/// What is said of an action that could not be undone.
#[pyfunction]
pub fn message_undo(tool: &str, action_id: &str, reason: &str) -> String {
    undo_message(tool, action_id, reason)
}
