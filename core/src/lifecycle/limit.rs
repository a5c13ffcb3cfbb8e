//! Rate limits: a number of calls in a period, for each tool and caller.
//!
//! ```
//! use std::sync::Arc;
//! use toolwire::lifecycle::{Permit, RateLimit, RateLimiter};
//! use toolwire::store::MemoryStore;
//!
//! let limit = RateLimit::new(2, 60_000_000)?;
//! let limiter = RateLimiter::new(Arc::new(MemoryStore::default()), limit);
//! assert_eq!(limiter.check("search", "user 7", 0)?, Permit::Allowed { remaining: 1 });
//! assert_eq!(limiter.check("search", "user 7", 0)?, Permit::Allowed { remaining: 0 });
//! assert_eq!(limiter.check("search", "user 7", 0)?, Permit::Limited { retry_after: 30_000_000 });
//! assert_eq!(limiter.check("search", "user 8", 0)?, Permit::Allowed { remaining: 1 });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::time::waiting_ms;
use crate::lifecycle::machine::step::Answer;
use crate::registry::RateLimit;
use crate::store::{
    EntryChange, Record, Store, StoreError, Sweep, change, from_json, key, to_json,
};

/// One check in this many removes expired accounts of callers.
const CHECKS_A_SWEEP: u8 = 64;

/// Whether a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permit {
    /// The call may be made, and it is counted.
    Allowed {
        /// How many more calls may be made immediately.
        remaining: u32,
    },
    /// The call may not be made, and it is not counted.
    Limited {
        /// The number of microseconds after which a call may be made.
        retry_after: i64,
    },
}

impl From<Permit> for Answer {
    /// Makes the answer for a run that asked for a permit.
    fn from(permit: Permit) -> Self {
        match permit {
            Permit::Allowed { .. } => Self::Granted,
            Permit::Limited { retry_after } => {
                Self::Limited { retry_after_ms: waiting_ms(retry_after) }
            }
        }
    }
}

/// Counts the calls of each tool and caller in a store.
///
/// The algorithm is the generic cell rate algorithm of ATM networks (ITU-T I.371). The store keeps
/// one moment for each tool and caller: the time until which the calls made so far are paid for, at
/// one call each `period / count`. The moment is counted in `1 / count` microseconds, so no value
/// is rounded.
pub struct RateLimiter {
    store: Arc<dyn Store>,
    limit: RateLimit,
    sweep: Sweep,
}

/// The stored state of a tool and a caller.
#[derive(Serialize, Deserialize)]
struct Account {
    /// The moment until which the calls are paid for, in `1 / count` microseconds.
    paid_at: i128,
    /// The limit's count when `paid_at` was written.
    count: u32,
}

impl Record for Account {
    /// An account does not say whose it is.
    fn is_at(&self, _place: &str) -> bool {
        true
    }
}

impl RateLimiter {
    /// Makes a limiter that allows each caller of a tool the given number of calls.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, limit: RateLimit) -> Self {
        Self { store, limit, sweep: Sweep::new("limit", CHECKS_A_SWEEP) }
    }

    /// The limit that is checked.
    #[must_use]
    pub fn limit(&self) -> RateLimit {
        self.limit
    }

    /// Counts a call of a tool by a caller, if the call may be made.
    ///
    /// The limit also holds for simultaneous calls from several processes.
    ///
    /// # Errors
    /// Any error of the store. The call may then be counted or not.
    pub fn check(&self, tool: &str, caller: &str, now: i64) -> Result<Permit, StoreError> {
        self.sweep.run(&*self.store, now)?;
        let place = key(&["limit", tool, caller]);
        let (permit, _) = change(&*self.store, &place, now, |entry| {
            let paid_at = match entry {
                Some(entry) => Some(self.limit.rescale(&from_json(&place, entry)?)),
                None => None,
            };
            let (permit, paid_until) = self.limit.charge(paid_at, now);
            // What was paid ahead of a clock that went back is written down as one period.
            if matches!(permit, Permit::Limited { .. }) && paid_at <= Some(paid_until) {
                return Ok(EntryChange::Keep(permit));
            }
            let paid_at = paid_until;
            let account = Account { paid_at, count: self.limit.count };
            let expires_at = Some(clamp(ceiling(paid_at, i128::from(self.limit.count))));
            Ok(EntryChange::Put { value: to_json(&account)?, expires_at, told: permit })
        })?;
        Ok(permit)
    }
}

impl RateLimit {
    /// Returns the moment of an account in the unit of this limit.
    fn rescale(self, account: &Account) -> i128 {
        if account.count == self.count {
            return account.paid_at;
        }
        ceiling(
            account.paid_at.saturating_mul(i128::from(self.count)),
            i128::from(account.count.max(1)),
        )
    }

    /// Charges a call, and returns the permit and the moment until which the calls are then paid
    /// for.
    ///
    /// The product of a 64-bit time or period and a 32-bit count always fits into 128 bits.
    fn charge(self, paid_at: Option<i128>, now: i64) -> (Permit, i128) {
        let (count, period) = (i128::from(self.count), i128::from(self.period));
        let now = i128::from(now) * count;
        let latest = now + period * count;
        // Nobody has paid for more than a period ahead, unless the clock has gone back since.
        let before = paid_at.map_or(now, |paid_at| paid_at.clamp(now, latest));
        let after = before.saturating_add(period);
        if after > latest {
            return (
                Permit::Limited { retry_after: clamp(ceiling(after - latest, count)) },
                before,
            );
        }
        let remaining = u32::try_from((latest - after) / period).unwrap_or(self.count);
        (Permit::Allowed { remaining }, after)
    }
}

