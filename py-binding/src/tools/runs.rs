//! Runs in a store.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use toolwire::executor::{Renewed, RunHold};
use toolwire::lifecycle::{
    self, Begun, CallName, Naming, NewRun, Page, Resumption, RunOutcome, RunTool, Runs, Settings,
    fingerprint, microseconds, run_id,
};

use super::clock::{moment, now};
use super::run::ToolRun;
use super::run_record::RunRecord;
use super::store;
use super::store_error;
use crate::host::value::{output_json, to_json};

/// The runs of a store.
#[pyclass(frozen, module = "toolwire._native")]
pub struct RunTable {
    core: Arc<Runs>,
}

/// A run that this process has.
#[pyclass(frozen, module = "toolwire._native")]
pub struct RunClaim {
    core: lifecycle::RunClaim,
}

/// The answer to a run that is to begin or to be taken up. Its status is ``mine``, ``known``,
/// ``other`` or ``unknown``. Only with ``mine`` there is a claim; with ``unknown``, there is no
/// record.
#[pyclass(frozen, get_all, module = "toolwire._native")]
pub struct RunAnswer {
    status: &'static str,
    record: Option<Py<RunRecord>>,
    claim: Option<Py<RunClaim>>,
}

impl RunAnswer {
    fn mine(py: Python<'_>, claim: lifecycle::RunClaim) -> PyResult<Self> {
        let record = Some(Py::new(py, RunRecord::from((*claim.record).clone()))?);
        Ok(Self { status: "mine", record, claim: Some(Py::new(py, RunClaim { core: claim })?) })
    }

    fn standing(
        py: Python<'_>,
        status: &'static str,
        core: lifecycle::RunRecord,
    ) -> PyResult<Self> {
        Ok(Self { status, record: Some(Py::new(py, RunRecord::from(core))?), claim: None })
    }
}

#[pymethods]
impl RunClaim {
    /// The id of the run.
    #[getter]
    fn id(&self) -> &str {
        &self.core.record.id
    }

    /// Whether another process had the run before, and may have asked a person.
    #[getter]
    fn taken_over(&self) -> bool {
        self.core.taken_over
    }

    /// Whether the handler has outlived its lease.
    #[getter]
    fn is_over(&self) -> bool {
        self.core.is_over(moment())
    }
}

/// The renewal of a run's lease while a handler works.
#[pyclass(frozen, module = "toolwire._native")]
pub struct RunRenewal {
    hold: RunHold,
    timeout: Option<i64>,
    renewed: Mutex<Option<Renewed>>,
}

impl RunRenewal {
    fn set(&self, renewed: Option<Renewed>) {
        *self.renewed.lock().unwrap_or_else(PoisonError::into_inner) = renewed;
    }
}

#[pymethods]
impl RunRenewal {
    fn __enter__(&self) {
        self.set(Some(self.hold.renewed(self.timeout)));
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, _raised: &Bound<'_, PyTuple>) {
        self.set(None);
    }
}

#[pymethods]
impl RunTable {
    /// For how long a run is kept after its last change, in seconds.
    #[classattr]
    const RETENTION_SECONDS: f64 = Runs::RETENTION_SECONDS;

    /// How long a process has a run, in seconds, before it must renew its lease.
    #[classattr]
    #[allow(clippy::cast_precision_loss, reason = "seconds are few")]
    const LEASE_SECONDS: f64 = Runs::LEASE as f64 / 1e6;

    /// How long after its lease was written a process renews it, in seconds.
    #[classattr]
    #[allow(clippy::cast_precision_loss, reason = "seconds are few")]
    const RENEW_SECONDS: f64 = Runs::RENEW_AFTER as f64 / 1e6;

    #[classattr]
    const APPROVAL_SECONDS: f64 = Settings::APPROVAL_SECONDS;

    #[new]
    #[pyo3(signature = (store, retention_seconds=Runs::RETENTION_SECONDS))]
    fn new(store: &Bound<'_, PyAny>, retention_seconds: f64) -> PyResult<Self> {
        let runs = Runs::new(store::core(store)?);
        Ok(Self { core: Arc::new(runs.with_retention(microseconds(retention_seconds))) })
    }

