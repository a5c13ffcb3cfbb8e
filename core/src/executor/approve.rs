//! Approving a run in a process that has its tools: as it stands, or with changed arguments.

use std::sync::Arc;

use super::driver::{Driver, Proposal};
use super::durable::RunRead;
use super::host::RunHost;
use super::nesting::Nested;
use super::services::Services;
use crate::lifecycle::{
    ApprovalError, ApprovalRequest, ApprovalStatus, Decision, Drive, DriveAnswer, RunFailure,
    RunRecord,
};
use crate::registry::{AskRefusal, ToolSpec};

impl Services {
    /// Approves a request, by its id or its action's, as its run stands now. A decision with the
    /// fingerprint that the person saw is refused if the run would do something else by now.
    ///
    /// # Errors
    ///
    /// As [`Approvals::decide`](crate::lifecycle::Approvals::decide), and what the program raised.
    pub fn approve<H>(
        &self,
        id: &str,
        decision: &Decision,
        now: i64,
        make: impl FnOnce(&RunRecord) -> Result<(Arc<ToolSpec>, H), H::Stop>,
    ) -> Result<ApprovalRequest, H::Stop>
    where
        H: RunHost,
        H::Stop: From<ApprovalError>,
    {
        let request = self.request(id, now)?;
        let waiting = self.waiting(&request.action_id, now, make)?;
        let present = waiting.map(|(execution, host)| self.fingerprint(&execution, &host));
        let decision =
            Decision { granted: true, present: present.transpose()?, ..decision.clone() };
        Ok(self.approvals.decide(&request.id, &decision, now)?)
    }

    /// Approves a request, by its id or its action's, with the arguments that the host has in place
    /// of those of the call. They pass the checks of a call first: the schema, the caller's
    /// permission, and what the run would change. The run then goes on with them, and nothing else
    /// passes for approved. It is still the run of its call.
    ///
    /// A decision with the fingerprint that the person saw before is refused if that is neither the
    /// request's nor `present`.
    ///
    /// # Errors
    ///
    /// `not_waiting` when no run of the store waits for the request, `arguments_refused` when the
    /// arguments do not pass a check; as [`approve`](Self::approve).
    pub fn approve_changed<H>(
        &self,
        id: &str,
        decision: &Decision,
        now: i64,
        make: impl FnOnce(&RunRecord) -> Result<(Arc<ToolSpec>, H), H::Stop>,
    ) -> Result<ApprovalRequest, H::Stop>
    where
        H: RunHost,
        H::Stop: From<ApprovalError>,
    {
        let request = self.request(id, now)?;
        let decision = Decision { granted: true, ..decision.clone() };
        if request.status != ApprovalStatus::Pending {
            // The store says why not.
            return Ok(self.approvals.decide(&request.id, &decision, now)?);
        }
        let id = request.id.clone();
        if !decision.fits(&request) {
            return Err(ApprovalError::ChangedSince { id }.into());
        }
        match self.propose(&request, now, make)? {
            Proposal::Made { fingerprint } => {
                let present = Some(fingerprint.clone());
                let fingerprint = Some(fingerprint);
                let decision = Decision { fingerprint, present, ..decision };
                Ok(self.approvals.decide(&request.id, &decision, now)?)
            }
            Proposal::NotWaiting => Err(ApprovalError::NotWaiting { id }.into()),
            Proposal::Refused { tool, failure } => {
                let (code, reason) = (failure.code().slug(), failure.message(&tool));
                Err(ApprovalError::ArgumentsRefused { id, code, reason }.into())
            }
        }
    }

    fn propose<H: RunHost>(
        &self,
        request: &ApprovalRequest,
        now: i64,
        make: impl FnOnce(&RunRecord) -> Result<(Arc<ToolSpec>, H), H::Stop>,
    ) -> Result<Proposal, H::Stop> {
        let _nested = Nested::begin(H::stack())?;
        let mut drive = Drive::propose(&request.action_id, self.settings.clone());
        let RunRead::Found(record) = self.read::<H::Stop>(&mut drive, now)? else {
            return Ok(Proposal::NotWaiting);
        };
        // A run that was forgotten and begun again waits for another request.
        if record.approval_id.as_deref() != Some(&request.id) {
            return Ok(Proposal::NotWaiting);
        }
        let (tool, host) = make(&record)?;
        if let Some(path) = host.bad_number() {
            let (tool, failure) = (tool.name.clone(), RunFailure::bad_number(path));
            return Ok(Proposal::Refused { tool, failure });
        }
        // PHP's arrays may be lists.
        if !host.arguments()?.is_object() {
            let tool = tool.name.clone();
            let failure = AskRefusal::bad_arguments(&tool, "must be an object").into();
            return Ok(Proposal::Refused { tool, failure });
        }
        Driver::new(self, host, drive).propose(DriveAnswer::Tool(tool))
    }

    fn request(&self, id: &str, now: i64) -> Result<ApprovalRequest, ApprovalError> {
        let found = self.approvals.find(id, now)?;
        found.ok_or_else(|| ApprovalError::Unknown { id: id.to_owned() })
    }
}
