//! The run of the store that a working handler has, and the thread that renews the leases of such
//! runs.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::clock;
use crate::lifecycle::{RunClaim, Runs};
use crate::store::StoreError;

/// For how many microseconds after its time-out a handler may still end in order.
const GRACE: i64 = 10_000_000;

/// How often a lease is renewed.
const RENEW_EVERY: Duration = Duration::from_micros(Runs::RENEW_AFTER.unsigned_abs());

/// The run of the store that a working handler has.
#[derive(Clone)]
pub struct RunHold {
    runs: Arc<Runs>,
    claim: RunClaim,
    /// For how many microseconds each renewal holds.
    lease: i64,
}

impl fmt::Debug for RunHold {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("RunHold").field(&self.claim.record.id).finish()
    }
}

impl RunHold {
    /// Takes a run whose handler was started with a lease of so many microseconds.
    #[must_use]
    pub fn new(runs: Arc<Runs>, claim: RunClaim, lease: i64) -> Self {
        Self { runs, claim, lease }
    }

    /// Returns the lease of a handler that renews it itself: a minute, or the time that the handler
    /// has and a little longer.
    #[must_use]
    pub(super) fn own_lease(timeout: Option<i64>) -> i64 {
        Runs::LEASE.max(timeout.unwrap_or(0).saturating_add(GRACE))
    }

    /// Whether the handler has outlived its lease.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.claim.is_over(clock::moment())
    }

    /// Renews the lease, and says whether the handler still has the run. If it has not, its end is
    /// not written: it should stop.
    ///
    /// # Errors
    ///
    /// Any error of the store. The lease goes on as it was.
    pub fn renew(&self) -> Result<bool, StoreError> {
        self.runs.renew(&self.claim, self.lease, clock::moment())
    }

    /// Has a thread of this process renew the lease until what is returned is dropped; not for
    /// longer than the handler may work, in microseconds, so that one that hangs is seen.
    pub fn renewed(&self, timeout: Option<i64>) -> Renewed {
        let now = Instant::now();
        let micros = timeout.map(|timeout| timeout.saturating_add(GRACE));
        let most = micros.map(|micros| Duration::from_micros(micros.unsigned_abs()));
        let end = most.and_then(|most| now.checked_add(most));
        Renewed(renew_from_now_on(Renewal { hold: self.clone(), due: now + RENEW_EVERY, end }))
    }
}

/// A run whose lease is renewed until this is dropped.
#[must_use = "the lease is renewed until this is dropped"]
pub struct Renewed(u64);

impl Drop for Renewed {
    fn drop(&mut self) {
        with_table(|table| table.renewals.remove(&self.0));
    }
}

struct Renewal {
    hold: RunHold,
    due: Instant,
    end: Option<Instant>,
}

impl Renewal {
    fn is_worth(&self, now: Instant) -> bool {
        self.end.is_none_or(|end| now < end)
    }
}

/// The renewals of this process.
struct RenewalTable {
    renewals: BTreeMap<u64, Renewal>,
    next: u64,
    /// The process whose thread renews them. A copy of the process has the table, not the thread.
    process: u32,
    is_running: bool,
}

static TABLE: Mutex<RenewalTable> =
    Mutex::new(RenewalTable { renewals: BTreeMap::new(), next: 0, process: 0, is_running: false });

