//! How a store file is opened.

use std::time::Duration;

/// What a change that was acknowledged survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The end of the process, at any moment; the last changes may be lost when the power fails,
    /// and the file is whole even then. A decision or a claim that is lost may be made once more.
    Process,
    /// The failure of the power too, at the price of waiting for the disk at each change.
    #[default]
    Power,
}

/// How a store file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqliteOptions {
    /// How long to wait for others who write, before the error `locked`.
    pub busy_timeout: Duration,
    /// What a change that was acknowledged survives.
    pub durability: Durability,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { busy_timeout: Duration::from_secs(10), durability: Durability::default() }
    }
}
