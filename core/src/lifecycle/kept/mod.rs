//! Runs that outlive their process, kept in a store.
//!
//! A run begins once for each call. The process that has it holds a lease, writes down that the
//! handler is about to start, and writes down the outcome. While a person has to decide, nobody has
//! the run, and any process may take it up afterwards. So may any process when the owner ended
//! before the handler was started. After that nobody takes it up: the handler may have run, and it
//! runs at most once, unless somebody retries the run.
//!
//! The arguments leave the store when the run ends, and when the request that the run waits for is
//! closed without an approval. An interrupted run keeps them for [`retry`](Runs::retry), unless
//! [`keep`](Runs::keep) stored it.
//!
//! ```
//! use std::sync::Arc;
//! use serde_json::value::RawValue;
//! use toolwire::lifecycle::{
//!     Begun, Moment, Naming, NewRun, Run, RunOutcome, RunState, RunTool, Runs,
//! };
//! use toolwire::store::MemoryStore;
//!
//! let runs = Runs::new(Arc::new(MemoryStore::default()));
//! let json = |text: &str| RawValue::from_string(text.to_owned());
//! let new = || Ok::<_, serde_json::Error>(NewRun {
//!     run: Run::new("run-1"),
//!     named: Naming::Own,
//!     caller: String::new(),
//!     tool: RunTool { name: "edit".into(), id: "EDIT".into() },
//!     call: "fingerprint".into(),
//!     payload: json(r#"{"title":"New"}"#)?,
//! });
//! let lease = Runs::LEASE;
//! let Begun::Mine(claim) = runs.begin(new()?, lease, 0)? else { panic!() };
//! let at = |us: i64| Moment { wall_us: us, ticks_ns: us.unsigned_abs() * 1000 };
//! assert!(runs.start(&claim, lease, at(1))?);
//! runs.settle(&claim, &RunOutcome::completed(Some(json("7")?)), at(2))?;
//!
//! let Begun::Known(run) = runs.begin(new()?, lease, 3)? else { panic!() };
//! assert_eq!(run.state(3), RunState::Completed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(in crate::lifecycle) mod again;
pub(in crate::lifecycle) mod claim;
pub(in crate::lifecycle) mod error;
pub(in crate::lifecycle) mod found;
pub(in crate::lifecycle) mod held;
pub(in crate::lifecycle) mod hooks;
pub(in crate::lifecycle) mod id;
pub(in crate::lifecycle) mod interruption;
pub(in crate::lifecycle) mod list;
pub(in crate::lifecycle) mod proposal;
pub(in crate::lifecycle) mod record;
pub(in crate::lifecycle) mod restore;
pub(in crate::lifecycle) mod retry;
pub(in crate::lifecycle) mod take;
pub(in crate::lifecycle) mod wait;

use std::sync::Arc;

use serde_json::value::RawValue;
use uuid::Uuid;

use crate::lifecycle::machine::state::RunState;
use crate::lifecycle::machine::step::Run;
use crate::lifecycle::time::Time;
use crate::store::{
    Condition, EntryChange, Put, Store, StoreChange, StoreError, StoreErrorKind, Sweep, Write,
    change, first_put, from_json, to_json,
};
use claim::{LastWrite, RunClaim};
use id::Naming;
use record::{
    RunAttempts, RunCall, RunEntry, RunInput, RunOutcome, RunRecord, RunTool, RunWait, Stage,
    leased, open_place, place,
};

/// A run that is to begin.
#[derive(Clone, Debug)]
pub struct NewRun {
    /// The ids and the mode of the run; for its id, see
    /// [`run_id`](crate::lifecycle::run_id).
    pub run: Run,
    /// How the run got its id.
    pub named: Naming,
    /// The caller whose calls a rate limit counts.
    pub caller: String,
    /// The tool.
    pub tool: RunTool,
    /// The fingerprint of tool and arguments, by which a second call with the same id is known as
    /// the same call.
    pub call: String,
    /// The arguments, as JSON.
    pub payload: Box<RawValue>,
}

