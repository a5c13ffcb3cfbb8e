//! What time it is, for a core that reads no clock.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use toolwire::lifecycle::Moment;
use toolwire::{Error, ErrorKind};

/// The longest time that an option takes, in seconds: a thousand years.
const LONGEST: f64 = 31_556_952_000.0;

/// Microseconds since the epoch, UTC.
pub(crate) fn now() -> i64 {
    let micros =
        |duration: std::time::Duration| i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => micros(since),
        Err(before) => -micros(before.duration()),
    }
}

/// The present on both clocks that a run needs.
pub(crate) fn moment() -> Moment {
    static START: OnceLock<Instant> = OnceLock::new();
    let ticks = START.get_or_init(Instant::now).elapsed().as_nanos();
    Moment { wall_us: now(), ticks_ns: u64::try_from(ticks).unwrap_or(u64::MAX) }
}

/// Microseconds of a duration in seconds.
///
/// # Errors
///
/// `invalid_option` for one that is negative, no number or beyond a thousand years.
pub(crate) fn micros(name: &str, seconds: f64) -> Result<i64, Error> {
    if !(0.0..=LONGEST).contains(&seconds) {
        let message = format!("{name} must be between 0 and {LONGEST} seconds, got {seconds}");
        return Err(Error::new(ErrorKind::InvalidOption, message));
    }
    #[allow(clippy::cast_possible_truncation, reason = "the range was checked")]
    Ok((seconds * 1e6).round() as i64)
}

/// Seconds of a duration in microseconds.
#[allow(clippy::cast_precision_loss, reason = "a duration of centuries keeps its microseconds")]
pub(crate) fn seconds(micros: i64) -> f64 {
    micros as f64 / 1e6
}
