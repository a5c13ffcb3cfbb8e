//! `Toolwire\DiffResult`: the changes between two values.

use std::cell::OnceCell;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use toolwire::diff::DiffType;

use crate::class::diff_line::DiffLine;
use crate::host::class::php_class;
use crate::host::value::{self, AnArray, As};

/// The changes between two values.
pub(crate) struct DiffResult {
    diff_type: DiffType,
    diff_output: Zval,
    lines: Vec<DiffLine>,
    changes: OnceCell<Zval>,
    additions: usize,
    deletions: usize,
    unchanged: usize,
    similarity: f64,
    summary: String,
    old_content: Zval,
    new_content: Zval,
}

php_class!(DiffResult, "Toolwire\\DiffResult", [], private, {
    "diffType": DataType::String, false => diff_type;
    "diffOutput": DataType::String, false => diff_output;
    "changes": DataType::Array, false => changes;
    "additions": DataType::Long, false => additions;
    "deletions": DataType::Long, false => deletions;
    "unchanged": DataType::Long, false => unchanged;
    "similarity": DataType::Double, false => similarity;
    "oldContent": DataType::String, true => old_content;
    "newContent": DataType::String, true => new_content;
});

impl DiffResult {
    /// Converts the core's result to PHP values, without the contents.
    pub(crate) fn of(diff: &toolwire::diff::DiffResult<'_>) -> Self {
        Self {
            diff_type: diff.diff_type,
            diff_output: value::text(&diff.diff_output),
            lines: diff.changes.iter().map(DiffLine::of).collect(),
            changes: OnceCell::new(),
            additions: diff.additions,
            deletions: diff.deletions,
            unchanged: diff.unchanged,
            similarity: diff.similarity,
            summary: diff.change_summary(),
            old_content: Zval::null(),
            new_content: Zval::null(),
        }
    }

    /// Adds the compared contents.
    pub(crate) fn between(self, old_content: Zval, new_content: Zval) -> Self {
        Self { old_content, new_content, ..self }
    }

    fn diff_type(&self) -> Zval {
        value::text(self.diff_type.slug())
    }

    fn diff_output(&self) -> Zval {
        self.diff_output.shallow_clone()
    }

    fn changes(&self) -> PhpResult<Zval> {
        value::list_once(&self.changes, || {
            value::sized_list(self.lines.iter().map(|line| Ok(value::object(line.clone())?)))
        })
    }

    fn additions(&self) -> Zval {
        value::whole(self.additions)
    }

    fn deletions(&self) -> Zval {
        value::whole(self.deletions)
    }

    fn unchanged(&self) -> Zval {
        value::whole(self.unchanged)
    }

    fn similarity(&self) -> Zval {
        value::real_or_null(Some(self.similarity))
    }

    fn old_content(&self) -> Zval {
        self.old_content.shallow_clone()
    }

    fn new_content(&self) -> Zval {
        self.new_content.shallow_clone()
    }
}

#[php_impl]
impl DiffResult {
    /// Whether anything was added or removed.
    fn has_changes(&self) -> bool {
        self.additions > 0 || self.deletions > 0
    }

    /// The figures as text for a person.
    fn change_summary(&self) -> String {
        self.summary.clone()
    }

    /// Every field except the contents, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        let changes = self.lines.iter().map(DiffLine::fields).collect::<PhpResult<Vec<_>>>()?;
        Ok(As::new(value::record([
            ("diff_type", self.diff_type()),
            ("diff_output", self.diff_output()),
            ("changes", value::list(changes)?),
            ("additions", self.additions()),
            ("deletions", self.deletions()),
            ("unchanged", self.unchanged()),
            ("similarity", self.similarity()),
        ])?))
    }
}
