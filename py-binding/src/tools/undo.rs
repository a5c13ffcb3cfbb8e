//! Undo data in a store.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::value::RawValue;
use toolwire::lifecycle::{self, Claim, Lease, NewUndo, Time, UndoData, microseconds};

use super::clock::now;
use super::store;
use super::store_error::raise;
use super::word::word;
use crate::host::json;

/// The undo data of a store.
#[pyclass(frozen, module = "toolwire._native")]
pub struct UndoTable {
    core: lifecycle::UndoStore,
}

/// The right of one process to undo an action, for a limited time.
#[pyclass(frozen, module = "toolwire._native")]
pub struct UndoLease {
    core: Lease,
}

/// An action's undo data as a store holds it: ids as texts, times as ISO 8601.
#[pyclass(frozen, module = "toolwire._native")]
pub struct UndoRecord {
    core: UndoData,
}

impl From<UndoData> for UndoRecord {
    fn from(core: UndoData) -> Self {
        Self { core }
    }
}

#[pymethods]
impl UndoRecord {
    #[getter]
    fn run_id(&self) -> &str {
        &self.core.run_id
    }

    #[getter]
    fn tool_name(&self) -> &str {
        &self.core.tool_name
    }

    /// The value that the undo handler gets. Each read gives a new value.
    #[getter]
    fn undo_data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::value(py, self.core.undo_data.get().as_bytes())
    }

    #[getter]
    fn created_at(&self) -> String {
        self.core.created_at.to_string()
    }

    /// The last moment at which the action may be undone.
    #[getter]
    fn expires_at(&self) -> Option<String> {
        self.core.expires_at.map(|at| at.to_string())
    }

    fn __repr__(&self) -> String {
        format!("UndoRecord(run_id='{}')", self.core.run_id)
    }
}

/// The result of a claim. Its status is ``claimed``, ``busy`` or ``missing``. Only a claimed one
/// has the record and a lease.
#[pyclass(frozen, get_all, module = "toolwire._native")]
pub struct UndoClaim {
    status: &'static str,
    record: Option<Py<UndoRecord>>,
    lease: Option<Py<UndoLease>>,
}

#[pymethods]
impl UndoTable {
    #[new]
    fn new(store: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { core: lifecycle::UndoStore::new(store::core(store)?) })
    }

    /// Stores an action's undo data.
    fn store(
        &self,
        py: Python<'_>,
        run_id: &Bound<'_, PyAny>,
        tool_name: &Bound<'_, PyAny>,
        undo_data: String,
        created_at: &str,
        ttl_seconds: f64,
    ) -> PyResult<()> {
        let undo_data = RawValue::from_string(undo_data)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        let new = NewUndo { run_id: word(run_id)?, tool_name: word(tool_name)?, undo_data };
        let now = now();
        let created_at = Time::parse(created_at).unwrap_or_else(|| Time::from_micros(now));
        // Stageflow accepts a negative duration too, which has expired at once.
        let ttl =
            if ttl_seconds < 0.0 { -microseconds(-ttl_seconds) } else { microseconds(ttl_seconds) };
        let stored = py.detach(|| self.core.store_made(new, created_at, Some(ttl), now));
        stored.map(drop).map_err(|error| raise(py, error))
    }

    /// Returns an action's undo data, or None.
    fn get(&self, py: Python<'_>, run_id: &Bound<'_, PyAny>) -> PyResult<Option<UndoRecord>> {
        let id = word(run_id)?;
        let data = py.detach(|| self.core.get(&id, now())).map_err(|error| raise(py, error))?;
        Ok(data.map(UndoRecord::from))
    }

    /// Deletes an action's undo data, and says whether there was any.
    fn delete(&self, py: Python<'_>, run_id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let id = word(run_id)?;
        py.detach(|| self.core.delete(&id, now())).map_err(|error| raise(py, error))
    }

    /// Removes the expired entries, and returns their number.
    fn cleanup_expired(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.core.cleanup_expired(now())).map_err(|error| raise(py, error))
    }

    /// Returns the undo data of each action's newest run, ordered by when each action first got
    /// some.
    fn all(&self, py: Python<'_>) -> PyResult<Vec<UndoRecord>> {
        let all = py.detach(|| self.core.all(now())).map_err(|error| raise(py, error))?;
        Ok(all.into_iter().map(UndoRecord::from).collect())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        py.detach(|| self.core.len()).map_err(|error| raise(py, error))
    }

    /// Claims an action's undo data.
    fn claim(
        &self,
        py: Python<'_>,
        run_id: &Bound<'_, PyAny>,
        lease_seconds: f64,
    ) -> PyResult<UndoClaim> {
        let id = word(run_id)?;
        let claim = py.detach(|| self.core.claim(&id, microseconds(lease_seconds), now()));
        Ok(match claim.map_err(|error| raise(py, error))? {
            Claim::Claimed { data, lease } => UndoClaim {
                status: "claimed",
                record: Some(Py::new(py, UndoRecord::from(data))?),
                lease: Some(Py::new(py, UndoLease { core: lease })?),
            },
            Claim::Busy { .. } => UndoClaim { status: "busy", record: None, lease: None },
            Claim::Missing => UndoClaim { status: "missing", record: None, lease: None },
        })
    }

    /// Releases claimed undo data.
    fn release(&self, py: Python<'_>, lease: &UndoLease) -> PyResult<bool> {
        py.detach(|| self.core.release(&lease.core, now())).map_err(|error| raise(py, error))
    }

    /// Deletes claimed undo data.
    fn finish(&self, py: Python<'_>, lease: &UndoLease) -> PyResult<bool> {
        py.detach(|| self.core.finish(&lease.core, now())).map_err(|error| raise(py, error))
    }
}
