//! Options of a reader of logs.

use std::path::PathBuf;

use crate::transcript::dialect::DialectName;
use crate::transcript::form::Form;

/// How a log is read.
#[derive(Clone, Debug, Default)]
pub struct ReaderOptions {
    /// The folder that the agent worked in; paths in it are shortened.
    pub worktree: Option<PathBuf>,
    /// The dialect of the log; if none, the reader finds it out from the log.
    pub dialect: Option<DialectName>,
    /// How entries are written.
    pub form: Form,
}
