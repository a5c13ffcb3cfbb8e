//! Runs that a store keeps: begun once for each call, and taken up again by any process.

use std::sync::Arc;

use super::driver::{Driven, Driver, KeptRun, fingerprint_of};
use super::host::RunHost;
use super::nesting::Nested;
use super::services::Services;
use crate::error::{Error, ErrorKind};
use crate::lifecycle::{
    Answer, Drive, DriveAnswer, DriveEnd, Execution, Moment, Naming, Need, NewDrive, Run, RunEvent,
    RunRecord, RunStart, Runs, RunsError, Step,
};
use crate::registry::ToolSpec;

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
        let first = first(&host);
        let execution = Execution::new(tool, run, self.settings.clone());
        let drive = Drive::alone(execution, host.caller().to_owned());
        match Driver::new(self, host, drive).go(first)? {
            Some(KeptRun::Driven(driven)) => Ok(*driven),
            // This cannot happen: only a run with a claim can be taken up by another process.
            _ => Err(impossible().into()),
        }
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
        let first = first(&host);
        let (caller, settings) = (host.caller().to_owned(), self.settings.clone());
        let drive = Drive::start(NewDrive { tool, run, named, caller, start, settings });
        let kept = Driver::new(self, host, drive).go(first)?;
        kept.ok_or_else(|| impossible().into())
    }

    /// Takes a run up that no process has; returns nothing if the store has no run of this id.
    ///
    /// `tell` emits the event of a run that is found interrupted, whose tool is not looked up.
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
        tell: &Tell<'_, H::Stop>,
        make: impl FnOnce(&RunRecord) -> Result<(Arc<ToolSpec>, H), H::Stop>,
    ) -> Result<Option<KeptRun<H>>, H::Stop> {
        let _nested = Nested::begin(H::stack())?;
        let mut drive = Drive::resume(id, self.settings.clone());
        let record = match self.read(&mut drive, now, tell)? {
            RunRead::Found(record) => record,
            RunRead::Standing(record) => return Ok(Some(KeptRun::Standing(record))),
            RunRead::Unknown => return Ok(None),
        };
        let (tool, host) = make(&record)?;
        Driver::new(self, host, drive).go(DriveAnswer::Tool(tool))
    }

    /// Returns a run as it stands, and leaves it alone; nothing if the store has no run of this id.
    /// `tell` emits the event of a run that is found interrupted.
    ///
    /// # Errors
    ///
    /// Any error of the store, and what `tell` gives.
    pub fn look<S>(&self, id: &str, now: i64, tell: &Tell<'_, S>) -> Result<Option<RunRecord>, S>
    where
        S: From<Error> + From<RunsError>,
    {
        let mut drive = Drive::look(id, self.settings.clone());
        match self.read(&mut drive, now, tell)? {
            RunRead::Standing(record) => Ok(Some(*record)),
            RunRead::Unknown => Ok(None),
            RunRead::Found(_) => Err(impossible().into()),
        }
    }

    /// Makes an interrupted run ready to run once more, because somebody decided so, and returns
    /// it; see [`Runs::retry`]. `tell` emits the event of a run that nobody had found interrupted.
    ///
    /// # Errors
    ///
    /// As [`Runs::retry`], and what `tell` gives.
    pub fn retry<S>(&self, id: &str, now: i64, tell: &Tell<'_, S>) -> Result<RunRecord, S>
    where
        S: From<Error> + From<RunsError>,
    {
        let mut drive = Drive::retry(id, self.settings.clone());
        match self.read(&mut drive, now, tell)? {
            RunRead::Standing(record) => Ok(*record),
            RunRead::Found(_) | RunRead::Unknown => Err(impossible().into()),
        }
    }

    /// Goes as far as the record of a run of the store, or as far as its tool is needed.
    pub(super) fn read<S>(
        &self,
        drive: &mut Drive,
        now: i64,
        tell: &Tell<'_, S>,
    ) -> Result<RunRead, S>
    where
        S: From<Error> + From<RunsError>,
    {
        let at = Moment { wall_us: now, ..Moment::default() };
        let mut answer = Answer::Done.into();
        let mut failed = None;
        loop {
            answer = match drive.advance(answer, at)? {
                Need::Runs(step) => match step.perform(&self.runs, Runs::LEASE, at) {
                    Ok(given) => given.into(),
                    Err(error) => {
                        let blame = error.blame();
                        failed = Some(error);
                        DriveAnswer::Failed(blame)
                    }
                },
                Need::Step(Step::Emit(event)) => {
                    tell(&event)?;
                    Answer::Done.into()
                }
                Need::End(DriveEnd::Failed) => {
                    return Err(failed.map_or_else(|| impossible().into(), Into::into));
                }
                Need::Tool(record) => return Ok(RunRead::Found(record)),
                Need::End(DriveEnd::Unknown) => return Ok(RunRead::Unknown),
                Need::End(DriveEnd::Standing(record)) => return Ok(RunRead::Standing(record)),
                _ => return Err(impossible().into()),
            };
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
}

/// Emits an event of a run whose host is not made.
pub type Tell<'t, S> = dyn Fn(&RunEvent) -> Result<(), S> + 't;

/// A run of the store, before its tool is known.
pub(super) enum RunRead {
    /// It may be taken further.
    Found(Box<RunRecord>),
    /// It stands as it is.
    Standing(Box<RunRecord>),
    /// The store has no such run.
    Unknown,
}

/// The first answer to the machine of a call.
fn first<H: RunHost>(host: &H) -> DriveAnswer {
    host.bad_number().map_or(Answer::Done, |path| Answer::BadNumber { path }).into()
}

/// The error of an end that such a run never has.
fn impossible() -> Error {
    Error::new(ErrorKind::InvalidExecution, "the run cannot go on in this way")
}
