//! Undoing one run, as a state machine without I/O.
//!
//! ```
//! use std::sync::Arc;
//! use toolwire::lifecycle::{Moment, Run, UndoAnswer, UndoStep, Undoing};
//! use toolwire::registry::ToolSpec;
//!
//! let tool = Arc::new(ToolSpec::new("edit").with_id("EDIT"));
//! let mut undoing = Undoing::new(tool, Run::new("run-1"), "2024-01-01T00:00:00+00:00", true);
//! let (mut answer, mut told) = (UndoAnswer::Done, Vec::new());
//! loop {
//!     match undoing.advance(answer, Moment::default())? {
//!         UndoStep::Emit(event) => told.push(event.kind.slug()),
//!         UndoStep::Run | UndoStep::Forget | UndoStep::Release => {}
//!         UndoStep::Finished(failed) => break assert!(failed.is_none()),
//!     }
//!     answer = UndoAnswer::Done;
//! }
//! assert_eq!(told, ["tool.undone"]);
//! # Ok::<(), toolwire::Error>(())
//! ```

use std::sync::Arc;

use crate::error::{Error, ErrorKind};
use crate::lifecycle::machine::event::{EventKind, FieldName, FieldValue, RunEvent};
use crate::lifecycle::machine::step::{Moment, Run};
use crate::lifecycle::machine::subject::{Subject, milliseconds};
use crate::registry::ToolSpec;

/// The next task for the host.
#[derive(Clone, Debug, PartialEq)]
pub enum UndoStep {
    /// Run the undo handler. The answer is [`UndoAnswer::Done`] or [`UndoAnswer::Raised`].
    Run,
    /// Emit an event.
    Emit(RunEvent),
    /// Delete the undo data, because the run is undone.
    Forget,
    /// Release the undo data, so that another attempt is possible.
    Release,
    /// The end: nothing if the run is undone, else the message of what the handler raised.
    Finished(Option<String>),
}

/// The answer to an [`UndoStep`]. The first answer is [`UndoAnswer::Done`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoAnswer {
    /// The host did the step.
    Done,
    /// The handler raised.
    Raised {
        /// The class of what it raised.
        class: String,
        /// The message of what it raised.
        message: String,
    },
}

#[derive(Clone, Debug)]
enum UndoPhase {
    Created,
    Running { since_ns: u64 },
    ToldUndone { lasted_ns: u64 },
    Forgetting,
    ToldFailed { class: String, message: String },
    Releasing { message: String },
    Ended { failed: Option<String> },
}

/// Undoing one run.
#[derive(Clone, Debug)]
pub struct Undoing {
    tool: Arc<ToolSpec>,
    run: Run,
    original: String,
    emit_events: bool,
    phase: UndoPhase,
}

impl Undoing {
    /// Makes an undoing that has not begun; `original` is when the run's undo data was made.
    pub fn new(
        tool: Arc<ToolSpec>,
        run: Run,
        original: impl Into<String>,
        emit_events: bool,
    ) -> Self {
        Self { tool, run, original: original.into(), emit_events, phase: UndoPhase::Created }
    }

    /// Takes the answer to the last step and returns the next step.
    ///
    /// # Errors
    ///
    /// `unexpected_answer` when the answer does not match the last step, or when the undoing has
    /// ended.
    pub fn advance(&mut self, answer: UndoAnswer, now: Moment) -> Result<UndoStep, Error> {
        self.phase = self.follow(answer, now)?;
        let tells =
            matches!(self.phase, UndoPhase::ToldUndone { .. } | UndoPhase::ToldFailed { .. });
        if tells && !self.emit_events {
            self.phase = self.follow(UndoAnswer::Done, now)?;
        }
        Ok(self.step(now))
    }

    fn follow(&self, answer: UndoAnswer, now: Moment) -> Result<UndoPhase, Error> {
        Ok(match (&self.phase, answer) {
            (UndoPhase::Created, UndoAnswer::Done) => UndoPhase::Running { since_ns: now.ticks_ns },
            (UndoPhase::Running { since_ns }, UndoAnswer::Done) => {
                UndoPhase::ToldUndone { lasted_ns: now.ticks_ns.saturating_sub(*since_ns) }
            }
            (UndoPhase::Running { .. }, UndoAnswer::Raised { class, message }) => {
                UndoPhase::ToldFailed { class, message }
            }
            (UndoPhase::ToldUndone { .. }, UndoAnswer::Done) => UndoPhase::Forgetting,
            (UndoPhase::Forgetting, UndoAnswer::Done) => UndoPhase::Ended { failed: None },
            (UndoPhase::ToldFailed { message, .. }, UndoAnswer::Done) => {
                UndoPhase::Releasing { message: message.clone() }
            }
            (UndoPhase::Releasing { message }, UndoAnswer::Done) => {
                UndoPhase::Ended { failed: Some(message.clone()) }
            }
            _ => {
                let message = "that is no answer to the last step of the undoing";
                return Err(Error::new(ErrorKind::UnexpectedAnswer, message));
            }
        })
    }

    fn step(&self, now: Moment) -> UndoStep {
        let subject = Subject { tool: &self.tool.name, run: &self.run, now };
        match &self.phase {
            UndoPhase::Created | UndoPhase::Running { .. } => UndoStep::Run,
            UndoPhase::ToldUndone { lasted_ns } => UndoStep::Emit(subject.event(
                EventKind::Undone,
                [
                    (FieldName::DurationMs, milliseconds(*lasted_ns)),
                    (FieldName::RanAt, FieldValue::from(self.original.as_str())),
                ],
            )),
            UndoPhase::ToldFailed { class, message } => UndoStep::Emit(subject.event(
                EventKind::UndoFailed,
                [
                    (FieldName::ErrorMessage, FieldValue::from(message.as_str())),
                    (FieldName::Reason, FieldValue::from(class.as_str())),
                ],
            )),
            UndoPhase::Forgetting => UndoStep::Forget,
            UndoPhase::Releasing { .. } => UndoStep::Release,
            UndoPhase::Ended { failed } => UndoStep::Finished(failed.clone()),
        }
    }
}
