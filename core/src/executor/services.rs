//! What the runs of one executor share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::lifecycle::{
    Approvals, Permit, RateLimit, RateLimiter, Runs, Settings, UndoStore, microseconds,
};
use crate::redact::Redaction;
use crate::registry::ToolSpec;
use crate::store::{Store, StoreError};

/// What the runs of one executor share: a store with approvals, undo data, limits and runs, and
/// the settings.
pub struct Services {
    store: Arc<dyn Store>,
    /// The requests for approval.
    pub approvals: Approvals,
    /// The data that undo completed runs.
    pub undo: UndoStore,
    /// The runs.
    pub runs: Arc<Runs>,
    /// The settings of every run.
    pub settings: Settings,
    /// What hides secrets from people, events and the store's requests.
    pub redaction: Redaction,
    /// For how long a run can be undone, in microseconds.
    pub undo_ttl: i64,
    limiters: Mutex<HashMap<String, Arc<RateLimiter>>>,
}

impl Services {
    /// Puts everything into one store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, settings: Settings) -> Self {
        Self {
            approvals: Approvals::new(Arc::clone(&store)),
            undo: UndoStore::new(Arc::clone(&store)),
            runs: Arc::new(Runs::new(Arc::clone(&store))),
            settings,
            redaction: Redaction::default(),
            undo_ttl: microseconds(UndoStore::TTL_SECONDS),
            limiters: Mutex::default(),
            store,
        }
    }

    /// Returns the store.
    #[must_use]
    pub fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    /// Keeps each closed request for approval for so many microseconds.
    #[must_use]
    pub fn with_approval_retention(self, retention: i64) -> Self {
        Self { approvals: self.approvals.with_retention(retention), ..self }
    }

    /// Keeps runs as `change` says: for another time, or without outputs.
    #[must_use]
    pub fn with_runs(self, change: impl FnOnce(Runs) -> Runs) -> Self {
        let runs = Arc::new(change(Runs::new(Arc::clone(&self.store))));
        Self { runs, ..self }
    }

    /// Hides secrets in another way.
    #[must_use]
    pub fn with_redaction(self, redaction: Redaction) -> Self {
        Self { redaction, ..self }
    }

    /// Lets a run be undone for so many microseconds.
    #[must_use]
    pub fn with_undo_ttl(self, undo_ttl: i64) -> Self {
        Self { undo_ttl, ..self }
    }

    /// Counts a call of a tool against its limit.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn check_limit(
        &self,
        tool: &ToolSpec,
        limit: RateLimit,
        caller: &str,
        now: i64,
    ) -> Result<Permit, StoreError> {
        self.limiter(tool, limit).check(&tool.id, caller, now)
    }

    /// Returns the limiter of a tool, a new one if the tool's limit has changed.
    fn limiter(&self, tool: &ToolSpec, limit: RateLimit) -> Arc<RateLimiter> {
        let mut limiters = self.limiters.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || Arc::new(RateLimiter::new(Arc::clone(&self.store), limit));
        let known = limiters.entry(tool.id.clone()).or_insert_with(made);
        if known.limit() != limit {
            *known = made();
        }
        Arc::clone(known)
    }
}
