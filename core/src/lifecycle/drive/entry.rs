//! The way to a run: a call begins it, or a process takes it up where the store has it.

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::call::NewDrive;
use super::course::Course;
use super::last_need::RunPlace;
use super::need::{DriveAnswer, DriveEnd, Need};
use super::store_step::{ApprovalsStep, RunsStep, StoreAnswer};
use crate::error::{Error, ErrorKind};
use crate::lifecycle::kept::claim::RunClaim;
use crate::lifecycle::kept::found::FoundRun;
use crate::lifecycle::kept::record::{RunRecord, RunTool};
use crate::lifecycle::kept::{Begun, NewRun, Resumption};
use crate::lifecycle::machine::execution::Execution;
use crate::lifecycle::machine::step::{Answer, Moment, Settings, Step};
use crate::lifecycle::shown::detail::fingerprint;
use crate::registry::ToolSpec;
use crate::store::raw_json;

/// What a process wants of a run of the store.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// To go on with it.
    GoOn,
    /// To propose other arguments for it.
    Propose,
    /// To see how it stands.
    Look,
}

/// What was needed last on the way to a run.
pub(super) enum DriveEntry {
    /// Nothing: the run is not begun in a store.
    Ready(Box<Course>),
    /// Nothing: the run is to begin in the store.
    New(Box<NewDrive>),
    /// The arguments of the call.
    Arguments(Box<NewDrive>),
    /// The beginning of the run.
    Beginning { tool: Arc<ToolSpec>, settings: Settings },
    /// The claim of a run whose owner ended during the checks, by a second start of its call.
    Claiming { id: String, tool: Arc<ToolSpec>, settings: Settings },
    /// Nothing: the run is to be taken up.
    Named { id: String, settings: Settings, goal: Goal },
    /// Nothing: the run is to be retried.
    Interrupted { id: String, settings: Settings },
    /// The retry of the run.
    Retrying { settings: Settings },
    /// The note that this run was found interrupted.
    Noting { record: Box<RunRecord>, settings: Settings },
    /// The emission of the event that this run was interrupted.
    Telling { record: Box<RunRecord> },
    /// The record of the run.
    Reading { settings: Settings, goal: Goal },
    /// The tool of the run.
    Choosing { record: Box<RunRecord>, settings: Settings, goal: Goal },
    /// The outcome of the request that the run waits for.
    Hearing { record: Box<RunRecord>, execution: Box<Execution> },
    /// The claim of a run that goes on with this answer.
    TakingUp { execution: Box<Execution>, first: Answer, payload: Box<RawValue> },
    /// Nothing more.
    Over,
}

/// What follows an answer on the way to a run.
pub(super) enum Passage {
    /// Something more is needed.
    Asks(DriveEntry, Need),
    /// The run goes on in this process, and this is the first answer to its machine.
    Goes(Box<Course>, Answer),
}

impl Passage {
    fn ends(end: DriveEnd) -> Self {
        Self::Asks(DriveEntry::Over, Need::End(end))
    }

    /// Gives a run as it stands. One that is found interrupted is noted first.
    fn stands(record: Box<RunRecord>, settings: &Settings, now: i64) -> Self {
        if !record.is_unnoted(now) {
            return Self::ends(DriveEnd::Standing(record));
        }
        let need = Need::Runs(RunsStep::Note { id: record.id.clone() });
        Self::Asks(DriveEntry::Noting { record, settings: settings.clone() }, need)
    }

    /// Gives a run as it stands, and tells that it was interrupted, if nobody has found it before.
    fn found(found: FoundRun, settings: &Settings, now: Moment) -> Self {
        let event = found.event(now).filter(|_| settings.emit_events);
        let record = found.record;
        let Some(event) = event else { return Self::ends(DriveEnd::Standing(record)) };
        Self::Asks(DriveEntry::Telling { record }, Need::Step(Step::Emit(event)))
    }

    /// Goes on with a claimed run.
    fn claimed(execution: Execution, claim: RunClaim, first: Answer) -> Self {
        Self::Goes(Box::new(Course::new(execution, RunPlace::Claimed(claim))), first)
    }
}