fn with_table<T>(work: impl FnOnce(&mut RenewalTable) -> T) -> T {
    work(&mut TABLE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Adds a renewal, and starts the thread unless it runs. A thread that cannot be started leaves the
/// lease as it is: it ends after its time.
fn renew_from_now_on(renewal: Renewal) -> u64 {
    with_table(|table| {
        let process = std::process::id();
        if table.process != process {
            // The runs belong to the process that this one was copied from.
            table.renewals.clear();
            (table.process, table.is_running) = (process, false);
        }
        table.next += 1;
        table.renewals.insert(table.next, renewal);
        if !table.is_running {
            let thread = thread::Builder::new().name("toolwire-leases".to_owned());
            table.is_running = thread.spawn(renew_until_idle).is_ok();
        }
        table.next
    })
}

/// Renews what is due, sleeps until the next one is, and ends when there is none. A new renewal is
/// due later than the ones before it, so nobody needs to wake this.
fn renew_until_idle() {
    loop {
        thread::sleep(next_sleep());
        let now = Instant::now();
        let due = with_table(|table| {
            table.renewals.retain(|_, renewal| renewal.is_worth(now));
            let due = table.renewals.iter_mut().filter(|(_, renewal)| renewal.due <= now);
            let due = due.map(|(_, renewal)| {
                renewal.due = now + RENEW_EVERY;
                renewal.hold.clone()
            });
            let due: Vec<_> = due.collect();
            table.is_running = !table.renewals.is_empty();
            if table.is_running { Some(due) } else { None }
        });
        let Some(due) = due else { return };
        renew(due);
    }
}

/// Renews leases. A store that fails, or panics, is asked again in the next round, since a lease
/// outlasts two failures; one that fails slowly must not cost the runs of other stores theirs.
fn renew(due: Vec<RunHold>) {
    let mut failing: Vec<Arc<Runs>> = Vec::new();
    for hold in due {
        if failing.iter().any(|runs| Arc::ptr_eq(runs, &hold.runs)) {
            continue;
        }
        if !matches!(catch_unwind(AssertUnwindSafe(|| hold.renew())), Ok(Ok(_))) {
            failing.push(hold.runs);
        }
    }
}

fn next_sleep() -> Duration {
    let due = with_table(|table| table.renewals.values().map(|renewal| renewal.due).min());
    due.map_or(RENEW_EVERY, |due| due.saturating_duration_since(Instant::now()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;
    use crate::lifecycle::{Begun, Naming, NewRun, Run, RunTool};
    use crate::store::{
        Condition, MemoryStore, Put, Store, StoreEntry, StoreErrorKind, Write, raw_json,
    };

    /// A store that is away after some time, and counts how often it is asked then.
    #[derive(Default)]
    struct Away {
        store: MemoryStore,
        fails: AtomicBool,
        asked: AtomicUsize,
    }

    impl Store for Away {
        fn get(&self, key: &str, now: i64) -> Result<Option<StoreEntry>, StoreError> {
            self.store.get(key, now)
        }

        fn put(&self, key: &str, write: Write<'_>, now: i64) -> Result<Put, StoreError> {
            if self.fails.load(Ordering::SeqCst) {
                self.asked.fetch_add(1, Ordering::SeqCst);
                return Err(StoreError::new(StoreErrorKind::Io, "away"));
            }
            self.store.put(key, write, now)
        }

        fn delete(&self, key: &str, expect: Condition, now: i64) -> Result<bool, StoreError> {
            self.store.delete(key, expect, now)
        }

        fn scan(
            &self,
            prefix: &str,
            after: Option<&str>,
            limit: usize,
            now: i64,
        ) -> Result<Vec<(String, StoreEntry)>, StoreError> {
            self.store.scan(prefix, after, limit, now)
        }

        fn purge(&self, prefix: &str, now: i64) -> Result<u64, StoreError> {
            self.store.purge(prefix, now)
        }

        fn shared(&self) -> bool {
            self.store.shared()
        }
    }

    fn held(runs: &Arc<Runs>, id: &str) -> RunHold {
        let new = NewRun {
            run: Run::new(id),
            named: Naming::Own,
            caller: String::new(),
            tool: RunTool { name: "edit".to_owned(), id: "EDIT".to_owned() },
            call: "fingerprint".to_owned(),
            payload: raw_json(&serde_json::json!({})).unwrap(),
        };
        let Begun::Mine(claim) = runs.begin(new, Runs::LEASE, clock::now()).unwrap() else {
            panic!("the store has a run {id}")
        };
        assert!(runs.start(&claim, Runs::LEASE, clock::moment()).unwrap());
        RunHold::new(Arc::clone(runs), claim, Runs::LEASE)
    }

    #[test]
    fn a_store_that_fails_is_asked_once_in_a_round_and_the_others_are_renewed() {
        let (away, other) = (Arc::new(Away::default()), Arc::new(Away::default()));
        let runs = [&away, &other].map(|store| Arc::new(Runs::new(Arc::clone(store) as _)));
        let due = vec![held(&runs[0], "a"), held(&runs[0], "b"), held(&runs[1], "c")];
        let version = |id: &str| {
            let key = crate::store::key(&["run", "id", id]);
            other.store.get(&key, clock::now()).unwrap().map(|entry| entry.version)
        };
        let before = version("c");
        away.fails.store(true, Ordering::SeqCst);
        renew(due);
        assert_eq!(away.asked.load(Ordering::SeqCst), 1);
        assert_ne!(version("c"), before, "its lease was renewed");
    }
}
