//! What a person is asked, and what the person answers.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::approval_detail::ApprovalDetail;
use super::time::Time;

/// Where a request for approval stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalStatus {
    /// Nobody has decided yet.
    Pending,
    /// The action may run.
    Approved,
    /// The action may not run.
    Denied,
    /// Its time ran out before anybody decided.
    Expired,
    /// It was taken back before anybody decided.
    Cancelled,
}

impl ApprovalStatus {
    /// Every status.
    pub const ALL: &'static [Self] =
        &[Self::Pending, Self::Approved, Self::Denied, Self::Expired, Self::Cancelled];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for ApprovalStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A request for approval that is still to be made.
#[derive(Clone, Debug, Default)]
pub struct NewApproval {
    /// The id that the request is to have; one that is taken, or none, is replaced by a new UUID
    /// v4.
    pub id: Option<String>,
    /// The action that waits.
    pub action_id: String,
    /// The tool that the action would run.
    pub tool_name: String,
    /// The run that the action belongs to.
    pub pipeline_run_id: Option<String>,
    /// What the person is asked.
    pub approval_message: String,
    /// What the person sees of the action, as JSON; `{}` where there is nothing.
    pub payload_summary: Option<Box<RawValue>>,
    /// The whole arguments with their fingerprint.
    pub detail: Option<ApprovalDetail>,
    /// The last microsecond at which it may be decided, if it does not stay open.
    pub expires_at: Option<i64>,
}

/// A request for approval.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ApprovalRequest {
    /// The request's id, which no other request of the store has.
    pub id: String,
    /// The action that waits.
    pub action_id: String,
    /// The tool that the action would run.
    pub tool_name: String,
    /// The run that the action belongs to.
    pub pipeline_run_id: Option<String>,
    /// What the person is asked.
    pub approval_message: String,
    /// Where it stands.
    pub status: ApprovalStatus,
    /// Who decided, if that was said.
    pub decided_by: Option<String>,
    /// When it was decided, cancelled or found to have expired.
    pub decided_at: Option<Time>,
    /// When it was made.
    pub created_at: Time,
    /// What the person sees of the action, as JSON, to the byte as it was given.
    pub payload_summary: Box<RawValue>,
    /// The last microsecond at which it may be decided, if it does not stay open.
    pub expires_at: Option<Time>,
    /// Why it was decided so, if that was said.
    pub reason: Option<String>,
    /// How many bytes the whole arguments have as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// The fingerprint of tool, arguments and changes when the request was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The fingerprint that the person saw who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_fingerprint: Option<String>,
    /// Its place among the requests of the store.
    pub(super) order: i64,
}

/// What of a request says where it stands.
#[derive(Deserialize)]
pub(super) struct Standing {
    status: ApprovalStatus,
    expires_at: Option<Time>,
}

impl Standing {
    pub(super) fn status(&self, now: i64) -> ApprovalStatus {
        standing(self.status, self.expires_at, now)
    }
}

impl ApprovalRequest {
    /// Where it stands at `now`, which may be past its time.
    pub(super) fn status(&self, now: i64) -> ApprovalStatus {
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
    /// Whether the action may run.
    pub granted: bool,
    /// Who decided.
    pub decided_by: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// The fingerprint that the person saw. An approval of one that is neither the request's nor
    /// the present one is refused; a denial is taken whatever the person saw. None leaves it to the
    /// run to tell, when it is taken up, whether it is still what was asked for.
    pub fingerprint: Option<String>,
    /// The present fingerprint, where the host can compute it.
    pub present: Option<String>,
}

impl Decision {
    /// The action may run.
    #[must_use]
    pub fn approved() -> Self {
        Self { granted: true, ..Self::default() }
    }

    /// The action may not run.
    #[must_use]
    pub fn denied() -> Self {
        Self::default()
    }

    /// Whether the decision may stand: a denial, or an approval of what the request asks for, as
    /// far as the person's fingerprint tells.
    pub(super) fn fits(&self, request: &ApprovalRequest) -> bool {
        if !self.granted {
            return true;
        }
        let Some(seen) = &self.fingerprint else { return true };
        request.fingerprint.as_ref() == Some(seen) || self.present.as_ref() == Some(seen)
    }
}
