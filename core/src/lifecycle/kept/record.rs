//! What a store keeps of a run: its call while it is open, and its outcome afterwards.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::id::Naming;
use super::interruption::Interruption;
use crate::lifecycle::machine::failure::RunFailure;
use crate::lifecycle::machine::state::RunState;
use crate::lifecycle::machine::step::Run;
use crate::lifecycle::time::{Time, whole_ms};
use crate::slug::slugs;
use crate::store::{Record, StoreError, key, raw_json};

/// A run in a store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunRecord {
    /// The id of the run.
    pub id: String,
    /// The tool that runs.
    pub tool: RunTool,
    /// What a process needs to take the run up. It is empty after the run has ended, when the
    /// request for approval was closed without an approval, and after the start of the handler if
    /// the run is forgotten at its end.
    pub input: RunInput,
    /// The request for approval that the run waits or waited for.
    pub approval_id: Option<String>,
    /// How the run ended, if it has ended.
    pub outcome: Option<RunOutcome>,
    /// When the run began.
    pub created_at: Time,
    /// When the record last changed, apart from renewed leases.
    pub changed_at: Time,
    #[serde(flatten)]
    pub(in crate::lifecycle) asked: RunCall,
    /// The entry that the record was read from, if it was read.
    #[serde(skip)]
    pub(in crate::lifecycle) read_from: Option<RunEntry>,
    pub(in crate::lifecycle) stage: Stage,
    pub(in crate::lifecycle) lease: Option<RunLease>,
    #[serde(flatten)]
    pub(in crate::lifecycle) wait: RunWait,
    #[serde(flatten)]
    pub(in crate::lifecycle) attempts: RunAttempts,
}

/// The call that asked for a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::lifecycle) struct RunCall {
    /// The fingerprint of the call, for a run that is remembered after its end.
    pub(in crate::lifecycle) call: Option<String>,
    /// How the run got its id, where this is known.
    #[serde(default)]
    pub(in crate::lifecycle) named: Option<Naming>,
}

/// The entry of a run, as it was read.
#[derive(Clone, Copy, Debug)]
pub(in crate::lifecycle) struct RunEntry {
    pub(in crate::lifecycle) version: u64,
    pub(in crate::lifecycle) expires_at: Option<i64>,
}

/// The attempts of the handler.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::lifecycle) struct RunAttempts {
    /// How often the handler was started.
    #[serde(default, rename = "attempts")]
    pub(in crate::lifecycle) count: u32,
    /// Why the handler was cut off last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::lifecycle) interruption: Option<Interruption>,
}

/// What a run waits or waited for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::lifecycle) struct RunWait {
    /// Until when a person may decide, while the run waits.
    #[serde(default)]
    pub(in crate::lifecycle) decide_by: Option<Time>,
    /// Why the run may not go on, from the request that was closed without an approval until a
    /// process takes note of it.
    #[serde(default)]
    pub(in crate::lifecycle) refused: Option<RunFailure>,
}

/// The tool of a run, as it was registered when the run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTool {
    /// The tool's name.
    pub name: String,
    /// The tool's id, by which it is looked up again.
    #[serde(alias = "action_type")]
    pub id: String,
}

/// What a process needs to take a run up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunInput {
    /// The run as [`Execution::save`](crate::lifecycle::Execution::save) writes it, once it has
    /// waited.
    pub execution: Option<String>,
    /// The arguments, as JSON.
    pub payload: Box<RawValue>,
    /// The ids and the mode of the run.
    pub run: Run,
    /// The caller whose calls a rate limit counts.
    pub caller: String,
    /// Other arguments that the people who decide would have, until one of them has decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::lifecycle) proposed: Vec<ProposedArguments>,
}

/// Arguments that a person who decides would have in place of the call's own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProposedArguments {
    /// The fingerprint of the run with these arguments. The decision that names it chooses them.
    pub fingerprint: String,
    /// The arguments, as JSON.
    pub payload: Box<RawValue>,
}

/// How a run ended.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RunOutcome {
    /// The failure, unless the handler gave an output.
    pub failure: Option<RunFailure>,
    /// The handler's output as JSON, in the host's form.
    pub output: Option<Box<RawValue>>,
    /// Why the store does not have the output of a run that completed.
    pub gap: Option<OutputGap>,
    /// Whether what the handler did was undone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
}

