//! How a call stands.

use crate::lifecycle::RunState;
use crate::provider::ProviderResult;

/// How a call stands.
#[derive(Clone, Debug, PartialEq)]
pub enum CallStanding<W> {
    /// It has a result.
    Done {
        /// The id of its run; none for a call of no tool, where the host keeps no run for it.
        run: Option<String>,
        /// What the call gave, as the model is shown it.
        shown: ProviderResult,
    },
    /// It has none yet.
    Open(W),
}

/// A call that has no result yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingCall {
    /// The tool's name.
    pub tool: String,
    /// The id of the run.
    pub run: String,
    /// Its state: waiting for a person, running in another process, or interrupted.
    pub state: RunState,
    /// The request that a person decides, if the run waits for one.
    pub approval_id: Option<String>,
}

/// What came of a call that ran beside others.
#[derive(Clone, Debug, PartialEq)]
pub struct RanCall<W, S> {
    /// How it stands, or what ends the loop.
    pub standing: Result<CallStanding<W>, S>,
    /// How many milliseconds it took.
    pub took_ms: u64,
}
