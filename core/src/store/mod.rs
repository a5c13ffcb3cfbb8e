//! Storage for state that must outlive a call, a process or a request.
//!
//! A [`Store`] maps keys to bytes. A change may depend on the version that was read. If several
//! threads or processes change one entry at once, exactly one succeeds, and the others see a
//! conflict. Approvals, undo data and rate limits need nothing else. [`MemoryStore`] and
//! [`SqliteStore`], with the feature `sqlite`, are here; a host may bring its own store.
//!
//! No store reads a clock. The caller gives the time, in microseconds since the epoch, UTC.
//!
//! ```
//! use toolwire::store::{Condition, MemoryStore, Put, Store, Write};
//!
//! let store = MemoryStore::default();
//! let first = Write { value: b"1", expect: Condition::Absent, expires_at: None };
//! let Put::Stored(version) = store.put("seen/a", first, 0)? else { unreachable!() };
//!
//! let late = Write { value: b"2", expect: Condition::Absent, expires_at: None };
//! assert_eq!(store.put("seen/a", late, 0)?, Put::Conflict);
//! let next = Write { value: b"2", expect: Condition::Version(version), expires_at: None };
//! assert!(matches!(store.put("seen/a", next, 0)?, Put::Stored(_)));
//! # Ok::<(), toolwire::store::StoreError>(())
//! ```
//!
#![cfg_attr(
    not(feature = "sqlite"),
    doc = "[`SqliteStore`]: https://docs.rs/toolwire/latest/toolwire/store/struct.SqliteStore.html"
)]

mod batch;
mod change;
mod error;
mod key;
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;
mod sweep;

pub use batch::{one_by_one, read_answers};
pub(crate) use change::{
    ATTEMPTS, EntryChange, Record, Visit, change, contended, each, first_put, from_json, raw_json,
    spoiled, to_json,
};
pub use error::{StoreError, StoreErrorKind};
pub(crate) use key::{key, prefix};
pub use memory::MemoryStore;
#[cfg(feature = "sqlite")]
pub use sqlite::{Durability, SqliteOptions, SqliteStore};
pub(crate) use sweep::{Every, Sweep};

/// The value of a key in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreEntry {
    /// The bytes. This library writes only JSON.
    pub value: Vec<u8>,
    /// The version of the entry. Every change gives a new one. A version never returns for the same
    /// key, not even after a delete. It is at most `i64::MAX`.
    pub version: u64,
    /// The last microsecond at which a read returns the entry, if it expires.
    pub expires_at: Option<i64>,
}

impl StoreEntry {
    /// Whether the entry has expired at `now`.
    #[must_use]
    pub fn expired(&self, now: i64) -> bool {
        self.expires_at.is_some_and(|expires_at| now > expires_at)
    }
}

/// The condition for a change of a key. An expired entry counts as absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The key has no entry.
    Absent,
    /// The key has an entry of this version.
    Version(u64),
    /// There is no condition.
    Any,
}

/// The new entry for a key.
#[derive(Clone, Copy, Debug)]
pub struct Write<'a> {
    /// The bytes.
    pub value: &'a [u8],
    /// The condition for the write.
    pub expect: Condition,
    /// The last microsecond at which a read returns the entry, if it expires.
    pub expires_at: Option<i64>,
}

/// The result of a put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// The entry is stored, with this version. A persistent store has saved it outside the process.
    /// Each store documents whether it also survives a power failure.
    Stored(u64),
    /// The condition was not met, and nothing was changed.
    Conflict,
}

/// One change of a store.
#[derive(Clone, Copy, Debug)]
pub enum StoreChange<'a> {
    /// Puts an entry, as [`Store::put`].
    Put {
        /// The key of the entry.
        key: &'a str,
        /// The entry.
        write: Write<'a>,
    },
    /// Deletes an entry, as [`Store::delete`].
    Delete {
        /// The key of the entry.
        key: &'a str,
        /// The condition for the change.
        expect: Condition,
    },
    /// Removes some expired entries, as [`Store::purge_some`].
    PurgeSome {
        /// The beginning of their keys.
        prefix: &'a str,
        /// How many are removed at most.
        limit: usize,
    },
}

/// What came of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// The result of a put.
    Put(Put),
    /// Whether a valid entry was deleted.
    Deleted(bool),
    /// How many expired entries were removed.
    Purged(u64),
}

impl Changed {
    /// Whether the changes behind this one are made too: only a conflict ends a batch.
    fn goes_on(self) -> bool {
        self != Self::Put(Put::Conflict)
    }
}

/// A map of keys to entries.
///
/// Keys are printable ASCII of at most 255 bytes. They are compared byte by byte, so a store over a
/// database needs a binary collation. Each method is one atomic step. Errors of a host's own store
/// have the kind [`StoreErrorKind::Host`], with the host's error as the source.
pub trait Store: Send + Sync {
    /// Returns the entry under a key, if it exists and has not expired.
    ///
    /// # Errors
    /// Any error of the store.
    fn get(&self, key: &str, now: i64) -> Result<Option<StoreEntry>, StoreError>;

    /// Puts an entry if the condition is met.
    ///
    /// # Errors
    /// Any error of the store. The entry may then be stored or not.
    fn put(&self, key: &str, write: Write<'_>, now: i64) -> Result<Put, StoreError>;

    /// Deletes the entry if the condition is met, and says whether a valid entry was deleted.
    ///
    /// [`Condition::Absent`] deletes nothing. [`Condition::Any`] also removes an expired entry, but
    /// returns false for it.
    ///
    /// # Errors
    /// Any error of the store. The entry may then exist or not.
    fn delete(&self, key: &str, expect: Condition, now: i64) -> Result<bool, StoreError>;

    /// Returns at most `limit` entries whose keys begin with `prefix` and come after `after`,
    /// ordered by the bytes of their keys, without expired entries.
    ///
    /// # Errors
    /// Any error of the store.
    fn scan(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        now: i64,
    ) -> Result<Vec<(String, StoreEntry)>, StoreError>;

    /// Removes the expired entries whose keys begin with `prefix`, and returns their number.
    ///
    /// # Errors
    /// Any error of the store.
    fn purge(&self, prefix: &str, now: i64) -> Result<u64, StoreError>;

    /// Removes at most `limit` of the expired entries whose keys begin with `prefix`, and returns
    /// their number.
    ///
    /// A store that cannot limit the number removes all of them.
    ///
    /// # Errors
    /// Any error of the store.
    fn purge_some(&self, prefix: &str, limit: usize, now: i64) -> Result<u64, StoreError> {
        let _ = limit;
        self.purge(prefix, now)
    }

    /// Makes changes in their order, until one is a conflict, and returns what came of each that
    /// was tried. A store that can makes them in one step, such as one transaction; by default they
    /// are made one by one. A conflict takes none of the changes before it back.
    ///
    /// # Errors
    /// Any error of the store. Each of the changes may then be made or not.
    fn batch(&self, changes: &[StoreChange<'_>], now: i64) -> Result<Vec<Changed>, StoreError> {
        one_by_one(self, changes, now)
    }

    /// Whether [`batch`](Self::batch) is one atomic step too: nobody sees a part of it, and a
    /// process that is killed leaves all of it or nothing. Only to such a store are changes given
    /// at once that must not be parted.
    fn has_whole_batches(&self) -> bool {
        false
    }

    /// Whether other processes may write to the store. A caller that waits for a change must then
    /// poll.
    fn shared(&self) -> bool;
}
