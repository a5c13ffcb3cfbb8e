//! Times as this library writes them, `2024-01-01T00:00:00.123456+00:00`, and durations.
//!
//! Hosts give durations in seconds as floats; core uses whole microseconds. One rule holds for
//! every host: a duration is rounded to the nearest microsecond. In milliseconds, a wait is rounded
//! up, so that a retry after it succeeds. Every other duration is rounded down.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::error::{Error, ErrorKind};

/// A moment. It is written as `2024-01-01T00:00:00.123456+00:00`, in JSON too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    micros: i64,
}

impl Time {
    /// Returns the moment at the given number of microseconds after the epoch.
    #[must_use]
    pub fn from_micros(micros: i64) -> Self {
        Self { micros }
    }

    /// Reads a moment with its offset from UTC, in any form of RFC 3339.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        parse(text).map(Self::from_micros)
    }

    /// Returns the microseconds since the epoch, UTC.
    #[must_use]
    pub fn micros(self) -> i64 {
        self.micros
    }
}

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&isoformat(self.micros))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let micros =
            parse(&text).ok_or_else(|| de::Error::custom("not a time with an offset from UTC"))?;
        Ok(Self { micros })
    }
}

/// Writes a time, given in microseconds since the epoch, as Python's `datetime.isoformat` does for
/// UTC. The seconds have six decimal digits, or none if all six are zero.
///
/// A time before the year 1 or after the year 9999 is written as the nearest valid time.
pub(crate) fn isoformat(micros: i64) -> String {
    /// 0001-01-01T00:00:00 and 9999-12-30T22:00:00, the last that [`Timestamp`] has.
    const FIRST: i64 = -62_135_596_800_000_000;
    const LAST: i64 = 253_402_207_200_000_000;
    let micros = micros.clamp(FIRST, LAST);
    let time =
        Timestamp::from_microsecond(micros).unwrap_or_default().to_zoned(TimeZone::UTC).datetime();
    if micros % 1_000_000 == 0 { format!("{time}+00:00") } else { format!("{time:.6}+00:00") }
}

/// Reads a time with its offset from UTC, in any form of RFC 3339, and returns microseconds since
/// the epoch.
pub(crate) fn parse(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_microsecond)
}

/// The longest duration in microseconds, 73,000 years. The sum of it and any moment does not
/// overflow.
const FOREVER: i64 = i64::MAX / 4;

/// The longest duration that an option takes, in seconds: a thousand years.
const LONGEST: f64 = 31_556_952_000.0;

/// Converts seconds to microseconds, rounded to the nearest one.
///
/// A negative duration and NaN become 0. A duration of more than 73,000 years becomes 73,000 years.
///
/// ```
/// use toolwire::lifecycle::microseconds;
///
/// assert_eq!((microseconds(0.1), microseconds(-1.0)), (100_000, 0));
/// ```
#[must_use]
pub fn microseconds(seconds: f64) -> i64 {
    #[allow(clippy::cast_possible_truncation, reason = "the cast saturates, and NaN is 0")]
    let micros = (seconds * 1e6).round() as i64;
    micros.clamp(0, FOREVER)
}

/// Converts like [`microseconds`], but for an option, which must be a valid duration.
///
/// # Errors
/// `invalid_option` for a duration that is negative, NaN or longer than a thousand years.
pub fn checked_microseconds(option: &str, seconds: f64) -> Result<i64, Error> {
    if !(0.0..=LONGEST).contains(&seconds) {
        let message = format!("{option} must be between 0 and {LONGEST} seconds, got {seconds}");
        return Err(Error::new(ErrorKind::InvalidOption, message));
    }
    Ok(microseconds(seconds))
}

/// Converts microseconds to seconds.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "a length of centuries keeps its microseconds")]
pub const fn seconds(micros: i64) -> f64 {
    micros as f64 / 1e6
}

/// Converts milliseconds to seconds.
#[must_use]
pub fn seconds_of_ms(milliseconds: u64) -> f64 {
    seconds(i64::try_from(milliseconds).unwrap_or(i64::MAX).saturating_mul(1000))
}

