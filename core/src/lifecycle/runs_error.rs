//! Why a run was not kept.

use std::error::Error as StdError;
use std::fmt;

use crate::error::Error;
use crate::store::StoreError;

/// Why a run was not kept.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunsError {
    /// The run cannot be saved.
    Run(Error),
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for RunsError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl fmt::Display for RunsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
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
        }
    }
}
