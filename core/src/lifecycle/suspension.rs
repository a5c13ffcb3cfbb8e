//! Runs that wait for a person, kept in a store until a process resumes them.
//!
//! A run is kept under its action's id, with the payload that its handler needs. A process claims
//! the run before it resumes it. If several processes claim the run at once, only one of them gets
//! it and runs the handler. If that process dies, the run stays claimed and never runs twice.
//!
//! The arguments are removed from the store when the run is claimed, and when the request that it
//! waits for is closed without an approval. The rest of a run is removed after its expiry, when
//! another run is kept, claimed or forgotten, or when a lookup finds no run.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::approval_index::by_id;
use super::approval_request::{ApprovalStatus, Standing};
use super::execution::Execution;
use crate::error::Error;
use crate::store::{
    Condition, EntryChange, Put, Store, StoreError, Sweep, Write, change, from_json, key, raw_json,
    to_json,
};

/// A run that waits, with the values that its handler needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Suspended {
    /// The run as [`Execution::save`] writes it.
    pub execution: String,
    /// The action's payload, as JSON.
    pub payload: Box<RawValue>,
    /// Other values that the host needs to continue, as JSON.
    pub context: Box<RawValue>,
    /// Whether a process has claimed the run, even if that process has ended since.
    claimed: bool,
    /// Whether the run's handler will never be called.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    refused: bool,
}

/// The result of a claim.
#[derive(Clone, Debug)]
pub enum Resumption {
    /// The caller alone has the run.
    Claimed(Suspended),
    /// Another process has claimed the run.
    Taken,
    /// No run waits for this action.
    Unknown,
}

/// The waiting runs of a store.
///
/// ```
/// use std::sync::Arc;
/// use serde_json::value::RawValue;
/// use toolwire::lifecycle::{Execution, Resumption, Run, Settings, Suspensions};
/// use toolwire::registry::ToolSpec;
/// use toolwire::store::MemoryStore;
///
/// let tool = Arc::new(ToolSpec::new("edit", "EDIT"));
/// let execution = Execution::new(Arc::clone(&tool), Run::new("a1"), Settings::default());
/// let suspensions = Suspensions::new(Arc::new(MemoryStore::default()));
/// let json = |text: &str| RawValue::from_string(text.to_owned());
/// suspensions.keep(&execution, json(r#"{"title":"New"}"#)?, json("{}")?, Some(60_000_000), 0)?;
///
/// let Resumption::Claimed(run) = suspensions.claim("a1", 1)? else { panic!() };
/// assert_eq!(run.payload.get(), r#"{"title":"New"}"#);
/// assert!(matches!(suspensions.claim("a1", 1)?, Resumption::Taken));
/// suspensions.forget("a1", 2)?;
/// assert!(matches!(suspensions.claim("a1", 3)?, Resumption::Unknown));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Suspensions {
    store: Arc<dyn Store>,
    sweep: Sweep,
}

