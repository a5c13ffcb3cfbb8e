//! The machine that drives one run, from the call to the end.

use super::call::NewDrive;
use super::course::Course;
use super::entry::{DriveEntry, Goal, Passage};
use super::last_need::RunPlace;
use super::need::{DriveAnswer, Need};
use crate::error::Error;
use crate::lifecycle::kept::record::OutputGap;
use crate::lifecycle::machine::execution::Execution;
use crate::lifecycle::machine::step::{Moment, Settings};

/// One run of a call, from its beginning or from where a store has it, to its end or until a person
/// has to decide.
pub struct Drive {
    stage: DriveStage,
    /// Whether the host asks in a service of its own.
    asks_apart: bool,
}

/// How far a driven run has come.
enum DriveStage {
    /// No process has the run yet.
    Entry(DriveEntry),
    /// The run goes on in this process.
    Course(Box<Course>),
}

/// A run that this process drove.
pub struct DrivenRun {
    /// The run's machine. Its state is `waiting`, or that of a run that has ended.
    pub execution: Execution,
    /// The request for approval that the run waits or waited for.
    pub approval_id: Option<String>,
    /// Why the store does not have the output of a run that completed.
    pub gap: Option<OutputGap>,
}

impl Drive {
    /// Drives a run without a store. Where a person has to decide, the host waits.
    #[must_use]
    pub fn here(execution: Execution) -> Self {
        Self::entering(DriveEntry::Ready(Box::new(Course::new(execution, RunPlace::Here))))
    }

    /// Drives a run that the store has only while a person decides.
    #[must_use]
    pub fn alone(execution: Execution, caller: String) -> Self {
        let course = Course::new(execution, RunPlace::Alone { caller });
        Self::entering(DriveEntry::Ready(Box::new(course)))
    }

    /// Begins the run of a call in the store, or gives the run that the call has already.
    #[must_use]
    pub fn start(new: NewDrive) -> Self {
        Self::entering(DriveEntry::New(Box::new(new)))
    }

    /// Goes on with a run of the store, if no process has it and nothing holds it up.
    #[must_use]
    pub fn resume(id: &str, settings: Settings) -> Self {
        Self::entering(DriveEntry::Named { id: id.to_owned(), settings, goal: Goal::GoOn })
    }

    /// Checks arguments that a person would approve for a run of the store that waits, and writes
    /// them down beside its own. The host is one with the changed arguments. The checks are those
    /// of a call: schema, permission, and what the run would change. Neither does a handler run nor
    /// is anybody told, and nothing is counted against a limit.
    ///
    /// It ends as [`DriveEnd::Proposed`](super::DriveEnd::Proposed), as `Ended` with the failure of
    /// a check, or as `Standing` for a run that does not wait.
    #[must_use]
    pub fn propose(id: &str, settings: Settings) -> Self {
        Self::entering(DriveEntry::Named { id: id.to_owned(), settings, goal: Goal::Propose })
    }

    /// Gives a run of the store as it stands, and leaves it alone. One that is found interrupted is
    /// noted, and told.
    #[must_use]
    pub fn look(id: &str, settings: Settings) -> Self {
        Self::entering(DriveEntry::Named { id: id.to_owned(), settings, goal: Goal::Look })
    }

    /// Makes an interrupted run of the store ready to run once more. It ends as `Standing`, or as
    /// `Failed` with the refusal of [`Runs::retry`](crate::lifecycle::Runs::retry).
    #[must_use]
    pub fn retry(id: &str, settings: Settings) -> Self {
        Self::entering(DriveEntry::Interrupted { id: id.to_owned(), settings })
    }

    fn entering(entry: DriveEntry) -> Self {
        Self { stage: DriveStage::Entry(entry), asks_apart: false }
    }

    /// Makes requests for approval apart from the runs, because the host has a service of its own
    /// for them: the request is [`ApprovalsStep::Request`](super::ApprovalsStep::Request), and then
    /// the run waits for it.
    #[must_use]
    pub fn asking_apart(self) -> Self {
        Self { asks_apart: true, ..self }
    }

    /// Takes the answer to the last need and returns the next one. The first answer is
    /// [`Answer::Done`](crate::lifecycle::Answer::Done), or
    /// [`Answer::BadNumber`](crate::lifecycle::Answer::BadNumber) for a call that is denied and has
    /// no place in a store.
    ///
    /// # Errors
    ///
    /// `unexpected_answer` when the answer does not match the last need, or when the drive has
    /// ended; `invalid_execution` when the record of the store cannot be restored. The run stays
    /// as it was.
    pub fn advance(&mut self, answer: DriveAnswer, now: Moment) -> Result<Need, Error> {
        let entry = match &mut self.stage {
            DriveStage::Entry(entry) => entry,
            DriveStage::Course(course) => return course.advance(answer, now),
        };
        match entry.advance(answer, now)? {
            Passage::Asks(next, need) => {
                *entry = next;
                Ok(need)
            }
            Passage::Goes(course, first) => {
                let mut course = course.asking_apart(self.asks_apart);
                let need = course.go(first, now)?;
                self.stage = DriveStage::Course(Box::new(course));
                Ok(need)
            }
        }
    }

    /// Whether nothing was needed yet.
    #[must_use]
    pub fn is_new(&self) -> bool {
        let DriveStage::Entry(entry) = &self.stage else { return false };
        matches!(
            entry,
            DriveEntry::New(_)
                | DriveEntry::Ready(_)
                | DriveEntry::Named { .. }
                | DriveEntry::Interrupted { .. }
        )
    }

    /// The run's machine, once this process has the run.
    #[must_use]
    pub fn execution(&self) -> Option<&Execution> {
        match &self.stage {
            DriveStage::Entry(DriveEntry::Ready(course)) | DriveStage::Course(course) => {
                Some(course.execution())
            }
            DriveStage::Entry(_) => None,
        }
    }

    /// Returns the run that this process drove, if it did.
    #[must_use]
    pub fn into_run(self) -> Option<DrivenRun> {
        match self.stage {
            DriveStage::Course(course) => {
                let (execution, approval_id, gap) = course.into_parts();
                Some(DrivenRun { execution, approval_id, gap })
            }
            DriveStage::Entry(_) => None,
        }
    }
}