    /// Begins the run of a call, unless the store has one of its id.
    /// ``named`` says how the run got its id. With ``again``, a run that was denied or has expired
    /// begins once more.
    #[pyo3(signature = (run, named, caller, again=false))]
    fn begin(
        &self,
        py: Python<'_>,
        run: &ToolRun,
        named: &str,
        caller: String,
        again: bool,
    ) -> PyResult<RunAnswer> {
        let named = Naming::from_slug(named)
            .ok_or_else(|| PyValueError::new_err("named must be call, own or new"))?;
        let arguments = to_json("the payload", run.payload_of(py))?;
        let tool = run.execution().tool();
        let new = NewRun {
            run: run.execution().run().clone(),
            named,
            caller,
            call: fingerprint(&tool.action_type, &arguments, None),
            tool: RunTool { name: tool.name.clone(), action_type: tool.action_type.clone() },
            payload: raw(&arguments)?,
        };
        let begun = py.detach(|| {
            if again {
                return self.core.begin_again(new, Runs::LEASE, now());
            }
            Ok(self.core.begin(new, Runs::LEASE, now())?)
        });
        match begun.map_err(|error| store_error::raise_run(py, error))? {
            Begun::Mine(claim) => RunAnswer::mine(py, claim),
            Begun::Known(record) => RunAnswer::standing(py, "known", *record),
            Begun::Other(record) => RunAnswer::standing(py, "other", *record),
        }
    }

    /// Claims a run that nobody has, so that this process alone takes it up.
    fn claim(&self, py: Python<'_>, id: &str) -> PyResult<RunAnswer> {
        let claimed = py.detach(|| self.core.claim(id, Runs::LEASE, now()));
        match claimed.map_err(|error| store_error::raise(py, error))? {
            Resumption::Claimed(claim) => RunAnswer::mine(py, claim),
            Resumption::Standing(record) => RunAnswer::standing(py, "known", *record),
            Resumption::Unknown => Ok(RunAnswer { status: "unknown", record: None, claim: None }),
        }
    }

    /// Gives a run back while a person decides, and says whether this process had it.
    fn suspend(&self, py: Python<'_>, claim: &RunClaim, run: &ToolRun) -> PyResult<bool> {
        let payload = raw(&to_json("the payload", run.payload_of(py))?)?;
        let execution = run.execution().clone();
        let kept = py.detach(|| self.core.suspend(&claim.core, &execution, &payload, now()));
        kept.map_err(|error| store_error::raise_run(py, error))
    }

    /// Writes down that the handler starts now. Unless this returns true, it must not run.
    fn start(&self, py: Python<'_>, claim: &RunClaim) -> PyResult<bool> {
        let started = py.detach(|| self.core.start(&claim.core, Runs::LEASE, moment()));
        started.map_err(|error| store_error::raise(py, error))
    }

    /// Renews the lease, and says whether this process still has the run.
    fn renew(&self, py: Python<'_>, claim: &RunClaim) -> PyResult<bool> {
        let renewed = py.detach(|| self.core.renew(&claim.core, Runs::LEASE, moment()));
        renewed.map_err(|error| store_error::raise(py, error))
    }

    /// Has a thread renew the lease, for so many seconds at most, until the block ends.
    #[pyo3(signature = (claim, seconds=None))]
    fn renewed(&self, claim: &RunClaim, seconds: Option<f64>) -> RunRenewal {
        let hold = RunHold::new(Arc::clone(&self.core), claim.core.clone(), Runs::LEASE);
        RunRenewal { hold, timeout: seconds.map(microseconds), renewed: Mutex::default() }
    }

    /// Gives a run back as it was when it was claimed, since its handler was not started, and says
    /// whether this process had it.
    fn give_back(&self, py: Python<'_>, claim: &RunClaim) -> PyResult<bool> {
        let given_back = py.detach(|| self.core.give_back(&claim.core, now()));
        given_back.map_err(|error| store_error::raise(py, error))
    }

