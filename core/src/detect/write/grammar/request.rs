//! What calls a grammar is to allow.

use super::banned::Banned;
use super::schema::GrammarEngine;
use crate::detect::format::Format;
use crate::detect::format::shape::{Marked, Syntax};
use crate::detect::profile::Profile;
use crate::detect::rule::tools::Tools;
use crate::error::{Error, ErrorKind};

/// What the calls of one grammar have in common.
#[derive(Clone, Debug)]
pub(super) struct CallsRequest<'r> {
    pub(super) format: &'r Format,
    /// Who writes the calls; it may lay them out otherwise than the format does.
    pub(super) profile: Option<&'r Profile>,
    pub(super) tools: &'r Tools,
    /// What no argument may hold.
    pub(super) marks: Banned,
    /// The names of the tools that may be called.
    pub(super) names: Vec<&'r str>,
    /// Whether a second call may follow.
    pub(super) is_parallel: bool,
    /// What holds JSON between quotes and braces.
    pub(super) engine: GrammarEngine,
    pub(super) is_strict: bool,
}

impl CallsRequest<'_> {
    /// The error for a format that no grammar holds.
    pub(super) fn fault(&self, problem: &str) -> Error {
        let slug = self.format.slug();
        Error::new(ErrorKind::CannotConstrain, format!("the format {slug} {problem}"))
    }

    /// The markers of the format.
    pub(super) fn marked(&self) -> Option<&Marked> {
        match &self.format.data.syntax {
            Syntax::Marked(marked) => Some(marked),
            Syntax::Bare(_) | Syntax::Element(_) => None,
        }
    }
}
