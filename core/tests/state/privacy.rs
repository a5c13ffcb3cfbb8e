//! Store files and other users: who may read the files, and what deleted data leaves in them.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tempfile::TempDir;
use toolwire::store::{Condition, Put, SqliteStore, Store, StoreErrorKind, Write};

use crate::files::{WRITE, folder, open, opening_fails};

/// The modes of the file and of the files beside it, by name.
fn modes(folder: &TempDir) -> Vec<(String, u32)> {
    let files = fs::read_dir(folder.path()).unwrap().map(Result::unwrap);
    let mut modes: Vec<_> = files
        .map(|file| {
            let mode = file.metadata().unwrap().permissions().mode() & 0o777;
            (file.file_name().into_string().unwrap(), mode)
        })
        .collect();
    modes.sort();
    modes
}

fn private(names: &[&str]) -> Vec<(String, u32)> {
    names.iter().map(|name| ((*name).to_owned(), 0o600)).collect()
}

/// The umask belongs to the whole process, so a shell sets it for a copy of this program.
#[test]
fn nobody_else_may_read_the_files_whatever_the_umask() {
    for umask in ["0000", "0022", "0277", "0777"] {
        let mut command = Command::new("sh");
        command
            .args(["-c", "umask $0 && exec \"$@\"", umask])
            .arg(std::env::current_exe().unwrap());
        command.args(["--exact", "privacy::with_a_umask", "--ignored", "--nocapture"]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{umask}: {}", String::from_utf8_lossy(&output.stdout));
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    }
}

#[test]
#[ignore = "the part of the test above that runs with another umask"]
fn with_a_umask() {
    let (folder, path) = folder();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let store = open(&path).unwrap();
    assert_eq!(modes(&folder), private(&["state.db", "state.db-shm", "state.db-wal"]), "fresh");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE counter SET version = 5").unwrap();
    assert_eq!(
        modes(&folder),
        private(&["state.db", "state.db-shm", "state.db-wal"]),
        "transaction"
    );
    other.execute_batch("ROLLBACK").unwrap();
    store.put("a", WRITE, 0).unwrap();
    drop((store, other));
    assert_eq!(modes(&folder), private(&["state.db"]), "closed");
    // Without WAL there is a journal.
    let other = Connection::open(&path).unwrap();
    let mode: String =
        other.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "delete");
    other.execute_batch("BEGIN IMMEDIATE; UPDATE counter SET version = 5").unwrap();
    assert_eq!(modes(&folder), private(&["state.db", "state.db-journal"]), "journal");
}

#[test]
fn files_that_others_may_read_are_closed_to_them() {
    let (folder, path) = folder();
    let store = open(&path).unwrap();
    store.put("a", WRITE, 0).unwrap();
    for (name, _) in modes(&folder) {
        fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(0o664)).unwrap();
    }
    let again = open(&path).unwrap();
    assert_eq!(modes(&folder), private(&["state.db", "state.db-shm", "state.db-wal"]));
    assert!(again.get("a", 0).unwrap().is_some());
    drop(store);
}

#[test]
fn the_mode_of_a_file_that_is_refused_stays() {
    let (folder, path) = folder();
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    let foreign = Connection::open(folder.path().join("other.db")).unwrap();
    foreign.execute_batch("CREATE TABLE a (b); PRAGMA user_version = 7").unwrap();
    drop(foreign);
    let foreign = fs::read(folder.path().join("other.db")).unwrap();
    for content in [foreign.as_slice(), b"<?php // a page of the site, and no store"] {
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(opening_fails(&path).kind(), StoreErrorKind::Corrupt);
        assert_eq!(mode(), 0o644);
        assert_eq!(fs::read(&path).unwrap(), content);
    }
    // An empty file becomes a store.
    fs::write(&path, b"").unwrap();
    open(&path).unwrap();
    assert_eq!(mode(), 0o600);
}

#[test]
fn a_link_is_refused_and_what_it_leads_to_is_left_alone() {
    let (folder, path) = folder();
    let target = folder.path().join("target");
    std::os::unix::fs::symlink(&target, &path).unwrap();
    for content in [None, Some("mine")] {
        if let Some(content) = content {
            fs::write(&target, content).unwrap();
        }
        let error = opening_fails(&path);
        assert_eq!(error.kind(), StoreErrorKind::Exposed);
        assert!(error.to_string().contains("symbolic link"));
        assert_eq!(fs::read_to_string(&target).ok().as_deref(), content);
    }
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&target, folder.path().join("state.db-wal")).unwrap();
    assert_eq!(opening_fails(&path).kind(), StoreErrorKind::Exposed);
    assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
}

#[test]
fn a_folder_in_which_anybody_may_replace_files_is_refused() {
    let (folder, path) = folder();
    let set = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    set(0o777);
    let error = opening_fails(&path);
    assert_eq!(error.kind(), StoreErrorKind::Exposed);
    assert!(error.to_string().contains("a folder of its own"));
    assert!(!path.exists());
    // The folder has the mode of `/tmp`: others may add files, but not replace this one.
    for mode in [0o1777, 0o775, 0o700] {
        set(mode);
        open(&path).unwrap();
    }
}

