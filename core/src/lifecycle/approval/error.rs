//! Why a decision was refused.

use std::error::Error as StdError;
use std::fmt;

use super::request::ApprovalStatus;
use crate::slug::slugs;
use crate::store::StoreError;

slugs! {
    /// The code of a refused decision.
    #[non_exhaustive]
    pub enum ApprovalCode {
        /// No request has this id, and no request was made for a run with this id.
        UnknownApproval => "unknown_approval",
        /// The request was approved or denied before.
        AlreadyDecided => "already_decided",
        /// The deadline of the request has passed.
        ApprovalExpired => "approval_expired",
        /// The request was cancelled.
        ApprovalCancelled => "approval_cancelled",
        /// The decision's fingerprint does not match what would run.
        ChangedSince => "changed_since",
        /// The arguments of a run that does not wait in the store cannot be changed.
        NotWaiting => "not_waiting",
        /// The changed arguments did not pass the checks of a call.
        ArgumentsRefused => "arguments_refused",
    }
}

/// Why a decision was refused. A request is decided only once.
#[derive(Debug)]
#[non_exhaustive]
pub enum ApprovalError {
    /// No request has this id, and no request was made for a run with this id.
    Unknown {
        /// The id that was given.
        id: String,
    },
    /// The request was approved or denied before.
    AlreadyDecided {
        /// The request's id.
        id: String,
        /// What was decided.
        status: ApprovalStatus,
    },
    /// The deadline of the request has passed.
    Expired {
        /// The request's id.
        id: String,
    },
    /// The request was cancelled.
    Cancelled {
        /// The request's id.
        id: String,
    },
    /// The decision's fingerprint does not match what would run.
    ChangedSince {
        /// The request's id.
        id: String,
    },
    /// No run that waits in the store is the request's, so its arguments cannot be changed.
    NotWaiting {
        /// The request's id.
        id: String,
    },
    /// The changed arguments did not pass the checks of a call. Nothing was decided.
    ArgumentsRefused {
        /// The request's id.
        id: String,
        /// The code of the failure, as a run of these arguments has it.
        code: &'static str,
        /// What is wrong, in words.
        reason: String,
    },
    /// The store failed.
    Store(StoreError),
}

impl ApprovalError {
    /// Why the decision was refused.
    ///
    /// # Errors
    /// The error of the store, if the store failed.
    pub fn code(&self) -> Result<ApprovalCode, &StoreError> {
        Ok(match self {
            Self::Unknown { .. } => ApprovalCode::UnknownApproval,
            Self::AlreadyDecided { .. } => ApprovalCode::AlreadyDecided,
            Self::Expired { .. } => ApprovalCode::ApprovalExpired,
            Self::Cancelled { .. } => ApprovalCode::ApprovalCancelled,
            Self::ChangedSince { .. } => ApprovalCode::ChangedSince,
            Self::NotWaiting { .. } => ApprovalCode::NotWaiting,
            Self::ArgumentsRefused { .. } => ApprovalCode::ArgumentsRefused,
            Self::Store(error) => return Err(error),
        })
    }

    /// The slug of the code, or of the store's error.
    #[must_use]
    pub fn slug(&self) -> &'static str {
        self.code().map_or_else(|error| error.kind().slug(), ApprovalCode::slug)
    }
}

impl fmt::Display for ApprovalError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { id } => write!(formatter, "approval request {id} not found"),
            Self::AlreadyDecided { id, status } => {
                write!(formatter, "approval request {id} was already {status}; a decision is final")
            }
            Self::Expired { id } => {
                write!(formatter, "approval request {id} has expired; request approval again")
            }
            Self::Cancelled { id } => {
                write!(formatter, "approval request {id} was cancelled; request approval again")
            }
            Self::ChangedSince { id } => {
                write!(formatter, "approval request {id} is not what was seen; look at it again")
            }
            Self::NotWaiting { id } => write!(
                formatter,
                "no run of the store waits for approval request {id}, so its arguments cannot be changed"
            ),
            Self::ArgumentsRefused { id, reason, .. } => write!(
                formatter,
                "the changed arguments for approval request {id} are refused: {reason}"
            ),
            Self::Store(error) => error.fmt(formatter),
        }
    }
}

impl StdError for ApprovalError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}

impl From<StoreError> for ApprovalError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
