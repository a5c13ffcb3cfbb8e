//! Opening a store file, and the errors of that.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::access;
use super::options::{Durability, SqliteOptions};
use crate::store::{StoreError, StoreErrorKind};

/// The application id that marks an SQLite file as a store: `TwSt`.
const APPLICATION: i32 = 0x5477_5374;

/// The version of [`SCHEMA`]. A file of a later version is refused.
const VERSION: i32 = 1;

/// The counter makes versions that are never reused, even when an entry is deleted and made again.
const SCHEMA: &str = "
    CREATE TABLE entry (
        key TEXT NOT NULL PRIMARY KEY,
        value BLOB NOT NULL,
        version INTEGER NOT NULL,
        expires_at INTEGER
    ) STRICT;
    CREATE INDEX entry_expiry ON entry (expires_at) WHERE expires_at IS NOT NULL;
    CREATE TABLE counter (version INTEGER NOT NULL) STRICT;
    INSERT INTO counter VALUES (0);
    CREATE TRIGGER entry_made AFTER INSERT ON entry BEGIN UPDATE counter SET version = NEW.version; END;
    CREATE TRIGGER entry_changed AFTER UPDATE ON entry BEGIN UPDATE counter SET version = NEW.version; END;
";

/// The pause before another try to open a file that another process is making or recovering.
const PAUSE: Duration = Duration::from_millis(5);

/// Opens a file as a store. An empty file becomes one.
pub(super) fn open(path: &Path, options: SqliteOptions) -> Result<Connection, StoreError> {
    // SQLite may not make the file: others could read it until its mode is changed.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    access::make(path)?;
    let begun = Instant::now();
    loop {
        let opened = Connection::open_with_flags(path, flags)
            .map_err(|error| failure(path, error))
            .and_then(|connection| prepare(path, connection, options));
        // SQLite's change to WAL mode does not wait for other processes, so this loop does.
        match opened {
            Err(error)
                if error.kind() == StoreErrorKind::Locked
                    && begun.elapsed() < options.busy_timeout =>
            {
                thread::sleep(PAUSE);
            }
            opened => return opened,
        }
    }
}

fn prepare(
    path: &Path,
    mut connection: Connection,
    options: SqliteOptions,
) -> Result<Connection, StoreError> {
    let failed = |error| failure(path, error);
    connection.busy_timeout(options.busy_timeout).map_err(failed)?;
    // The file may be untrusted: its schema may not call functions or change itself.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).map_err(failed)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(failed)?;
    if connection.is_readonly("main").map_err(failed)? {
        let message = format!(
            "the store {} may only be read; let this user write the file and its folder",
            path.display()
        );
        return Err(StoreError::new(StoreErrorKind::ReadOnly, message));
    }
    access::check_owner(path)?;
    let state = present(&connection).map_err(failed)?;
    // The mode of a file that is refused stays as it is.
    state.check(path)?;
    access::tighten(path)?;
    let synchronous = match options.durability {
        Durability::Process => "NORMAL",
        Durability::Power => "FULL",
    };
    // Deleted data is overwritten in the file at once.
    connection.pragma_update_and_check(None, "secure_delete", "ON", |_| Ok(())).map_err(failed)?;
    // On a file system without shared memory SQLite refuses WAL and keeps the present mode.
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).map_err(failed)?;
    connection.pragma_update(None, "synchronous", synchronous).map_err(failed)?;
    if state == FileContent::Empty {
        create(path, &mut connection)?;
    }
    let counter = "SELECT version FROM counter";
    connection.query_row(counter, [], |row| row.get::<_, u64>(0)).map_err(failed)?;
    // SQLite has opened the side files by now, and an old one may still have a wider mode.
    access::tighten(path)?;
    Ok(connection)
}

/// Reads what the file is, at one moment: another process may make it a store meanwhile.
fn present(connection: &Connection) -> rusqlite::Result<FileContent> {
    let moment = connection.unchecked_transaction()?;
    let state = FileContent::read(&moment)?;
    moment.commit()?;
    Ok(state)
}

/// Makes an empty file a store, unless another process did so in the meantime.
fn create(path: &Path, connection: &mut Connection) -> Result<(), StoreError> {
    let failed = |error| failure(path, error);
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let state = FileContent::read(&transaction).map_err(failed)?;
    state.check(path)?;
    if state == FileContent::Empty {
        transaction.execute_batch(SCHEMA).map_err(failed)?;
        transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
        transaction.pragma_update(None, "user_version", VERSION).map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}

/// The kind of a file's content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileContent {
    Empty,
    Store(i32),
    Foreign,
}

impl FileContent {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let number =
            |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        Ok(match (number("application_id")?, number("user_version")?) {
            (0, 0) if tables == 0 => Self::Empty,
            (APPLICATION, version) if version >= 1 => Self::Store(version),
            _ => Self::Foreign,
        })
    }

    fn check(self, path: &Path) -> Result<(), StoreError> {
        let path = path.display();
        let (kind, message) = match self {
            Self::Store(version) if version > VERSION => (
                StoreErrorKind::NewerVersion,
                format!(
                    "the store {path} has schema {version}, and this library knows {VERSION}; update it"
                ),
            ),
            Self::Foreign => (
                StoreErrorKind::Corrupt,
                format!(
                    "the file {path} is an SQLite database of another program; give another path"
                ),
            ),
            Self::Empty | Self::Store(_) => return Ok(()),
        };
        Err(StoreError::new(kind, message))
    }
}

/// Makes the store's error for an SQLite error, with a message that says what to do.
pub(super) fn failure(path: &Path, error: rusqlite::Error) -> StoreError {
    use ErrorCode as Code;
    let path = path.display();
    let (kind, message) = match error.sqlite_error_code() {
        Some(Code::DatabaseBusy | Code::DatabaseLocked | Code::FileLockingProtocolFailed) => (
            StoreErrorKind::Locked,
            format!(
                "another process keeps the store {path} locked; try again or raise busy_timeout"
            ),
        ),
        Some(Code::ReadOnly) => (
            StoreErrorKind::ReadOnly,
            format!(
                "the store {path} may only be read; let this user write the file and its folder"
            ),
        ),
        // SQL that does not fit the file, or a value that does not fit its column, means that the
        // file is damaged.
        Some(
            Code::DatabaseCorrupt
            | Code::NotADatabase
            | Code::ConstraintViolation
            | Code::TypeMismatch
            | Code::Unknown,
        )
        | None => (
            StoreErrorKind::Corrupt,
            format!("the file {path} is not a whole store; restore a backup or give another path"),
        ),
        Some(_) => (
            StoreErrorKind::Io,
            format!(
                "the store {path} cannot be read or written; check that its folder exists and has room"
            ),
        ),
    };
    StoreError::new(kind, message).caused_by(error)
}
