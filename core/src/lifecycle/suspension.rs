//! Runs that wait for a person, kept in a store until somebody goes on with them.
//!
//! A run is kept under its action's id, with the payload that its handler needs. Whoever resumes it
//! claims it first, so that of any number of requests that look at once one runs the handler; a
//! process that dies after that leaves the run as claimed, and it is never run twice.
//!
//! The arguments leave the store when the run is claimed, and when the request that it waits for is
//! closed and not approved: nobody needs them then. All that is left of a run leaves when its time
//! is over, with the next run that is kept, claimed, forgotten or asked for in vain.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::approval_index::by_id;
use super::approval_request::{ApprovalStatus, Standing};
use super::execution::Execution;
use crate::error::Error;
use crate::store::{
    Change, Expect, Put, Store, StoreError, Sweep, Write, change, from_json, key, raw_json, to_json,
};

/// A run that waits, with what its handler needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Suspended {
    /// The run, as [`Execution::save`] wrote it.
    pub execution: String,
    /// The action's payload, as JSON.
    pub payload: Box<RawValue>,
    /// What else the host needs to go on, as JSON.
    pub context: Box<RawValue>,
    /// Whether somebody goes on with it, or did and ended before it was done.
    claimed: bool,
    /// Whether its handler will never be called.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    refused: bool,
}

/// What became of a claim.
#[derive(Clone, Debug)]
pub enum Resumption {
    /// The run is the caller's alone.
    Claimed(Suspended),
    /// Somebody else has claimed it.
    Taken,
    /// No run waits for this action.
    Unknown,
}

/// The runs that wait in a store.
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
    /// Takes the runs of a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, sweep: Sweep::new("execution", 1) }
    }

    /// Keeps a run that waits until its time is over; whether there was none for its action.
    ///
    /// # Errors
    ///
    /// The run's, when it cannot be saved, or the store's.
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
        let write = Write { value: &value, expect: Expect::Absent, expires_at };
        let action_id = &execution.run().action_id;
        let kept = matches!(self.store.put(&place(action_id), write, now)?, Put::Stored(_));
        // Somebody may have closed the request before the run was there to lose its arguments.
        if let (true, Some(request_id)) = (kept, execution.awaited_approval())
            && is_refused(&*self.store, request_id, now)?
        {
            refuse(&*self.store, action_id, request_id, now)?;
        }
        Ok(kept)
    }

    /// The run of an action, if it waits, is refused or is claimed.
    ///
    /// # Errors
    ///
    /// The store's.
    pub fn get(&self, action_id: &str, now: i64) -> Result<Option<Suspended>, StoreError> {
        let place = place(action_id);
        let Some(entry) = self.store.get(&place, now)? else {
            self.sweep.run(&*self.store, now)?;
            return Ok(None);
        };
        from_json(&place, &entry).map(Some)
    }

    /// Takes the run of an action, so that nobody else goes on with it. What stays in the store
    /// says that, and holds no arguments any more. A run that was refused is claimed as any other,
    /// to be told so, and has none either.
    ///
    /// # Errors
    ///
    /// The store's.
    pub fn claim(&self, action_id: &str, now: i64) -> Result<Resumption, StoreError> {
        self.sweep.run(&*self.store, now)?;
        let place = place(action_id);
        let (resumption, _) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else {
                return Ok::<_, StoreError>(Change::Keep(Resumption::Unknown));
            };
            let mut run: Suspended = from_json(&place, entry)?;
            if run.claimed {
                return Ok(Change::Keep(Resumption::Taken));
            }
            run.claimed = true;
            let value = to_json(&run.without_arguments()?)?;
            let told = Resumption::Claimed(run);
            Ok(Change::Put { value, expires_at: entry.expires_at, told })
        })?;
        Ok(resumption)
    }

    /// Forgets the run of an action; whether there was one.
    ///
    /// # Errors
    ///
    /// The store's.
    pub fn forget(&self, action_id: &str, now: i64) -> Result<bool, StoreError> {
        self.sweep.run(&*self.store, now)?;
        self.store.delete(&place(action_id), Expect::Any, now)
    }
}

impl Suspended {
    /// Whether somebody goes on with the run, or did and ended before it was done.
    #[must_use]
    pub fn is_claimed(&self) -> bool {
        self.claimed
    }

    /// Whether its handler will never be called, as the request that it waits for was closed and
    /// not approved. The payload is then gone.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.refused
    }

    /// What stays of the run when nobody needs its arguments any more.
    fn without_arguments(&self) -> Result<Self, StoreError> {
        let nothing = raw_json(&serde_json::Value::Null)?;
        Ok(Self { payload: nothing.clone(), context: nothing, ..self.clone() })
    }
}

/// Why a run was not kept.
#[derive(Debug)]
#[non_exhaustive]
pub enum SuspensionError {
    /// It cannot be saved.
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

/// Whether the run of an action waits for this request, and nobody has claimed it.
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

/// Takes the arguments out of the run that waits for a request which was closed and not approved.
pub(super) fn refuse(
    store: &dyn Store,
    action_id: &str,
    request_id: &str,
    now: i64,
) -> Result<(), StoreError> {
    let place = place(action_id);
    change(store, &place, now, |entry| {
        let Some(entry) = entry else { return Ok(Change::Keep(())) };
        let run: Suspended = from_json(&place, entry)?;
        if run.claimed || run.refused || !Execution::saved_waits_for(&run.execution, request_id) {
            return Ok(Change::Keep(()));
        }
        let left = Suspended { refused: true, ..run.without_arguments()? };
        Ok(Change::Put { value: to_json(&left)?, expires_at: entry.expires_at, told: () })
    })?;
    Ok(())
}

/// Whether a request of this store was closed and not approved.
fn is_refused(store: &dyn Store, request_id: &str, now: i64) -> Result<bool, StoreError> {
    let place = by_id(request_id);
    let Some(entry) = store.get(&place, now)? else { return Ok(false) };
    let status = from_json::<Standing>(&place, &entry)?.status(now);
    Ok(!matches!(status, ApprovalStatus::Pending | ApprovalStatus::Approved))
}

fn place(action_id: &str) -> String {
    key(&["execution", action_id])
}
