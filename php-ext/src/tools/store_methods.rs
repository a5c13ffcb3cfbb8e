//! The methods of the extension's own stores.

use ext_php_rs::exception::PhpResult;
use ext_php_rs::types::Zval;
use toolwire::store::{Put, Store, StoreError, Write};
use toolwire::{Error, ErrorKind};

use super::{error, store};
use crate::host::exception;
use crate::host::value::{self, AnArray, As, Maybe, Text, Whole};

/// Reads a key or a prefix.
fn key<'t>(text: &'t Text<'_>) -> PhpResult<&'t str> {
    let key = std::str::from_utf8(text.bytes()).ok().filter(|key| key.len() <= 255);
    key.filter(|key| key.bytes().all(|byte| (b' '..=b'~').contains(&byte))).ok_or_else(|| {
        let message = "a key must be printable ASCII of at most 255 bytes";
        exception::from_core(&Error::new(ErrorKind::InvalidOption, message))
    })
}

fn failed(failure: StoreError) -> ext_php_rs::exception::PhpException {
    error::store(failure).into()
}

/// Calls [`Store::get`].
pub(super) fn get(
    store: &dyn Store,
    name: &Text<'_>,
    now: Whole,
) -> PhpResult<Option<As<AnArray>>> {
    let entry = store.get(key(name)?, now.0).map_err(failed)?;
    Ok(entry.map(|entry| store::fields(&entry)).transpose()?.map(As::new))
}

/// Calls [`Store::put`], and returns the new version or nothing.
pub(super) fn put(
    store: &dyn Store,
    name: &Text<'_>,
    value: &Text<'_>,
    expected: &Maybe<Whole>,
    expires_at: &Maybe<Whole>,
    now: Whole,
) -> PhpResult<Option<i64>> {
    let (expected, expires_at) =
        (expected.0.map(|version| version.0), expires_at.0.map(|time| time.0));
    let write = Write { value: value.bytes(), expect: store::expect(expected), expires_at };
    Ok(match store.put(key(name)?, write, now.0).map_err(failed)? {
        Put::Stored(version) => Some(i64::try_from(version).unwrap_or(i64::MAX)),
        Put::Conflict => None,
    })
}

/// Calls [`Store::delete`].
pub(super) fn delete(
    store: &dyn Store,
    name: &Text<'_>,
    expected: &Maybe<Whole>,
    now: Whole,
) -> PhpResult<bool> {
    let expect = store::expect(expected.0.map(|version| version.0));
    store.delete(key(name)?, expect, now.0).map_err(failed)
}

/// Calls [`Store::scan`].
pub(super) fn scan(
    store: &dyn Store,
    prefix: &Text<'_>,
    after: &Maybe<Text<'_>>,
    limit: Whole,
    now: Whole,
) -> PhpResult<As<AnArray>> {
    let after = after.0.as_ref().map(key).transpose()?;
    let limit = usize::try_from(limit.0).unwrap_or_default();
    let found = store.scan(key(prefix)?, after, limit, now.0).map_err(failed)?;
    let entries = found.iter().map(|(key, entry)| {
        value::record([
            ("key", value::text(key)),
            ("value", value::text(&entry.value)),
            ("version", store::version(entry.version)),
            ("expires_at", entry.expires_at.map_or_else(Zval::null, store::number)),
        ])
    });
    Ok(As::new(value::list(entries.collect::<Result<Vec<_>, _>>()?)?))
}

/// Calls [`Store::purge`].
pub(super) fn purge(store: &dyn Store, prefix: &Text<'_>, now: Whole) -> PhpResult<i64> {
    let count = store.purge(key(prefix)?, now.0).map_err(failed)?;
    Ok(i64::try_from(count).unwrap_or(i64::MAX))
}
