//! A run as text, so that another process can continue it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::execution::Execution;
use super::phase::Phase;
use super::step::{Run, Settings};
use crate::error::{Error, ErrorKind};
use crate::registry::ToolSpec;

/// What [`Execution::save`] writes.
#[derive(Serialize, Deserialize)]
struct Saved {
    version: u32,
    #[serde(alias = "action_type")]
    tool_id: String,
    run: Run,
    settings: Settings,
    phase: Phase,
}

/// The version of the saved format.
const VERSION: u32 = 2;

/// The older version, in which a run may wait without a fingerprint although its host gives them.
const UNBOUND_VERSION: u32 = 1;

impl Execution {
    /// Returns the run as JSON text, so that another process can continue it.
    ///
    /// # Errors
    ///
    /// `invalid_execution` if the run cannot be written. No known run causes this.
    pub fn save(&self) -> Result<String, Error> {
        let saved = Saved {
            version: VERSION,
            tool_id: self.tool.id.clone(),
            run: self.run.clone(),
            settings: self.settings.clone(),
            phase: self.phase.clone(),
        };
        serde_json::to_string(&saved).map_err(unreadable)
    }

    /// Reads a saved run. The tool is looked up by its id.
    ///
    /// A run that an older version saved without a fingerprint continues only if the decision names
    /// the fingerprint that the person saw. Otherwise it ends as changed since, because no record
    /// says what was approved.
    ///
    /// # Errors
    ///
    /// `invalid_execution` when the text is not a saved run, has an unknown version, or names a
    /// tool that is no longer registered.
    #[allow(
        clippy::disallowed_methods,
        reason = "what is saved is typed, and holds no value of others"
    )]
    pub fn restore(
        saved: &str,
        look_up: impl FnOnce(&str) -> Option<Arc<ToolSpec>>,
    ) -> Result<Self, Error> {
        let mut saved: Saved = serde_json::from_str(saved).map_err(unreadable)?;
        if saved.version == UNBOUND_VERSION {
            saved.phase.bind();
        } else if saved.version != VERSION {
            let message = format!(
                "the run was saved by version {} of its format, not {VERSION}",
                saved.version
            );
            return Err(Error::new(ErrorKind::InvalidExecution, message));
        }
        let tool = look_up(&saved.tool_id).ok_or_else(|| {
            let message = format!("the run's tool \"{}\" is not registered", saved.tool_id);
            Error::new(ErrorKind::InvalidExecution, message)
        })?;
        Ok(Self { tool, run: saved.run, settings: saved.settings, phase: saved.phase })
    }
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::new(ErrorKind::InvalidExecution, format!("the saved run cannot be read: {error}"))
        .caused_by(error)
}
