//! Removes secrets from values and texts.
//!
//! - [`Redactor`]: removes known secrets, and texts that look like a secret, from a text.
//! - [`Redaction`]: removes secrets from a whole value, and finds them by the names of keys too.
//! - [`Build`]: builds the copy in a host's own values.
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
mod element;
mod entity;
mod key;
pub(crate) mod masked_copy;
mod redaction;
mod redactor;
mod setter;
mod strike;
mod tokens;
mod value;
mod view;

pub use build::{Build, JsonBuild};
pub(crate) use entity::entity;
pub use redaction::Redaction;
pub use redactor::Redactor;
pub use strike::{REDACTED, Redacted};
