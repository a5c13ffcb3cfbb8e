//! Runs that wait for a person: no process has them.

use serde_json::value::RawValue;

use super::claim::RunClaim;
use super::error::RunsError;
use super::hooks::catch_up;
use super::record::{
    RunAttempts, RunCall, RunInput, RunRecord, RunTool, RunWait, Stage, open_place,
};
use crate::lifecycle::Runs;
use crate::lifecycle::machine::execution::Execution;
use crate::lifecycle::time::Time;
use crate::store::{Condition, Put, StoreChange, Write, to_json};

impl Runs {
    /// Keeps a run that nobody has begun here, while it waits for approval. It is forgotten at its
    /// end. Returns false, and keeps nothing, if the store has a run of the same action.
    ///
    /// # Errors
    ///
    /// The error of a run that cannot be saved, or any error of the store.
    pub fn keep(
        &self,
        execution: &Execution,
        payload: Box<RawValue>,
        caller: String,
        expires_at: Option<i64>,
        now: i64,
    ) -> Result<bool, RunsError> {
        let tool = execution.tool();
        let saved = execution.save().map_err(RunsError::Run)?;
        let record = RunRecord {
            id: execution.run().action_id.clone(),
            tool: RunTool { name: tool.name.clone(), id: tool.id.clone() },
            input: RunInput {
                execution: Some(saved),
                payload,
                run: execution.run().clone(),
                caller,
                proposed: Vec::new(),
            },
            approval_id: execution.awaited_approval().map(str::to_owned),
            outcome: None,
            created_at: Time::from_micros(now),
            changed_at: Time::from_micros(now),
            asked: RunCall::default(),
            read_from: None,
            stage: Stage::Waiting,
            lease: None,
            wait: waits(execution, now),
            attempts: RunAttempts::default(),
        };
        let kept = self.insert(&record, expires_at, now)? != Put::Conflict;
        if kept {
            catch_up(&*self.store, &record, now)?;
        }
        Ok(kept)
    }

    /// Gives a run back while a person decides, with the payload that its handler will get. Any
    /// process may take it up then. Returns false if the caller no longer has the run.
    ///
    /// # Errors
    ///
    /// The error of a run that cannot be saved, or any error of the store.
    pub fn suspend(
        &self,
        claim: &RunClaim,
        execution: &Execution,
        payload: &RawValue,
        now: i64,
    ) -> Result<bool, RunsError> {
        let saved = execution.save().map_err(RunsError::Run)?;
        let until = execution.settings().kept_until(now).max(self.kept_until(now));
        let change = |record: RunRecord| {
            let (kept, payload) = (Some(saved.clone()), payload.to_owned());
            Ok(RunRecord {
                input: RunInput { execution: kept, payload, ..record.input },
                approval_id: execution.awaited_approval().map(str::to_owned),
                stage: Stage::Waiting,
                lease: None,
                wait: waits(execution, now),
                ..record
            }
            .changed(now))
        };
        let (open, id) = (open_place(&claim.record), to_json(&claim.record.id)?);
        let listed = Write { value: &id, expect: Condition::Any, expires_at: Some(until) };
        let then = [StoreChange::Put { key: &open, write: listed }];
        let kept = self.change_and(claim, until, now, change, &then)?;
        let Some(record) = kept else { return Ok(false) };
        catch_up(&*self.store, &record, now)?;
        Ok(true)
    }
}

/// What a run waits for that begins to wait now.
fn waits(execution: &Execution, now: i64) -> RunWait {
    let end = now.saturating_add(execution.settings().approval_timeout());
    RunWait { decide_by: Some(Time::from_micros(end)), refused: None }
}
