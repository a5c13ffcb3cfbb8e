//! The statements on a store's file. A change also says whether it took data away, which the log
//! may still hold then.

use rusqlite::types::FromSql;
use rusqlite::{Connection, Params, Result, Row, params};

use crate::store::{Changed, Condition, Put, StoreChange, StoreEntry, Write};

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

pub(super) fn get(connection: &Connection, key: &str, now: i64) -> Result<Option<StoreEntry>> {
    let mut statement = connection.prepare_cached(GET)?;
    let mut rows = statement.query(params![key, now])?;
    rows.next()?.map(entry).transpose()
}

pub(super) fn put(
    connection: &Connection,
    key: &str,
    write: Write<'_>,
    now: i64,
) -> Result<(Put, bool)> {
    let Write { value, expect, expires_at } = write;
    let before = returned(connection, LENGTH, params![key])?.unwrap_or(0_usize);
    let version: Option<u64> = match expect {
        Condition::Absent => returned(connection, PUT_ABSENT, params![key, value, expires_at, now]),
        Condition::Any => returned(connection, PUT_ANY, params![key, value, expires_at]),
        Condition::Version(version) => {
            let values = params![key, value, expires_at, now, known(version)];
            returned(connection, PUT_VERSION, values)
        }
    }?;
    let took_away = version.is_some() && value.len() < before;
    Ok((version.map_or(Put::Conflict, Put::Stored), took_away))
}

pub(super) fn delete(
    connection: &Connection,
    key: &str,
    expect: Condition,
    now: i64,
) -> Result<(bool, bool)> {
    let deleted: Option<bool> = match expect {
        Condition::Absent => None,
        Condition::Any => returned(connection, DELETE_ANY, params![key, now])?,
        Condition::Version(version) => {
            returned(connection, DELETE_VERSION, params![key, now, known(version)])?
        }
    };
    Ok((deleted.unwrap_or(false), deleted.is_some()))
}

/// Returns the entries under a prefix from this key on.
pub(super) fn scan(
    connection: &Connection,
    start: &str,
    prefix: &str,
    limit: usize,
    now: i64,
) -> Result<Vec<(String, StoreEntry)>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(SCAN)?;
    let rows = statement
        .query_map(params![start, end(prefix), now, limit], |row| Ok((row.get(3)?, entry(row)?)))?;
    rows.collect()
}

pub(super) fn purge(connection: &Connection, prefix: &str, now: i64) -> Result<(u64, bool)> {
    let purged = connection.prepare_cached(PURGE)?.execute(params![prefix, end(prefix), now])?;
    Ok((purged as u64, purged > 0))
}

pub(super) fn purge_some(
    connection: &Connection,
    prefix: &str,
    limit: usize,
    now: i64,
) -> Result<(u64, bool)> {
    let (end, limit) = (end(prefix), i64::try_from(limit).unwrap_or(i64::MAX));
    // Without expired entries, no write lock is taken.
    if returned(connection, IS_ANY_EXPIRED, params![prefix, end, now])? != Some(true) {
        return Ok((0, false));
    }
    let purged =
        connection.prepare_cached(PURGE_SOME)?.execute(params![prefix, end, now, limit])?;
    Ok((purged as u64, purged > 0))
}

/// Makes changes one after the other, until one is a conflict.
pub(super) fn all(
    connection: &Connection,
    changes: &[StoreChange<'_>],
    now: i64,
) -> Result<(Vec<Changed>, bool)> {
    let (mut made, mut took_any_away) = (Vec::with_capacity(changes.len()), false);
    for change in changes {
        let (answer, took_away) = match *change {
            StoreChange::Put { key, write } => {
                let (put, took_away) = put(connection, key, write, now)?;
                (Changed::Put(put), took_away)
            }
            StoreChange::Delete { key, expect } => {
                let (deleted, took_away) = delete(connection, key, expect, now)?;
                (Changed::Deleted(deleted), took_away)
            }
            StoreChange::PurgeSome { prefix, limit } => {
                let (purged, took_away) = purge_some(connection, prefix, limit, now)?;
                (Changed::Purged(purged), took_away)
            }
        };
        made.push(answer);
        took_any_away |= took_away;
        if !answer.goes_on() {
            break;
        }
    }
    Ok((made, took_any_away))
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
