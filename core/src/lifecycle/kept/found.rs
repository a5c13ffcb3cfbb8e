//! Interrupted runs, and who tells of them.
//!
//! A run is interrupted when its lease ends during the handler, or when the process gives the lease
//! up. Whoever finds that first notes it in the run's record, and tells the listeners: so they hear
//! it once at most for each attempt, however many processes look.

use std::cell::Cell;

use super::claim::RunClaim;
use super::interruption::{HandlerEnd, InterruptionCode};
use super::record::{RunAttempts, RunRecord, Stage, place};
use crate::lifecycle::Runs;
use crate::lifecycle::machine::event::{EventKind, FieldName, FieldValue, RunEvent};
use crate::lifecycle::machine::state::RunState;
use crate::lifecycle::machine::step::Moment;
use crate::lifecycle::machine::subject::Subject;
use crate::store::{EntryChange, StoreError, change, from_json, to_json};

/// An interrupted run that somebody has found.
#[derive(Clone, Debug)]
pub struct FoundRun {
    /// The run, as the store has it.
    pub record: Box<RunRecord>,
    /// Whether nobody had found it before: then the caller tells the listeners.
    pub is_first: bool,
}

impl FoundRun {
    /// Returns the event for the listeners; nothing if somebody has found the run before.
    #[must_use]
    pub fn event(&self, now: Moment) -> Option<RunEvent> {
        let RunRecord { tool, input, .. } = &*self.record;
        let why = self.record.interruption().filter(|_| self.is_first)?;
        let fields = [
            (FieldName::Reason, FieldValue::from(why.code.slug())),
            (FieldName::Detail, FieldValue::from(why.detail.as_deref())),
        ];
        let subject = Subject { tool: &tool.name, run: &input.run, now };
        Some(subject.event(EventKind::Interrupted, fields))
    }
}

impl RunRecord {
    /// Whether the run is interrupted and nobody has noted it yet.
    #[must_use]
    pub fn is_unnoted(&self, now: i64) -> bool {
        self.state(now) == RunState::Interrupted && !self.has_note()
    }

    fn has_note(&self) -> bool {
        self.interruption().is_some_and(|noted| noted.attempt == self.attempts.count)
    }

    /// Notes the interruption of the present attempt.
    pub(in crate::lifecycle) fn cut_off(self, why: &HandlerEnd, now: i64) -> Self {
        let interruption = Some(why.at(self.attempts.count, now));
        Self { attempts: RunAttempts { interruption, ..self.attempts }, ..self }
    }

    /// Takes back a note of the present attempt, since its process still has the run: somebody's
    /// clock ran ahead.
    pub(in crate::lifecycle) fn still_held(self) -> Self {
        if !self.has_note() {
            return self;
        }
        Self { attempts: RunAttempts { interruption: None, ..self.attempts }, ..self }
    }
}

impl Runs {
    /// Gives a run up whose process ends, or whose handler nobody can stop. If the handler was
    /// started, the run is `interrupted` from now on, and the listeners are to be told; else it can
    /// be taken up again. Returns the run as it was written, or nothing if the caller no longer has
    /// it.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn interrupt(
        &self,
        claim: &RunClaim,
        why: &HandlerEnd,
        now: i64,
    ) -> Result<Option<FoundRun>, StoreError> {
        let is_first = Cell::new(false);
        let given_up = self.change(claim, self.kept_until(now), now, |record| {
            is_first.set(record.stage == Stage::Started && !record.has_note());
            let record = if is_first.get() { record.cut_off(why, now) } else { record };
            Ok(RunRecord { lease: None, ..record }.changed(now))
        })?;
        let is_first = is_first.get();
        Ok(given_up.map(|record| FoundRun { record: Box::new((*record).clone()), is_first }))
    }

    /// Notes that a run was found interrupted, unless somebody has noted it or the run has gone on
    /// since it was read. Returns the run as the store has it, or nothing if it was forgotten.
    ///
    /// The lease stays: a process that still has the run, by its own clock, keeps it.
    ///
    /// # Errors
    ///
    /// Any error of the store.
    pub fn note(&self, id: &str, now: i64) -> Result<Option<FoundRun>, StoreError> {
        let place = place(id);
        let (found, _) = change(&*self.store, &place, now, |entry| {
            let Some(entry) = entry else { return Ok::<_, StoreError>(EntryChange::Keep(None)) };
            let record: RunRecord = from_json(&place, entry)?;
            if !record.is_unnoted(now) {
                let (record, is_first) = (Box::new(record), false);
                return Ok(EntryChange::Keep(Some(FoundRun { record, is_first })));
            }
            let record = record.cut_off(&InterruptionCode::LeaseOver.into(), now);
            let (value, expires_at) = (to_json(&record)?, entry.expires_at);
            let found = FoundRun { record: Box::new(record), is_first: true };
            Ok(EntryChange::Put { value, expires_at, told: Some(found) })
        })?;
        Ok(found)
    }
}
