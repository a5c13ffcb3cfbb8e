//! Store files with faults: each fault has its own error, and the file stays unchanged.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tempfile::TempDir;
use toolwire::store::{
    Condition, Durability, SqliteOptions, SqliteStore, Store, StoreError, StoreErrorKind, Write,
};

pub const WRITE: Write<'static> =
    Write { value: b"kept", expect: Condition::Any, expires_at: None };

pub fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    (folder, path)
}

pub fn open(path: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(path, SqliteOptions::default())
}

pub fn opening_fails(path: &Path) -> StoreError {
    match open(path) {
        Ok(_) => panic!("it opened"),
        Err(error) => error,
    }
}

#[test]
fn a_store_of_a_later_version_is_left_alone() {
    let (_folder, path) = folder();
    open(&path).unwrap().put("a", WRITE, 0).unwrap();
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 2).unwrap();
    let before = fs::read(&path).unwrap();
    let error = opening_fails(&path);
    assert_eq!(error.kind(), StoreErrorKind::NewerVersion);
    assert!(error.to_string().ends_with("has schema 2, and this library knows 1; update it"));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn another_programs_file_is_left_alone() {
    let (_folder, path) = folder();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE entry (key TEXT)").unwrap();
    let before = fs::read(&path).unwrap();
    let error = opening_fails(&path);
    assert_eq!(error.kind(), StoreErrorKind::Corrupt);
    assert!(error.to_string().contains("another program"));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let (_folder, path) = folder();
    let text = "not a database, but long enough to be taken for one. ".repeat(100);
    fs::write(&path, &text).unwrap();
    assert_eq!(opening_fails(&path).kind(), StoreErrorKind::Corrupt);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_store_without_its_tables_is_corrupt() {
    let (_folder, path) = folder();
    drop(open(&path).unwrap());
    Connection::open(&path).unwrap().execute_batch("DROP TABLE entry").unwrap();
    let store = open(&path).unwrap();
    assert_eq!(store.get("a", 0).unwrap_err().kind(), StoreErrorKind::Corrupt);
    drop(store);
    Connection::open(&path).unwrap().execute_batch("DROP TABLE counter").unwrap();
    assert_eq!(opening_fails(&path).kind(), StoreErrorKind::Corrupt);
}

/// A file that was cut off or overwritten anywhere is read or refused as corrupt, and does no other
/// harm.
#[test]
fn a_damaged_file_is_refused_or_read() {
    let (folder, path) = folder();
    let store = open(&path).unwrap();
    for number in 0..200 {
        let value = number.to_string().repeat(50);
        let write = Write { value: value.as_bytes(), ..WRITE };
        store.put(&format!("key/{number}"), write, 0).unwrap();
    }
    drop(store);
    let whole = fs::read(&path).unwrap();
    let damaged = folder.path().join("damaged.db");
    let (mut refused, mut read) = (0, 0);
    for place in (1..whole.len()).step_by(997) {
        let mut overwritten = whole.clone();
        overwritten.iter_mut().skip(place).take(64).for_each(|byte| *byte = 0xA5);
        for bytes in [whole[..place].to_vec(), overwritten] {
            for left in ["damaged.db-wal", "damaged.db-shm"] {
                let _ = fs::remove_file(folder.path().join(left));
            }
            fs::write(&damaged, &bytes).unwrap();
            let scanned = open(&damaged).and_then(|store| store.scan("", None, usize::MAX, 0));
            match scanned {
                Ok(_) => read += 1,
                Err(error) => {
                    assert!(matches!(
                        error.kind(),
                        StoreErrorKind::Corrupt | StoreErrorKind::NewerVersion
                    ));
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 10 && read > 0, "{refused} refused, {read} read");
}

#[test]
fn a_locked_file_is_waited_for_and_then_refused() {
    let (_folder, path) = folder();
    let busy_timeout = Duration::from_millis(200);
    let store =
        SqliteStore::open(&path, SqliteOptions { busy_timeout, ..SqliteOptions::default() })
            .unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    let error = store.put("a", WRITE, 0).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Locked);
    assert!(error.to_string().contains("busy_timeout"));
    assert!(begun.elapsed() >= busy_timeout && begun.elapsed() < busy_timeout * 10);
    assert!(store.get("a", 0).unwrap().is_none(), "reading does not wait");
    other.execute_batch("COMMIT").unwrap();
    store.put("a", WRITE, 0).unwrap();
}

#[test]
fn a_folder_that_is_not_there_is_an_io_error() {
    let (folder, _) = folder();
    assert_eq!(opening_fails(&folder.path().join("none/state.db")).kind(), StoreErrorKind::Io);
    assert_eq!(opening_fails(folder.path()).kind(), StoreErrorKind::Io);
    assert_eq!(opening_fails(Path::new("")).kind(), StoreErrorKind::Io);
}

#[test]
fn special_names_are_ordinary_files() {
    let (folder, _) = folder();
    for name in [":memory:", "file:state?mode=memory"] {
        let path = folder.path().join(name);
        open(&path).unwrap().put("a", WRITE, 0).unwrap();
        assert!(open(&path).unwrap().get("a", 0).unwrap().is_some());
        assert!(path.exists());
    }
}

#[test]
fn what_survives_the_process_is_stored_too() {
    let (_folder, path) = folder();
    let options = SqliteOptions { durability: Durability::Process, ..SqliteOptions::default() };
    SqliteStore::open(&path, options).unwrap().put("a", WRITE, 0).unwrap();
    assert!(open(&path).unwrap().get("a", 0).unwrap().is_some());
}

/// Many threads that create one file at the same time all get the same store.
#[test]
fn threads_that_make_one_file_share_it() {
    for _ in 0..20 {
        let (_folder, path) = folder();
        std::thread::scope(|scope| {
            for number in 0..16 {
                let path = &path;
                scope.spawn(move || {
                    open(path).unwrap().put(&format!("key/{number}"), WRITE, 0).unwrap()
                });
            }
        });
        assert_eq!(open(&path).unwrap().scan("key/", None, 100, 0).unwrap().len(), 16);
    }
}