impl DriveEntry {
    /// Returns what follows an answer.
    pub(super) fn advance(&self, answer: DriveAnswer, now: Moment) -> Result<Passage, Error> {
        if matches!(answer, DriveAnswer::Step(Answer::Cancelled) | DriveAnswer::Failed(_)) {
            return self.given_up(&answer);
        }
        match (self, answer) {
            (Self::Ready(course), DriveAnswer::Step(first)) => {
                Ok(Passage::Goes(course.clone(), first))
            }
            (Self::New(new), DriveAnswer::Step(Answer::Done)) => {
                let need = Need::Step(Step::CheckInput);
                Ok(Passage::Asks(Self::Arguments(new.clone()), need))
            }
            (Self::New(new), DriveAnswer::Step(first @ Answer::BadNumber { .. })) => {
                let NewDrive { tool, run, settings, .. } = (**new).clone();
                let execution = Execution::new(tool, run, settings);
                Ok(Passage::Goes(Box::new(Course::new(execution, RunPlace::Here)), first))
            }
            (Self::Arguments(new), DriveAnswer::Step(Answer::Arguments(arguments))) => {
                begin(new, &arguments)
            }
            (Self::Named { id, settings, goal }, DriveAnswer::Step(Answer::Done)) => {
                let need = Need::Runs(RunsStep::Get { id: id.clone() });
                let (settings, goal) = (settings.clone(), *goal);
                Ok(Passage::Asks(Self::Reading { settings, goal }, need))
            }
            (Self::Interrupted { id, settings }, DriveAnswer::Step(Answer::Done)) => {
                let need = Need::Runs(RunsStep::Retry { id: id.clone() });
                Ok(Passage::Asks(Self::Retrying { settings: settings.clone() }, need))
            }
            (Self::Telling { record }, DriveAnswer::Step(Answer::Done)) => {
                Ok(Passage::ends(DriveEnd::Standing(record.clone())))
            }
            (Self::Choosing { record, settings, goal }, DriveAnswer::Tool(tool)) => match goal {
                Goal::GoOn => hear(record, tool, settings),
                Goal::Propose => Ok(propose(record, tool, settings)),
                Goal::Look => Err(DriveAnswer::Tool(tool).unexpected()),
            },
            (entry, DriveAnswer::Stored(answer)) => entry.stored(answer, now),
            (_, answer) => Err(answer.unexpected()),
        }
    }

    /// Returns what follows the failure of what was needed: the caller gets it.
    fn given_up(&self, answer: &DriveAnswer) -> Result<Passage, Error> {
        let has_asked = !matches!(
            self,
            Self::Ready(_)
                | Self::New(_)
                | Self::Named { .. }
                | Self::Interrupted { .. }
                | Self::Telling { .. }
                | Self::Choosing { .. }
                | Self::Over
        );
        match (self, answer) {
            (Self::Ready(course), DriveAnswer::Step(first)) => {
                Ok(Passage::Goes(course.clone(), first.clone()))
            }
            (Self::Over, _) => Err(answer.unexpected()),
            // Another look notes it.
            (Self::Noting { record, .. }, DriveAnswer::Failed(_)) => {
                Ok(Passage::ends(DriveEnd::Standing(record.clone())))
            }
            (_, DriveAnswer::Step(_)) => Ok(Passage::ends(DriveEnd::Failed)),
            _ if has_asked => Ok(Passage::ends(DriveEnd::Failed)),
            _ => Err(answer.unexpected()),
        }
    }

    /// Returns what follows an answer of the store.
    fn stored(&self, answer: StoreAnswer, now: Moment) -> Result<Passage, Error> {
        Ok(match (self, answer) {
            (Self::Beginning { tool, settings }, StoreAnswer::Begun(begun)) => {
                begun_run(begun, tool, settings, now.wall_us)
            }
            (Self::Claiming { id, tool, settings }, StoreAnswer::Resumed(resumption)) => {
                match resumption {
                    Resumption::Claimed(claim) => started(claim, tool, settings),
                    Resumption::Standing(record) => Passage::stands(record, settings, now.wall_us),
                    Resumption::Unknown => Passage::ends(DriveEnd::Forgotten { id: id.clone() }),
                }
            }
            (Self::Reading { .. }, StoreAnswer::Record(None)) => Passage::ends(DriveEnd::Unknown),
            (Self::Reading { settings, goal }, StoreAnswer::Record(Some(record))) => {
                let is_meant = match goal {
                    Goal::GoOn => record.is_free(now.wall_us),
                    Goal::Propose => record.is_undecided(now.wall_us),
                    Goal::Look => false,
                };
                match goal {
                    _ if is_meant => {
                        let (settings, goal) = (settings.clone(), *goal);
                        let need = Need::Tool(record.clone());
                        Passage::Asks(Self::Choosing { record, settings, goal }, need)
                    }
                    // Nobody is told of arguments that are only proposed.
                    Goal::Propose => Passage::ends(DriveEnd::Standing(record)),
                    Goal::GoOn | Goal::Look => Passage::stands(record, settings, now.wall_us),
                }
            }
            (
                Self::Noting { settings, .. } | Self::Retrying { settings },
                StoreAnswer::Found(Some(found)),
            ) => Passage::found(found, settings, now),
            // It was forgotten meanwhile.
            (Self::Noting { record, .. }, StoreAnswer::Found(None)) => {
                Passage::ends(DriveEnd::Standing(record.clone()))
            }
            (Self::Hearing { record, execution }, StoreAnswer::Heard(outcome)) => {
                match record.heard(outcome).answer() {
                    None => Passage::ends(DriveEnd::Standing(record.clone())),
                    Some(first) => take_up(record, execution.clone(), first),
                }
            }
            (Self::TakingUp { execution, first, payload }, StoreAnswer::Resumed(resumption)) => {
                match resumption {
                    Resumption::Claimed(claim) => {
                        let approved = claim.record.input.payload.clone();
                        let course = Course::new((**execution).clone(), RunPlace::Claimed(claim));
                        let is_changed = approved.get() != payload.get();
                        let course = if is_changed { course.with(&approved) } else { course };
                        Passage::Goes(Box::new(course), first.clone())
                    }
                    Resumption::Standing(record) => {
                        Passage::stands(record, execution.settings(), now.wall_us)
                    }
                    Resumption::Unknown => Passage::ends(DriveEnd::Unknown),
                }
            }
            (_, answer) => return Err(DriveAnswer::Stored(answer).unexpected()),
        })
    }
}

