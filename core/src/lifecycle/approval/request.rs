//! The request that a person gets, and the person's decision.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::lifecycle::shown::detail::ApprovalDetail;
use crate::lifecycle::time::Time;
use crate::slug::slugs;

slugs! {
    /// The status of a request for approval.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ApprovalStatus {
        /// Nobody has decided yet.
        Pending => "pending",
        /// The tool may run.
        Approved => "approved",
        /// The tool may not run.
        Denied => "denied",
        /// The deadline passed before anybody decided.
        Expired => "expired",
        /// The request was cancelled before anybody decided.
        Cancelled => "cancelled",
    }
}

/// A request for approval before it is made.
#[derive(Clone, Debug, Default)]
pub struct NewApproval {
    /// The id for the request. If it is missing or taken, a new UUID v4 replaces it.
    pub id: Option<String>,
    /// The id of the run that waits.
    pub run_id: String,
    /// The tool that would run.
    pub tool_name: String,
    /// The id of what the run is part of, such as a pipeline's run, if it is part of something.
    pub parent_id: Option<String>,
    /// The question for the person.
    pub approval_message: String,
    /// The summary of the call that the person sees, as JSON; `{}` by default.
    pub payload_summary: Option<Box<RawValue>>,
    /// The whole arguments with their fingerprint.
    pub detail: Option<ApprovalDetail>,
    /// The last microsecond at which the request may be decided, if it has a deadline.
    pub expires_at: Option<i64>,
}

/// A request for approval.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ApprovalRequest {
    /// The request's id, unique in the store.
    pub id: String,
    /// The id of the run that waits.
    #[serde(alias = "action_id")]
    pub run_id: String,
    /// The tool that would run.
    pub tool_name: String,
    /// The id of what the run is part of, such as a pipeline's run, if it is part of something.
    #[serde(alias = "pipeline_run_id")]
    pub parent_id: Option<String>,
    /// The question for the person.
    pub approval_message: String,
    /// The status of the request.
    pub status: ApprovalStatus,
    /// The decision, as far as one was taken.
    #[serde(flatten)]
    pub decision: DecisionRecord,
    /// When the request was made.
    pub created_at: Time,
    /// The summary of the call that the person sees, as JSON, byte for byte as it was given.
    pub payload_summary: Box<RawValue>,
    /// The last microsecond at which the request may be decided, if it has a deadline.
    pub expires_at: Option<Time>,
    /// How many bytes the whole arguments have as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// The fingerprint of tool, arguments and changes at the time of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The position of the request among the requests of the store.
    pub(in crate::lifecycle) order: i64,
}

/// What is kept of the decision on a request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DecisionRecord {
    /// The name of the person who decided, if one was given.
    pub decided_by: Option<String>,
    /// When the request was decided, cancelled or found to have expired.
    pub decided_at: Option<Time>,
    /// The reason of the decision, if one was given.
    pub reason: Option<String>,
    /// The fingerprint that the deciding person saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_fingerprint: Option<String>,
}

/// The fields of a request that determine its status.
#[derive(Deserialize)]
pub(in crate::lifecycle) struct Standing {
    pub(in crate::lifecycle) id: String,
    pub(in crate::lifecycle) status: ApprovalStatus,
    pub(in crate::lifecycle) decided_at: Option<Time>,
    expires_at: Option<Time>,
}

impl Standing {
    pub(in crate::lifecycle) fn status(&self, now: i64) -> ApprovalStatus {
        standing(self.status, self.expires_at, now)
    }
}

impl ApprovalRequest {
    /// Returns the status at `now`, which may be after the deadline.
    pub(in crate::lifecycle) fn status(&self, now: i64) -> ApprovalStatus {
        standing(self.status, self.expires_at, now)
    }
}

fn standing(status: ApprovalStatus, expires_at: Option<Time>, now: i64) -> ApprovalStatus {
    match status {
        ApprovalStatus::Pending if expires_at.is_some_and(|at| now > at.micros()) => {
            ApprovalStatus::Expired
        }
        status => status,
    }
}

/// What a person decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Whether the tool may run.
    pub granted: bool,
    /// The name of the person who decided.
    pub decided_by: Option<String>,
    /// The reason.
    pub reason: Option<String>,
    /// The fingerprint that the person saw. An approval is refused if its fingerprint is neither
    /// the request's nor the present one. A denial is taken with any fingerprint. Without a
    /// fingerprint, the run itself checks at its resumption that it still matches the request.
    pub fingerprint: Option<String>,
    /// The present fingerprint, where the host can compute it.
    pub present: Option<String>,
}

impl Decision {
    /// Makes an approval: the tool may run.
    #[must_use]
    pub fn approved() -> Self {
        Self { granted: true, ..Self::default() }
    }

    /// Makes a denial: the tool may not run.
    #[must_use]
    pub fn denied() -> Self {
        Self::default()
    }

    /// Whether the decision may be taken: it is a denial, or the person's fingerprint, if given,
    /// matches the request or the present fingerprint.
    pub(crate) fn fits(&self, request: &ApprovalRequest) -> bool {
        if !self.granted {
            return true;
        }
        let Some(seen) = &self.fingerprint else { return true };
        request.fingerprint.as_ref() == Some(seen) || self.present.as_ref() == Some(seen)
    }
}
