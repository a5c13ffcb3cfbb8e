//! The time. The machines of [`lifecycle`](crate::lifecycle) read no clock; who drives them does.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::lifecycle::Moment;

/// Returns the microseconds since the epoch, UTC.
#[must_use]
pub fn now() -> i64 {
    let micros = |duration: Duration| i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => micros(since),
        Err(before) => -micros(before.duration()),
    }
}

/// Returns the present on both clocks that a run needs.
#[must_use]
pub fn moment() -> Moment {
    static START: OnceLock<Instant> = OnceLock::new();
    let ticks = START.get_or_init(Instant::now).elapsed().as_nanos();
    Moment { wall_us: now(), ticks_ns: u64::try_from(ticks).unwrap_or(u64::MAX) }
}
