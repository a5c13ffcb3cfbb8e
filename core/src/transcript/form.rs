//! How entries are written: what another program does its own way is a choice here.

use serde::{Deserialize, Serialize};

use crate::json::value::Numbers;

/// How entries are written; by default with all that the log says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// How numbers are written.
    pub numbers: Numbers,
    /// What is kept of a diff that a tool gave.
    pub hunks: Hunks,
    /// Whether `metadata` is null even where a tool failed, and does not hold the error.
    pub omits_errors: bool,
}

/// What is kept of a diff that a tool gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hunks {
    /// Every line: an empty one is context, and a missing end of line is said.
    #[default]
    Whole,
    /// The lines of a hunk up to the first that is neither context nor change. A head that lacks
    /// its ranges gets them, but no line end; a head in another form is left out.
    Cut,
}
