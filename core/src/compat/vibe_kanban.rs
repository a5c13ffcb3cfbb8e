//! Writes transcripts as vibe-kanban's normaliser of Droid's logs does.
//!
//! | | by default | with [`FORM`] |
//! |---|---|---|
//! | numbers | digit for digit | 64-bit integers and doubles |
//! | the error of a tool that failed | in `metadata` | left out, and `metadata` is null |
//! | an empty line in a diff that a tool gave | is context | ends the hunk |
//! | a head `@@` without ranges | gets them, and a line end | gets them, and no line end |
//!
//! ```
//! use toolwire::compat::vibe_kanban;
//! use toolwire::transcript::{ReaderOptions, Transcript};
//!
//! let log = concat!(
//!     r#"{"type":"tool_call","id":"c","messageId":"m","toolId":"T","toolName":"T","#,
//!     r#""parameters":{"n":1e2},"timestamp":1,"session_id":"s"}"#,
//! );
//! let options = ReaderOptions { form: vibe_kanban::FORM, ..ReaderOptions::default() };
//! let mut out = Vec::new();
//! Transcript::read(log.as_bytes(), b"", options).entries[0].write_json(&mut out);
//! assert!(String::from_utf8_lossy(&out).contains(r#"{"n":100.0}"#));
//! ```

use crate::transcript::{Form, Hunks, Numbers};

/// Entries byte for byte as vibe-kanban writes them.
pub const FORM: Form = Form { numbers: Numbers::Doubles, hunks: Hunks::Cut, omits_errors: true };
