//! Runs that a store keeps: begun once for each call, and taken up again by any process.

use std::sync::Arc;

use super::driver::{Driven, Driver, fingerprint_of};
use super::host::RunHost;
use super::nesting::Nested;
use super::open;
use super::services::Services;
use crate::error::{Error, ErrorKind};
use crate::lifecycle::{
    Answer, Begun, Execution, Naming, NewRun, Resumption, Run, RunClaim, RunRecord, RunTool, Runs,
    fingerprint,
};
use crate::registry::ToolSpec;
use crate::store::raw_json;

/// A run of the store, after a call that started or resumed it.
pub enum KeptRun<H> {
    /// This process drove the run.
    Driven(Box<Driven<H>>),
    /// The run as the store has it: it has ended, waits, or is another process's.
    Standing(Box<RunRecord>),
    /// The call's id belongs to this run of another call. Nothing ran.
    Reused(Box<RunRecord>),
}

/// What a call gets whose run never ran, because it was denied or nobody decided in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunStart {
    /// That run, as it stands.
    #[default]
    Once,
    /// A new run under the same name, with the same key.
    Again,
}

impl Services {
    /// Runs a tool without a place in the store, except while a person decides.
    ///
    /// # Errors
    ///
    /// `nested_too_deep`, and what ends the program.
    pub fn execute<H: RunHost>(
        &self,
        host: H,
        tool: Arc<ToolSpec>,
        run: Run,
    ) -> Result<Driven<H>, H::Stop> {
        let _nested = Nested::begin(H::stack())?;
        let first = match host.bad_number() {
            Some(path) => Answer::BadNumber { path },
            None => Answer::Done,
        };
        self.alone(host, tool, run, first)
    }

    /// Drives a run that has no place in the store.
    fn alone<H: RunHost>(
        &self,
        host: H,
        tool: Arc<ToolSpec>,
        run: Run,
        first: Answer,
    ) -> Result<Driven<H>, H::Stop> {
        let id = run.action_id.clone();
        let execution = Execution::new(tool, run, self.settings.clone());
        let driven = Driver::new(self, host, execution).go(first)?;
        // This cannot fail: only a run with a claim can be taken up by another process.
        driven.ok_or_else(|| gone(&id).into())
    }

    /// Begins the run of a call and keeps it in the store. A call that was started before gives
    /// the run that it has. A run that is denied for a number that is not finite has no place in
    /// the store.
    ///
    /// # Errors
    ///
    /// `nested_too_deep`, `already_ran` for a run that cannot start again, any error of the store
    /// before the run has begun, and what ends the program.
    pub fn start<H: RunHost>(
        &self,
        host: H,
        tool: Arc<ToolSpec>,
        run: Run,
        named: Naming,
        start: RunStart,
    ) -> Result<KeptRun<H>, H::Stop> {
        let _nested = Nested::begin(H::stack())?;
        if let Some(path) = host.bad_number() {
            let driven = self.alone(host, tool, run, Answer::BadNumber { path })?;
            return Ok(KeptRun::Driven(Box::new(driven)));
        }
        let arguments = host.arguments()?;
        let new = NewRun {
            run,
            named,
            caller: host.caller().to_owned(),
            tool: RunTool { name: tool.name.clone(), action_type: tool.action_type.clone() },
            call: fingerprint(&tool.action_type, &arguments, None),
            payload: raw_json(&*arguments)?,
        };
        let now = host.moment().wall_us;
        let begun = match start {
            RunStart::Once => self.runs.begin(new, Runs::LEASE, now)?,
            RunStart::Again => self.runs.begin_again(new, Runs::LEASE, now)?,
        };
        let claim = match begun {
            Begun::Mine(claim) => claim,
            Begun::Other(record) => return Ok(KeptRun::Reused(record)),
            Begun::Known(record) if !record.is_abandoned(now) => {
                return Ok(KeptRun::Standing(record));
            }
            Begun::Known(record) => match self.runs.claim(&record.id, Runs::LEASE, now)? {
                Resumption::Claimed(claim) => claim,
                Resumption::Standing(record) => return Ok(KeptRun::Standing(record)),
                Resumption::Unknown => return Err(gone(&record.id).into()),
            },
        };
        let run = claim.record.input.run.clone();
        let execution = Execution::new(tool, run, self.settings.clone());
        self.drive(Driver::new(self, host, execution), claim, Answer::Done)
    }

