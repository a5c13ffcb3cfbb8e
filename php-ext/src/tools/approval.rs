//! `Toolwire\Tools\ApprovalService`: asking a person, who answers in another request.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::sync::Arc;

use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::lifecycle::{Approvals, Decision, NewApproval};

use super::approval_request::ApprovalRequest;
use super::store::AnyStore;
use super::{clock, error};
use crate::class::php_class;
use crate::exception;
use crate::value::{self, AnArray, As, Flag, Maybe, Object, Real, Text};

/// The requests for approval in a store.
pub(crate) struct ApprovalService {
    approvals: Approvals,
    timeout: i64,
}

php_class!(ApprovalService, "Toolwire\\Tools\\ApprovalService", [], public, {});

/// A day: a person answers in another request.
pub(super) const TIMEOUT: f64 = 86_400.0;

#[php_impl]
impl ApprovalService {
    /// Takes the requests of a store.
    #[php(defaults(timeout = TIMEOUT))]
    fn __construct(store: AnyStore, timeout: Real) -> PhpResult<Self> {
        let timeout = clock::micros("timeout", timeout.0).map_err(|error| exception::from_core(&error))?;
        Ok(Self { approvals: Approvals::new(Arc::clone(&store.0)), timeout })
    }

    /// Asks; the request as it was made.
    fn request(&self, request: Object<ApprovalRequest>) -> PhpResult<ApprovalRequest> {
        let now = clock::now();
        let new =
            NewApproval { expires_at: Some(now.saturating_add(self.timeout)), ..request.held()?.to_new() };
        Ok(ApprovalRequest::made(self.approvals.request(new, now).map_err(error::store)?))
    }

    /// Takes a decision on a request, by its id or by its action's.
    fn decide(
        &self,
        id: Text<'_>,
        granted: Flag,
        decidedBy: Maybe<Text<'_>>,
        reason: Maybe<Text<'_>>,
        fingerprint: Maybe<Text<'_>>,
        present: Maybe<Text<'_>>,
    ) -> PhpResult<ApprovalRequest> {
        let owned = |text: Maybe<Text<'_>>| text.0.map(|text| text.lossy().into_owned());
        let decision = Decision {
            granted: granted.0,
            decided_by: owned(decidedBy),
            reason: owned(reason),
            fingerprint: owned(fingerprint),
            present: owned(present),
        };
        let decided = self.approvals.decide(&id.lossy(), &decision, clock::now()).map_err(error::approval)?;
        Ok(ApprovalRequest::made(decided))
    }

    /// Takes a request back; whether it was pending.
    fn cancel(&self, id: Text<'_>) -> PhpResult<bool> {
        Ok(self.approvals.cancel(&id.lossy(), clock::now()).map_err(error::store)?)
    }

    /// Where a request stands, by its id, or the newest of an action, by the action's.
    fn status(&self, id: Text<'_>) -> PhpResult<Option<String>> {
        let status = self.approvals.status(&id.lossy(), clock::now()).map_err(error::store)?;
        Ok(status.map(|status| status.to_string()))
    }

    /// A request, by its id.
    fn get(&self, id: Text<'_>) -> PhpResult<Option<ApprovalRequest>> {
        let request = self.approvals.get(&id.lossy(), clock::now()).map_err(error::store)?;
        Ok(request.map(ApprovalRequest::made))
    }

    /// The whole arguments of a pending request as JSON text, without their secrets, by the request's id.
    fn arguments(&self, id: Text<'_>) -> PhpResult<Option<String>> {
        let arguments = self.approvals.arguments(&id.lossy(), clock::now()).map_err(error::store)?;
        Ok(arguments.map(|arguments| arguments.get().to_owned()))
    }

    /// The pending requests, of one pipeline run or of all, in the order in which they were made.
    fn pending(&self, pipelineRunId: Maybe<Text<'_>>) -> PhpResult<As<AnArray>> {
        let run = pipelineRunId.0.as_ref().map(Text::lossy);
        let pending = self.approvals.pending(run.as_deref(), clock::now()).map_err(error::store)?;
        let pending = pending.into_iter().map(|request| value::object(ApprovalRequest::made(request)));
        Ok(As::new(value::list(pending.collect::<Result<Vec<Zval>, _>>()?)?))
    }

    /// Forgets a request, if there is one.
    fn forget(&self, id: Text<'_>) -> PhpResult<()> {
        Ok(self.approvals.cleanup(&id.lossy(), clock::now()).map_err(error::store)?)
    }
}
