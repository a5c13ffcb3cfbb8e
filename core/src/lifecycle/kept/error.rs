//! Why a run was not kept, not listed or not retried.

use std::error::Error as StdError;
use std::fmt;

use crate::error::Error;
use crate::lifecycle::machine::state::RunState;
use crate::slug::slugs;
use crate::store::StoreError;

slugs! {
    /// The code of what was refused of a run.
    #[non_exhaustive]
    pub enum RunCode {
        /// The store has no run of this id.
        UnknownRun => "unknown_run",
        /// Only an interrupted run is retried.
        NotInterrupted => "not_interrupted",
        /// The run has ended otherwise than by a denial, or may have run, so it does not begin
        /// again.
        AlreadyRan => "already_ran",
        /// The interrupted run has no arguments in the store, so it cannot be retried.
        ArgumentsGone => "arguments_gone",
    }
}

/// Why a run was not kept, not listed or not retried.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunsError {
    /// The store has no run of this id.
    Unknown {
        /// The id that was given.
        id: String,
    },
    /// The run is not interrupted, so it is not retried.
    NotInterrupted {
        /// The run's id.
        id: String,
        /// The state of the run.
        state: RunState,
    },
    /// The run has ended otherwise than by a denial, or may have run, so it does not begin again.
    AlreadyRan {
        /// The run's id.
        id: String,
        /// The state of the run.
        state: RunState,
    },
    /// The interrupted run has no arguments in the store, so it cannot be retried.
    ArgumentsGone {
        /// The run's id.
        id: String,
    },
    /// The run cannot be saved.
    Run(Error),
    /// The store failed.
    Store(StoreError),
}

impl RunsError {
    /// The slug of the code, or of the error of the run or the store.
    #[must_use]
    pub fn slug(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => RunCode::UnknownRun.slug(),
            Self::NotInterrupted { .. } => RunCode::NotInterrupted.slug(),
            Self::AlreadyRan { .. } => RunCode::AlreadyRan.slug(),
            Self::ArgumentsGone { .. } => RunCode::ArgumentsGone.slug(),
            Self::Run(error) => error.kind().slug(),
            Self::Store(error) => error.kind().slug(),
        }
    }
}

impl From<Error> for RunsError {
    fn from(error: Error) -> Self {
        Self::Run(error)
    }
}

impl From<StoreError> for RunsError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl fmt::Display for RunsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { id } => write!(formatter, "run {id} not found"),
            Self::NotInterrupted { id, state } => {
                write!(formatter, "run {id} is {state}; only an interrupted run is retried")
            }
            Self::AlreadyRan { id, state } => {
                write!(
                    formatter,
                    "run {id} is {state}; only a run that was denied or has expired begins again"
                )
            }
            Self::ArgumentsGone { id } => {
                write!(formatter, "run {id} cannot be retried: its arguments are no longer kept")
            }
            Self::Run(error) => error.fmt(formatter),
            Self::Store(error) => error.fmt(formatter),
        }
    }
}

impl StdError for RunsError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Run(error) => Some(error),
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}
