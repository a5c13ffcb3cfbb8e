//! The time, for a core that reads no clock.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use toolwire::lifecycle::Moment;

/// Returns the microseconds since the epoch, UTC.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// Returns the time on both clocks that a run needs.
pub fn moment() -> Moment {
    static START: OnceLock<Instant> = OnceLock::new();
    let ticks = START.get_or_init(Instant::now).elapsed().as_nanos();
    Moment { wall_us: now(), ticks_ns: u64::try_from(ticks).unwrap_or(u64::MAX) }
}
