//! Time as this library writes it: `2024-01-01T00:00:00.123456+00:00`.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A moment, which is written as `2024-01-01T00:00:00.123456+00:00`, in JSON too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    micros: i64,
}

impl Time {
    /// The moment so many microseconds after the epoch.
    #[must_use]
    pub fn from_micros(micros: i64) -> Self {
        Self { micros }
    }

    /// Reads a moment with its offset from UTC, in any form of RFC 3339.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        parse(text).map(Self::from_micros)
    }

    /// Microseconds since the epoch, UTC.
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
/// UTC: with six digits of a second, or none when they are zero.
///
/// A time before the year 1 or after the year 9999 is written as the nearest one that is not.
pub(crate) fn isoformat(micros: i64) -> String {
    /// 0001-01-01T00:00:00 and 9999-12-30T22:00:00, the last that [`Timestamp`] has.
    const FIRST: i64 = -62_135_596_800_000_000;
    const LAST: i64 = 253_402_207_200_000_000;
    let micros = micros.clamp(FIRST, LAST);
    let time =
        Timestamp::from_microsecond(micros).unwrap_or_default().to_zoned(TimeZone::UTC).datetime();
    if micros % 1_000_000 == 0 { format!("{time}+00:00") } else { format!("{time:.6}+00:00") }
}

/// Reads a time with its offset from UTC, in any form of RFC 3339; microseconds since the epoch.
pub(crate) fn parse(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_microsecond)
}

/// Numbers that grow from one call to the next, and with time from one process to the next.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    last: AtomicI64,
}

impl Sequence {
    /// The next number: `now` where time has gone on, else one more than the last.
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

    use super::{Sequence, isoformat, parse};

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

    proptest! {
        #[test]
        fn what_is_written_is_read(micros in -62_135_596_800_000_000_i64..=253_402_207_200_000_000) {
            prop_assert_eq!(parse(&isoformat(micros)), Some(micros));
        }
    }
}
