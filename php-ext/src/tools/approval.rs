//! `Toolwire\Tools\ApprovalService`: requests for approval, which a person answers in another
//! request.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::sync::Arc;

use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use serde_json::json;
use toolwire::lifecycle::{
    Approvals, Decision, NewApproval, Page, Settings, checked_microseconds, seconds,
};
use toolwire::{Error, ErrorKind};

use super::any_store::AnyStore;
use super::approval_request::ApprovalRequest;
use super::{clock, error, json};
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::object::Object;
use crate::host::value::{self, AnArray, As, Flag, Maybe, Real, Text, Whole};

/// The requests for approval of a store.
pub(crate) struct ApprovalService {
    approvals: Approvals,
    timeout: i64,
}

php_class!(ApprovalService, "Toolwire\\Tools\\ApprovalService", [], public, {});

/// The default time to decide: a day, because a person answers in another request.
pub(super) const TIMEOUT: f64 = Settings::APPROVAL_SECONDS;

/// The core's default retention: 30 days.
pub(super) const RETENTION: f64 = seconds(Approvals::RETENTION);

#[php_impl]
impl ApprovalService {
    /// Opens the requests of a store.
    #[php(defaults(timeout = TIMEOUT, retention = RETENTION))]
    fn __construct(store: AnyStore, timeout: Real, retention: Real) -> PhpResult<Self> {
        let micros = |name, given| {
            checked_microseconds(name, given).map_err(|error| exception::from_core(&error))
        };
        let (timeout, retention) =
            (micros("timeout", timeout.0)?, micros("retention", retention.0)?);
        Ok(Self {
            approvals: Approvals::new(Arc::clone(&store.0)).with_retention(retention),
            timeout,
        })
    }

    /// Makes a request, and returns it as stored.
    fn request(&self, request: Object<ApprovalRequest>) -> PhpResult<ApprovalRequest> {
        let now = clock::now();
        let new = NewApproval {
            expires_at: Some(now.saturating_add(self.timeout)),
            ..request.held()?.to_new()
        };
        Ok(ApprovalRequest::made(self.approvals.request(new, now).map_err(error::store)?))
    }

    /// Takes a decision on a request, by the id of the request or of its action.
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
        let decided =
            self.approvals.decide(&id.lossy(), &decision, clock::now()).map_err(error::approval)?;
        Ok(ApprovalRequest::made(decided))
    }

    /// Cancels a request, and says whether it was pending.
    fn cancel(&self, id: Text<'_>) -> PhpResult<bool> {
        Ok(self.approvals.cancel(&id.lossy(), clock::now()).map_err(error::store)?)
    }

    /// Returns the status of a request by its id. For a run's id, it is the status of the
    /// newest pending request, or of the newest one if none is pending.
    fn status(&self, id: Text<'_>) -> PhpResult<Option<String>> {
        let status = self.approvals.status(&id.lossy(), clock::now()).map_err(error::store)?;
        Ok(status.map(|status| status.to_string()))
    }

    /// Returns a request by its id.
    fn get(&self, id: Text<'_>) -> PhpResult<Option<ApprovalRequest>> {
        let request = self.approvals.get(&id.lossy(), clock::now()).map_err(error::store)?;
        Ok(request.map(ApprovalRequest::made))
    }

    /// Returns the whole arguments of a pending request as JSON text, without their secrets, by the
    /// request's id.
    fn arguments(&self, id: Text<'_>) -> PhpResult<Option<String>> {
        let arguments =
            self.approvals.arguments(&id.lossy(), clock::now()).map_err(error::store)?;
        Ok(arguments.map(|arguments| arguments.get().to_owned()))
    }

    /// Returns the changes that the run of a pending request would make, without their secrets, by
    /// the request's id.
    fn changes(&self, id: Text<'_>) -> PhpResult<Option<As<AnArray>>> {
        let changes = self.approvals.changes(&id.lossy(), clock::now()).map_err(error::store)?;
        Ok(changes.map(|changes| As::new(json::value(&json!(changes)))))
    }

    /// Returns the pending requests, of one pipeline run or of all, in the order in which they were
    /// made. A page has a largest number of requests and may begin after a given request.
    fn pending(
        &self,
        parentId: Maybe<Text<'_>>,
        limit: Maybe<Whole>,
        after: Maybe<Text<'_>>,
    ) -> PhpResult<As<AnArray>> {
        let (run, after) =
            (parentId.0.as_ref().map(Text::lossy), after.0.as_ref().map(Text::lossy));
        let limit = limit.0.map(|limit| page_size(limit.0)).transpose();
        let limit = limit.map_err(|error| exception::from_core(&error))?;
        let page = Page { limit, after: after.as_deref() };
        let pending = self
            .approvals
            .pending_page(run.as_deref(), page, clock::now())
            .map_err(error::approval)?;
        let pending =
            pending.into_iter().map(|request| value::object(ApprovalRequest::made(request)));
        Ok(As::new(value::list(pending.collect::<Result<Vec<Zval>, _>>()?)?))
    }

    /// Deletes a request, if it exists.
    fn forget(&self, id: Text<'_>) -> PhpResult<()> {
        Ok(self.approvals.cleanup(&id.lossy(), clock::now()).map_err(error::store)?)
    }
}

/// Reads the largest number of requests or runs of a page.
pub(super) fn page_size(limit: i64) -> Result<usize, Error> {
    let positive = usize::try_from(limit).ok().filter(|limit| *limit > 0);
    positive.ok_or_else(|| {
        Error::new(ErrorKind::InvalidOption, format!("limit must be at least 1, got {limit}"))
    })
}
