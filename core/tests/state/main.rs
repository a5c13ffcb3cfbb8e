//! The stores and their users: all stores behave alike, and a store file withstands faults.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "these are tests")]

mod approvals;
mod damage;
mod executor;
mod files;
mod privacy;
mod remains;
mod retry;
mod runs;
mod stores;
mod trust;

use std::sync::Arc;

use tempfile::TempDir;
use toolwire::store::{MemoryStore, SqliteOptions, SqliteStore, Store};

/// A new store of each kind, with its name; the files live as long as the folder.
fn stores(folder: &TempDir) -> Vec<(&'static str, Arc<dyn Store>)> {
    let file = SqliteStore::open(folder.path().join("state.db"), SqliteOptions::default()).unwrap();
    vec![("memory", Arc::new(MemoryStore::default())), ("sqlite", Arc::new(file))]
}
