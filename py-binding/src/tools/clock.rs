//! The time, for core, which reads no clock.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use toolwire::lifecycle::Moment;

/// Microseconds since the epoch, UTC.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// The time on both clocks.
pub fn moment() -> Moment {
    static START: OnceLock<Instant> = OnceLock::new();
    let ticks = START.get_or_init(Instant::now).elapsed().as_nanos();
    Moment { wall_us: now(), ticks_ns: u64::try_from(ticks).unwrap_or(u64::MAX) }
}

/// Seconds as Python has them, in microseconds; what is no time, or less than none, is none.
pub fn micros(seconds: f64) -> i64 {
    let span = Duration::try_from_secs_f64(seconds).map(|span| span.as_micros());
    match span {
        Ok(span) => i64::try_from(span).unwrap_or(FOREVER),
        Err(_) if seconds > 0.0 => FOREVER,
        Err(_) => 0,
    }
}

/// A time that adds up with any other: 73,000 years.
const FOREVER: i64 = i64::MAX / 4;

/// Microseconds in seconds, as Python has them.
#[allow(
    clippy::cast_precision_loss,
    reason = "285 years keep their microseconds, and more is not asked"
)]
pub fn seconds(micros: i64) -> f64 {
    micros as f64 / 1e6
}
