//! Runs in a store.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use toolwire::executor::{Renewed, RunHold};
use toolwire::lifecycle::{self, CallName, Page, Runs, Settings, microseconds, run_id};

use super::clock::{moment, now};
use super::run_record::RunRecord;
use super::store;
use super::store_error;
use super::word::utf8;

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

impl From<lifecycle::RunClaim> for RunClaim {
    fn from(core: lifecycle::RunClaim) -> Self {
        Self { core }
    }
}

#[pymethods]
impl RunClaim {
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
    #[pyo3(signature = (store, retention_seconds=Runs::RETENTION_SECONDS, keep_outputs=true))]
    fn new(store: &Bound<'_, PyAny>, retention_seconds: f64, keep_outputs: bool) -> PyResult<Self> {
        let runs = Runs::new(store::core(store)?).with_retention(microseconds(retention_seconds));
        let runs = if keep_outputs { runs } else { runs.without_outputs() };
        Ok(Self { core: Arc::new(runs) })
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

impl RunTable {
    pub fn core(&self) -> &Runs {
        &self.core
    }
}

/// Returns the id of the run of a call, and how it got its id: ``call``, ``own`` or ``new``.
#[pyfunction]
#[pyo3(signature = (call_id, *, caller, scope, message, index=None, own=false))]
pub fn name_run(
    call_id: &Bound<'_, PyString>,
    caller: &Bound<'_, PyString>,
    scope: &Bound<'_, PyString>,
    message: &Bound<'_, PyString>,
    index: Option<u64>,
    own: bool,
) -> PyResult<(String, &'static str)> {
    let name = CallName {
        caller: utf8("caller", caller)?,
        scope: utf8("scope", scope)?,
        message: utf8("message", message)?,
        index,
        id: utf8("the id of a call", call_id)?,
        own,
    };
    Ok((run_id(&name), name.naming().slug()))
}
