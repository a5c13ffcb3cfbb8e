//! One run of a tool, as a state machine without I/O.
//!
//! [`Execution::advance`] takes the answer to the last step and returns the next one. A step asks
//! the host to emit an event, to check the caller's permission, to ask a person, to run the
//! handler, or to store the undo data. The same machine serves a host that awaits, a host that
//! blocks, and a host whose process ends while a person decides: [`Execution::save`] and
//! [`Execution::restore`] carry it over.
//!
//! ```
//! use std::sync::Arc;
//! use toolwire::lifecycle::{Answer, Execution, Moment, OutputFacts, Run, Settings, Step};
//! use toolwire::registry::ToolSpec;
//!
//! let tool = Arc::new(ToolSpec::new("greet").with_id("GREET"));
//! let mut execution = Execution::new(tool, Run::new("run-1"), Settings::default());
//! let (mut answer, mut told) = (Answer::Done, Vec::new());
//! loop {
//!     answer = match execution.advance(answer, Moment::default())? {
//!         Step::Emit(event) => {
//!             told.push(event.kind.slug());
//!             Answer::Done
//!         }
//!         Step::Run => Answer::Output(OutputFacts { success: true, ..OutputFacts::default() }),
//!         Step::Finished(failure) => break assert!(failure.is_none()),
//!         other => panic!("{other:?}"),
//!     };
//! }
//! assert_eq!(told, ["tool.invoked", "tool.started", "tool.completed"]);
//! # Ok::<(), toolwire::Error>(())
//! ```

use std::sync::Arc;

use super::emitted::Told;
use super::event::OutputFacts;
use super::failure::RunFailure;
use super::gate::{Gate, Gates};
use super::phase::Phase;
use super::state::RunState;
use super::step::{Answer, Moment, Run, Settings, Step};
use crate::error::{Error, ErrorKind};
use crate::registry::ToolSpec;

/// One run of a tool.
#[derive(Clone, Debug)]
pub struct Execution {
    pub(super) tool: Arc<ToolSpec>,
    pub(super) run: Run,
    pub(super) settings: Settings,
    pub(super) phase: Phase,
}

impl Execution {
    /// Makes a run that has not begun.
    #[must_use]
    pub fn new(tool: Arc<ToolSpec>, run: Run, settings: Settings) -> Self {
        Self { tool, run, settings, phase: Phase::Created }
    }

    /// Whether the run has not begun.
    #[must_use]
    pub fn is_new(&self) -> bool {
        matches!(self.phase, Phase::Created)
    }

    /// The tool that runs.
    #[must_use]
    pub fn tool(&self) -> &Arc<ToolSpec> {
        &self.tool
    }

    /// The ids and the mode of the run.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The host's settings for the run.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The state of the run.
    #[must_use]
    pub fn state(&self) -> RunState {
        match &self.phase {
            Phase::AwaitingApproval { .. } => RunState::Waiting,
            Phase::Completed => RunState::Completed,
            Phase::Ended { failure } => failure.state(),
            _ => RunState::Running,
        }
    }

    /// The id of the approval request that the run waits for.
    #[must_use]
    pub fn awaited_approval(&self) -> Option<&str> {
        match &self.phase {
            Phase::AwaitingApproval { request_id, .. } => Some(request_id),
            _ => None,
        }
    }

    /// Why the run ended without an output, if it did.
    #[must_use]
    pub fn failure(&self) -> Option<&RunFailure> {
        match &self.phase {
            Phase::Ended { failure } => Some(failure),
            _ => None,
        }
    }

    /// Takes the answer to the last step and returns the next step. The first answer is
    /// [`Answer::Done`].
    ///
    /// # Errors
    ///
    /// `unexpected_answer` when the answer does not match the last step, or when the run has ended.
    /// The run's state then stays as it was.
    pub fn advance(&mut self, answer: Answer, now: Moment) -> Result<Step, Error> {
        let mut phase = self.follow(answer, now)?;
        loop {
            self.phase = phase;
            let step = self.step(now);
            if self.settings.emit_events || !matches!(step, Step::Emit(_)) {
                return Ok(step);
            }
            phase = self.follow(Answer::Done, now)?;
        }
    }

    /// Returns the run as it waits for a request for approval, with the fingerprint of what the
    /// person sees. It must be the one that asks now.
    ///
    /// # Errors
    ///
    /// `unexpected_answer` for a run that does not ask.
    pub(in crate::lifecycle) fn asked(
        &self,
        request_id: &str,
        fingerprint: Option<String>,
    ) -> Result<Self, Error> {
        if !matches!(self.phase, Phase::RequestingApproval) {
            let message = "the run does not ask for approval now";
            return Err(Error::new(ErrorKind::UnexpectedAnswer, message));
        }
        let phase = Phase::AwaitingApproval { request_id: request_id.to_owned(), fingerprint };
        Ok(Self { phase, ..self.clone() })
    }

