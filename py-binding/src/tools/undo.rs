//! Undo data, in a store.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::value::RawValue;
use toolwire::lifecycle::{self, Claim, Lease, NewUndo, Time, UndoData};

use super::clock::{micros, now};
use super::store;
use super::store_error::raise;
use super::word::word;
use crate::json;

/// Undo data as Python is told of them: action, tool, data, when they were made, when they expire.
type Told = (String, String, Py<PyAny>, String, Option<String>);

/// The undo data in a store.
#[pyclass(frozen, module = "toolwire._native")]
pub struct UndoTable {
    core: lifecycle::UndoStore,
}

/// That nobody else may undo an action for a while.
#[pyclass(frozen, module = "toolwire._native")]
pub struct UndoLease {
    core: Lease,
}

#[pymethods]
impl UndoTable {
    #[new]
    fn new(store: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { core: lifecycle::UndoStore::new(store::core(store)?) })
    }

    /// Keeps an action's undo data.
    fn store(
        &self,
        py: Python<'_>,
        action_id: &Bound<'_, PyAny>,
        tool_name: &Bound<'_, PyAny>,
        undo_data: String,
        created_at: &str,
        ttl_seconds: f64,
    ) -> PyResult<()> {
        let undo_data =
            RawValue::from_string(undo_data).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let new = NewUndo { action_id: word(action_id)?, tool_name: word(tool_name)?, undo_data };
        let now = now();
        let created_at = Time::parse(created_at).unwrap_or_else(|| Time::from_micros(now));
        // A time that is over when it begins, which stageflow takes too.
        let ttl = if ttl_seconds < 0.0 { -micros(-ttl_seconds) } else { micros(ttl_seconds) };
        let stored = py.detach(|| self.core.store_made(new, created_at, Some(ttl), now));
        stored.map(drop).map_err(|error| raise(py, error))
    }

    /// An action's undo data, or None.
    fn get(&self, py: Python<'_>, action_id: &Bound<'_, PyAny>) -> PyResult<Option<Told>> {
        let id = word(action_id)?;
        let data = py.detach(|| self.core.get(&id, now())).map_err(|error| raise(py, error))?;
        data.map(|data| told(py, data)).transpose()
    }

    /// Forgets an action's undo data; whether there were some.
    fn delete(&self, py: Python<'_>, action_id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let id = word(action_id)?;
        py.detach(|| self.core.delete(&id, now())).map_err(|error| raise(py, error))
    }

    /// Removes what has expired; how many there were.
    fn cleanup_expired(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.core.cleanup_expired(now())).map_err(|error| raise(py, error))
    }

    /// All undo data that have not expired, in the order in which they were first stored.
    fn all(&self, py: Python<'_>) -> PyResult<Vec<Told>> {
        let all = py.detach(|| self.core.all(now())).map_err(|error| raise(py, error))?;
        all.into_iter().map(|data| told(py, data)).collect()
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        py.detach(|| self.core.len()).map_err(|error| raise(py, error))
    }

    /// Takes an action's undo data for oneself: ``claimed`` with them and a lease, ``busy``, or ``missing``.
    fn claim(
        &self,
        py: Python<'_>,
        action_id: &Bound<'_, PyAny>,
        lease_seconds: f64,
    ) -> PyResult<(&'static str, Option<Told>, Option<UndoLease>)> {
        let id = word(action_id)?;
        let claim = py.detach(|| self.core.claim(&id, micros(lease_seconds), now()));
        Ok(match claim.map_err(|error| raise(py, error))? {
            Claim::Claimed { data, lease } => {
                ("claimed", Some(told(py, data)?), Some(UndoLease { core: lease }))
            }
            Claim::Busy { .. } => ("busy", None, None),
            Claim::Missing => ("missing", None, None),
        })
    }

    /// Gives claimed undo data back.
    fn release(&self, py: Python<'_>, lease: &UndoLease) -> PyResult<bool> {
        py.detach(|| self.core.release(&lease.core, now())).map_err(|error| raise(py, error))
    }

    /// Forgets claimed undo data.
    fn finish(&self, py: Python<'_>, lease: &UndoLease) -> PyResult<bool> {
        py.detach(|| self.core.finish(&lease.core, now())).map_err(|error| raise(py, error))
    }
}

fn told(py: Python<'_>, data: UndoData) -> PyResult<Told> {
    let undo_data = json::value(py, data.undo_data.get().as_bytes())?.unbind();
    let expires_at = data.expires_at.map(|at| at.to_string());
    Ok((data.action_id, data.tool_name, undo_data, data.created_at.to_string(), expires_at))
}
