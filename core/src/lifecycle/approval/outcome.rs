//! The outcome of a request for approval, for the run that waits for it.
//!
//! ```
//! use std::sync::Arc;
//! use toolwire::lifecycle::{Approvals, Decision, NewApproval, ApprovalOutcome};
//! use toolwire::store::MemoryStore;
//!
//! let approvals = Approvals::new(Arc::new(MemoryStore::default()));
//! let id = approvals.request(NewApproval::default(), 0)?.id;
//! assert_eq!(approvals.outcome(&id, 1)?, ApprovalOutcome::Pending);
//! approvals.decide(&id, &Decision::approved(), 2)?;
//! assert_eq!(approvals.outcome(&id, 3)?.is_granted(), Some(true));
//! # Ok::<(), toolwire::lifecycle::ApprovalError>(())
//! ```

use super::request::{ApprovalRequest, ApprovalStatus};
use crate::lifecycle::Approvals;
use crate::lifecycle::kept::record::{RunRecord, place};
use crate::lifecycle::machine::failure::RunFailure;
use crate::lifecycle::machine::step::Answer;
use crate::store::{StoreError, spoiled};

/// The outcome of a request for approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalOutcome {
    /// Nobody has decided yet.
    Pending,
    /// A person decided, or the request was cancelled.
    Decided {
        /// Whether the tool may run.
        granted: bool,
        /// The reason, if one was given.
        reason: Option<String>,
        /// The fingerprint that the person saw, if one was given.
        fingerprint: Option<String>,
    },
    /// The deadline passed before anybody decided.
    TimedOut,
    /// The request does not exist, or no longer exists.
    Missing,
}

impl ApprovalOutcome {
    /// Whether the tool may run, or nothing if nobody decided.
    #[must_use]
    pub fn is_granted(&self) -> Option<bool> {
        match self {
            Self::Decided { granted, .. } => Some(*granted),
            Self::Pending | Self::TimedOut | Self::Missing => None,
        }
    }

    /// Returns the answer for the run that waits, or nothing while nobody has decided. A missing
    /// request counts as cancelled.
    #[must_use]
    pub fn answer(self) -> Option<Answer> {
        match self {
            Self::Pending => None,
            Self::Decided { granted, reason, fingerprint } => {
                Some(Answer::Decided { granted, reason, fingerprint })
            }
            Self::TimedOut => Some(Answer::TimedOut),
            Self::Missing => {
                let reason = Some(RunFailure::CANCELLED.to_owned());
                Some(Answer::Decided { granted: false, reason, fingerprint: None })
            }
        }
    }
}

impl ApprovalRequest {
    /// Returns the outcome that this request records.
    #[must_use]
    pub fn outcome(&self) -> ApprovalOutcome {
        let decided = |granted, reason: Option<&str>| ApprovalOutcome::Decided {
            granted,
            reason: reason.map(str::to_owned),
            fingerprint: self.decision.decided_fingerprint.clone(),
        };
        match self.status {
            ApprovalStatus::Pending => ApprovalOutcome::Pending,
            ApprovalStatus::Approved => decided(true, self.decision.reason.as_deref()),
            ApprovalStatus::Denied => decided(false, self.decision.reason.as_deref()),
            ApprovalStatus::Cancelled => decided(false, Some(RunFailure::CANCELLED)),
            ApprovalStatus::Expired => ApprovalOutcome::TimedOut,
        }
    }
}

impl RunRecord {
    /// Returns what the outcome of its request is to the run. A run that a closed request has
    /// refused is never granted, so a request that was put back counts as missing.
    pub(in crate::lifecycle) fn heard(&self, outcome: ApprovalOutcome) -> ApprovalOutcome {
        let is_open = outcome == ApprovalOutcome::Pending || outcome.is_granted() == Some(true);
        if self.is_refused() && is_open { ApprovalOutcome::Missing } else { outcome }
    }
}

impl Approvals {
    /// Returns the outcome of a request, by its id. A request whose deadline has passed is recorded
    /// as expired.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn outcome(&self, id: &str, now: i64) -> Result<ApprovalOutcome, StoreError> {
        self.recorded(self.get(id, now)?, now)
    }

    /// Returns the outcome of the request that a run waits for, or nothing if nobody was asked.
    ///
    /// Only a request of this very run is heard. A run that a closed request has refused is never
    /// granted, even if the request says otherwise by now.
    ///
    /// # Errors
    /// `corrupt` for the request of another run; any error of the store.
    pub fn outcome_for(
        &self,
        run: &RunRecord,
        now: i64,
    ) -> Result<Option<ApprovalOutcome>, StoreError> {
        let Some(id) = &run.approval_id else { return Ok(None) };
        let request = self.get(id, now)?;
        if request.as_ref().is_some_and(|request| request.run_id != run.id) {
            return Err(spoiled(&place(&run.id)));
        }
        let outcome = self.recorded(request, now)?;
        Ok(Some(run.heard(outcome)))
    }

    /// Returns the outcome of a request, and records that its deadline has passed.
    fn recorded(
        &self,
        request: Option<ApprovalRequest>,
        now: i64,
    ) -> Result<ApprovalOutcome, StoreError> {
        let Some(request) = request else { return Ok(ApprovalOutcome::Missing) };
        let outcome = request.outcome();
        if outcome == ApprovalOutcome::TimedOut {
            self.expire(&request.id, now)?;
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::request::{Decision, NewApproval};
    use super::*;
    use crate::store::MemoryStore;

    fn approvals() -> Approvals {
        Approvals::new(Arc::new(MemoryStore::default()))
    }

    #[test]
    fn each_end_of_a_request_has_its_answer() {
        let approvals = approvals();
        let ask = || approvals.request(NewApproval::default(), 0).unwrap().id;
        let answer = |id: &str| approvals.outcome(id, 5).unwrap().answer();
        let decided = |granted, reason: Option<&str>, fingerprint: Option<&str>| {
            let (reason, fingerprint) = (reason.map(str::to_owned), fingerprint.map(str::to_owned));
            Some(Answer::Decided { granted, reason, fingerprint })
        };

        assert_eq!(answer(&ask()), None);
        assert_eq!(answer("none"), decided(false, Some("cancelled"), None));

        let approved = ask();
        approvals.decide(&approved, &Decision::approved(), 1).unwrap();
        assert_eq!(answer(&approved), decided(true, None, None));

        let denied = ask();
        let fingerprint = Some("f".to_owned());
        let no = Decision { reason: Some("no".into()), fingerprint, ..Decision::denied() };
        approvals.decide(&denied, &no, 1).unwrap();
        assert_eq!(answer(&denied), decided(false, Some("no"), Some("f")));

        let cancelled = ask();
        assert!(approvals.cancel(&cancelled, 1).unwrap());
        assert_eq!(answer(&cancelled), decided(false, Some("cancelled"), None));
    }

    #[test]
    fn a_request_whose_time_is_over_is_noted_as_expired() {
        let approvals = approvals();
        let late = NewApproval { expires_at: Some(3), ..NewApproval::default() };
        let id = approvals.request(late, 0).unwrap().id;
        assert_eq!(approvals.outcome(&id, 3).unwrap(), ApprovalOutcome::Pending);
        assert_eq!(approvals.outcome(&id, 4).unwrap().answer(), Some(Answer::TimedOut));
        assert!(approvals.get(&id, 4).unwrap().unwrap().decision.decided_at.is_some());
    }
}
