//! Changing an entry that others change at the same time.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{Entry, Expect, Put, Store, StoreError, StoreErrorKind, Write};

/// How often a change is tried. Each time that one fails another one succeeded, so only a store
/// that answers wrongly comes near this.
pub(crate) const ATTEMPTS: usize = 10_000;

/// How many entries are asked for at once.
const PAGE: usize = 256;

/// What is to become of an entry, and what its changer is told.
pub(crate) enum Change<T> {
    /// It stays as it is.
    Keep(T),
    /// It has this value from now on, until it expires.
    Put { value: Vec<u8>, expires_at: Option<i64>, told: T },
}

/// Changes the entry under a key, however many others do so too; what `decide` tells, with the
/// version that it put, if it put one.
///
/// `decide` sees the entry as it is and is asked anew when another change came between.
pub(crate) fn change<T>(
    store: &dyn Store,
    key: &str,
    now: i64,
    mut decide: impl FnMut(Option<&Entry>) -> Result<Change<T>, StoreError>,
) -> Result<(T, Option<u64>), StoreError> {
    for _ in 0..ATTEMPTS {
        let entry = store.get(key, now)?;
        let expect = entry.as_ref().map_or(Expect::Absent, |entry| Expect::Version(entry.version));
        match decide(entry.as_ref())? {
            Change::Keep(told) => return Ok((told, None)),
            Change::Put { value, expires_at, told } => {
                let write = Write { value: &value, expect, expires_at };
                if let Put::Stored(version) = store.put(key, write, now)? {
                    return Ok((told, Some(version)));
                }
            }
        }
    }
    Err(contended(key))
}

/// Shows every entry whose key begins with `prefix`, and comes after `after` if that is given, to
/// `visit`, in the order of the keys, until it says that it has seen enough.
pub(crate) fn each(
    store: &dyn Store,
    prefix: &str,
    mut after: Option<String>,
    now: i64,
    mut visit: impl FnMut(&str, &Entry) -> Result<Visit, StoreError>,
) -> Result<(), StoreError> {
    loop {
        let page = store.scan(prefix, after.as_deref(), PAGE, now)?;
        for (key, entry) in &page {
            if visit(key, entry)? == Visit::Enough {
                return Ok(());
            }
        }
        match page.into_iter().nth(PAGE - 1) {
            Some((last, _)) => after = Some(last),
            None => return Ok(()),
        }
    }
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// With the next entry.
    On,
    /// No further.
    Enough,
}

/// That an entry cannot be changed because it never stays as it was read.
pub(crate) fn contended(key: &str) -> StoreError {
    let message =
        format!("the entry {key} was changed by others {ATTEMPTS} times in a row; try again later");
    StoreError::new(StoreErrorKind::Locked, message)
}

/// Reads what this library wrote under a key.
#[allow(
    clippy::disallowed_methods,
    reason = "a record is typed, and holds values of others as raw text"
)]
pub(crate) fn from_json<T: DeserializeOwned>(key: &str, entry: &Entry) -> Result<T, StoreError> {
    serde_json::from_slice(&entry.value).map_err(|error| {
        let message =
            format!("the entry {key} is not as it was written; delete it or restore a backup");
        StoreError::new(StoreErrorKind::Corrupt, message).caused_by(error)
    })
}

/// Writes a record.
pub(crate) fn to_json<T: Serialize>(record: &T) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(record).map_err(unwritable)
}

/// Writes a record that is to be a part of another one.
pub(crate) fn raw_json<T: Serialize>(record: &T) -> Result<Box<RawValue>, StoreError> {
    serde_json::value::to_raw_value(record).map_err(unwritable)
}

fn unwritable(error: serde_json::Error) -> StoreError {
    StoreError::new(StoreErrorKind::Host, "the record cannot be written as JSON").caused_by(error)
}