    /// Returns the phase after the present one.
    fn follow(&self, answer: Answer, now: Moment) -> Result<Phase, Error> {
        if answer == Answer::Cancelled {
            return self.give_up(now);
        }
        Ok(match (&self.phase, answer) {
            (Phase::Created, Answer::Done) => Phase::ToldInvoked,
            (Phase::Created, Answer::BadNumber { path }) => {
                Phase::denied(RunFailure::bad_number(path))
            }
            (Phase::ToldInvoked, Answer::Done) => self.gates().next(Gate::Mode),
            (Phase::CheckingInput, Answer::Arguments(arguments)) => self.gates().input(&arguments),
            (Phase::ReplacingArguments { .. }, Answer::Done) => self.gates().next(Gate::Permission),
            (Phase::CheckingPermission, Answer::Granted) => self.gates().next(Gate::Limit),
            (Phase::RecheckingPermission, Answer::Granted) => Phase::ToldStarted,
            (
                Phase::CheckingPermission | Phase::RecheckingPermission,
                Answer::Refused { reason },
            ) => Phase::denied(RunFailure::PermissionDenied { reason }),
            (Phase::CheckingLimit, Answer::Granted) => self.gates().next(Gate::Approval),
            (Phase::CheckingLimit, Answer::Limited { retry_after_ms }) => {
                Phase::denied(RunFailure::RateLimited { retry_after_ms })
            }
            (Phase::StoringUndo | Phase::ToldUndoStoreFailed { .. }, Answer::Done) => {
                Phase::Completed
            }
            (Phase::StoringUndo, Answer::Raised { class, message }) => {
                Phase::ToldUndoStoreFailed { class, message }
            }
            (Phase::ToldStarted, Answer::Done) => Phase::Running { since_ns: now.ticks_ns },
            (Phase::Running { since_ns }, Answer::Output(facts)) => {
                Phase::ToldCompleted { facts, lasted_ns: now.ticks_ns.saturating_sub(*since_ns) }
            }
            (Phase::Running { since_ns }, Answer::Raised { class, message }) => {
                Phase::ToldFailure {
                    failure: RunFailure::Raised { class, message },
                    lasted_ns: Some(now.ticks_ns.saturating_sub(*since_ns)),
                }
            }
            (Phase::ToldCompleted { facts, .. }, Answer::Done) => self.keep_undo(*facts),
            (Phase::ToldFailure { failure, .. }, Answer::Done) => {
                Phase::Ended { failure: failure.clone() }
            }
            (Phase::CancellingApproval { .. }, Answer::Done) => {
                Phase::ToldFailure { failure: RunFailure::Cancelled, lasted_ns: None }
            }
            (phase, Answer::Raised { class, message }) if phase.checks() => {
                Phase::denied(RunFailure::Raised { class, message })
            }
            (phase, answer) => return self.follow_approval(phase, answer),
        })
    }

    /// Returns the phase after a phase of an approval.
    fn follow_approval(&self, phase: &Phase, answer: Answer) -> Result<Phase, Error> {
        Ok(match (phase, answer) {
            (Phase::RequestingApproval, Answer::Requested { request_id, fingerprint }) => {
                Phase::ToldRequested { request_id, fingerprint }
            }
            (
                Phase::ToldRequested { request_id, fingerprint }
                | Phase::AwaitingApproval { request_id, fingerprint },
                Answer::Done,
            ) => Phase::AwaitingApproval {
                request_id: request_id.clone(),
                fingerprint: fingerprint.clone(),
            },
            (
                Phase::AwaitingApproval { request_id, fingerprint: asked },
                Answer::Decided { granted, reason, fingerprint: seen },
            ) => Phase::ToldDecided {
                request_id: request_id.clone(),
                refused: (!granted)
                    .then(|| reason.unwrap_or_else(|| RunFailure::USER_DENIED.to_owned())),
                changed: granted && seen.is_some() && asked.is_some() && seen != *asked,
                approved: seen.or_else(|| asked.clone()),
            },
            (Phase::AwaitingApproval { request_id, .. }, Answer::TimedOut) => {
                Phase::denied(RunFailure::ApprovalTimeout {
                    request_id: request_id.clone(),
                    timeout_ms: self.settings.approval_timeout_ms,
                })
            }
            (Phase::ToldDecided { request_id, refused, approved, .. }, Answer::Done) => {
                let request_id = request_id.clone();
                match (refused, approved) {
                    (None, None) => self.gates().again(),
                    (None, Some(approved)) => {
                        Phase::VerifyingApproval { request_id, approved: approved.clone() }
                    }
                    (Some(reason), _) => Phase::Ended {
                        failure: RunFailure::ApprovalDenied { request_id, reason: reason.clone() },
                    },
                }
            }
            (Phase::VerifyingApproval { approved, .. }, Answer::Fingerprint(present))
                if *approved == present =>
            {
                self.gates().again()
            }
            (Phase::VerifyingApproval { request_id, .. }, Answer::Fingerprint(_)) => {
                Phase::denied(RunFailure::ChangedSince { request_id: request_id.clone() })
            }
            (_, answer) => {
                let message = format!("{} is no answer to the run's last step", answer.name());
                return Err(Error::new(ErrorKind::UnexpectedAnswer, message));
            }
        })
    }