/// Begins the run of a call, whose arguments are known now.
fn begin(new: &NewDrive, arguments: &Value) -> Result<Passage, Error> {
    let NewDrive { tool, run, named, caller, start, settings } = new.clone();
    let payload = raw_json(arguments)
        .map_err(|error| Error::new(ErrorKind::InvalidExecution, error.to_string()))?;
    let new = NewRun {
        run,
        named,
        caller,
        tool: RunTool { name: tool.name.clone(), id: tool.id.clone() },
        call: fingerprint(&tool.id, arguments, None),
        payload,
    };
    let need = Need::Runs(RunsStep::Begin { new: Box::new(new), start });
    Ok(Passage::Asks(DriveEntry::Beginning { tool, settings }, need))
}

/// Goes on with a run that has begun, or gives the one that the call has. A run whose owner ended
/// during the checks is taken over, and they begin anew.
fn begun_run(begun: Begun, tool: &Arc<ToolSpec>, settings: &Settings, now: i64) -> Passage {
    match begun {
        Begun::Mine(claim) => started(claim, tool, settings),
        Begun::Other(record) => Passage::ends(DriveEnd::Reused(record)),
        Begun::Known(record) if record.is_abandoned(now) => {
            let (id, tool, settings) = (record.id.clone(), Arc::clone(tool), settings.clone());
            let need = Need::Runs(RunsStep::Claim { read: record, approved: None });
            Passage::Asks(DriveEntry::Claiming { id, tool, settings }, need)
        }
        Begun::Known(record) => Passage::stands(record, settings, now),
    }
}

fn started(claim: RunClaim, tool: &Arc<ToolSpec>, settings: &Settings) -> Passage {
    let run = claim.record.input.run.clone();
    Passage::claimed(Execution::new(Arc::clone(tool), run, settings.clone()), claim, Answer::Done)
}

/// Restores a run, and asks for the decision that it waits for, if it waits for one.
fn hear(record: &RunRecord, tool: Arc<ToolSpec>, settings: &Settings) -> Result<Passage, Error> {
    let execution = Box::new(record.restore(tool, settings)?);
    if record.approval_id.is_none() {
        return Ok(take_up(record, execution, Answer::Done));
    }
    let record = Box::new(record.clone());
    let need = Need::Approvals(ApprovalsStep::Hear { record: record.clone() });
    Ok(Passage::Asks(DriveEntry::Hearing { record, execution }, need))
}

fn take_up(record: &RunRecord, execution: Box<Execution>, first: Answer) -> Passage {
    let approved = match &first {
        Answer::Decided { granted: true, fingerprint, .. } => fingerprint.clone(),
        _ => None,
    };
    let payload = record.input.payload.clone();
    let need = Need::Runs(RunsStep::Claim { read: Box::new(record.clone()), approved });
    Passage::Asks(DriveEntry::TakingUp { execution, first, payload }, need)
}

/// Checks other arguments for a run as those of a call are checked, up to where a person is asked.
fn propose(record: &RunRecord, tool: Arc<ToolSpec>, settings: &Settings) -> Passage {
    let settings = Settings { emit_events: false, ask_approval: true, ..settings.clone() };
    let execution = Execution::new(tool, record.input.run.clone(), settings);
    let place = RunPlace::Proposed(Box::new(record.clone()));
    Passage::Goes(Box::new(Course::new(execution, place)), Answer::Done)
}
