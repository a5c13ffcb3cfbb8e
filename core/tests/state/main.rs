//! The stores and their users: all stores behave alike, and a store file withstands faults.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "these are tests")]

mod again;
mod approvals;
mod changed;
mod counted;
mod damage;
mod executor;
#[path = "../doubles/failing_store.rs"]
mod failing_store;
mod files;
#[path = "../doubles/hooked_store.rs"]
mod hooked_store;
mod interruption;
mod older;
mod privacy;
mod remains;
mod retry;
mod runs;
mod standing;
mod stores;
mod told;
mod trips;
mod trust;

use std::sync::Arc;

use counted::Counted;
use tempfile::TempDir;
use toolwire::lifecycle::Moment;
use toolwire::store::{MemoryStore, SqliteOptions, SqliteStore, Store};

/// A moment at which both clocks show so many microseconds.
fn at(us: i64) -> Moment {
    Moment { wall_us: us, ticks_ns: us.unsigned_abs() * 1000 }
}

/// A new store of each kind, with its name; the files live as long as the folder.
fn stores(folder: &TempDir) -> Vec<(&'static str, Arc<dyn Store>)> {
    let file = SqliteStore::open(folder.path().join("state.db"), SqliteOptions::default()).unwrap();
    vec![("memory", Arc::new(MemoryStore::default())), ("sqlite", Arc::new(file))]
}