    fn gates(&self) -> Gates<'_> {
        Gates { tool: &self.tool, run: &self.run, settings: &self.settings }
    }

    fn keep_undo(&self, facts: OutputFacts) -> Phase {
        let keeps = self.tool.undoable && self.settings.store_undo;
        if keeps && facts.success && facts.has_undo_metadata {
            Phase::StoringUndo
        } else {
            Phase::Completed
        }
    }

    /// Returns the phase of a run that is given up. A completed run stays completed.
    fn give_up(&self, now: Moment) -> Result<Phase, Error> {
        Ok(match &self.phase {
            Phase::Completed | Phase::Ended { .. } => {
                let message = "the run has ended and cannot be given up";
                return Err(Error::new(ErrorKind::UnexpectedAnswer, message));
            }
            Phase::ToldCompleted { .. }
            | Phase::StoringUndo
            | Phase::ToldUndoStoreFailed { .. } => Phase::Completed,
            Phase::ToldFailure { failure, .. } => Phase::Ended { failure: failure.clone() },
            Phase::ToldRequested { request_id, .. }
            | Phase::AwaitingApproval { request_id, .. } => {
                Phase::CancellingApproval { request_id: request_id.clone() }
            }
            Phase::Running { since_ns } => Phase::ToldFailure {
                failure: RunFailure::Cancelled,
                lasted_ns: Some(now.ticks_ns.saturating_sub(*since_ns)),
            },
            _ => Phase::ToldFailure { failure: RunFailure::Cancelled, lasted_ns: None },
        })
    }

    /// Returns the step of the present phase.
    fn step(&self, now: Moment) -> Step {
        let told = || Told::new(&self.tool, &self.run, now);
        match &self.phase {
            Phase::Created | Phase::ToldInvoked => Step::Emit(told().invoked()),
            Phase::ToldRequested { request_id, .. } => Step::Emit(told().requested(request_id)),
            Phase::ToldDecided { request_id, refused, changed, .. } => {
                Step::Emit(told().decided(request_id, refused.is_none(), *changed))
            }
            Phase::ToldStarted => Step::Emit(told().started()),
            Phase::ToldCompleted { facts, lasted_ns } => {
                Step::Emit(told().completed(*facts, *lasted_ns))
            }
            Phase::ToldUndoStoreFailed { class, message } => {
                Step::Emit(told().undo_store_failed(class, message))
            }
            Phase::ToldFailure { failure, lasted_ns } => {
                Step::Emit(told().failure(failure, *lasted_ns))
            }
            Phase::CheckingPermission | Phase::RecheckingPermission => {
                Step::CheckPermission { capability: self.tool.capability.clone() }
            }
            Phase::CheckingInput => Step::CheckInput,
            Phase::ReplacingArguments { arguments } => {
                Step::ReplaceArguments { arguments: arguments.clone() }
            }
            Phase::CheckingLimit => Step::CheckLimit,
            Phase::RequestingApproval => {
                Step::RequestApproval { message: self.tool.approval_message() }
            }
            Phase::AwaitingApproval { request_id, .. } => Step::AwaitApproval {
                request_id: request_id.clone(),
                timeout_ms: self.settings.approval_timeout_ms,
            },
            Phase::VerifyingApproval { .. } => Step::VerifyApproval,
            Phase::CancellingApproval { request_id } => {
                Step::CancelApproval { request_id: request_id.clone() }
            }
            Phase::Running { .. } => Step::Run,
            Phase::StoringUndo => Step::StoreUndo,
            Phase::Completed => Step::Finished(None),
            Phase::Ended { failure } => Step::Finished(Some(failure.clone())),
        }
    }
}
