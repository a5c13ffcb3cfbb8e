//! The settings of runs, and what a context says of one.

use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use toolwire::lifecycle::{Drive, Run, Settings, microseconds, whole_ms};
use toolwire::redact::Redaction;

use super::event::Words;
use super::redaction::Secrets;
use super::word::{optional_id, optional_word, whole_word};

/// An executor's settings for its runs.
#[pyclass(frozen, module = "toolwire._native")]
pub struct RunSettings {
    core: Settings,
    redaction: Arc<Redaction>,
    asks_apart: bool,
    words: Words,
}

#[pymethods]
impl RunSettings {
    #[new]
    #[pyo3(signature = (
        secrets, *, emit_events, ask_approval, approval_timeout_seconds, store_undo, ask_permission,
        asks_apart, stageflow
    ))]
    #[allow(
        clippy::fn_params_excessive_bools,
        clippy::too_many_arguments,
        reason = "each is named where it is given"
    )]
    fn new(
        secrets: &Secrets,
        emit_events: bool,
        ask_approval: bool,
        approval_timeout_seconds: f64,
        store_undo: bool,
        ask_permission: bool,
        asks_apart: bool,
        stageflow: bool,
    ) -> Self {
        let approval_timeout_ms = whole_ms(microseconds(approval_timeout_seconds));
        let core =
            Settings { emit_events, ask_approval, approval_timeout_ms, store_undo, ask_permission };
        Self { core, redaction: secrets.core(), asks_apart, words: Words::new(stageflow) }
    }
}

impl RunSettings {
    pub fn core(&self) -> &Settings {
        &self.core
    }

    /// Tells a driven run whether the executor asks in a service of approvals of its own.
    pub fn asking(&self, drive: Drive) -> Drive {
        if self.asks_apart { drive.asking_apart() } else { drive }
    }

    /// The words of the executor's events.
    pub fn words(&self) -> Words {
        self.words
    }

    pub fn redaction(&self) -> Arc<Redaction> {
        Arc::clone(&self.redaction)
    }
}

/// Returns the ids and the mode of an action's run in a context.
pub fn about(action: &Bound<'_, PyAny>, ctx: &Bound<'_, PyAny>) -> PyResult<Run> {
    about_id(&action.getattr(intern!(action.py(), "id"))?, ctx)
}

/// Returns the ids and the mode of the run with this id in a context.
pub fn about_id(run_id: &Bound<'_, PyAny>, ctx: &Bound<'_, PyAny>) -> PyResult<Run> {
    let py = ctx.py();
    Ok(Run {
        mode: optional_word(&either(ctx, intern!(py, "execution_mode"), intern!(py, "mode"))?)?,
        parent_id: optional_id(&either(
            ctx,
            intern!(py, "pipeline_run_id"),
            intern!(py, "parent_id"),
        )?)?,
        request_id: optional_id(&ctx.getattr(intern!(py, "request_id"))?)?,
        ..Run::new(whole_word("the id of a run", run_id)?)
    })
}

/// Returns what a context has under stageflow's word, else what it has under our own.
fn either<'py>(
    ctx: &Bound<'py, PyAny>,
    theirs: &Bound<'py, PyString>,
    own: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyAny>> {
    match ctx.getattr_opt(theirs)? {
        Some(value) => Ok(value),
        None => ctx.getattr(own),
    }
}