impl Suspensions {
    /// Opens the runs of a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, sweep: Sweep::new("execution", 1) }
    }

    /// Keeps a waiting run until it expires. Returns false, and keeps nothing, if the store already
    /// has a run of the same action.
    ///
    /// # Errors
    ///
    /// The error of a run that cannot be saved, or any error of the store.
    pub fn keep(
        &self,
        execution: &Execution,
        payload: Box<RawValue>,
        context: Box<RawValue>,
        expires_at: Option<i64>,
        now: i64,
    ) -> Result<bool, SuspensionError> {
        self.sweep.run(&*self.store, now)?;
        let saved = execution.save().map_err(SuspensionError::Run)?;
        let run = Suspended { execution: saved, payload, context, claimed: false, refused: false };
        let value = to_json(&run)?;
        let write = Write { value: &value, expect: Condition::Absent, expires_at };
        let action_id = &execution.run().action_id;
        let kept = matches!(self.store.put(&place(action_id), write, now)?, Put::Stored(_));
        // The request may have been closed before this run was stored; then its arguments must go
        // now.
        if let (true, Some(request_id)) = (kept, execution.awaited_approval())
            && is_refused(&*self.store, request_id, now)?
        {
            refuse(&*self.store, action_id, request_id, now)?;
        }
        Ok(kept)
    }

    /// Returns the run of an action, if it waits, is refused or is claimed.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn get(&self, action_id: &str, now: i64) -> Result<Option<Suspended>, StoreError> {
        let place = place(action_id);
        let Some(entry) = self.store.get(&place, now)? else {
            self.sweep.run(&*self.store, now)?;
            return Ok(None);
        };
        from_json(&place, &entry).map(Some)
    }

    /// Claims the run of an action, so that no other process resumes it. The stored entry stays,
    /// marked as claimed and without arguments. A refused run can be claimed too, so that it can
    /// end with its refusal; its arguments are already gone.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn claim(&self, action_id: &str, now: i64) -> Result<Resumption, StoreError> {
        self.sweep.run(&*self.store, now)?;
        let place = place(action_id);
        let (resumption, _) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else {
                return Ok::<_, StoreError>(EntryChange::Keep(Resumption::Unknown));
            };
            let mut run: Suspended = from_json(&place, entry)?;
            if run.claimed {
                return Ok(EntryChange::Keep(Resumption::Taken));
            }
            run.claimed = true;
            let value = to_json(&run.without_arguments()?)?;
            let told = Resumption::Claimed(run);
            Ok(EntryChange::Put { value, expires_at: entry.expires_at, told })
        })?;
        Ok(resumption)
    }

    /// Deletes the run of an action, and says whether there was one.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn forget(&self, action_id: &str, now: i64) -> Result<bool, StoreError> {
        self.sweep.run(&*self.store, now)?;
        self.store.delete(&place(action_id), Condition::Any, now)
    }
}

impl Suspended {
    /// Whether a process has claimed the run, even if that process has ended since.
    #[must_use]
    pub fn is_claimed(&self) -> bool {
        self.claimed
    }

    /// Whether the run's handler will never be called, because the request that the run waits for
    /// was closed without an approval. The payload is then gone.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.refused
    }

    /// Returns the run without its arguments.
    fn without_arguments(&self) -> Result<Self, StoreError> {
        let nothing = raw_json(&serde_json::Value::Null)?;
        Ok(Self { payload: nothing.clone(), context: nothing, ..self.clone() })
    }
}

/// Why a run was not kept.
#[derive(Debug)]
#[non_exhaustive]
pub enum SuspensionError {
    /// The run cannot be saved.
    Run(Error),
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for SuspensionError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl std::fmt::Display for SuspensionError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Run(error) => error.fmt(formatter),
            Self::Store(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for SuspensionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Run(error) => Some(error),
            Self::Store(error) => Some(error),
        }
    }
}

/// Whether the run of an action waits for this request and is not claimed.
pub(super) fn is_kept(
    store: &dyn Store,
    action_id: &str,
    request_id: &str,
    now: i64,
) -> Result<bool, StoreError> {
    let place = place(action_id);
    let Some(entry) = store.get(&place, now)? else { return Ok(false) };
    let run: Suspended = from_json(&place, &entry)?;
    Ok(!run.claimed && Execution::saved_waits_for(&run.execution, request_id))
}

/// Removes the arguments of the run that waits for a request which was closed without an approval.
pub(super) fn refuse(
    store: &dyn Store,
    action_id: &str,
    request_id: &str,
    now: i64,
) -> Result<(), StoreError> {
    let place = place(action_id);
    change(store, &place, now, |entry| {
        let Some(entry) = entry else { return Ok(EntryChange::Keep(())) };
        let run: Suspended = from_json(&place, entry)?;
        if run.claimed || run.refused || !Execution::saved_waits_for(&run.execution, request_id) {
            return Ok(EntryChange::Keep(()));
        }
        let left = Suspended { refused: true, ..run.without_arguments()? };
        Ok(EntryChange::Put { value: to_json(&left)?, expires_at: entry.expires_at, told: () })
    })?;
    Ok(())
}

/// Whether a request of this store was closed without an approval.
fn is_refused(store: &dyn Store, request_id: &str, now: i64) -> Result<bool, StoreError> {
    let place = by_id(request_id);
    let Some(entry) = store.get(&place, now)? else { return Ok(false) };
    let status = from_json::<Standing>(&place, &entry)?.status(now);
    Ok(!matches!(status, ApprovalStatus::Pending | ApprovalStatus::Approved))
}

fn place(action_id: &str) -> String {
    key(&["execution", action_id])
}
