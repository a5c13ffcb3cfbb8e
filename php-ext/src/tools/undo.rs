//! `Toolwire\Tools\UndoStore` and `UndoMetadata`: the data that undoes a run.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::sync::Arc;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::lifecycle::{self, NewUndo, UndoData, checked_microseconds};

use super::any_store::AnyStore;
use super::json::{read, written};
use super::{clock, error};
use crate::host::class::{COUNTABLE, php_class};
use crate::host::exception;
use crate::host::value::{self, AnArray, As, Maybe, Real, Table, Text};

/// The data that undoes a run.
pub(crate) struct UndoMetadata(UndoData);

php_class!(UndoMetadata, "Toolwire\\Tools\\UndoMetadata", [], private, {
    "runId": DataType::String, false => run_id;
    "toolName": DataType::String, false => tool_name;
    "undoData": DataType::Array, false => undo_data;
    "createdAt": DataType::String, false => created_at;
});

impl UndoMetadata {
    /// Wraps undo data from a store.
    pub(super) fn new(data: UndoData) -> Self {
        Self(data)
    }

    fn run_id(&self) -> Zval {
        value::text(&self.0.run_id)
    }

    fn tool_name(&self) -> Zval {
        value::text(&self.0.tool_name)
    }

    fn undo_data(&self) -> Zval {
        read(&self.0.undo_data)
    }

    fn created_at(&self) -> Zval {
        value::shown(self.0.created_at)
    }
}

#[php_impl]
impl UndoMetadata {
    /// Returns every field, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        Ok(As::new(value::record([
            ("run_id", self.run_id()),
            ("tool_name", self.tool_name()),
            ("undo_data", self.undo_data()),
            ("created_at", self.created_at()),
        ])?))
    }
}

/// The undo data of a store.
pub(crate) struct UndoStore {
    undo: lifecycle::UndoStore,
    ttl: i64,
}

php_class!(UndoStore, "Toolwire\\Tools\\UndoStore", [COUNTABLE], public, {});

#[php_impl]
impl UndoStore {
    /// Opens the undo data of a store. Each run may be undone for `ttl` seconds.
    #[php(defaults(ttl = lifecycle::UndoStore::TTL_SECONDS))]
    fn __construct(store: AnyStore, ttl: Real) -> PhpResult<Self> {
        let ttl =
            checked_microseconds("ttl", ttl.0).map_err(|error| exception::from_core(&error))?;
        Ok(Self { undo: lifecycle::UndoStore::new(Arc::clone(&store.0)), ttl })
    }

    /// Stores the undo data of a run on top of the earlier data with its id.
    fn store(
        &self,
        runId: Text<'_>,
        toolName: Text<'_>,
        undoData: Table<'_>,
        ttl: Maybe<Real>,
    ) -> PhpResult<UndoMetadata> {
        let given = ttl.0.map(|ttl| checked_microseconds("ttl", ttl.0)).transpose();
        let ttl = given.map_err(|error| exception::from_core(&error))?.unwrap_or(self.ttl);
        let undo_data =
            written("undoData", undoData.0).map_err(|error| exception::from_core(&error))?;
        let (run_id, tool_name) = (runId.lossy().into_owned(), toolName.lossy().into_owned());
        let new = NewUndo { run_id, tool_name, undo_data };
        Ok(UndoMetadata(self.undo.store(new, Some(ttl), clock::now()).map_err(error::store)?))
    }

    /// Returns the undo data of the newest run with this id.
    fn get(&self, runId: Text<'_>) -> PhpResult<Option<UndoMetadata>> {
        let data = self.undo.get(&runId.lossy(), clock::now()).map_err(error::store)?;
        Ok(data.map(UndoMetadata))
    }

    /// Deletes the undo data of a run, and says whether there were any.
    fn delete(&self, runId: Text<'_>) -> PhpResult<bool> {
        Ok(self.undo.delete(&runId.lossy(), clock::now()).map_err(error::store)?)
    }

    /// Returns the undo data of each action's newest run, ordered by when each action first got
    /// some.
    fn all(&self) -> PhpResult<As<AnArray>> {
        let all = self.undo.all(clock::now()).map_err(error::store)?;
        let all = all.into_iter().map(|data| value::object(UndoMetadata(data)));
        Ok(As::new(value::list(all.collect::<Result<Vec<Zval>, _>>()?)?))
    }

    /// Removes the expired entries, and returns their number.
    fn cleanup_expired(&self) -> PhpResult<i64> {
        let count = self.undo.cleanup_expired(clock::now()).map_err(error::store)?;
        Ok(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// Returns the number of actions that have undo data. Expired undo data count until their
    /// removal.
    fn count(&self) -> PhpResult<usize> {
        Ok(self.undo.len().map_err(error::store)?)
    }
}
