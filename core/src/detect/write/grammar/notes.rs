//! What a grammar does not hold of the schemas.

use crate::error::{Error, ErrorKind};

/// A keyword of a schema that the grammar does not hold: the arguments must be checked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintNote {
    /// The tool; empty for the schema of the text.
    pub tool: String,
    /// Where the keyword stands in the schema, as a JSON pointer.
    pub pointer: String,
    /// The keyword; empty where there is no schema.
    pub keyword: String,
    /// What is not held, for people.
    pub message: String,
}

impl ConstraintNote {
    /// Whether the keyword stands at a place or inside of it.
    fn is_at(&self, place: &str) -> bool {
        let inner = self.pointer.strip_prefix(place);
        inner.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Collects the notes of one tool.
pub(super) struct SchemaNotes<'n> {
    pub(super) tool: &'n str,
    pub(super) is_strict: bool,
    pub(super) all: Vec<ConstraintNote>,
}

impl SchemaNotes<'_> {
    /// Adds a note, once.
    pub(super) fn add(&mut self, place: &str, keyword: &str, message: &str) {
        let note = ConstraintNote {
            tool: self.tool.to_owned(),
            pointer: place.to_owned(),
            keyword: keyword.to_owned(),
            message: message.to_owned(),
        };
        if !self.all.contains(&note) {
            self.all.push(note);
        }
    }

    /// Drops the notes of a place: another engine holds it.
    pub(super) fn forget(&mut self, place: &str) {
        self.all.retain(|note| !note.is_at(place));
    }

    /// Whether there is a note of a place.
    pub(super) fn are_at(&self, place: &str) -> bool {
        self.all.iter().any(|note| note.is_at(place))
    }

    /// In the strict mode, the error for the first note.
    pub(super) fn checked(&self) -> Result<(), Error> {
        let Some(note) = self.all.first().filter(|_| self.is_strict) else { return Ok(()) };
        let message = format!(
            "the grammar cannot hold \"{}\" at \"{}\" in the schema of \"{}\": {}",
            note.keyword, note.pointer, note.tool, note.message
        );
        Err(Error::new(ErrorKind::CannotConstrain, message))
    }
}
