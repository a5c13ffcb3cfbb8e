//! What a store answers when it cannot do what it was asked.

use std::error::Error as StdError;
use std::fmt;

use crate::slug::slugs;

slugs! {
    /// Why a store failed.
    #[non_exhaustive]
    pub enum StoreErrorKind {
        /// It may be read and not written.
        ReadOnly => "read_only",
        /// Others kept it, or one of its entries, busy for longer than the store waits.
        Locked => "locked",
        /// It holds something that no store wrote.
        Corrupt => "corrupt",
        /// A newer version of this library wrote it.
        NewerVersion => "newer_version",
        /// Others may read or replace its file.
        Exposed => "exposed",
        /// It was closed.
        Closed => "closed",
        /// The operating system refused to read or write.
        Io => "io",
        /// The host's own store failed.
        Host => "host",
    }
}

/// A store's failure: its kind, a message that says what to do, and what caused it.
#[derive(Debug)]
pub struct StoreError {
    inner: Box<Inner>,
}

#[derive(Debug)]
struct Inner {
    kind: StoreErrorKind,
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl StoreError {
    /// Makes an error of a kind.
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self { inner: Box::new(Inner { kind, message: message.into(), source: None }) }
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

    /// What caused it, as the host's own store gave it: to be raised again as it was.
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
