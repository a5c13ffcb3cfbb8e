//! Stores as arguments: the extension's own stores and those in PHP code, as stores of the core.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ext_php_rs::convert::{FromZval, IntoZvalDyn};
use ext_php_rs::flags::DataType;
use ext_php_rs::types::{ZendHashTable, Zval};
use fragile::Fragile;
use toolwire::store::{
    self, Changed, Condition, Put, StoreChange, StoreEntry, StoreError, StoreErrorKind, Write,
};

use super::callback::{Carried, Stop, call_method};
use super::memory::Memory;
use super::sqlite::Sqlite;
use super::store::{NAME, batching, interface, number, whole_batching};
use crate::host::value::{self, held};
use crate::zend;

/// A store that is passed as an argument.
pub(super) struct AnyStore(pub(super) Arc<dyn store::Store>);

impl FromZval<'_> for AnyStore {
    const TYPE: DataType = DataType::object(NAME);

    fn from_zval(value: &Zval) -> Option<Self> {
        if let Some(memory) = held::<Memory>(value) {
            return Some(Self(memory.core()));
        }
        if let Some(sqlite) = held::<Sqlite>(value) {
            return Some(Self(sqlite.core()));
        }
        if !value.object().is_some_and(|object| object.instance_of(interface())) {
            zend::refuse_object(value, c"Toolwire\\Tools\\Store");
            return None;
        }
        Some(Self(Arc::new(PhpStore::new(value))))
    }
}

/// A store in PHP code.
///
/// The core requires stores that threads can share, but a PHP object stays on the thread that made
/// it.
struct PhpStore {
    object: Fragile<Zval>,
    /// Whether it takes several changes at once.
    has_batch: bool,
    /// Whether it makes all of them or none.
    has_whole_batches: bool,
    /// Whether a method has ended the script. Such a store is not called again.
    has_exited: AtomicBool,
}

impl PhpStore {
    fn new(object: &Zval) -> Self {
        let is_a = |class| object.object().is_some_and(|object| object.instance_of(class));
        let (has_batch, has_whole_batches) = (is_a(batching()), is_a(whole_batching()));
        let object = Fragile::new(object.shallow_clone());
        Self { object, has_batch, has_whole_batches, has_exited: AtomicBool::new(false) }
    }

    fn call(&self, method: &str, arguments: Vec<&dyn IntoZvalDyn>) -> Result<Zval, StoreError> {
        let failed =
            || StoreError::new(StoreErrorKind::Host, format!("the store's {method}() failed"));
        if self.has_exited.load(Ordering::Relaxed) {
            return Err(failed());
        }
        // The object may release the store during the call.
        let object = self.object.get().shallow_clone();
        call_method(&object, method, arguments).map_err(|stop| match stop {
            Stop::Thrown(thrown) => failed().caused_by(Carried::new(thrown)),
            Stop::Exit => {
                self.has_exited.store(true, Ordering::Relaxed);
                failed()
            }
        })
    }
}

/// Makes the error for an invalid answer of a PHP store.
fn wrong(method: &str, given: &Zval, wanted: &str) -> StoreError {
    let message =
        format!("the store's {method}() must return {wanted}, got {}", value::type_name(given));
    StoreError::new(StoreErrorKind::Host, message)
}

/// Returns the expected version for PHP: null for any, 0 for none.
fn expected(expect: Condition) -> Option<i64> {
    match expect {
        Condition::Any => None,
        Condition::Absent => Some(0),
        Condition::Version(version) => Some(i64::try_from(version).unwrap_or(i64::MAX)),
    }
}

/// Reads an entry of the core from a PHP array.
fn entry(table: &ZendHashTable) -> Option<StoreEntry> {
    let field = |name: &str| table.get(name).map(Zval::dereference);
    Some(StoreEntry {
        value: field("value")?.zend_str()?.as_bytes().to_vec(),
        version: u64::try_from(field("version")?.long()?).ok()?,
        expires_at: field("expires_at").and_then(Zval::long),
    })
}

