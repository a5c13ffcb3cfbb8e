//! What a handler says while it works: how far it has come, and that it still works.

use std::cell::Cell;
use std::time::{Duration, Instant};

use ext_php_rs::types::{ZendCallable, Zval};
use toolwire::executor::RunHold;

use super::callback::{Stop, caught, warn};
use super::error;
use super::listeners::ListenersOf;

/// How soon after a renewal the lease is renewed again: a loop may report each of its steps.
const RENEW_EVERY: Duration = Duration::from_secs(1);

/// The option of PHP for the seconds that a script may take.
const LIMIT: &str = "max_execution_time";

/// A handler that works.
pub(super) struct Working {
    hold: Option<RunHold>,
    listeners: ListenersOf,
    renewed: Cell<Instant>,
    has_ended: Cell<bool>,
}

impl Working {
    pub(super) fn new(hold: Option<&RunHold>, listeners: ListenersOf) -> Self {
        let renewed = Cell::new(Instant::now());
        Self { hold: hold.cloned(), listeners, renewed, has_ended: Cell::new(false) }
    }

    /// Notes that the handler has returned or thrown.
    pub(super) fn end(&self) {
        self.has_ended.set(true);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.get()
    }

    pub(super) fn tell(&self, data: &Zval) -> Result<(), Stop> {
        self.listeners.tell("tool.progress", data)
    }

    /// Renews the lease, and says whether the handler still has its run.
    pub(super) fn has_run(&self) -> Result<bool, Stop> {
        let Some(hold) = &self.hold else { return Ok(true) };
        if self.renewed.get().elapsed() < RENEW_EVERY {
            return Ok(!hold.is_over());
        }
        self.renewed.set(Instant::now());
        match hold.renew() {
            Ok(has_run) => Ok(has_run),
            Err(failed) => match error::store(failed) {
                // The lease goes on as it was.
                Stop::Thrown(thrown) => warn("the store", &thrown).map(|()| !hold.is_over()),
                Stop::Exit => Err(Stop::Exit),
            },
        }
    }
}

/// The time limit of PHP during a handler that has its own; the one before is put back afterwards,
/// and begins anew.
pub(super) struct TimeLimit(Option<i64>);

impl TimeLimit {
    /// Sets the limit to so many microseconds, in whole seconds. Where the site disables the
    /// function for that, the limit stays.
    pub(super) fn during(timeout: Option<i64>) -> Result<Self, Stop> {
        let Some(micros) = timeout else { return Ok(Self(None)) };
        let before = limit_of_php();
        let is_set = set_limit(micros.saturating_add(999_999) / 1_000_000)?;
        Ok(Self(before.filter(|_| is_set)))
    }

    pub(super) fn end(self) -> Result<(), Stop> {
        match self.0 {
            Some(before) => set_limit(before).map(drop),
            None => Ok(()),
        }
    }
}

/// Returns for how long PHP lets the script run, in microseconds, if there is a limit.
pub(super) fn time_of_php() -> Option<i64> {
    limit_of_php().filter(|seconds| *seconds > 0).map(|seconds| seconds.saturating_mul(1_000_000))
}

fn limit_of_php() -> Option<i64> {
    let get = ZendCallable::try_from_name("ini_get").ok()?;
    let given = get.try_call(vec![&LIMIT]).ok()?;
    given.string()?.trim().parse().ok()
}

fn set_limit(seconds: i64) -> Result<bool, Stop> {
    let Ok(set) = ZendCallable::try_from_name("set_time_limit") else { return Ok(false) };
    let given = set.try_call(vec![&seconds]);
    caught()?;
    Ok(given?.bool() == Some(true))
}
