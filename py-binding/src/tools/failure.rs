//! What the error of a failure says besides its tool and its run.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use toolwire::lifecycle::{RunFailure, seconds_of_ms};

use super::event;

/// Returns the values that an error's class needs besides the tool and the run.
pub fn details<'py>(py: Python<'py>, failure: &RunFailure) -> PyResult<Bound<'py, PyDict>> {
    let details = PyDict::new(py);
    match failure {
        RunFailure::PermissionDenied { reason } | RunFailure::ApprovalDenied { reason, .. } => {
            details.set_item("reason", reason)?;
        }
        RunFailure::InvalidInput { problems } | RunFailure::BadNumber { problems } => {
            details.set_item("problems", event::problems(py, problems)?)?;
        }
        RunFailure::RateLimited { retry_after_ms } => {
            details.set_item("retry_after_seconds", seconds_of_ms(*retry_after_ms))?;
        }
        RunFailure::ModeNotAllowed { mode, allowed } => {
            details.set_item("mode", mode)?;
            details.set_item("allowed", allowed)?;
        }
        RunFailure::ApprovalTimeout { timeout_ms, .. } => {
            details.set_item("timeout_seconds", seconds_of_ms(*timeout_ms))?;
        }
        RunFailure::Raised { class, message } => {
            details.set_item("class", class)?;
            details.set_item("message", message)?;
        }
        _ => {}
    }
    Ok(details)
}
