//! Options for opening a store file.

use std::time::Duration;

/// What an acknowledged change survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The change survives the end of the process at any moment. A power failure may lose the last
    /// changes, but the file stays whole. A decision or claim that is lost may be made again.
    Process,
    /// The change survives a power failure too. Each change waits for the disk.
    #[default]
    Power,
}

/// Options for opening a store file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqliteOptions {
    /// How long to wait for other writers before the error `locked`.
    pub busy_timeout: Duration,
    /// What an acknowledged change survives.
    pub durability: Durability,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { busy_timeout: Duration::from_secs(10), durability: Durability::default() }
    }
}