/// Converts a duration in microseconds to whole milliseconds, rounded down. A negative one becomes
/// 0.
#[must_use]
pub fn whole_ms(micros: i64) -> u64 {
    u64::try_from(micros / 1000).unwrap_or_default()
}

/// Converts a wait in microseconds to milliseconds, rounded up so that a retry after it succeeds.
#[must_use]
pub fn waiting_ms(micros: i64) -> u64 {
    whole_ms(micros.saturating_add(999))
}

/// Makes increasing numbers. They grow within a process, and with the time from process to process.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    last: AtomicI64,
}

impl Sequence {
    /// Returns the next number: `now` if the time has advanced, else the last number plus one.
    pub(crate) fn next(&self, now: i64) -> i64 {
        let after = |last: i64| now.max(last.saturating_add(1));
        match self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(after(last)))
        {
            Ok(last) | Err(last) => after(last),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_fraction_is_there_when_it_is_not_zero() {
        assert_eq!(isoformat(1_704_067_200_123_456), "2024-01-01T00:00:00.123456+00:00");
        assert_eq!(isoformat(1_704_067_200_000_000), "2024-01-01T00:00:00+00:00");
        assert_eq!(isoformat(1_704_067_200_100_000), "2024-01-01T00:00:00.100000+00:00");
        assert_eq!(isoformat(-1), "1969-12-31T23:59:59.999999+00:00");
    }

    #[test]
    fn a_time_out_of_range_is_the_nearest_in_it() {
        assert_eq!(isoformat(i64::MIN), "0001-01-01T00:00:00+00:00");
        assert_eq!(isoformat(i64::MAX), "9999-12-30T22:00:00+00:00");
    }

    #[test]
    fn other_forms_are_read_too() {
        assert_eq!(parse("2024-01-01T01:00:00+01:00"), Some(1_704_067_200_000_000));
        assert_eq!(parse("2024-01-01 00:00:00.5Z"), Some(1_704_067_200_500_000));
        assert_eq!(parse("2024-01-01T00:00:00"), None);
        assert_eq!(parse("soon"), None);
    }

    #[test]
    fn a_sequence_grows_though_time_stands_still() {
        let sequence = Sequence::default();
        assert_eq!([5, 5, 9, 3].map(|now| sequence.next(now)), [5, 6, 9, 10]);
    }

    #[test]
    fn seconds_are_rounded_to_the_nearest_microsecond() {
        for (given, micros) in [
            (0.0, 0),
            (0.1, 100_000),
            (1.000_000_4, 1_000_000),
            (1.000_000_6, 1_000_001),
            (86_400.0, 86_400_000_000),
            (-0.5, 0),
            (f64::NAN, 0),
            (f64::NEG_INFINITY, 0),
            (f64::INFINITY, FOREVER),
            (1e30, FOREVER),
        ] {
            assert_eq!(microseconds(given), micros, "{given}");
        }
    }

    #[test]
    fn an_option_must_be_a_length() {
        assert_eq!(checked_microseconds("ttl", 1.5).unwrap(), 1_500_000);
        assert_eq!(checked_microseconds("ttl", LONGEST).unwrap(), 31_556_952_000_000_000);
        for given in [-0.1, f64::NAN, f64::INFINITY, 1e12] {
            let error = checked_microseconds("ttl", given).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidOption);
            assert!(error.to_string().contains("ttl must be between 0 and 31556952000 seconds"));
        }
    }

    #[test]
    fn a_wait_is_rounded_up_and_another_length_down() {
        assert_eq!([-5_000, 0, 1, 1_000, 1_001].map(waiting_ms), [0, 0, 1, 1, 2]);
        assert_eq!([-1, 999, 1_000, 1_999].map(whole_ms), [0, 0, 1, 1]);
        assert_eq!(waiting_ms(i64::MAX), 9_223_372_036_854_775);
        assert!((seconds_of_ms(1_500) - 1.5).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(micros in -62_135_596_800_000_000_i64..=253_402_207_200_000_000) {
            prop_assert_eq!(parse(&isoformat(micros)), Some(micros));
        }
    }
}
