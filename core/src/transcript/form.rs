//! Options for how entries are written; each lets the output match that of another program.

use serde::{Deserialize, Serialize};

use crate::json::value::Numbers;

/// How entries are written; the default keeps all that the log says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// How numbers are written.
    pub numbers: Numbers,
    /// What is kept of a diff that a tool gave.
    pub hunks: Hunks,
    /// Whether `metadata` is null even if a tool failed; otherwise it holds the error.
    pub omits_errors: bool,
}

/// What is kept of a diff that a tool gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hunks {
    /// Every line is kept. An empty line is context, and a note on a missing line end stays.
    #[default]
    Whole,
    /// A hunk ends before the first line that is neither context nor change. A head without ranges
    /// gets them, but no line end. A head in any other form is left out.
    Cut,
}
