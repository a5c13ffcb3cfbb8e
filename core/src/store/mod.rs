//! Where state lives that must outlive a call, a process or a request.
//!
//! A [`Store`] maps keys to bytes. Every change may be made to depend on the version that was read,
//! so that of several threads or processes that change one entry exactly one succeeds, and the
//! others see that they did not. Approvals, undo data and rate limits are written over that alone.
//! [`MemoryStore`] and [`SqliteStore`] are here; a host may bring its own.
//!
//! No store reads a clock: whoever calls says what time it is, in microseconds since the epoch,
//! UTC.
//!
//! ```
//! use toolwire::store::{Expect, MemoryStore, Put, Store, Write};
//!
//! let store = MemoryStore::default();
//! let first = Write { value: b"1", expect: Expect::Absent, expires_at: None };
//! let Put::Stored(version) = store.put("seen/a", first, 0)? else { unreachable!() };
//!
//! let late = Write { value: b"2", expect: Expect::Absent, expires_at: None };
//! assert_eq!(store.put("seen/a", late, 0)?, Put::Conflict);
//! let next = Write { value: b"2", expect: Expect::Version(version), expires_at: None };
//! assert!(matches!(store.put("seen/a", next, 0)?, Put::Stored(_)));
//! # Ok::<(), toolwire::store::StoreError>(())
//! ```

mod change;
mod error;
mod key;
mod memory;
mod sqlite;
mod sweep;

pub(crate) use change::{
    ATTEMPTS, Change, Visit, change, contended, each, from_json, raw_json, to_json,
};
pub use error::{StoreError, StoreErrorKind};
pub(crate) use key::{key, prefix};
pub use memory::MemoryStore;
pub use sqlite::{Durability, SqliteOptions, SqliteStore};
pub(crate) use sweep::Sweep;

/// What a store keeps under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The bytes; all that this library writes is JSON.
    pub value: Vec<u8>,
    /// Another one after every change, and none comes twice for one key, not even after a delete.
    /// At most `i64::MAX`.
    pub version: u64,
    /// The last microsecond at which the entry is given out, if it does not stay.
    pub expires_at: Option<i64>,
}

impl Entry {
    /// Whether the entry is no longer given out at `now`.
    #[must_use]
    pub fn expired(&self, now: i64) -> bool {
        self.expires_at.is_some_and(|expires_at| now > expires_at)
    }
}

/// What must be under a key for a change to be made; an expired entry counts as absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Nothing.
    Absent,
    /// An entry of this version.
    Version(u64),
    /// Whatever there is.
    Any,
}

/// What is to be put under a key.
#[derive(Clone, Copy, Debug)]
pub struct Write<'a> {
    /// The bytes.
    pub value: &'a [u8],
    /// What must be there before.
    pub expect: Expect,
    /// The last microsecond at which the entry is given out, if it is not to stay.
    pub expires_at: Option<i64>,
}

/// The answer to a put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// The entry is there, with this version. A store that outlives the process has it where it
    /// outlives the process; whether it survives the failure of the power is for the store to say.
    Stored(u64),
    /// What was expected was not there; nothing was changed.
    Conflict,
}

/// Keeps entries by key.
///
/// Keys are printable ASCII, at most 255 bytes, and compared byte by byte: a store over a database
/// needs a binary collation. Each method is one atomic step. Errors that come out of a host's own
/// store are of the kind [`StoreErrorKind::Host`], with the host's error as the source.
pub trait Store: Send + Sync {
    /// The entry under a key, if there is one that has not expired.
    ///
    /// # Errors
    /// The store's own failure.
    fn get(&self, key: &str, now: i64) -> Result<Option<Entry>, StoreError>;

    /// Puts an entry if what is there before is as expected.
    ///
    /// # Errors
    /// The store's own failure; the entry may then be there or not.
    fn put(&self, key: &str, write: Write<'_>, now: i64) -> Result<Put, StoreError>;

    /// Deletes the entry if it is as expected; whether there was one that is gone now.
    ///
    /// [`Expect::Absent`] deletes nothing. [`Expect::Any`] also removes an expired entry, and says
    /// false.
    ///
    /// # Errors
    /// The store's own failure; the entry may then be there or not.
    fn delete(&self, key: &str, expect: Expect, now: i64) -> Result<bool, StoreError>;

    /// At most `limit` entries whose keys begin with `prefix` and come after `after`, ordered by
    /// the bytes of their keys, without those that have expired.
    ///
    /// # Errors
    /// The store's own failure.
    fn scan(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        now: i64,
    ) -> Result<Vec<(String, Entry)>, StoreError>;

    /// Removes the expired entries whose keys begin with `prefix`; their number.
    ///
    /// # Errors
    /// The store's own failure.
    fn purge(&self, prefix: &str, now: i64) -> Result<u64, StoreError>;

    /// Removes at most `limit` of the expired entries whose keys begin with `prefix`; their number.
    ///
    /// A store that cannot count removes them all.
    ///
    /// # Errors
    /// The store's own failure.
    fn purge_some(&self, prefix: &str, limit: usize, now: i64) -> Result<u64, StoreError> {
        let _ = limit;
        self.purge(prefix, now)
    }

    /// Whether other processes may write to it: who waits for a change must then look now and then.
    fn shared(&self) -> bool;
}
