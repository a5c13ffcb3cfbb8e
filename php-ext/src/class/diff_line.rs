//! `Toolwire\DiffLine`: a line of a diff.

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;

use crate::host::class::php_class;
use crate::host::value::{self, AnArray, As};

/// A line of a diff; its text is a PHP string, which copies share.
pub(crate) struct DiffLine {
    kind: &'static str,
    content: Zval,
    number_old: Option<usize>,
    number_new: Option<usize>,
}

impl Clone for DiffLine {
    fn clone(&self) -> Self {
        Self { content: self.content.shallow_clone(), ..*self }
    }
}

impl DiffLine {
    /// Makes a line from a line of the core.
    pub(crate) fn of(line: &toolwire::diff::DiffLine<'_>) -> Self {
        Self {
            kind: line.line_type.slug(),
            content: value::text(&line.content),
            number_old: line.line_number_old,
            number_new: line.line_number_new,
        }
    }

    /// Every field, by its name in snake case.
    pub(crate) fn fields(&self) -> PhpResult<Zval> {
        Ok(value::record([
            ("type", value::text(self.kind)),
            ("content", self.content.shallow_clone()),
            ("line_number_old", number(self.number_old)),
            ("line_number_new", number(self.number_new)),
        ])?)
    }
}

fn number(number: Option<usize>) -> Zval {
    number.map_or_else(Zval::null, value::whole)
}

php_class!(DiffLine, "Toolwire\\DiffLine", [], private, {
    "type": DataType::String, false => line_type;
    "content": DataType::String, false => content;
    "lineNumberOld": DataType::Long, true => number_old;
    "lineNumberNew": DataType::Long, true => number_new;
});

impl DiffLine {
    fn line_type(&self) -> Zval {
        value::text(self.kind)
    }

    fn content(&self) -> Zval {
        self.content.shallow_clone()
    }

    fn number_old(&self) -> Zval {
        number(self.number_old)
    }

    fn number_new(&self) -> Zval {
        number(self.number_new)
    }
}

#[php_impl]
impl DiffLine {
    /// Every field, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.fields().map(As::new)
    }
}
