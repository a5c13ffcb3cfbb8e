//! The errors of a store.

use std::error::Error as StdError;
use std::fmt;

use crate::slug::slugs;
use crate::visible::made_visible;

slugs! {
    /// Why a store failed.
    #[non_exhaustive]
    pub enum StoreErrorKind {
        /// The store is read-only.
        ReadOnly => "read_only",
        /// Others kept the store, or one of its entries, busy for longer than the store waits.
        Locked => "locked",
        /// The store holds data that no store wrote.
        Corrupt => "corrupt",
        /// A newer version of this library wrote the store.
        NewerVersion => "newer_version",
        /// Others may read or replace the store's file.
        Exposed => "exposed",
        /// The store was closed.
        Closed => "closed",
        /// The operating system refused to read or write.
        Io => "io",
        /// The host's own store failed.
        Host => "host",
    }
}

/// The error of a store: its kind, a message that says what to do, and its cause.
#[derive(Debug)]
pub struct StoreError {
    inner: Box<StoreErrorParts>,
}

#[derive(Debug)]
struct StoreErrorParts {
    kind: StoreErrorKind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl StoreError {
    /// Makes an error of a kind. Characters of the message that nobody sees become marks.
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        let message = made_visible(message.into());
        Self { inner: Box::new(StoreErrorParts { kind, message, source: None }) }
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.inner.source = Some(source.into());
        self
    }

    /// Why the store failed.
    #[must_use]
    pub fn kind(&self) -> StoreErrorKind {
        self.inner.kind
    }

    /// Returns the cause, so that the host can raise the error of its own store again.
    #[must_use]
    pub fn into_source(self) -> Option<Box<dyn StdError + Send + Sync>> {
        self.inner.source
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.inner.message)
    }
}

impl StdError for StoreError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner.source.as_deref().map(|source| source as _)
    }
}
