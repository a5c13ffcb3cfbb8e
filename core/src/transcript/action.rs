//! What a call does, as far as its tool is known.

use serde::{Deserialize, Serialize};

use crate::transcript::worktree::Worktree;

/// One item of a list of things to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Todo {
    /// What is to be done.
    pub content: String,
    /// The status: `pending`, `in_progress`, `completed`, or the program's own word.
    pub status: String,
    /// The priority, if the program gives one.
    pub priority: Option<String>,
}

/// One change of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FileChange {
    /// The file's whole content is written.
    Write(String),
    /// One text is put in the place of another.
    Edit {
        /// The text that is replaced.
        old: String,
        /// The text that takes its place.
        new: String,
    },
}

/// What a call does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CallAction {
    /// Reads a file or a folder.
    FileRead {
        /// The path; empty if the call names none.
        path: String,
    },
    /// Changes a file.
    FileEdit {
        /// The file's path, relative to the worktree if the file lies there.
        path: String,
        /// The file's path as the call names it, for the head of the diffs.
        named: String,
        /// The changes.
        changes: Vec<FileChange>,
    },
    /// Changes a file; only the call's result tells how.
    FilePatch {
        /// The file's path, relative to the worktree if the file lies there.
        path: String,
    },
    /// Runs a command.
    Command {
        /// The command line.
        command: String,
    },
    /// Looks for files or text.
    Search {
        /// The text or the pattern of the search.
        query: String,
    },
    /// Looks something up on the web.
    WebFetch {
        /// The address, or the words of the search.
        url: String,
    },
    /// Sets the list of things to do.
    Todos(Vec<Todo>),
    /// Anything else.
    Tool,
}

impl CallAction {
    /// The kind of tool in one word; none if the tool is of no known kind.
    #[must_use]
    pub fn tool_kind(&self) -> Option<&'static str> {
        match self {
            Self::FileRead { .. } => Some("read"),
            Self::FileEdit { .. } | Self::FilePatch { .. } => Some("edit"),
            Self::Command { .. } => Some("bash"),
            Self::Search { .. } => Some("search"),
            Self::WebFetch { .. } => Some("fetch"),
            Self::Todos(_) => Some("todo"),
            Self::Tool => None,
        }
    }

    /// The action with its paths relative to the worktree.
    #[must_use]
    pub(super) fn seen_from(mut self, worktree: Option<&Worktree>) -> Self {
        if let Some(worktree) = worktree
            && let Self::FileRead { path } | Self::FileEdit { path, .. } | Self::FilePatch { path } =
                &mut self
        {
            *path = worktree.shorten(path);
        }
        self
    }
}