    /// Takes a run up that no process has; returns nothing if the store has no run of this id.
    ///
    /// `make` gives the tool as it is registered now, and the host with the record's payload and
    /// caller. It is called before the run is claimed, so a run whose payload cannot be read stays
    /// free for a later attempt.
    ///
    /// # Errors
    ///
    /// `nested_too_deep`, `invalid_execution` for a run that cannot be restored, any error of the
    /// store before the run is claimed, any error of `make`, and what ends the program.
    pub fn resume<H: RunHost>(
        &self,
        id: &str,
        now: i64,
        make: impl FnOnce(&RunRecord) -> Result<(Arc<ToolSpec>, H), H::Stop>,
    ) -> Result<Option<KeptRun<H>>, H::Stop> {
        let _nested = Nested::begin(H::stack())?;
        let Some(record) = self.runs.get(id, now)? else { return Ok(None) };
        let standing = |record| Ok(Some(KeptRun::Standing(record)));
        if !record.is_free(now) {
            return standing(Box::new(record));
        }
        let (tool, host) = make(&record)?;
        let execution = record.restore(tool, &self.settings)?;
        let answer = match self.approvals.outcome_for(&record, now)? {
            None => Answer::Done,
            Some(outcome) => match outcome.answer() {
                None => return standing(Box::new(record)),
                Some(answer) => answer,
            },
        };
        let driver = Driver::new(self, host, execution);
        match self.runs.claim(id, Runs::LEASE, now)? {
            Resumption::Unknown => Ok(None),
            Resumption::Standing(record) => standing(record),
            Resumption::Claimed(claim) => self.drive(driver, claim, answer).map(Some),
        }
    }

    /// Returns the host of a run that waits and may still be approved, and that no process has,
    /// with the run itself.
    ///
    /// # Errors
    ///
    /// As [`resume`](Self::resume).
    pub fn waiting<H: RunHost>(
        &self,
        id: &str,
        now: i64,
        make: impl FnOnce(&RunRecord) -> Result<(Arc<ToolSpec>, H), H::Stop>,
    ) -> Result<Option<(Execution, H)>, H::Stop> {
        let waits = |record: &RunRecord| {
            record.is_free(now) && !record.is_refused() && record.approval_id.is_some()
        };
        let Some(record) = self.runs.get(id, now)?.filter(waits) else { return Ok(None) };
        let (tool, host) = make(&record)?;
        Ok(Some((record.restore(tool, &self.settings)?, host)))
    }

    /// Returns the present fingerprint of a run: of its tool, its arguments and its changes.
    ///
    /// # Errors
    ///
    /// What the program raised.
    pub fn fingerprint<H: RunHost>(
        &self,
        execution: &Execution,
        host: &H,
    ) -> Result<String, H::Stop> {
        let _nested = Nested::begin(H::stack())?;
        fingerprint_of(host, execution)
    }

    /// Drives a claimed run. Who loses it meanwhile gets it as it stands.
    fn drive<H: RunHost>(
        &self,
        driver: Driver<'_, H>,
        claim: RunClaim,
        first: Answer,
    ) -> Result<KeptRun<H>, H::Stop> {
        let id = claim.record.id.clone();
        if H::MAY_LEAVE {
            open::open(&self.runs, &claim);
        }
        let ended = driver.having(claim).go(first);
        if H::MAY_LEAVE && !ended.as_ref().is_err_and(H::leaves) {
            open::close(&self.runs, &id);
        }
        if let Some(driven) = ended? {
            return Ok(KeptRun::Driven(Box::new(driven)));
        }
        let stands = self.runs.get(&id, super::clock::now())?;
        Ok(KeptRun::Standing(Box::new(stands.ok_or_else(|| gone(&id))?)))
    }
}

fn gone(id: &str) -> Error {
    let message = format!("another process has taken up the run '{id}' and forgotten it");
    Error::new(ErrorKind::InvalidExecution, message)
}