/// Divides and rounds up. The divisor is positive.
fn ceiling(dividend: i128, divisor: i128) -> i128 {
    dividend.div_euclid(divisor) + i128::from(dividend.rem_euclid(divisor) != 0)
}

fn clamp(micros: i128) -> i64 {
    i64::try_from(micros).unwrap_or(if micros < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use std::thread;

    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;
    use crate::store::MemoryStore;

    fn limiter(count: u32, period: i64) -> RateLimiter {
        RateLimiter::new(Arc::new(MemoryStore::default()), RateLimit::new(count, period).unwrap())
    }

    #[test]
    fn a_limit_that_allows_nothing_is_a_mistake() {
        for (count, period) in [(0, 1), (1, 0), (1, -1)] {
            assert_eq!(RateLimit::new(count, period).unwrap_err().kind(), ErrorKind::InvalidOption);
        }
    }

    #[test]
    fn tools_and_callers_are_counted_apart() {
        let limiter = limiter(1, 1_000);
        for (tool, caller) in [("a", "b"), ("a/b", ""), ("", "a/b"), ("a", "c")] {
            assert_eq!(limiter.check(tool, caller, 0).unwrap(), Permit::Allowed { remaining: 0 });
            assert_eq!(
                limiter.check(tool, caller, 0).unwrap(),
                Permit::Limited { retry_after: 1_000 }
            );
        }
    }

    #[test]
    fn threads_get_no_more_than_there_is() {
        let limiter = limiter(100, i64::MAX);
        let allowed: usize = thread::scope(|scope| {
            let check = || {
                (0..100)
                    .filter(|_| {
                        matches!(limiter.check("t", "c", 5).unwrap(), Permit::Allowed { .. })
                    })
                    .count()
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(check)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(allowed, 100);
    }

    #[test]
    fn another_limit_goes_on_from_what_was_counted() {
        let store = Arc::new(MemoryStore::default());
        let of = |count| {
            RateLimiter::new(Arc::clone(&store) as _, RateLimit::new(count, 1_000).unwrap())
        };
        assert_eq!(of(2).check("t", "c", 0).unwrap(), Permit::Allowed { remaining: 1 });
        assert_eq!(of(4).check("t", "c", 0).unwrap(), Permit::Allowed { remaining: 1 });
        assert_eq!(of(1).check("t", "c", 0).unwrap(), Permit::Limited { retry_after: 750 });
    }

    #[test]
    fn callers_that_do_not_come_back_are_forgotten() {
        let store = Arc::new(MemoryStore::default());
        let limiter = RateLimiter::new(Arc::clone(&store) as _, RateLimit::new(1, 10).unwrap());
        for now in 0..1000 {
            limiter.check("t", &now.to_string(), now).unwrap();
        }
        let most = 20 + usize::from(CHECKS_A_SWEEP);
        assert!(store.scan("", None, usize::MAX, i64::MIN).unwrap().len() < most);
    }

    #[test]
    fn a_clock_that_goes_back_limits_for_one_period_at_most() {
        let limiter = limiter(2, 1_000);
        let allowed = Permit::Allowed { remaining: 0 };
        limiter.check("t", "c", 1_000_000).unwrap();
        assert_eq!(limiter.check("t", "c", 1_000_000).unwrap(), allowed);
        assert_eq!(limiter.check("t", "c", 5).unwrap(), Permit::Limited { retry_after: 500 });
        assert_eq!(limiter.check("t", "c", 504).unwrap(), Permit::Limited { retry_after: 1 });
        assert_eq!(limiter.check("t", "c", 505).unwrap(), allowed);
    }

    #[test]
    fn a_run_is_told_to_wait_long_enough() {
        assert_eq!(Answer::from(Permit::Allowed { remaining: 0 }), Answer::Granted);
        let limited = Answer::from(Permit::Limited { retry_after: 1_500_001 });
        assert_eq!(limited, Answer::Limited { retry_after_ms: 1_501 });
    }

    proptest! {
        #[test]
        fn no_number_is_too_large(
            count in 1..=u32::MAX, period in 1..=i64::MAX, times in proptest::collection::vec(any::<i64>(), 1..9),
        ) {
            let limiter = limiter(count, period);
            for now in times {
                if let Permit::Limited { retry_after } = limiter.check("t", "c", now).unwrap() {
                    prop_assert!(retry_after > 0);
                }
            }
        }

        /// The limiter keeps the bound of the algorithm, and refuses no call that the bound allows.
        #[test]
        fn as_many_as_promised(
            count in 1_u32..9, period in 1_i64..50, steps in proptest::collection::vec(0_i64..12, 1..80),
        ) {
            let limiter = limiter(count, period);
            let (mut now, mut allowed) = (0, Vec::new());
            for step in steps {
                now += step;
                match limiter.check("t", "c", now).unwrap() {
                    Permit::Allowed { .. } => allowed.push(now),
                    Permit::Limited { retry_after } => {
                        let at = |wait: i64| {
                            let entry = limiter.store.get("limit/t/c", now).unwrap().unwrap();
                            let account: Account = from_json("", &entry).unwrap();
                            let (permit, _) = limiter.limit.charge(Some(account.paid_at), now + wait);
                            matches!(permit, Permit::Allowed { .. })
                        };
                        prop_assert!(at(retry_after) && !at(retry_after - 1));
                    }
                }
            }
            for (first, from) in allowed.iter().enumerate() {
                for (last, to) in allowed.iter().enumerate().skip(first) {
                    let calls = i64::try_from(last - first).unwrap();
                    prop_assert!((calls - i64::from(count) + 1) * period <= (to - from) * i64::from(count));
                }
            }
        }
    }
}
