//! So many calls a period.

use pyo3::prelude::*;
use toolwire::lifecycle::{self, Permit, RateLimit};

use super::clock::{micros, now, seconds};
use super::store;
use super::store_error;
use super::word::word;
use crate::error::raise;

/// Counts calls in a store.
#[pyclass(frozen, module = "toolwire._native")]
pub struct Limiter {
    core: lifecycle::RateLimiter,
}

#[pymethods]
impl Limiter {
    #[new]
    fn new(store: &Bound<'_, PyAny>, count: u32, period_seconds: f64) -> PyResult<Self> {
        let limit =
            RateLimit::new(count, micros(period_seconds)).map_err(|error| raise(store.py(), &error))?;
        Ok(Self { core: lifecycle::RateLimiter::new(store::core(store)?, limit) })
    }

    /// Counts a call if it may be made: whether, how many more may be made at once, and the seconds to wait.
    fn check(
        &self,
        py: Python<'_>,
        tool: &Bound<'_, PyAny>,
        caller: &Bound<'_, PyAny>,
    ) -> PyResult<(bool, u32, f64)> {
        let (tool, caller) = (word(tool)?, word(caller)?);
        let permit = py.detach(|| self.core.check(&tool, &caller, now()));
        Ok(match permit.map_err(|error| store_error::raise(py, error))? {
            Permit::Allowed { remaining } => (true, remaining, 0.0),
            Permit::Limited { retry_after } => (false, 0, seconds(retry_after)),
        })
    }
}
