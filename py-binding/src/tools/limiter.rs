//! Rate limits: a number of calls in a period.

use pyo3::prelude::*;
use toolwire::lifecycle::{self, Permit, RateLimit, microseconds, seconds};

use super::clock::now;
use super::store;
use super::store_error;
use super::word::whole_word;
use crate::host::error::raise;

/// Counts calls in a store.
#[pyclass(frozen, module = "toolwire._native")]
pub struct Limiter {
    core: lifecycle::RateLimiter,
}

/// Whether a call may be made, with the number of further calls or the seconds to wait.
#[pyclass(frozen, get_all, module = "toolwire._native")]
pub struct LimitCheck {
    allowed: bool,
    remaining: u32,
    retry_after_seconds: f64,
}

#[pymethods]
impl Limiter {
    #[new]
    fn new(store: &Bound<'_, PyAny>, count: u32, period_seconds: f64) -> PyResult<Self> {
        let limit = RateLimit::new(count, microseconds(period_seconds))
            .map_err(|error| raise(store.py(), &error))?;
        Ok(Self { core: lifecycle::RateLimiter::new(store::core(store)?, limit) })
    }

    /// Counts a call if the call may be made.
    fn check(
        &self,
        py: Python<'_>,
        tool: &Bound<'_, PyAny>,
        caller: &Bound<'_, PyAny>,
    ) -> PyResult<LimitCheck> {
        let (tool, caller) = (whole_word("tool", tool)?, whole_word("caller", caller)?);
        let permit = py.detach(|| self.core.check(&tool, &caller, now()));
        Ok(match permit.map_err(|error| store_error::raise(py, error))? {
            Permit::Allowed { remaining } => {
                LimitCheck { allowed: true, remaining, retry_after_seconds: 0.0 }
            }
            Permit::Limited { retry_after } => LimitCheck {
                allowed: false,
                remaining: 0,
                retry_after_seconds: seconds(retry_after),
            },
        })
    }
}
