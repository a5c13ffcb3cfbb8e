//! Undoes a run that completed.

use std::sync::Arc;

use super::nesting::Nested;
use super::services::Services;
use crate::error::Error;
use crate::lifecycle::{
    Claim, Lease, Moment, Run, RunEvent, Time, UndoAnswer, UndoData, UndoStep, UndoStore, Undoing,
    microseconds,
};
use crate::registry::ToolSpec;
use crate::store::StoreError;

/// The host's side of undoing one run.
pub trait UndoHost {
    /// What stops a call of the program: an exception, or the end of the script.
    type Stop: From<Error> + From<StoreError>;

    /// Names the stack on which the calling code runs, for a host whose threads have several.
    #[must_use]
    fn stack() -> usize {
        0
    }

    /// Returns the present time.
    fn moment(&self) -> Moment {
        super::clock::moment()
    }

    /// Turns what stopped the undo handler into an answer, and remembers it as the cause. Returns
    /// it as the error if the program cannot go on.
    ///
    /// # Errors
    ///
    /// What ends the program.
    fn raised(&mut self, stop: Self::Stop) -> Result<UndoAnswer, Self::Stop>;

    /// Emits an event. A listener's failure is no failure of the undoing.
    ///
    /// # Errors
    ///
    /// What ends the program.
    fn emit(&mut self, event: &RunEvent) -> Result<(), Self::Stop>;

    /// Calls the tool's undo handler.
    ///
    /// # Errors
    ///
    /// What the handler raised.
    fn undo(&mut self, data: &UndoData) -> Result<(), Self::Stop>;
}

/// What came of undoing a run.
pub enum Undone<H> {
    /// The run is undone.
    Done,
    /// There are no undo data, or no handler for them.
    Missing,
    /// Another process undoes the run.
    Busy {
        /// The tool that ran.
        tool: String,
        /// The last microsecond of the other process's turn.
        until: Time,
    },
    /// The undo handler raised. The run may be undone later.
    Failed {
        /// The tool that ran.
        tool: String,
        /// The message of what the handler raised.
        reason: String,
        /// The host, which has the cause.
        host: H,
    },
}

impl Services {
    /// Undoes the newest run with an id. `make` gives the tool and the host for the undo data,
    /// or nothing if the tool has no undo handler.
    ///
    /// # Errors
    ///
    /// `nested_too_deep`, any error of the store, and what ends the program.
    pub fn undo<H: UndoHost>(
        &self,
        run: Run,
        now: i64,
        make: impl FnOnce(&UndoData) -> Result<Option<(Arc<ToolSpec>, H)>, H::Stop>,
    ) -> Result<Undone<H>, H::Stop> {
        let _nested = Nested::begin(H::stack())?;
        let lease = microseconds(UndoStore::LEASE_SECONDS);
        let (data, lease) = match self.undo.claim(&run.run_id, lease, now)? {
            Claim::Missing => return Ok(Undone::Missing),
            Claim::Busy { until } => {
                let data = self.undo.get(&run.run_id, now)?;
                let tool = data.map(|data| data.tool_name).unwrap_or_default();
                return Ok(Undone::Busy { tool, until });
            }
            Claim::Claimed { data, lease } => (data, lease),
        };
        let Some((tool, host)) = make(&data)? else {
            self.undo.release(&lease, now)?;
            return Ok(Undone::Missing);
        };
        let original = data.created_at.to_string();
        let undoing = Undoing::new(tool, run, original, self.settings.emit_events);
        self.undo_claimed(undoing, host, &data, &lease)
    }

    fn undo_claimed<H: UndoHost>(
        &self,
        mut undoing: Undoing,
        mut host: H,
        data: &UndoData,
        lease: &Lease,
    ) -> Result<Undone<H>, H::Stop> {
        let mut answer = UndoAnswer::Done;
        loop {
            let now = host.moment();
            let step = undoing.advance(answer, now)?;
            answer = UndoAnswer::Done;
            match step {
                UndoStep::Run => {
                    if let Err(stop) = host.undo(data) {
                        answer = host.raised(stop)?;
                    }
                }
                UndoStep::Emit(event) => host.emit(&event)?,
                UndoStep::Forget => drop(self.undo.finish(lease, now.wall_us)?),
                UndoStep::Release => drop(self.undo.release(lease, now.wall_us)?),
                UndoStep::Finished(None) => {
                    // It is undone, whatever the store says of it.
                    drop(self.runs.undone(&data.run_id, now.wall_us));
                    return Ok(Undone::Done);
                }
                UndoStep::Finished(Some(reason)) => {
                    let tool = data.tool_name.clone();
                    return Ok(Undone::Failed { tool, reason, host });
                }
            }
        }
    }
}
