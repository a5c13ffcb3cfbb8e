//! The machine of a run that a store has kept, and what must agree before the run goes on.

use std::sync::Arc;

use super::record::RunRecord;
use crate::error::{Error, ErrorKind};
use crate::json::parse_json;
use crate::lifecycle::machine::execution::Execution;
use crate::lifecycle::machine::step::Settings;
use crate::lifecycle::shown::detail::fingerprint;
use crate::registry::ToolSpec;

impl RunRecord {
    /// Makes the machine that goes on with the run of this tool. A run whose process ended during
    /// the first checks begins anew.
    ///
    /// # Errors
    ///
    /// `invalid_execution` when the record does not hold a saved run, or when its parts are not of
    /// one run: the saved machine is another run's or waits for another request, or the tool and
    /// the arguments are not those of the call that began.
    pub fn restore(&self, tool: Arc<ToolSpec>, settings: &Settings) -> Result<Execution, Error> {
        let Some(saved) = &self.input.execution else {
            self.check_call(&tool)?;
            return Ok(Execution::new(tool, self.input.run.clone(), settings.clone()));
        };
        let execution = Execution::restore(saved, |id| (id == tool.id).then_some(tool))?;
        let waits_for = execution.awaited_approval();
        if execution.run().run_id != self.id || waits_for != self.approval_id.as_deref() {
            return Err(self.mixed_up());
        }
        Ok(execution)
    }

    /// Checks that the tool and the arguments are those with which the run began.
    fn check_call(&self, tool: &ToolSpec) -> Result<(), Error> {
        let Some(call) = &self.asked.call else { return Ok(()) };
        // The store removes the arguments of a refused run, whose handler is never called.
        if self.is_refused() {
            return Ok(());
        }
        let arguments = parse_json(self.input.payload.get().as_bytes())
            .map_err(|error| self.mixed_up().caused_by(error))?;
        if *call == fingerprint(&tool.id, &arguments, None) { Ok(()) } else { Err(self.mixed_up()) }
    }

    fn mixed_up(&self) -> Error {
        let message = format!("the record of the run '{}' is not as it was written", self.id);
        Error::new(ErrorKind::InvalidExecution, message)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::lifecycle::{Answer, Begun, Moment, Naming, NewRun, Run, RunTool, Runs};
    use crate::store::MemoryStore;

    fn spec(id: &str) -> Arc<ToolSpec> {
        Arc::new(ToolSpec { requires_approval: true, ..ToolSpec::new("edit").with_id(id) })
    }

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    fn begun(id: &str) -> RunRecord {
        let new = NewRun {
            run: Run::new(id),
            named: Naming::Own,
            caller: String::new(),
            tool: RunTool { name: "edit".into(), id: "EDIT".into() },
            call: fingerprint("EDIT", &serde_json::json!({"n": 1}), None),
            payload: raw(r#"{"n":1}"#),
        };
        let runs = Runs::new(Arc::new(MemoryStore::default()));
        let Begun::Mine(claim) = runs.begin(new, 10, 0).unwrap() else { panic!() };
        (*claim.record).clone()
    }

    fn waiting(id: &str, request_id: &str) -> RunRecord {
        let mut record = begun(id);
        let settings = Settings { emit_events: false, ..Settings::default() };
        let mut execution = record.restore(spec("EDIT"), &settings).unwrap();
        execution.advance(Answer::Done, Moment::default()).unwrap();
        let request_id = request_id.to_owned();
        let asked = Answer::Requested { request_id: request_id.clone(), fingerprint: None };
        execution.advance(asked, Moment::default()).unwrap();
        record.input.execution = Some(execution.save().unwrap());
        record.approval_id = Some(request_id);
        record
    }

    fn slug(record: &RunRecord, id: &str) -> Option<&'static str> {
        let restored = record.restore(spec(id), &Settings::default());
        restored.err().map(|error| error.kind().slug())
    }

    #[test]
    fn a_run_begins_anew_only_with_its_own_tool_and_arguments() {
        let record = begun("a");
        assert_eq!(slug(&record, "EDIT"), None);
        assert_eq!(slug(&record, "WIPE"), Some("invalid_execution"));
        let mut other = begun("a");
        other.input.payload = raw(r#"{"n":2}"#);
        assert_eq!(slug(&other, "EDIT"), Some("invalid_execution"));
    }

    #[test]
    fn a_saved_machine_of_another_run_or_request_is_refused() {
        assert_eq!(slug(&waiting("a", "r"), "EDIT"), None);
        assert_eq!(slug(&waiting("a", "r"), "WIPE"), Some("invalid_execution"));
        let mut record = waiting("a", "r");
        record.input.execution = waiting("b", "r").input.execution;
        assert_eq!(slug(&record, "EDIT"), Some("invalid_execution"));
        record.input.execution = waiting("a", "s").input.execution;
        assert_eq!(slug(&record, "EDIT"), Some("invalid_execution"));
        record.input.execution = waiting("a", "r").input.execution;
        record.approval_id = None;
        assert_eq!(slug(&record, "EDIT"), Some("invalid_execution"));
    }
}