/// The answer to a run that is to begin.
#[derive(Clone, Debug)]
pub enum Begun {
    /// The caller has the new run.
    Mine(RunClaim),
    /// The store has the run of this call already.
    Known(Box<RunRecord>),
    /// The id belongs to the run of another call.
    Other(Box<RunRecord>),
}

/// The answer to a claim.
#[derive(Clone, Debug)]
pub enum Resumption {
    /// The caller alone has the run.
    Claimed(RunClaim),
    /// The run cannot be taken up: another process has it, its handler was started, or it has
    /// ended.
    Standing(Box<RunRecord>),
    /// The store has no run of this id.
    Unknown,
}

/// The runs of a store.
pub struct Runs {
    pub(in crate::lifecycle) store: Arc<dyn Store>,
    pub(in crate::lifecycle) sweep: Sweep,
    retention: i64,
    pub(in crate::lifecycle) keeps_outputs: bool,
}

impl Runs {
    /// For how long a run is kept after its last change, in seconds, where a host names no other
    /// time: a week.
    pub const RETENTION_SECONDS: f64 = 604_800.0;

    /// How long a process has a run, in microseconds, before it must renew its lease: a minute.
    pub const LEASE: i64 = 60_000_000;

    /// How long after its lease was written a process renews it, in microseconds.
    pub const RENEW_AFTER: i64 = 20_000_000;

