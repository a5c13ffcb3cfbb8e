//! A store in a file, which several processes may open at once.

mod access;
mod file;
mod options;
mod statement;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

pub use options::{Durability, SqliteOptions};

use super::{
    Changed, Condition, Put, Store, StoreChange, StoreEntry, StoreError, StoreErrorKind, Write,
};

/// Copies the log into the file and empties it.
const EMPTY_LOG: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

/// Keeps entries in an SQLite file in WAL mode.
///
/// Any number of threads may use one store, and any number of processes may open one file. While
/// the file is open, two more files lie beside it, `-wal` and `-shm`, so a copy of the file alone
/// is not a backup. The file must not be on a network file system. A change is on disk when it is
/// acknowledged, unless [`Durability::Process`] is set.
///
/// Deleted, purged and shortened data is overwritten in the file at once. It leaves the `-wal` file
/// as soon as no other connection reads or writes.
///
/// Only the owner may read the files, for any umask. If others may read an existing file, that
/// right is removed. A symbolic link, a file that another user owns or whose mode cannot be
/// changed, and a folder in which anybody may replace files are refused as `exposed`.
///
/// After a fork, the child opens the file again at its first use. That is sound as long as the
/// process that opened it lives and no other thread used the store during the fork. A program that
/// can should open the store after the fork.
///
/// ```
/// use toolwire::store::{Condition, SqliteOptions, SqliteStore, Store, Write};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("state.db");
/// let write = Write { value: b"{}", expect: Condition::Absent, expires_at: None };
/// SqliteStore::open(&path, SqliteOptions::default())?.put("seen/a", write, 0)?;
///
/// let store = SqliteStore::open(&path, SqliteOptions::default())?;
/// assert_eq!(store.get("seen/a", 0)?.map(|entry| entry.value), Some(b"{}".to_vec()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    options: SqliteOptions,
    opened: Mutex<Option<OpenConnection>>,
}

#[derive(Debug)]
struct OpenConnection {
    connection: Connection,
    process: u32,
    /// Whether the log may still hold data that was deleted from the file.
    has_traces: bool,
}

impl OpenConnection {
    fn new(path: &Path, options: SqliteOptions) -> Result<Self, StoreError> {
        let connection = file::open(path, options)?;
        Ok(Self { connection, process: std::process::id(), has_traces: false })
    }

    /// Empties the log if it may hold deleted data. While other connections use the log, a later
    /// change does it.
    fn wipe(&mut self, options: SqliteOptions) -> rusqlite::Result<()> {
        if self.has_traces {
            self.connection.busy_timeout(Duration::ZERO)?;
            let busy = self.connection.query_row(EMPTY_LOG, [], |row| row.get::<_, bool>(0));
            self.connection.busy_timeout(options.busy_timeout)?;
            self.has_traces = match busy {
                Ok(busy) => busy,
                Err(error) if is_busy(&error) => true,
                Err(error) => return Err(error),
            };
        }
        Ok(())
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

impl SqliteStore {
    /// Opens a store file. A new or empty file becomes a store.
    ///
    /// # Errors
    /// `read_only`, `locked`, `corrupt` (also for the file of another program), `newer_version`,
    /// `exposed`, `io`.
    pub fn open(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, StoreError> {
        // An absolute path is never a special name of SQLite, and it stays right after a chdir.
        let path = std::path::absolute(path.as_ref()).map_err(|error| {
            StoreError::new(StoreErrorKind::Io, "the store's path is not one").caused_by(error)
        })?;
        let opened = OpenConnection::new(&path, options)?;
        Ok(Self { path, options, opened: Mutex::new(Some(opened)) })
    }

    /// Returns the file's absolute path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Closes the file. Every later call fails with `closed`.
    pub fn close(&self) {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(opened) = opened
            && opened.process != std::process::id()
        {
            // The process that opened the connection closes it.
            std::mem::forget(opened);
        }
    }

    /// Runs `work` on the connection, one thread at a time.
    fn with<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.with_opened(|opened| work(&opened.connection))
    }

    /// Runs `work`, which also says whether it removed data, and then wipes removed data from the
    /// log.
    fn change<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<(T, bool)>,
    ) -> Result<T, StoreError> {
        self.with_opened(|opened| {
            let (changed, took_away) = work(&opened.connection)?;
            opened.has_traces |= took_away;
            opened.wipe(self.options)?;
            Ok(changed)
        })
    }

    fn with_opened<T>(
        &self,
        work: impl FnOnce(&mut OpenConnection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        // SQLite keeps a connection whole even if the thread that used it panics.
        let mut held = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(opened) = held.as_mut() else {
            let message = format!("the store {} was closed; open it again", self.path.display());
            return Err(StoreError::new(StoreErrorKind::Closed, message));
        };
        if opened.process != std::process::id() {
            let inherited =
                std::mem::replace(opened, OpenConnection::new(&self.path, self.options)?);
            // The process that opened the connection closes it.
            std::mem::forget(inherited);
        }
        work(opened).map_err(|error| file::failure(&self.path, error))
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.close();
    }
}

impl Store for SqliteStore {
    fn get(&self, key: &str, now: i64) -> Result<Option<StoreEntry>, StoreError> {
        self.with(|connection| statement::get(connection, key, now))
    }

    fn put(&self, key: &str, write: Write<'_>, now: i64) -> Result<Put, StoreError> {
        self.change(|connection| statement::put(connection, key, write, now))
    }

    fn delete(&self, key: &str, expect: Condition, now: i64) -> Result<bool, StoreError> {
        self.change(|connection| statement::delete(connection, key, expect, now))
    }

    fn batch(&self, changes: &[StoreChange<'_>], now: i64) -> Result<Vec<Changed>, StoreError> {
        self.with_opened(|opened| {
            let immediate = TransactionBehavior::Immediate;
            let transaction = opened.connection.transaction_with_behavior(immediate)?;
            let (made, took_away) = statement::all(&transaction, changes, now)?;
            transaction.commit()?;
            opened.has_traces |= took_away;
            opened.wipe(self.options)?;
            Ok(made)
        })
    }

    fn scan(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        now: i64,
    ) -> Result<Vec<(String, StoreEntry)>, StoreError> {
        let start = match after {
            Some(after) if after >= prefix => format!("{after}\0"),
            _ => prefix.to_owned(),
        };
        self.with(|connection| statement::scan(connection, &start, prefix, limit, now))
    }

    fn purge(&self, prefix: &str, now: i64) -> Result<u64, StoreError> {
        self.change(|connection| statement::purge(connection, prefix, now))
    }

    fn purge_some(&self, prefix: &str, limit: usize, now: i64) -> Result<u64, StoreError> {
        self.change(|connection| statement::purge_some(connection, prefix, limit, now))
    }

    fn has_whole_batches(&self) -> bool {
        true
    }

    fn shared(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{Durability, SqliteOptions, SqliteStore};

    /// Returns the pragma of the connection that writes: 1 is `NORMAL`, 2 is `FULL`.
    fn synchronous(options: SqliteOptions) -> i32 {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("state.db"), options).unwrap();
        let answer =
            store.with(|open| open.pragma_query_value(None, "synchronous", |row| row.get(0)));
        answer.unwrap()
    }

    #[test]
    fn a_change_waits_for_the_disk_unless_told_otherwise() {
        assert_eq!(synchronous(SqliteOptions::default()), 2);
        let durability = Durability::Process;
        assert_eq!(synchronous(SqliteOptions { durability, ..SqliteOptions::default() }), 1);
    }
}
