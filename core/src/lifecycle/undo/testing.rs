//! Helpers that the tests of undo data share.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::data::NewUndo;
use crate::lifecycle::UndoStore;
use crate::store::MemoryStore;

/// Makes an empty memory store for undo data.
pub(in crate::lifecycle) fn undo() -> UndoStore {
    UndoStore::new(Arc::new(MemoryStore::default()))
}

/// Makes undo data of a run from JSON.
pub(in crate::lifecycle) fn new(run_id: &str, json: &str) -> NewUndo {
    let undo_data = RawValue::from_string(json.to_owned()).unwrap();
    NewUndo { run_id: run_id.to_owned(), tool_name: "edit".to_owned(), undo_data }
}