slugs! {
    /// Why a store does not have the output of a run that completed.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum OutputGap {
        /// The output is no JSON value.
        NotJson => "not_json",
        /// The output is longer than [`RunOutcome::LONGEST`].
        TooLong => "too_long",
        /// The program keeps no outputs in this store.
        Withheld => "withheld",
    }
}

impl OutputGap {
    /// Why nobody but the process that ran the tool knows what it gave, in words for a model.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::NotJson => "it holds something that JSON cannot represent",
            Self::TooLong => "it is longer than what is kept",
            Self::Withheld => "outputs are not kept here",
        }
    }
}

impl RunOutcome {
    /// The longest output that is kept, in bytes of JSON: 1 MiB.
    pub const LONGEST: usize = 1 << 20;

    /// Makes the outcome of a run whose handler gave an output. `None` stands for an output that
    /// is no JSON value.
    #[must_use]
    pub fn completed(output: Option<Box<RawValue>>) -> Self {
        match output {
            None => Self { gap: Some(OutputGap::NotJson), ..Self::default() },
            Some(output) if output.get().len() > Self::LONGEST => {
                Self { gap: Some(OutputGap::TooLong), ..Self::default() }
            }
            output => Self { output, ..Self::default() },
        }
    }

    /// Makes the outcome of a run without an output.
    #[must_use]
    pub fn failed(failure: RunFailure) -> Self {
        Self { failure: Some(failure), ..Self::default() }
    }

    /// Leaves out what the handler gave or said; how the run ended stays.
    #[must_use]
    pub(in crate::lifecycle) fn without_contents(self) -> Self {
        let failure = self.failure.map(|failure| match failure {
            RunFailure::Raised { class, .. } => {
                RunFailure::Raised { class, message: String::new() }
            }
            other => other,
        });
        let gap = if self.output.is_some() { Some(OutputGap::Withheld) } else { self.gap };
        Self { failure, output: None, gap, ..self }
    }

    fn state(&self) -> RunState {
        match &self.failure {
            None if self.undone => RunState::Undone,
            None => RunState::Completed,
            Some(failure) => failure.state(),
        }
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::lifecycle) enum Stage {
    /// The checks before the handler.
    Checking,
    /// A person has to decide.
    Waiting,
    /// A person has approved, or somebody retried the run.
    Approved,
    /// The request was closed without an approval, and the arguments are gone.
    Refused,
    /// The handler may have run.
    Started,
    /// The run has its outcome.
    Ended,
}

/// The process that has a run, for a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::lifecycle) struct RunLease {
    owner: String,
    until: Time,
    /// How long it was written for, in microseconds; none in a record of an older version.
    #[serde(default)]
    length: Option<i64>,
}

/// By how much a lease may end later than its length says, in microseconds. What ends later was
/// written by a clock that has been set back since, and nobody waits for it.
const MOST_AHEAD: i64 = 60_000_000;

/// The lease of a process from now on, for so many microseconds.
pub(in crate::lifecycle) fn leased(owner: &str, length: i64, now: i64) -> RunLease {
    let until = Time::from_micros(now.saturating_add(length));
    RunLease { owner: owner.to_owned(), until, length: Some(length) }
}

impl RunLease {
    fn is_valid(&self, now: i64) -> bool {
        let left = self.until.micros().saturating_sub(now);
        let most = self.length.map_or(i64::MAX, |length| length.saturating_add(MOST_AHEAD));
        (0..=most).contains(&left)
    }
}

impl RunRecord {
    /// The state of the run. A run whose handler was started by a process that has ended since is
    /// `interrupted`: nobody knows what the handler did, and it is not run again.
    #[must_use]
    pub fn state(&self, now: i64) -> RunState {
        if let (Stage::Ended, Some(outcome)) = (self.stage, &self.outcome) {
            return outcome.state();
        }
        if self.is_leased(now) {
            return RunState::Running;
        }
        match self.stage {
            Stage::Waiting if self.is_late(now) => RunState::Expired,
            Stage::Waiting => RunState::Waiting,
            Stage::Approved => RunState::Approved,
            Stage::Refused => {
                self.wait.refused.as_ref().map_or(RunState::Denied, RunFailure::state)
            }
            Stage::Started => RunState::Interrupted,
            Stage::Checking | Stage::Ended => RunState::Running,
        }
    }