    /// Opens the runs of a store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        let retention = crate::lifecycle::time::microseconds(Self::RETENTION_SECONDS);
        Self { store, sweep: Sweep::new("run", 1), retention, keeps_outputs: true }
    }

    /// Keeps each run for so many microseconds after its last change.
    #[must_use]
    pub fn with_retention(self, retention: i64) -> Self {
        Self { retention, ..self }
    }

    /// Keeps how each run ended, but neither the output of its handler nor what the handler said
    /// when it raised. Both may hold what only the program's own records may keep.
    #[must_use]
    pub fn without_outputs(self) -> Self {
        Self { keeps_outputs: false, ..self }
    }

    /// Begins a run, unless the store has one of this id.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn begin(&self, new: NewRun, lease: i64, now: i64) -> Result<Begun, StoreError> {
        let owner = Uuid::new_v4().to_string();
        let record = Arc::new(beginning(new, &owner, lease, now));
        let until = Some(self.kept_until(now));
        let mine = |version, owner: String| {
            RunClaim::new(owner, false, LastWrite::new(Arc::clone(&record), version, until))
        };
        match self.insert_and(&record, until, now, &[]) {
            Ok(Put::Stored(version)) => return Ok(Begun::Mine(mine(Some(version), owner))),
            Ok(Put::Conflict) => {}
            Err(failed) if self.is_ours(&record.id, &owner, now) => {
                let claim = mine(None, owner);
                self.list_again(&claim, failed, now)?;
                return Ok(Begun::Mine(claim));
            }
            Err(failed) => return Err(failed),
        }
        let Some(known) = self.get(&record.id, now)? else {
            // It has expired between the two steps.
            return Err(crate::store::contended(&place(&record.id)));
        };
        let (asked, given) = (&known.asked, &record.asked);
        let same_call = asked.call.is_none() || asked.call == given.call;
        let same_name = asked.named.is_none() || asked.named == given.named;
        Ok(if same_call && same_name {
            Begun::Known(Box::new(known))
        } else {
            Begun::Other(Box::new(known))
        })
    }

    /// Notes that what the handler of a completed run did was undone, and says whether the store
    /// has such a run.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn undone(&self, id: &str, now: i64) -> Result<bool, StoreError> {
        let place = place(id);
        let (undone, _) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else { return Ok::<_, StoreError>(EntryChange::Keep(false)) };
            let record: RunRecord = from_json(&place, entry)?;
            if record.state(now) != RunState::Completed {
                return Ok(EntryChange::Keep(false));
            }
            let outcome = record.outcome.clone().map(|done| RunOutcome { undone: true, ..done });
            let value = to_json(&RunRecord { outcome, ..record }.changed(now))?;
            Ok(EntryChange::Put { value, expires_at: entry.expires_at, told: true })
        })?;
        Ok(undone)
    }

    /// Returns a run.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn get(&self, id: &str, now: i64) -> Result<Option<RunRecord>, StoreError> {
        let place = place(id);
        let Some(entry) = self.store.get(&place, now)? else {
            self.sweep.run(&*self.store, now)?;
            return Ok(None);
        };
        let record: RunRecord = from_json(&place, &entry)?;
        let read_from = Some(RunEntry { version: entry.version, expires_at: entry.expires_at });
        Ok(Some(RunRecord { read_from, ..record }))
    }

    /// Whether the store has the run for this owner. A store that answers with an error may have
    /// made the change all the same.
    fn is_ours(&self, id: &str, owner: &str, now: i64) -> bool {
        self.get(id, now).ok().flatten().is_some_and(|record| record.is_of(owner))
    }

    /// Lists a run whose beginning the store answered with an error. A run that is not listed is
    /// given back.
    fn list_again(&self, claim: &RunClaim, failed: StoreError, now: i64) -> Result<(), StoreError> {
        let listed = self.list(&claim.record, Some(self.kept_until(now)), now);
        if listed.is_err() {
            // If this fails too, the run is free when its lease ends.
            drop(self.give_back(claim, now));
            return Err(failed);
        }
        Ok(())
    }

    /// Deletes a run, and says whether there was one.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn forget(&self, id: &str, now: i64) -> Result<bool, StoreError> {
        self.sweep.run(&*self.store, now)?;
        match self.get(id, now) {
            Ok(Some(record)) => self.unlist(&record, now)?,
            Ok(None) => {}
            // A spoiled record is deleted too. The list drops an entry that leads nowhere.
            Err(error) if error.kind() == StoreErrorKind::Corrupt => {}
            Err(error) => return Err(error),
        }
        self.store.delete(&place(id), Condition::Any, now)
    }

    /// Puts a new run, lists it, and makes the rest of the changes, unless the store has a run of
    /// its id.
    pub(in crate::lifecycle) fn insert_and(
        &self,
        record: &RunRecord,
        expires_at: Option<i64>,
        now: i64,
        then: &[StoreChange<'_>],
    ) -> Result<Put, StoreError> {
        let (key, value) = (place(&record.id), to_json(record)?);
        let write = Write { value: &value, expect: Condition::Absent, expires_at };
        let (open, id) = (open_place(record), to_json(&record.id)?);
        let listed = Write { value: &id, expect: Condition::Any, expires_at };
        let puts =
            [StoreChange::Put { key: &key, write }, StoreChange::Put { key: &open, write: listed }];
        let sweep = self.sweep.due().into_iter();
        let changes: Vec<_> = sweep.chain(puts).chain(then.iter().copied()).collect();
        let made = self.store.batch(&changes, now)?;
        Ok(first_put(&made))
    }

    /// Whether the caller has the run, as the store has it now.
    pub(in crate::lifecycle) fn is_held(
        &self,
        claim: &RunClaim,
        now: i64,
    ) -> Result<bool, StoreError> {
        let record = self.get(&claim.record.id, now)?;
        Ok(record.is_some_and(|record| record.is_of(&claim.owner)))
    }

    pub(in crate::lifecycle) fn kept_until(&self, now: i64) -> i64 {
        now.saturating_add(self.retention)
    }
}

/// The record of a run that begins now.
pub(in crate::lifecycle) fn beginning(new: NewRun, owner: &str, lease: i64, now: i64) -> RunRecord {
    let NewRun { run, caller, payload, .. } = new;
    RunRecord {
        id: run.run_id.clone(),
        tool: new.tool,
        input: RunInput { execution: None, payload, run, caller, proposed: Vec::new() },
        approval_id: None,
        outcome: None,
        created_at: Time::from_micros(now),
        changed_at: Time::from_micros(now),
        asked: RunCall { call: Some(new.call), named: Some(new.named) },
        read_from: None,
        stage: Stage::Checking,
        lease: Some(leased(owner, lease, now)),
        wait: RunWait::default(),
        attempts: RunAttempts::default(),
    }
}
