//! Running an interrupted run once more, because a person or a program has decided so.
//!
//! Nobody knows what the handler of an interrupted run did, so no run is retried by itself. A
//! retried run keeps its id, its idempotency key and its approval. It
//! passes the checks again: if an approved tool would now change something else than was approved,
//! for example because the handler had done its work, the run is denied.
//!
//! ```
//! use std::sync::Arc;
//! use serde_json::value::RawValue;
//! use toolwire::lifecycle::{Begun, Moment, Naming, NewRun, Run, RunState, RunTool, Runs};
//! use toolwire::store::MemoryStore;
//!
//! let runs = Runs::new(Arc::new(MemoryStore::default()));
//! let tool = RunTool { name: "edit".into(), id: "EDIT".into() };
//! let payload = RawValue::from_string("{}".into())?;
//! let (run, caller, call) = (Run::new("run-1"), String::new(), "fingerprint".into());
//! let new = NewRun { run, named: Naming::Own, caller, tool, call, payload };
//! let Begun::Mine(claim) = runs.begin(new, 10, 0)? else { panic!() };
//! assert!(runs.start(&claim, 10, Moment { wall_us: 1, ticks_ns: 1000 })?);
//!
//! // The process ends here. After its lease, somebody decides that the handler may run again.
//! assert_eq!(runs.retry("run-1", 2).unwrap_err().slug(), "not_interrupted");
//! assert_eq!(runs.retry("run-1", 20)?.state(20), RunState::Approved);
//! assert_eq!(runs.retry("run-1", 20).unwrap_err().slug(), "not_interrupted");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::error::RunsError;
use super::found::FoundRun;
use super::interruption::InterruptionCode;
use super::record::{RunRecord, Stage, open_place, place};
use crate::lifecycle::Runs;
use crate::lifecycle::machine::state::RunState;
use crate::store::{
    ATTEMPTS, Condition, Put, StoreChange, Write, contended, first_put, from_json, to_json,
};

impl Runs {
    /// Makes an interrupted run ready to run once more, and returns it. It is `approved` then until
    /// a process takes it up. Of several processes that retry a run at once, one succeeds. A
    /// process that runs the handler all the same can no longer write down how the run ended.
    ///
    /// # Errors
    ///
    /// `unknown_run` when the store has no run of this id; `not_interrupted` when the run is in any
    /// other state; `arguments_gone` for a run that [`keep`](Runs::keep) stored; any error of the
    /// store.
    pub fn retry(&self, id: &str, now: i64) -> Result<RunRecord, RunsError> {
        Ok(*self.retry_found(id, now)?.record)
    }

    /// Retries a run as [`retry`](Self::retry) does, and says whether nobody had found it
    /// interrupted before.
    ///
    /// # Errors
    ///
    /// As `retry`.
    pub fn retry_found(&self, id: &str, now: i64) -> Result<FoundRun, RunsError> {
        let place = place(id);
        let mut sweep = self.sweep.due();
        for _ in 0..ATTEMPTS {
            let Some(entry) = self.store.get(&place, now)? else {
                return Err(RunsError::Unknown { id: id.to_owned() });
            };
            let record = from_json::<RunRecord>(&place, &entry)?.checked_for_retry(now)?;
            let is_first = record.is_unnoted(now);
            let lease_over = InterruptionCode::LeaseOver.into();
            let record = if is_first { record.cut_off(&lease_over, now) } else { record };
            let record = RunRecord { stage: Stage::Approved, lease: None, ..record }.changed(now);
            let expires_at = entry.expires_at.map(|at| at.max(self.kept_until(now)));
            // The run is kept longer now, and stands in the list of open runs for as long.
            let (value, open, name) =
                (to_json(&record)?, open_place(&record), to_json(&record.id)?);
            let put = |key, value, expect| StoreChange::Put {
                key,
                write: Write { value, expect, expires_at },
            };
            let own = put(&*place, &*value, Condition::Version(entry.version));
            let listed = put(&*open, &*name, Condition::Any);
            let changes: Vec<_> = sweep.take().into_iter().chain([own, listed]).collect();
            if let Put::Stored(_) = first_put(&self.store.batch(&changes, now)?) {
                return Ok(FoundRun { record: Box::new(record), is_first });
            }
        }
        Err(contended(&place).into())
    }
}

impl RunRecord {
    /// Returns the run, if it may be retried.
    fn checked_for_retry(self, now: i64) -> Result<Self, RunsError> {
        let (id, state) = (self.id.clone(), self.state(now));
        if state != RunState::Interrupted {
            return Err(RunsError::NotInterrupted { id, state });
        }
        if self.input.payload.get() == "null" {
            return Err(RunsError::ArgumentsGone { id });
        }
        Ok(self)
    }
}