    /// Why the run has no output: it ended so, or a person denied it, or nobody decided in time.
    /// The latter two are known before a process takes note of them.
    #[must_use]
    pub fn failure(&self, now: i64) -> Option<RunFailure> {
        if let Some(outcome) = &self.outcome {
            return outcome.failure.clone();
        }
        let is_late = self.state(now) == RunState::Expired;
        self.wait.refused.clone().or_else(|| is_late.then(|| self.timeout()))
    }

    fn is_late(&self, now: i64) -> bool {
        self.wait.decide_by.is_some_and(|end| now > end.micros())
    }

    fn timeout(&self) -> RunFailure {
        let end = self.wait.decide_by.unwrap_or(self.changed_at);
        RunFailure::ApprovalTimeout {
            request_id: self.approval_id.clone().unwrap_or_default(),
            timeout_ms: whole_ms(end.micros().saturating_sub(self.changed_at.micros())),
        }
    }

    /// Whether the run may begin once more under its name, because its handler never ran: it was
    /// denied, or nobody decided in time. A run that was retried has run before.
    #[must_use]
    pub fn may_begin_again(&self, now: i64) -> bool {
        self.attempts.count == 0 && matches!(self.state(now), RunState::Denied | RunState::Expired)
    }

    /// Why the handler was cut off last, from when somebody has found that.
    #[must_use]
    pub fn interruption(&self) -> Option<&Interruption> {
        self.attempts.interruption.as_ref()
    }

    /// Whether this is the run that somebody has read: the same beginning and attempt, which waits
    /// or waited for the same request or for none. The request may have been closed meanwhile.
    pub(in crate::lifecycle) fn is_still(&self, read: &Self) -> bool {
        self.created_at == read.created_at
            && self.approval_id == read.approval_id
            && self.attempts.count == read.attempts.count
    }

    /// Whether a process has the run now.
    #[must_use]
    pub fn is_leased(&self, now: i64) -> bool {
        self.lease.as_ref().is_some_and(|lease| lease.is_valid(now))
    }

    /// Whether the run waits, and its request was closed without an approval. The arguments are
    /// gone, and the handler will never be called.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.stage == Stage::Refused
    }

    /// Whether the run has ended.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.stage == Stage::Ended
    }

    /// Whether a process may take the run up now: its handler was not started, and nobody has it.
    #[must_use]
    pub fn is_free(&self, now: i64) -> bool {
        !matches!(self.stage, Stage::Started | Stage::Ended) && !self.is_leased(now)
    }

    /// Whether the process that began the run ended or gave up during the checks before the
    /// handler. The same call may begin them anew.
    #[must_use]
    pub fn is_abandoned(&self, now: i64) -> bool {
        self.stage == Stage::Checking && !self.is_leased(now)
    }

    /// Whether this process has the run.
    pub(in crate::lifecycle) fn is_of(&self, owner: &str) -> bool {
        self.lease.as_ref().is_some_and(|lease| lease.owner == owner)
    }

    /// Notes when the record was changed.
    pub(in crate::lifecycle) fn changed(self, now: i64) -> Self {
        Self { changed_at: Time::from_micros(now), ..self }
    }

    /// Removes the arguments and the saved run.
    pub(in crate::lifecycle) fn without_input(self) -> Result<Self, StoreError> {
        let nothing = raw_json(&serde_json::Value::Null)?;
        let execution = self.input.execution.filter(|_| self.stage == Stage::Refused);
        let input = RunInput { execution, payload: nothing, proposed: Vec::new(), ..self.input };
        Ok(Self { input, ..self })
    }
}

impl Record for RunRecord {
    fn is_at(&self, at: &str) -> bool {
        place(&self.id) == at
            && self.input.run.run_id == self.id
            && self.is_ended() == self.outcome.is_some()
    }
}

/// The key of a run.
pub(in crate::lifecycle) fn place(id: &str) -> String {
    key(&["run", "id", id])
}

/// The key of a run in the list of those that have not ended, in the order of their beginnings.
pub(in crate::lifecycle) fn open_place(record: &RunRecord) -> String {
    let age = format!("{:016x}", record.created_at.micros().max(0));
    key(&["run", "open", &age, &record.id])
}