    /// Gives a run up whose handler works or may have worked, and says whether this process had it.
    fn interrupt(&self, py: Python<'_>, claim: &RunClaim) -> PyResult<bool> {
        let given_up = py.detach(|| self.core.interrupt(&claim.core, now()));
        given_up.map_err(|error| store_error::raise(py, error))
    }

    /// Writes down how a run ended, and says whether this process had it. ``output`` is the
    /// handler's output as a value for JSON.
    fn settle(
        &self,
        py: Python<'_>,
        claim: &RunClaim,
        run: &ToolRun,
        output: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let outcome = if let Some(failure) = run.execution().failure() {
            RunOutcome::failed(failure.clone())
        } else {
            let output = output_json(output).and_then(|value| raw(&value));
            RunOutcome::completed(output.ok())
        };
        let settled = py.detach(|| self.core.settle(&claim.core, &outcome, moment()));
        settled.map_err(|error| store_error::raise(py, error))
    }

    /// Returns a run, or None.
    fn get(&self, py: Python<'_>, id: &str) -> PyResult<Option<RunRecord>> {
        let found = py.detach(|| self.core.get(id, now()));
        let found = found.map_err(|error| store_error::raise(py, error))?;
        Ok(found.map(RunRecord::from))
    }

    /// Returns the runs that have not ended, the oldest first, or a page of them.
    #[pyo3(signature = (limit=None, after=None))]
    fn open(
        &self,
        py: Python<'_>,
        limit: Option<usize>,
        after: Option<&str>,
    ) -> PyResult<Vec<RunRecord>> {
        let open = py.detach(|| self.core.open_page(Page { after, limit }, now()));
        let open = open.map_err(|error| store_error::raise_run(py, error))?;
        Ok(open.into_iter().map(RunRecord::from).collect())
    }

    /// Returns every run, ended or not, the newest first, or a page of them.
    #[pyo3(signature = (limit=None, after=None))]
    fn all(
        &self,
        py: Python<'_>,
        limit: Option<usize>,
        after: Option<&str>,
    ) -> PyResult<Vec<RunRecord>> {
        let all = py.detach(|| self.core.all_page(Page { after, limit }, now()));
        let all = all.map_err(|error| store_error::raise_run(py, error))?;
        Ok(all.into_iter().map(RunRecord::from).collect())
    }

    /// Notes that what the handler of a completed run did was undone, and says whether the store
    /// has such a run.
    fn undone(&self, py: Python<'_>, id: &str) -> PyResult<bool> {
        let undone = py.detach(|| self.core.undone(id, now()));
        undone.map_err(|error| store_error::raise(py, error))
    }

    /// Makes an interrupted run ready to run once more, and returns it.
    fn retry(&self, py: Python<'_>, id: &str) -> PyResult<RunRecord> {
        let retried = py.detach(|| self.core.retry(id, now()));
        let core = retried.map_err(|error| store_error::raise_run(py, error))?;
        Ok(core.into())
    }

    /// Deletes a run, and says whether there was one.
    fn forget(&self, py: Python<'_>, id: &str) -> PyResult<bool> {
        let forgotten = py.detach(|| self.core.forget(id, now()));
        forgotten.map_err(|error| store_error::raise(py, error))
    }
}

fn raw(value: &Value) -> PyResult<Box<RawValue>> {
    to_raw_value(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Returns the id of the run of a call, and how it got its id: ``call``, ``own`` or ``new``.
#[pyfunction]
#[pyo3(signature = (call_id, *, caller="", scope="", message="", index=None, own=false))]
pub fn name_run(
    call_id: &str,
    caller: &str,
    scope: &str,
    message: &str,
    index: Option<u64>,
    own: bool,
) -> (String, &'static str) {
    let name = CallName { caller, scope, message, index, id: call_id, own };
    (run_id(&name), name.naming().slug())
}