/// A file that another user made in a folder such as `/tmp` stays readable by that user.
#[test]
#[allow(clippy::print_stderr, reason = "a test that cannot run here says so")]
fn a_file_of_another_user_is_refused() {
    let nobody = 65_534;
    for name in ["state.db", "state.db-wal", "state.db-shm", "state.db-journal"] {
        let (folder, path) = folder();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o1777)).unwrap();
        let made = folder.path().join(name);
        fs::write(&made, "").unwrap();
        fs::set_permissions(&made, fs::Permissions::from_mode(0o666)).unwrap();
        if let Err(error) = std::os::unix::fs::chown(&made, Some(nobody), Some(nobody)) {
            eprintln!("skipped: only root may give a file to another user ({error})");
            return;
        }
        let error = opening_fails(&path);
        assert_eq!(error.kind(), StoreErrorKind::Exposed, "{name}: {error:?}");
        assert!(error.to_string().contains("another user owns"), "{error}");
        let left = fs::metadata(&made).unwrap();
        assert_eq!(
            (left.uid(), left.len(), left.mode() & 0o777),
            (nobody, 0, 0o666),
            "it is left alone"
        );
    }
}

/// The files of a store that hold a text.
fn files_with(folder: &TempDir, text: &str) -> Vec<String> {
    let files = fs::read_dir(folder.path()).unwrap().map(Result::unwrap);
    let holds = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    let found = files.filter(|file| holds(&fs::read(file.path()).unwrap()));
    found.map(|file| file.file_name().into_string().unwrap()).collect()
}

const SECRET: &str = "hunter2-raw-secret";

fn put_secret(store: &SqliteStore, length: usize) {
    let value = SECRET.repeat(length);
    store
        .put("a", Write { value: value.as_bytes(), expect: Condition::Any, expires_at: Some(5) }, 0)
        .unwrap();
}

#[test]
fn what_was_taken_away_is_in_no_file() {
    type TakeAway = fn(&SqliteStore);
    let ways: [(&str, TakeAway); 4] = [
        ("deleted", |store| assert!(store.delete("a", Condition::Any, 0).unwrap())),
        ("purged", |store| assert_eq!(store.purge("a", 6).unwrap(), 1)),
        ("swept", |store| assert_eq!(store.purge_some("a", 1, 6).unwrap(), 1)),
        ("overwritten", |store| {
            assert!(matches!(store.put("a", WRITE, 0).unwrap(), Put::Stored(_)));
        }),
    ];
    for (name, take_away) in ways {
        for length in [1, 20, 3000] {
            let (folder, path) = folder();
            let store = open(&path).unwrap();
            for number in 0..9 {
                store.put(&format!("b/{number}"), WRITE, 0).unwrap();
            }
            put_secret(&store, length);
            assert_ne!(files_with(&folder, SECRET), [""; 0], "it was never there");
            take_away(&store);
            assert_eq!(files_with(&folder, SECRET), [""; 0], "{name}, {length}, open");
            drop(store);
            assert_eq!(files_with(&folder, SECRET), [""; 0], "{name}, {length}, closed");
        }
    }
}

/// A reader leaves the log unchanged, and no writer waits for the reader.
#[test]
fn what_was_deleted_while_others_read_goes_with_a_later_change() {
    let (folder, path) = folder();
    let store = open(&path).unwrap();
    put_secret(&store, 3000);
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let count: i64 = reader.query_row("SELECT count(*) FROM entry", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 1);
    let begun = Instant::now();
    assert!(store.delete("a", Condition::Any, 0).unwrap());
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_ne!(files_with(&folder, SECRET), [""; 0], "the reader may still look at it");
    reader.execute_batch("COMMIT").unwrap();
    store.put("c", WRITE, 0).unwrap();
    assert_eq!(files_with(&folder, SECRET), [""; 0]);
}

const READ_ONLY_STORE: &str = "TOOLWIRE_READ_ONLY_STORE";

/// Root may write to every file, so a copy of this program runs the test as the user nobody.
#[test]
fn a_file_that_may_only_be_read_says_so() {
    let (folder, path) = folder();
    open(&path).unwrap().put("a", WRITE, 0).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let others = path.with_file_name("others.db");
    fs::copy(&path, &others).unwrap();
    fs::set_permissions(&others, fs::Permissions::from_mode(0o666)).unwrap();
    let program = folder.path().join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut command = Command::new(&program);
    command.args(["--exact", "privacy::as_nobody", "--ignored", "--nocapture"]);
    command.env(READ_ONLY_STORE, &path).current_dir(folder.path());
    if fs::metadata(&path).unwrap().uid() == 0 {
        command.uid(65_534).gid(65_534);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}

#[test]
#[ignore = "the part of the test above that runs as nobody"]
fn as_nobody() {
    let path = PathBuf::from(std::env::var_os(READ_ONLY_STORE).unwrap());
    let error = opening_fails(&path);
    assert_eq!(error.kind(), StoreErrorKind::ReadOnly, "{error:?}");
    assert!(error.to_string().contains("may only be read"));
    let error = opening_fails(&path.with_file_name("others.db"));
    assert_eq!(error.kind(), StoreErrorKind::Exposed, "{error:?}");
    assert!(error.to_string().contains("another user owns"));
}
