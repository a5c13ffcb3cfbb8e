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
use crate::store::{Condition, Put, StoreChange, StoreError, Write, to_json};

impl Runs {
    /// Keeps a run that nobody has begun here, while it waits for approval. It is forgotten at its
    /// end. Returns false, and keeps nothing, if the store has a run with the same id.
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
        let record = waiting_alone(execution, payload, caller, now)?;
        let kept = self.insert_and(&record, expires_at, now, &[])? != Put::Conflict;
        if kept {
            catch_up(&*self.store, &record, now)?;
        }
        Ok(kept)
    }

    /// Keeps a run as [`keep`](Self::keep) does, and makes the request that it waits for, in one
    /// batch. Nobody can have decided when it waits.
    pub(in crate::lifecycle) fn keep_asking(
        &self,
        execution: &Execution,
        payload: Box<RawValue>,
        caller: String,
        request: &[StoreChange<'_>],
        now: i64,
    ) -> Result<bool, RunsError> {
        let record = waiting_alone(execution, payload, caller, now)?;
        let until = Some(execution.settings().kept_until(now));
        Ok(self.insert_and(&record, until, now, request)? != Put::Conflict)
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
        let change = suspension(execution, payload, now)?;
        let until = execution.settings().kept_until(now).max(self.kept_until(now));
        let (open, id) = (open_place(&claim.record), to_json(&claim.record.id)?);
        let then = [listed(&open, &id, until)];
        let kept = self.change_and(claim, until, now, change, &then)?;
        let Some(record) = kept else { return Ok(false) };
        catch_up(&*self.store, &record, now)?;
        Ok(true)
    }

    /// Gives a run back as [`suspend`](Self::suspend) does, and makes the request that it waits
    /// for, in one batch. Nobody can have decided when it waits. Returns false, and changes
    /// nothing, if the store may have another entry of the run than the caller wrote last.
    pub(in crate::lifecycle) fn suspend_asking(
        &self,
        claim: &RunClaim,
        execution: &Execution,
        payload: &RawValue,
        request: &[StoreChange<'_>],
        now: i64,
    ) -> Result<bool, RunsError> {
        let change = suspension(execution, payload, now)?;
        let until = execution.settings().kept_until(now).max(self.kept_until(now));
        let (open, id) = (open_place(&claim.record), to_json(&claim.record.id)?);
        let then: Vec<_> =
            std::iter::once(listed(&open, &id, until)).chain(request.iter().copied()).collect();
        Ok(self.change_last(claim, &claim.last(), until, now, change, &then)?.is_some())
    }
}

/// A run that waits, and that nobody has begun in the store.
fn waiting_alone(
    execution: &Execution,
    payload: Box<RawValue>,
    caller: String,
    now: i64,
) -> Result<RunRecord, RunsError> {
    let tool = execution.tool();
    let saved = execution.save().map_err(RunsError::Run)?;
    Ok(RunRecord {
        id: execution.run().run_id.clone(),
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
    })
}

/// Returns what becomes of the record of a run that is given back while a person decides.
fn suspension<'a>(
    execution: &'a Execution,
    payload: &'a RawValue,
    now: i64,
) -> Result<impl Fn(RunRecord) -> Result<RunRecord, StoreError> + 'a, RunsError> {
    let saved = execution.save().map_err(RunsError::Run)?;
    Ok(move |record: RunRecord| {
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
    })
}

/// The entry of a run in the list of those that have not ended.
fn listed<'a>(open: &'a str, id: &'a [u8], until: i64) -> StoreChange<'a> {
    let write = Write { value: id, expect: Condition::Any, expires_at: Some(until) };
    StoreChange::Put { key: open, write }
}

/// What a run waits for that begins to wait now.
fn waits(execution: &Execution, now: i64) -> RunWait {
    let end = now.saturating_add(execution.settings().approval_timeout());
    RunWait { decide_by: Some(Time::from_micros(end)), refused: None }
}
