//! The state of a run, in a user's terms.

use crate::slug::slugs;

slugs! {
    /// The state of a run, in a user's terms.
    #[non_exhaustive]
    pub enum RunState {
        /// The run goes on.
        Running => "running",
        /// A person was asked and has not decided.
        Waiting => "waiting",
        /// A person has approved, or somebody retried the run: it is to be taken up.
        Approved => "approved",
        /// The handler gave an output.
        Completed => "completed",
        /// The handler raised.
        Failed => "failed",
        /// The tool was not allowed to run.
        Denied => "denied",
        /// Nobody decided in time. The call may be started again.
        Expired => "expired",
        /// The run was given up.
        Cancelled => "cancelled",
        /// The handler was started by a process that has ended since. It may have run, and is not
        /// run again.
        Interrupted => "interrupted",
        /// The handler gave an output, and what it did was undone.
        Undone => "undone",
    }
}

impl RunState {
    /// Whether the run has not ended and goes on, now or when a person has decided.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Waiting | Self::Approved | Self::Running)
    }
}
