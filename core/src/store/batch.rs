//! Changes that a store makes in one go: what is common to the stores of hosts.

use super::{Changed, Store, StoreChange, StoreError, StoreErrorKind};

/// Makes the changes of a batch one by one, until one is a conflict, as [`Store::batch`] does in a
/// store that has no way of its own.
///
/// # Errors
/// Any error of the store. Each of the changes may then be made or not.
pub fn one_by_one<S: Store + ?Sized>(
    store: &S,
    changes: &[StoreChange<'_>],
    now: i64,
) -> Result<Vec<Changed>, StoreError> {
    let mut made = Vec::with_capacity(changes.len());
    for change in changes {
        let answer = match *change {
            StoreChange::Put { key, write } => Changed::Put(store.put(key, write, now)?),
            StoreChange::Delete { key, expect } => {
                Changed::Deleted(store.delete(key, expect, now)?)
            }
            StoreChange::PurgeSome { prefix, limit } => {
                Changed::Purged(store.purge_some(prefix, limit, now)?)
            }
        };
        made.push(answer);
        if !answer.goes_on() {
            break;
        }
    }
    Ok(made)
}

/// Reads what a host's own store answered to a batch. `read` reads the answer to one change.
///
/// There must be an answer to each change, up to the first conflict, and none behind it.
///
/// # Errors
/// `host`, if the answers do not fit the changes. Each of the changes may be made or not.
pub fn read_answers<T>(
    changes: &[StoreChange<'_>],
    given: impl IntoIterator<Item = T>,
    read: impl Fn(&StoreChange<'_>, T) -> Option<Changed>,
) -> Result<Vec<Changed>, StoreError> {
    let mut made = Vec::with_capacity(changes.len());
    let has_ended = |made: &[Changed]| made.last().is_some_and(|last| !last.goes_on());
    for answer in given {
        let change = changes.get(made.len()).filter(|_| !has_ended(&made));
        made.push(change.and_then(|change| read(change, answer)).ok_or_else(misfit)?);
    }
    if made.len() == changes.len() || has_ended(&made) { Ok(made) } else { Err(misfit()) }
}

fn misfit() -> StoreError {
    let message = "the store's batch() must return an answer to each change, up to the first put \
                   whose condition is not met: a version or nothing for a put, whether there was \
                   an entry for a delete, a number for a purge";
    StoreError::new(StoreErrorKind::Host, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Condition, Put, Write};

    #[test]
    fn answers_fit_the_changes_up_to_a_conflict() {
        let write = Write { value: b"1", expect: Condition::Absent, expires_at: None };
        let put = StoreChange::Put { key: "a", write };
        let changes = [put, StoreChange::PurgeSome { prefix: "a", limit: 1 }, put, put];
        let read = |given: &[Option<u64>]| {
            read_answers(&changes, given, |change, &answer| match change {
                StoreChange::Put { .. } => {
                    Some(Changed::Put(answer.map_or(Put::Conflict, Put::Stored)))
                }
                _ => answer.map(Changed::Purged),
            })
            .map(|made| made.len())
            .map_err(|error| error.kind())
        };
        assert_eq!(read(&[Some(1), Some(0), Some(2), Some(3)]), Ok(4));
        assert_eq!(read(&[None]), Ok(1));
        assert_eq!(read(&[Some(1), Some(0), None]), Ok(3));
        let misfits: [&[Option<u64>]; 6] = [
            &[],
            &[Some(1)],
            &[Some(1), None],
            &[None, Some(0)],
            &[Some(1), Some(0), Some(2)],
            &[Some(1), Some(0), Some(2), Some(3), Some(4)],
        ];
        for given in misfits {
            assert_eq!(read(given), Err(StoreErrorKind::Host), "{given:?}");
        }
    }
}
