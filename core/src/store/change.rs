//! Changing an entry that other processes change at the same time.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{Changed, Condition, Put, Store, StoreEntry, StoreError, StoreErrorKind, Write, key};

/// How often a change is tried. A try fails only if another change succeeded, so only a faulty
/// store comes near this number.
pub(crate) const ATTEMPTS: usize = 10_000;

/// How many entries one scan asks for.
const PAGE: usize = 256;

/// The decision about an entry, and the value that the caller of [`change`] gets.
pub(crate) enum EntryChange<T> {
    /// The entry stays as it is.
    Keep(T),
    /// The entry gets this value and this expiry.
    Put { value: Vec<u8>, expires_at: Option<i64>, told: T },
}

/// Changes the entry under a key, even if others change it at the same time. Returns the value that
/// `decide` tells, and the new version if an entry was put.
///
/// `decide` gets the present entry. It is called again when another change came first.
pub(crate) fn change<T>(
    store: &dyn Store,
    key: &str,
    now: i64,
    mut decide: impl FnMut(Option<&StoreEntry>) -> Result<EntryChange<T>, StoreError>,
) -> Result<(T, Option<u64>), StoreError> {
    for _ in 0..ATTEMPTS {
        let entry = store.get(key, now)?;
        let expect =
            entry.as_ref().map_or(Condition::Absent, |entry| Condition::Version(entry.version));
        match decide(entry.as_ref())? {
            EntryChange::Keep(told) => return Ok((told, None)),
            EntryChange::Put { value, expires_at, told } => {
                let write = Write { value: &value, expect, expires_at };
                if let Put::Stored(version) = store.put(key, write, now)? {
                    return Ok((told, Some(version)));
                }
            }
        }
    }
    Err(contended(key))
}

/// Returns the result of the first put of a batch. A batch without one, or one that ended before
/// it, counts as a conflict.
pub(crate) fn first_put(made: &[Changed]) -> Put {
    let puts = made.iter().find_map(|changed| match changed {
        Changed::Put(put) => Some(*put),
        Changed::Deleted(_) | Changed::Purged(_) => None,
    });
    puts.unwrap_or(Put::Conflict)
}

/// Calls `visit` with every entry whose key begins with `prefix`, in the order of the keys, until
/// `visit` returns [`Visit::Enough`]. If `after` is given, only later keys are visited.
pub(crate) fn each(
    store: &dyn Store,
    prefix: &str,
    mut after: Option<String>,
    now: i64,
    mut visit: impl FnMut(&str, &StoreEntry) -> Result<Visit, StoreError>,
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

/// Whether a visit goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// Go on with the next entry.
    On,
    /// Stop.
    Enough,
}

/// Makes the error for an entry that others change each time before it can be written.
pub(crate) fn contended(key: &str) -> StoreError {
    let message =
        format!("the entry {key} was changed by others {ATTEMPTS} times in a row; try again later");
    StoreError::new(StoreErrorKind::Locked, message)
}

/// A record of this library, which an entry holds as JSON.
pub(crate) trait Record: DeserializeOwned {
    /// Whether the record says of itself that it belongs under this key. A record that was written
    /// back under the key of another one does not, and neither does one that contradicts itself.
    fn is_at(&self, place: &str) -> bool;
}

/// An index entry holds the id of what it leads to, which is also the last word of its key.
impl Record for String {
    fn is_at(&self, place: &str) -> bool {
        let word = key(&[self]);
        place.strip_suffix(&word).is_some_and(|before| before.ends_with('/'))
    }
}

/// Reads a record of this library from an entry.
///
/// # Errors
/// `corrupt` for what no record is, and for a record that belongs under another key.
#[allow(
    clippy::disallowed_methods,
    reason = "a record is typed, and holds values of others as raw text"
)]
pub(crate) fn from_json<T: Record>(place: &str, entry: &StoreEntry) -> Result<T, StoreError> {
    let record: T =
        serde_json::from_slice(&entry.value).map_err(|error| spoiled(place).caused_by(error))?;
    if record.is_at(place) { Ok(record) } else { Err(spoiled(place)) }
}

/// Makes the error for an entry that holds something else than was written under its key.
pub(crate) fn spoiled(place: &str) -> StoreError {
    let message =
        format!("the entry {place} is not as it was written; delete it or restore a backup");
    StoreError::new(StoreErrorKind::Corrupt, message)
}

/// Writes a record as JSON.
pub(crate) fn to_json<T: Serialize>(record: &T) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(record).map_err(unwritable)
}

/// Writes a record as JSON for use inside another record.
pub(crate) fn raw_json<T: Serialize>(record: &T) -> Result<Box<RawValue>, StoreError> {
    serde_json::value::to_raw_value(record).map_err(unwritable)
}

fn unwritable(error: serde_json::Error) -> StoreError {
    StoreError::new(StoreErrorKind::Host, "the record cannot be written as JSON").caused_by(error)
}
