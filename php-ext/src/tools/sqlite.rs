//! `Toolwire\Tools\Store\Sqlite`: a store in a file, which several processes may open at once.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::lifecycle::checked_microseconds;
use toolwire::store::{Durability, SqliteOptions, SqliteStore, Store};
use toolwire::visible::visible;
use toolwire::{Error, ErrorKind};

use super::store::STORE;
use super::{error, store_methods};
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::value::{self, AnArray, As, Maybe, Real, Text, Whole};
use crate::zend;

/// Keeps entries in a database file.
pub(crate) struct Sqlite(Arc<SqliteStore>);

php_class!(Sqlite, "Toolwire\\Tools\\Store\\Sqlite", [STORE], public, {
    "path": DataType::String, false => path;
});

impl Sqlite {
    /// Returns the core's store.
    pub(super) fn core(&self) -> Arc<dyn Store> {
        Arc::clone(&self.0) as Arc<dyn Store>
    }

    fn path(&self) -> Zval {
        value::text(self.0.path().as_os_str().as_encoded_bytes())
    }
}

/// The default durability.
const POWER: &str = "power";

/// Reads a path in the form of the operating system, if the program may open it.
fn path(path: &Text<'_>) -> Result<PathBuf, Error> {
    let invalid = |message: &str| Error::new(ErrorKind::InvalidOption, message);
    if path.bytes().contains(&0) {
        return Err(invalid("path must not hold a NUL"));
    }
    let path = std::str::from_utf8(path.bytes()).map_err(|_| invalid("path must be UTF-8"))?;
    let directory = zend::working_directory().and_then(|bytes| String::from_utf8(bytes).ok());
    let absolute = PathBuf::from(directory.unwrap_or_default()).join(path);
    if !zend::may_open(absolute.as_os_str().as_encoded_bytes()) {
        let message = format!("open_basedir does not let the program open {}", visible(path));
        return Err(Error::new(ErrorKind::PathNotAllowed, message));
    }
    Ok(absolute)
}

fn durability(name: &Text<'_>) -> Result<Durability, Error> {
    match name.bytes() {
        b"process" => Ok(Durability::Process),
        b"power" => Ok(Durability::Power),
        _ => {
            let message = format!("durability must be process or power, got {}", name.lossy());
            Err(Error::new(ErrorKind::InvalidOption, message))
        }
    }
}

#[php_impl]
impl Sqlite {
    /// Opens a file. A new or empty file becomes a store.
    #[php(defaults(busyTimeout = 10.0, durability = POWER))]
    fn __construct(path: Text<'_>, busyTimeout: Real, durability: Text<'_>) -> PhpResult<Self> {
        let options = || {
            let micros = checked_microseconds("busyTimeout", busyTimeout.0)?;
            let busy_timeout = Duration::from_micros(u64::try_from(micros).unwrap_or_default());
            let options =
                SqliteOptions { busy_timeout, durability: self::durability(&durability)? };
            Ok((self::path(&path)?, options))
        };
        let (path, options) = options().map_err(|error: Error| exception::from_core(&error))?;
        Ok(Self(Arc::new(SqliteStore::open(path, options).map_err(error::store)?)))
    }

    /// Closes the file. Every later call fails.
    fn close(&self) {
        self.0.close();
    }

    /// Returns the entry under a key.
    fn get(&self, key: Text<'_>, now: Whole) -> PhpResult<Option<As<AnArray>>> {
        store_methods::get(&*self.0, &key, now)
    }

    /// Puts an entry if the present one is as expected.
    fn put(
        &self,
        key: Text<'_>,
        value: Text<'_>,
        expected: Maybe<Whole>,
        expiresAt: Maybe<Whole>,
        now: Whole,
    ) -> PhpResult<Option<i64>> {
        store_methods::put(&*self.0, &key, &value, &expected, &expiresAt, now)
    }

    /// Deletes the entry if it is as expected.
    fn delete(&self, key: Text<'_>, expected: Maybe<Whole>, now: Whole) -> PhpResult<bool> {
        store_methods::delete(&*self.0, &key, &expected, now)
    }

    /// Returns entries by prefix, in the order of their keys.
    fn scan(
        &self,
        prefix: Text<'_>,
        after: Maybe<Text<'_>>,
        limit: Whole,
        now: Whole,
    ) -> PhpResult<As<AnArray>> {
        store_methods::scan(&*self.0, &prefix, &after, limit, now)
    }

    /// Removes the expired entries.
    fn purge(&self, prefix: Text<'_>, now: Whole) -> PhpResult<i64> {
        store_methods::purge(&*self.0, &prefix, now)
    }

    /// Whether other processes may write to the store.
    fn shared(&self) -> bool {
        Store::shared(&*self.0)
    }
}
