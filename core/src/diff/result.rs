//! What a diff gives, whatever was compared.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};
use crate::slug::slugs;

slugs! {
    /// How a diff is written.
    #[derive(Default)]
    pub enum DiffType {
        /// A unified diff, as `patch` reads it.
        #[default]
        Unified => "unified",
        /// A context diff, as `patch` reads it.
        Context => "context",
        /// A JSON Patch (RFC 6902); the diff of two texts is a unified one under this name.
        JsonPatch => "json_patch",
        /// Every line of both sides, marked by `- `, `+ ` or two spaces.
        LineByLine => "line_by_line",
    }
}

impl DiffType {
    /// Looks up a type by its slug.
    ///
    /// # Errors
    /// `invalid_option` when there is none.
    pub fn named(slug: &str) -> Result<Self, Error> {
        Self::from_slug(slug).ok_or_else(|| {
            Error::unknown(ErrorKind::InvalidOption, "type of diff", slug, Self::SLUGS)
        })
    }
}

slugs! {
    /// What became of a line.
    pub enum LineType {
        /// It is on both sides.
        Equal => "equal",
        /// It is on the new side alone.
        Add => "add",
        /// It is on the old side alone.
        Remove => "remove",
    }
}

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DiffLine<'a> {
    /// What became of it.
    pub line_type: LineType,
    /// The line with its end, or a field as it is shown.
    pub content: Cow<'a, [u8]>,
    /// Its number on the old side, from 1.
    pub line_number_old: Option<usize>,
    /// Its number on the new side, from 1.
    pub line_number_new: Option<usize>,
}

/// What changed.
#[derive(Clone, Debug, PartialEq)]
pub struct DiffResult<'a> {
    /// How the diff is written.
    pub diff_type: DiffType,
    /// The diff as text.
    pub diff_output: Vec<u8>,
    /// The lines of the diff in order; none of a JSON Patch.
    pub changes: Vec<DiffLine<'a>>,
    /// How many lines, fields or values were added; a value that replaces another counts here.
    pub additions: usize,
    /// How many lines, fields or values were removed.
    pub deletions: usize,
    /// How many lines of the diff are on both sides.
    pub unchanged: usize,
    /// How much the sides have in common, from 0 to 1, to three decimals.
    pub similarity: f64,
    /// What was compared: the old text, or the old value as JSON.
    pub old_content: Option<Cow<'a, [u8]>>,
    /// What it was compared with: the new text, or the new value as JSON.
    pub new_content: Option<Cow<'a, [u8]>>,
}

impl DiffResult<'_> {
    /// Whether anything was added or removed.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        self.additions > 0 || self.deletions > 0
    }

    /// The figures for a person.
    ///
    /// ```
    /// use toolwire::diff::{TextDiff, diff_text};
    ///
    /// let diff = diff_text(b"a\n", b"b\nc\n", &TextDiff::default());
    /// assert_eq!(diff.change_summary(), "+2 -1");
    /// ```
    #[must_use]
    pub fn change_summary(&self) -> String {
        change_summary(self.additions, self.deletions)
    }
}

/// The figures of a diff for a person, for a host that keeps its own results.
#[must_use]
pub fn change_summary(additions: usize, deletions: usize) -> String {
    match (additions, deletions) {
        (0, 0) => "no changes".to_owned(),
        (additions, 0) => format!("+{additions}"),
        (0, deletions) => format!("-{deletions}"),
        (additions, deletions) => format!("+{additions} -{deletions}"),
    }
}

/// How many lines are of a type.
pub(super) fn count(changes: &[DiffLine<'_>], line_type: LineType) -> usize {
    changes.iter().filter(|line| line.line_type == line_type).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_one_slug() {
        for known in DiffType::ALL {
            assert_eq!(DiffType::named(known.slug()).unwrap(), *known);
        }
        assert_eq!(DiffType::named("side_by_side").unwrap_err().kind(), ErrorKind::InvalidOption);
    }
}
