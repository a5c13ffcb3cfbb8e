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

/// Makes the host of a run of the store, with its tool as it is registered now.
pub type MakeHost<'m, H> =
    dyn Fn(&RunRecord) -> Result<(Arc<ToolSpec>, H), <H as RunHost>::Stop> + 'm;

impl Services {
    /// Approves a request, by its id or its run's. `own` makes the host with the arguments of
    /// the call, `changed` one with arguments that the run goes on with in their place.
    ///
    /// A fingerprint that the person saw must be that of the request or of the run as it stands
    /// now. Changed arguments pass the checks of a call first: the schema, the caller's permission,
    /// and what the run would change. The run then goes on with them, and nothing else passes for
    /// approved. It is still the run of its call.
    ///
    /// # Errors
    ///
    /// As [`Approvals::decide`](crate::lifecycle::Approvals::decide), and what the program raised.
    /// With changed arguments also `not_waiting` when no run of the store waits for the request,
    /// and `arguments_refused` when they do not pass a check.
    pub fn approve<H>(
        &self,
        id: &str,
        decision: &Decision,
        now: i64,
        own: &MakeHost<'_, H>,
        changed: Option<&MakeHost<'_, H>>,
    ) -> Result<ApprovalRequest, H::Stop>
    where
        H: RunHost,
        H::Stop: From<ApprovalError>,
    {
        let request = self.request(id, now)?;
        let present = self.present(&request, decision, now, own)?;
        let decision = Decision { granted: true, present, ..decision.clone() };
        let is_open = request.status == ApprovalStatus::Pending && decision.fits(&request);
        // The store says why a request is not decided that is closed or is another one by now.
        let Some(changed) = changed.filter(|_| is_open) else {
            return Ok(self.approvals.decide(&request.id, &decision, now)?);
        };
        let id = request.id.clone();
        match self.propose(&request, now, changed)? {
            Proposal::Made { fingerprint } => {
                let (present, fingerprint) = (Some(fingerprint.clone()), Some(fingerprint));
                let decision = Decision { fingerprint, present, ..decision };
                Ok(self.approvals.decide(&id, &decision, now)?)
            }
            Proposal::NotWaiting => Err(ApprovalError::NotWaiting { id }.into()),
            Proposal::Refused { tool, failure } => {
                let (code, reason) = (failure.code().slug(), failure.message(&tool));
                Err(ApprovalError::ArgumentsRefused { id, code, reason }.into())
            }
        }
    }

    /// Returns the fingerprint of the run as it stands now, where the one that the person saw is
    /// not the request's.
    fn present<H: RunHost>(
        &self,
        request: &ApprovalRequest,
        decision: &Decision,
        now: i64,
        own: &MakeHost<'_, H>,
    ) -> Result<Option<String>, H::Stop> {
        if decision.fingerprint.is_none() || decision.fingerprint == request.fingerprint {
            return Ok(None);
        }
        let waiting = self.waiting(&request.run_id, now, own)?;
        waiting.map(|(execution, host)| self.fingerprint(&execution, &host)).transpose()
    }

    fn propose<H: RunHost>(
        &self,
        request: &ApprovalRequest,
        now: i64,
        make: &MakeHost<'_, H>,
    ) -> Result<Proposal, H::Stop> {
        let _nested = Nested::begin(H::stack())?;
        let mut drive = Drive::propose(&request.run_id, self.settings.clone());
        let RunRead::Found(record) = self.read::<H::Stop>(&mut drive, now, &|_| Ok(()))? else {
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
