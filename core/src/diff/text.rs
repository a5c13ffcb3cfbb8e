//! What changed between two texts, line by line.

use std::borrow::Cow;

use similar::group_diff_ops;

use super::lines::{Numbered, lines};
use super::print::{context, line_by_line, unified};
use super::result::{DiffResult, DiffType, LineType, count};
use super::script::Script;
use super::sides::{Sides, TextDiff};
use super::similarity::ratio;

/// Finds the lines that were removed and added.
///
/// Lines end where Python's `str.splitlines` ends them. Texts of up to 199 lines have the diff of
/// Python's `difflib`, unless there is a shorter one. Longer texts have a shortest diff if little
/// changed. Equal texts have an empty diff. A removed or added last line without an end is followed
/// by `\ No newline at end of file`; if both texts have that line, the diff ends with it. A file's
/// name that holds control characters other than a tab is quoted as in C.
///
/// `changes` holds the lines that the diff shows. Similarity is the share of lines that both texts
/// have; for texts of up to 199 lines it equals `difflib.SequenceMatcher.ratio`.
///
/// ```
/// use toolwire::diff::{DiffType, TextDiff, diff_text};
///
/// let options = TextDiff { diff_type: DiffType::Context, ..TextDiff::default() };
/// let diff = diff_text(b"red\ngreen\n", b"red\nblue", &options);
/// assert_eq!(String::from_utf8_lossy(&diff.diff_output), "\
/// *** a/original
/// --- b/modified
/// ***************
/// *** 1,2 ****
///   red
/// ! green
/// --- 1,2 ----
///   red
/// ! blue
/// \\ No newline at end of file
/// ");
/// ```
#[must_use]
pub fn diff_text<'a>(old: &'a [u8], new: &'a [u8], options: &TextDiff<'_>) -> DiffResult<'a> {
    let sides = Sides { old: lines(old), new: lines(new) };
    let numbered = Numbered::of(&sides.old, &sides.new);
    let script = Script::of(&numbered.old, &numbered.new);
    let length = sides.old.len() + sides.new.len();
    let context_lines = match options.diff_type {
        DiffType::LineByLine => length,
        _ => options.context_lines.min(length),
    };
    let hunks = group_diff_ops(script.steps, context_lines);
    let diff_output = match options.diff_type {
        DiffType::Unified | DiffType::JsonPatch => unified(&hunks, &sides, options),
        DiffType::Context => context(&hunks, &sides, options),
        DiffType::LineByLine => line_by_line(&hunks, &sides, options),
    };
    let changes: Vec<_> = hunks.iter().flatten().flat_map(|step| sides.changes(step)).collect();
    DiffResult {
        diff_type: options.diff_type,
        diff_output,
        additions: count(&changes, LineType::Add),
        deletions: count(&changes, LineType::Remove),
        unchanged: count(&changes, LineType::Equal),
        changes,
        similarity: ratio(script.alike, sides.old.len(), sides.new.len()),
        old_content: Some(Cow::Borrowed(old)),
        new_content: Some(Cow::Borrowed(new)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn diff<'a>(old: &'a str, new: &'a str) -> DiffResult<'a> {
        diff_text(old.as_bytes(), new.as_bytes(), &TextDiff::default())
    }

    #[test]
    fn lines_are_numbered_on_the_sides_that_have_them() {
        let result = diff("a\nb\nc\n", "x\na\nc\n");
        let shown: Vec<_> = result
            .changes
            .iter()
            .map(|line| {
                (line.line_type.slug(), &*line.content, line.line_number_old, line.line_number_new)
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("add", &b"x\n"[..], None, Some(1)),
                ("equal", b"a\n", Some(1), Some(2)),
                ("remove", b"b\n", Some(2), None),
                ("equal", b"c\n", Some(3), Some(3)),
            ]
        );
        assert_eq!((result.additions, result.deletions, result.unchanged), (1, 1, 2));
    }

    #[test]
    fn any_number_of_context_lines_is_taken() {
        for context_lines in [0, 1, 100, usize::MAX] {
            let options = TextDiff { context_lines, ..TextDiff::default() };
            let old = (0..20).map(|line| line.to_string()).collect::<Vec<_>>().join("\n") + "\n";
            let new = old.replace("9\n", "nine\n");
            let result = diff_text(old.as_bytes(), new.as_bytes(), &options);
            assert_eq!((result.additions, result.deletions), (2, 2));
            let shown = if context_lines > 1 { 18 } else { context_lines * 3 };
            assert_eq!(result.unchanged, shown, "{context_lines}");
        }
    }

    /// The old and the new text, rebuilt from a diff that shows all lines.
    fn sides(result: &DiffResult<'_>) -> (Vec<u8>, Vec<u8>) {
        let joined = |without| {
            let kept = result.changes.iter().filter(|line| line.line_type != without);
            kept.flat_map(|line| line.content.iter().copied()).collect()
        };
        (joined(LineType::Add), joined(LineType::Remove))
    }

    proptest! {
        #[test]
        fn a_diff_of_all_lines_holds_both_texts(old in "[ab\r\n\u{2028}]{0,40}", new: String, other: Vec<u8>) {
            let options = TextDiff { diff_type: DiffType::LineByLine, ..TextDiff::default() };
            for (old, new) in [(old.as_bytes(), new.as_bytes()), (new.as_bytes(), &other), (&other, old.as_bytes())] {
                let result = diff_text(old, new, &options);
                if result.has_changes() {
                    prop_assert_eq!(sides(&result), (old.to_vec(), new.to_vec()));
                } else {
                    prop_assert_eq!(old, new);
                    prop_assert!(result.diff_output.is_empty());
                }
                prop_assert!((0.0..=1.0).contains(&result.similarity));
            }
        }
    }
}
