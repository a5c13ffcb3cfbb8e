//! Values and texts without secrets.
//!
//! - [`Redactor`]: a text without known secrets and without what looks like one.
//! - [`Redaction`]: a whole value without its secrets, found by the names of keys too.
//! - [`Build`]: what a host makes the copy of.
//!
//! ```
//! use serde_json::json;
//! use toolwire::redact::{REDACTED, Redaction};
//!
//! let masked = Redaction::default().masked(&json!({"id": 5, "api_key": "k"}));
//! assert_eq!(masked, json!({"id": 5, "api_key": REDACTED}));
//! ```

mod assignment;
mod build;
mod entity;
mod key;
pub(crate) mod masked_copy;
mod redaction;
mod redactor;
mod strike;
mod tokens;
mod view;

pub use build::{Build, JsonBuild};
pub(crate) use entity::entity;
pub use redaction::Redaction;
pub use redactor::Redactor;
pub use strike::{REDACTED, Redacted};
