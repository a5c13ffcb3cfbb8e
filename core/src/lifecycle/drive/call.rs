//! A call whose run is to begin in a store.

use std::sync::Arc;

use crate::lifecycle::kept::id::Naming;
use crate::lifecycle::machine::step::{Run, Settings};
use crate::registry::ToolSpec;

/// What a call gets whose run never ran, because it was denied or nobody decided in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunStart {
    /// That run, as it stands.
    #[default]
    Once,
    /// A new run under the same name, with the same key.
    Again,
}

/// A call whose run is to begin in the store.
#[derive(Clone, Debug)]
pub struct NewDrive {
    /// The tool, as it is registered now.
    pub tool: Arc<ToolSpec>,
    /// The ids and the mode of the run.
    pub run: Run,
    /// How the run got its id.
    pub named: Naming,
    /// The caller whose calls a rate limit counts.
    pub caller: String,
    /// What the call gets if its run never ran.
    pub start: RunStart,
    /// The host's settings for the run.
    pub settings: Settings,
}
