//! Two texts that are compared, and the options of the comparison.

use std::borrow::Cow;

use similar::{DiffOp, DiffTag};

use super::result::{DiffLine, DiffType, LineType};

/// How two texts are compared.
#[derive(Clone, Copy, Debug)]
pub struct TextDiff<'a> {
    /// How the diff is written.
    pub diff_type: DiffType,
    /// How many lines before and behind a change are shown; a diff line by line shows all.
    pub context_lines: usize,
    /// What the old text is called in the diff's head.
    pub fromfile: &'a [u8],
    /// What the new text is called in the diff's head.
    pub tofile: &'a [u8],
}

impl Default for TextDiff<'_> {
    fn default() -> Self {
        Self {
            diff_type: DiffType::default(),
            context_lines: 3,
            fromfile: b"a/original",
            tofile: b"b/modified",
        }
    }
}

/// The lines of both texts.
pub(super) struct Sides<'a> {
    pub(super) old: Vec<&'a [u8]>,
    pub(super) new: Vec<&'a [u8]>,
}

impl<'a> Sides<'a> {
    /// The lines of a step: what both have, or what is removed and then what is added.
    pub(super) fn changes(&self, step: &DiffOp) -> impl Iterator<Item = DiffLine<'a>> {
        let (tag, old_range, new_range) = step.as_tag_tuple();
        let is_equal = tag == DiffTag::Equal;
        let old = self.old.get(old_range.clone()).unwrap_or_default();
        let new = self.new.get(new_range.clone()).unwrap_or_default();
        let (old_numbers, new_numbers) = (old_range.start + 1.., new_range.start + 1..);
        let line = |line_type, content: &&'a [u8], line_number_old, line_number_new| DiffLine {
            line_type,
            content: Cow::Borrowed(*content),
            line_number_old,
            line_number_new,
        };
        let first = old.iter().zip(old_numbers).zip(new_numbers.clone()).map(
            move |((content, old), new)| {
                if is_equal {
                    line(LineType::Equal, content, Some(old), Some(new))
                } else {
                    line(LineType::Remove, content, Some(old), None)
                }
            },
        );
        let added = if is_equal { &[] } else { new };
        let second = added.iter().zip(new_numbers);
        first.chain(
            second.map(move |(content, number)| line(LineType::Add, content, None, Some(number))),
        )
    }
}
