//! When the requests are looked at whose deadline may have passed.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::store::Every;

/// How long nobody looks at the oldest requests, in microseconds: a minute.
const LOOK_AFTER: i64 = 60 * 1_000_000;

/// When the oldest requests are looked at: at the first request, and from then on when a minute has
/// passed or seven more requests were made.
pub(in crate::lifecycle) struct DeadlineLook {
    every: Every,
    last: AtomicI64,
}

impl DeadlineLook {
    pub(in crate::lifecycle) fn new() -> Self {
        Self { every: Every::new(8), last: AtomicI64::new(0) }
    }

    /// Counts a request, and says whether a look is due at it.
    pub(in crate::lifecycle) fn is_due(&self, now: i64) -> bool {
        let passed = now.saturating_sub(self.last.load(Ordering::Relaxed));
        let is_late = !(0..LOOK_AFTER).contains(&passed);
        let is_due = self.every.is_due() || is_late;
        if is_due {
            self.last.store(now, Ordering::Relaxed);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_due_after_a_minute_or_at_every_eighth_request() {
        let due = |times: &[i64]| {
            let look = DeadlineLook::new();
            times.iter().map(|now| look.is_due(*now)).collect::<Vec<_>>()
        };
        let eighth = due(&[5; 17]);
        let places: Vec<_> = (0..17).filter(|place| eighth[*place]).collect();
        assert_eq!(places, [0, 8, 16]);
        let (soon, late) = (5 + LOOK_AFTER - 1, 5 + LOOK_AFTER);
        assert_eq!(due(&[5, soon, late, late + 1]), [true, false, true, false]);
        assert_eq!(due(&[5, 4, 4]), [true, true, false], "the clock was put back");
    }
}