/// Returns a change as a PHP list that begins with the name of what is done.
fn change(change: &StoreChange<'_>) -> ext_php_rs::error::Result<Zval> {
    let maybe = |given: Option<i64>| given.map_or_else(Zval::null, number);
    match *change {
        StoreChange::Put { key, write } => value::list([
            value::text("put"),
            value::text(key),
            value::text(write.value),
            maybe(expected(write.expect)),
            maybe(write.expires_at),
        ]),
        StoreChange::Delete { key, expect } => {
            value::list([value::text("delete"), value::text(key), maybe(expected(expect))])
        }
        StoreChange::PurgeSome { prefix, limit } => {
            value::list([value::text("purge_some"), value::text(prefix), value::whole(limit)])
        }
    }
}

/// Reads the answer to a change.
fn changed(change: &StoreChange<'_>, answer: &Zval) -> Option<Changed> {
    let count = || u64::try_from(answer.long()?).ok();
    Some(match change {
        StoreChange::Put { .. } if answer.is_null() => Changed::Put(Put::Conflict),
        StoreChange::Put { .. } => Changed::Put(Put::Stored(count()?)),
        StoreChange::Delete { .. } => Changed::Deleted(answer.bool()?),
        StoreChange::PurgeSome { .. } => Changed::Purged(count()?),
    })
}

const ENTRY: &str = "an array of value, version and expires_at, or null";

impl store::Store for PhpStore {
    fn get(&self, key: &str, now: i64) -> Result<Option<StoreEntry>, StoreError> {
        let given = self.call("get", vec![&key, &now])?;
        if given.is_null() {
            return Ok(None);
        }
        given.array().and_then(entry).map(Some).ok_or_else(|| wrong("get", &given, ENTRY))
    }

    fn put(&self, key: &str, write: Write<'_>, now: i64) -> Result<Put, StoreError> {
        let value = value::text(write.value);
        let given =
            self.call("put", vec![&key, &value, &expected(write.expect), &write.expires_at, &now])?;
        match given.long().map(u64::try_from) {
            Some(Ok(version)) => Ok(Put::Stored(version)),
            _ if given.is_null() => Ok(Put::Conflict),
            _ => Err(wrong("put", &given, "the new version or null")),
        }
    }

    fn delete(&self, key: &str, expect: Condition, now: i64) -> Result<bool, StoreError> {
        let given = self.call("delete", vec![&key, &expected(expect), &now])?;
        given.bool().ok_or_else(|| wrong("delete", &given, "a bool"))
    }

    fn scan(
        &self,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
        now: i64,
    ) -> Result<Vec<(String, StoreEntry)>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let given = self.call("scan", vec![&prefix, &after, &limit, &now])?;
        let read = |table: &ZendHashTable| {
            let key =
                std::str::from_utf8(value::bytes(table.get("key")?.dereference())).ok()?.to_owned();
            Some((key, entry(table)?))
        };
        let entries = given.array().and_then(|entries| {
            zend::entries(entries)
                .map(|(_, entry)| read(entry.array()?))
                .collect::<Option<Vec<_>>>()
        });
        entries.ok_or_else(|| {
            wrong("scan", &given, "a list of arrays of key, value, version and expires_at")
        })
    }

    fn purge(&self, prefix: &str, now: i64) -> Result<u64, StoreError> {
        let given = self.call("purge", vec![&prefix, &now])?;
        let count = given.long().and_then(|count| u64::try_from(count).ok());
        count.ok_or_else(|| wrong("purge", &given, "the number of entries that were removed"))
    }

    fn batch(&self, changes: &[StoreChange<'_>], now: i64) -> Result<Vec<Changed>, StoreError> {
        if !self.has_batch {
            return store::one_by_one(self, changes, now);
        }
        let given = changes.iter().map(change).collect::<Result<Vec<_>, _>>().and_then(value::list);
        let given = given.map_err(|error| {
            StoreError::new(StoreErrorKind::Host, "the changes have no form in PHP")
                .caused_by(error.to_string())
        })?;
        let given = self.call("batch", vec![&given, &now])?;
        let Some(answers) = given.array() else {
            return Err(wrong("batch", &given, "a list of answers"));
        };
        let answers = zend::entries(answers).map(|(_, answer)| answer.dereference());
        store::read_answers(changes, answers, changed)
    }

    fn has_whole_batches(&self) -> bool {
        self.has_whole_batches
    }

    fn shared(&self) -> bool {
        // A store that gives no answer counts as shared, so the core looks for changes by other
        // processes.
        self.call("shared", Vec::new()).ok().and_then(|given| given.bool()).unwrap_or(true)
    }
}
