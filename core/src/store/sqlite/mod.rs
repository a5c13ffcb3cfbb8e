//! A store in a file, which several processes may open at once.

mod access;
mod file;
mod options;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::types::FromSql;
use rusqlite::{Connection, ErrorCode, Params, Row, params};

pub use options::{Durability, SqliteOptions};

use super::{Condition, Put, Store, StoreEntry, StoreError, StoreErrorKind, Write};

const GET: &str = "SELECT value, version, expires_at FROM entry
    WHERE key = ?1 AND (expires_at IS NULL OR expires_at >= ?2)";

const PUT_ABSENT: &str = "INSERT INTO entry (key, value, version, expires_at)
    VALUES (?1, ?2, (SELECT version + 1 FROM counter), ?3)
    ON CONFLICT (key) DO UPDATE
        SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at
        WHERE entry.expires_at < ?4
    RETURNING version";

const PUT_ANY: &str = "INSERT INTO entry (key, value, version, expires_at)
    VALUES (?1, ?2, (SELECT version + 1 FROM counter), ?3)
    ON CONFLICT (key) DO UPDATE
        SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at
    RETURNING version";

const PUT_VERSION: &str = "UPDATE entry
    SET value = ?2, version = (SELECT version + 1 FROM counter), expires_at = ?3
    WHERE key = ?1 AND version = ?5 AND (expires_at IS NULL OR expires_at >= ?4)
    RETURNING version";

const DELETE_ANY: &str = "DELETE FROM entry WHERE key = ?1
    RETURNING expires_at IS NULL OR expires_at >= ?2";

const DELETE_VERSION: &str = "DELETE FROM entry
    WHERE key = ?1 AND version = ?3 AND (expires_at IS NULL OR expires_at >= ?2)
    RETURNING TRUE";

const SCAN: &str = "SELECT value, version, expires_at, key FROM entry
    WHERE key >= ?1 AND key < ?2 AND (expires_at IS NULL OR expires_at >= ?3)
    ORDER BY key LIMIT ?4";

const PURGE: &str = "DELETE FROM entry WHERE key >= ?1 AND key < ?2 AND expires_at < ?3";

const IS_ANY_EXPIRED: &str = "SELECT EXISTS (SELECT 1 FROM entry INDEXED BY entry_expiry
    WHERE expires_at < ?3 AND key >= ?1 AND key < ?2)";

const PURGE_SOME: &str = "DELETE FROM entry WHERE rowid IN (
    SELECT rowid FROM entry INDEXED BY entry_expiry
    WHERE expires_at < ?3 AND key >= ?1 AND key < ?2 LIMIT ?4)";

const LENGTH: &str = "SELECT length(value) FROM entry WHERE key = ?1";

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
        self.with(|connection| {
            let mut statement = connection.prepare_cached(GET)?;
            let mut rows = statement.query(params![key, now])?;
            rows.next()?.map(entry).transpose()
        })
    }

    fn put(&self, key: &str, write: Write<'_>, now: i64) -> Result<Put, StoreError> {
        let Write { value, expect, expires_at } = write;
        let version: Option<u64> = self.change(|connection| {
            let before = returned(connection, LENGTH, params![key])?.unwrap_or(0_usize);
            let version = match expect {
                Condition::Absent => {
                    returned(connection, PUT_ABSENT, params![key, value, expires_at, now])
                }
                Condition::Any => returned(connection, PUT_ANY, params![key, value, expires_at]),
                Condition::Version(version) => returned(
                    connection,
                    PUT_VERSION,
                    params![key, value, expires_at, now, known(version)],
                ),
            }?;
            Ok((version, version.is_some() && value.len() < before))
        })?;
        Ok(version.map_or(Put::Conflict, Put::Stored))
    }

    fn delete(&self, key: &str, expect: Condition, now: i64) -> Result<bool, StoreError> {
        let deleted: Option<bool> = self.change(|connection| {
            let deleted = match expect {
                Condition::Absent => None,
                Condition::Any => returned(connection, DELETE_ANY, params![key, now])?,
                Condition::Version(version) => {
                    returned(connection, DELETE_VERSION, params![key, now, known(version)])?
                }
            };
            Ok((deleted, deleted.is_some()))
        })?;
        Ok(deleted.unwrap_or(false))
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
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.with(|connection| {
            let mut statement = connection.prepare_cached(SCAN)?;
            let rows = statement.query_map(params![start, end(prefix), now, limit], |row| {
                Ok((row.get(3)?, entry(row)?))
            })?;
            rows.collect()
        })
    }

    fn purge(&self, prefix: &str, now: i64) -> Result<u64, StoreError> {
        self.change(|connection| {
            let purged =
                connection.prepare_cached(PURGE)?.execute(params![prefix, end(prefix), now])?;
            Ok((purged as u64, purged > 0))
        })
    }

    fn purge_some(&self, prefix: &str, limit: usize, now: i64) -> Result<u64, StoreError> {
        let (end, limit) = (end(prefix), i64::try_from(limit).unwrap_or(i64::MAX));
        self.change(|connection| {
            // Without expired entries, no write lock is taken.
            if returned(connection, IS_ANY_EXPIRED, params![prefix, end, now])? != Some(true) {
                return Ok((0, false));
            }
            let purged =
                connection.prepare_cached(PURGE_SOME)?.execute(params![prefix, end, now, limit])?;
            Ok((purged as u64, purged > 0))
        })
    }

    fn shared(&self) -> bool {
        true
    }
}

/// Returns the value of a statement's one row, if it has one. A change returns a row if it was
/// made.
fn returned<T: FromSql>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
) -> rusqlite::Result<Option<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(values)?;
    let returned = rows.next()?.map(|row| row.get(0)).transpose()?;
    // The change is committed when the statement ends, and only its last step reports a failure.
    while rows.next()?.is_some() {}
    Ok(returned)
}

fn entry(row: &Row<'_>) -> rusqlite::Result<StoreEntry> {
    Ok(StoreEntry { value: row.get(0)?, version: row.get(1)?, expires_at: row.get(2)? })
}

/// Returns a version as the file stores it, or -1, which no entry has.
fn known(version: u64) -> i64 {
    i64::try_from(version).unwrap_or(-1)
}

/// Returns a text that sorts after every key that begins with `prefix`, because keys are ASCII.
fn end(prefix: &str) -> String {
    format!("{prefix}{}", char::MAX)
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
