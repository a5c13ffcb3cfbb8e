//! The host's side of a run: what calls code of the program.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::hold::RunHold;
use crate::error::Error;
use crate::lifecycle::{Answer, Moment, OutputFacts, Run, RunEvent, RunsError};
use crate::registry::ToolSpec;
use crate::store::StoreError;

/// Emits an event of a run that was left, and breaks off when the program ends.
pub type Teller = Box<dyn Fn(&RunEvent) -> ControlFlow<()>>;

/// The host's side of one run. A [`Services`](super::Services) drives the run and calls the host
/// wherever a handler, a policy, a listener or a value of the program is needed.
pub trait RunHost {
    /// What stops a call of the program: an exception, or the end of the script.
    type Stop: From<Error> + From<StoreError> + From<RunsError>;

    /// Whether a run may be left without unwinding the stack, as by the exit of a script. Such a
    /// host calls [`interrupt_open_runs`](super::interrupt_open_runs) then.
    const MAY_LEAVE: bool = false;

    /// Whether a thread of this process may use the store while a handler works. It renews the
    /// lease then; a handler of any other host renews it itself.
    const RENEWS: bool = true;

    /// Returns for how long a handler of the tool may work, in microseconds, if there is a limit.
    fn timeout(&self, tool: &ToolSpec) -> Option<i64> {
        tool.limits.timeout
    }

    /// Whether this ends the program itself, such as the exit of a script, and not the call alone.
    #[must_use]
    fn leaves(_stop: &Self::Stop) -> bool {
        false
    }

    /// Names the stack on which the calling code runs, for a host whose threads have several.
    #[must_use]
    fn stack() -> usize {
        0
    }

    /// Returns the present time.
    fn moment(&self) -> Moment {
        super::clock::moment()
    }

    /// Turns what stopped a call into the run's answer, and remembers it as the cause of the run's
    /// failure. Returns it as the error if the program cannot go on.
    ///
    /// # Errors
    ///
    /// What ends the program.
    fn raised(&mut self, stop: Self::Stop) -> Result<Answer, Self::Stop>;

    /// Emits an event. A listener's failure is no failure of the run.
    ///
    /// # Errors
    ///
    /// What ends the program.
    fn emit(&mut self, event: &RunEvent) -> Result<(), Self::Stop>;

    /// Returns what emits an event when the run was left without unwinding the stack, and this is
    /// gone. It says whether others may be emitted.
    fn teller(&self) -> Option<Teller> {
        None
    }

    /// Returns the arguments of the call.
    ///
    /// # Errors
    ///
    /// Arguments that are no JSON.
    fn arguments(&self) -> Result<Arc<Value>, Self::Stop>;

    /// Returns a JSON Pointer to a number of the arguments that is not finite, if there is one. A
    /// run with such a number is denied.
    fn bad_number(&self) -> Option<String>;

    /// Replaces the arguments by the validated ones.
    fn replace_arguments(&mut self, arguments: Value);

    /// Returns the short form of the arguments for the list of requests, without secrets.
    ///
    /// # Errors
    ///
    /// A summary that is no JSON.
    fn payload_summary(&mut self) -> Result<Box<RawValue>, Self::Stop>;

    /// The caller whose calls a limit counts.
    fn caller(&self) -> &str;

    /// Asks the program whether the caller may run the tool: [`Answer::Granted`] or
    /// [`Answer::Refused`].
    ///
    /// # Errors
    ///
    /// What the program's check raised.
    fn permit(&mut self, run: &Run, capability: Option<&str>) -> Result<Answer, Self::Stop>;

    /// Asks the program which changes the run would make now, if it reports them.
    ///
    /// # Errors
    ///
    /// What the program raised.
    fn changes(&self, run: &Run) -> Result<Option<Value>, Self::Stop>;

    /// Calls the handler and keeps its output. A run of the store is held meanwhile.
    ///
    /// # Errors
    ///
    /// What the handler raised.
    fn handle(&mut self, run: &Run, hold: Option<&RunHold>) -> Result<OutputFacts, Self::Stop>;

    /// Returns the output for the store, or nothing if it is no JSON value.
    fn output_json(&self) -> Option<Box<RawValue>>;

    /// Returns the output's undo data.
    ///
    /// # Errors
    ///
    /// Undo data that are no JSON.
    fn undo_data(&self) -> Result<Box<RawValue>, Self::Stop>;

    /// Takes note that the store does not have the end of the run: it failed, or the handler
    /// outlived its lease. The run itself has ended.
    ///
    /// # Errors
    ///
    /// What ends the program.
    fn not_settled(&mut self, failed: Self::Stop) -> Result<(), Self::Stop>;
}
