//! Writes the hunks of a text's diff.

use std::io::Write;
use std::ops::Range;

use similar::{DiffOp, DiffTag};

use super::lines::{is_ended, lines};
use super::result::LineType;
use super::sides::{Sides, TextDiff};

/// Steps that are close to each other, with the unchanged lines around them.
type Hunk = Vec<DiffOp>;

/// A unified diff, as Python's `difflib.unified_diff` and `diff -u` write it.
pub(super) fn unified(hunks: &[Hunk], sides: &Sides<'_>, options: &TextDiff<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    for hunk in hunks {
        write_head(["---", "+++"], options, &mut out);
        let (old, new) = ranges(hunk);
        out.extend_from_slice(b"@@ -");
        write_start_and_length(&old, &mut out);
        out.extend_from_slice(b" +");
        write_start_and_length(&new, &mut out);
        out.extend_from_slice(b" @@\n");
        for line in hunk.iter().flat_map(|step| sides.changes(step)) {
            match line.line_type {
                LineType::Equal => write_shared_line(b" ", &line.content, &mut out),
                LineType::Add => write_line(b"+", &line.content, &mut out),
                LineType::Remove => write_line(b"-", &line.content, &mut out),
            }
        }
    }
    out
}

/// A context diff, as Python's `difflib.context_diff` and `diff -c` write it.
pub(super) fn context(hunks: &[Hunk], sides: &Sides<'_>, options: &TextDiff<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    for hunk in hunks {
        write_head(["***", "---"], options, &mut out);
        let (old, new) = ranges(hunk);
        out.extend_from_slice(b"***************\n*** ");
        write_first_and_last(&old, &mut out);
        out.extend_from_slice(b" ****\n");
        write_side(hunk, DiffTag::Delete, LineType::Add, b"- ", sides, &mut out);
        out.extend_from_slice(b"--- ");
        write_first_and_last(&new, &mut out);
        out.extend_from_slice(b" ----\n");
        write_side(hunk, DiffTag::Insert, LineType::Remove, b"+ ", sides, &mut out);
    }
    out
}

/// Every line in order, with what became of it.
pub(super) fn line_by_line(hunks: &[Hunk], sides: &Sides<'_>, options: &TextDiff<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    for hunk in hunks {
        write_head(["---", "+++"], options, &mut out);
        for line in hunk.iter().flat_map(|step| sides.changes(step)) {
            match line.line_type {
                LineType::Equal => write_shared_line(b"  ", &line.content, &mut out),
                LineType::Add => write_line(b"+ ", &line.content, &mut out),
                LineType::Remove => write_line(b"- ", &line.content, &mut out),
            }
        }
    }
    out
}

/// Appends the lines of one side of a context diff, if anything changed there.
///
/// `own` is the kind of step that changes only this side, and `mark` marks its lines. `others` are
/// the lines of the other side.
fn write_side(
    hunk: &Hunk,
    own: DiffTag,
    others: LineType,
    mark: &[u8],
    sides: &Sides<'_>,
    out: &mut Vec<u8>,
) {
    if !hunk.iter().any(|step| step.tag() == own || step.tag() == DiffTag::Replace) {
        return;
    }
    for step in hunk {
        let mark = match step.tag() {
            DiffTag::Equal => b"  ",
            DiffTag::Replace => b"! ",
            DiffTag::Delete | DiffTag::Insert => mark,
        };
        for line in sides.changes(step).filter(|line| line.line_type != others) {
            write_line(mark, &line.content, out);
        }
    }
}

/// Appends the names of both files, unless the output has them already.
fn write_head(marks: [&str; 2], options: &TextDiff<'_>, out: &mut Vec<u8>) {
    if !out.is_empty() {
        return;
    }
    for (mark, name) in marks.into_iter().zip([options.fromfile, options.tofile]) {
        out.extend_from_slice(mark.as_bytes());
        out.push(b' ');
        write_file(name, out);
        out.push(b'\n');
    }
}

/// Appends a file's name; a name with control characters is quoted, so that it stays on its line.
///
/// A tab alone is no reason to quote: a date may follow a name behind it.
fn write_file(name: &[u8], out: &mut Vec<u8>) {
    let breaks = lines(name).into_iter().any(is_ended);
    if !breaks && !name.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
        out.extend_from_slice(name);
        return;
    }
    out.push(b'"');
    for &byte in name {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b' '..=b'~' => out.push(byte),
            // Writing to a Vec cannot fail.
            _ => drop(write!(out, "\\{byte:03o}")),
        }
    }
    out.push(b'"');
}

/// Appends a line of both texts behind its mark.
///
/// Without an end it is the last line of both, so nothing is written behind it. The diff then lacks
/// its last end too, as in Python's `difflib`.
fn write_shared_line(mark: &[u8], line: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(mark);
    out.extend_from_slice(line);
}

/// Appends a line behind its mark, and says so if the line has no end.
fn write_line(mark: &[u8], line: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(mark);
    out.extend_from_slice(line);
    if !is_ended(line) {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}

/// The ranges that a hunk covers on both sides.
fn ranges(hunk: &Hunk) -> (Range<usize>, Range<usize>) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return (0..0, 0..0) };
    let old = first.old_range().start..last.old_range().end;
    (old, first.new_range().start..last.new_range().end)
}

/// Appends `start,length`, with lines counted from 1.
///
/// An empty range starts at the line before it. A length of 1 is left out.
fn write_start_and_length(range: &Range<usize>, out: &mut Vec<u8>) {
    // Writing to a Vec cannot fail.
    drop(match range.len() {
        0 => write!(out, "{},0", range.start),
        1 => write!(out, "{}", range.start + 1),
        length => write!(out, "{},{length}", range.start + 1),
    });
}

/// Appends `first,last`, with lines counted from 1.
///
/// An empty range is the line before it. A range of one line is that line.
fn write_first_and_last(range: &Range<usize>, out: &mut Vec<u8>) {
    // Writing to a Vec cannot fail.
    drop(match range.len() {
        0 | 1 => write!(out, "{}", range.end),
        _ => write!(out, "{},{}", range.start + 1, range.end),
    });
}

#[cfg(test)]
mod tests {
    use crate::diff::{DiffType, TextDiff, diff_text};

    fn written(old: &str, new: &str, options: TextDiff<'_>) -> String {
        String::from_utf8(diff_text(old.as_bytes(), new.as_bytes(), &options).diff_output).unwrap()
    }

    #[test]
    fn empty_sides_and_single_lines_have_short_ranges() {
        let unified = |old, new| {
            let text = written(old, new, TextDiff { context_lines: 0, ..TextDiff::default() });
            text.lines().nth(2).unwrap_or_default().to_owned()
        };
        assert_eq!(unified("", "a\n"), "@@ -0,0 +1 @@");
        assert_eq!(unified("a\nb\n", ""), "@@ -1,2 +0,0 @@");
        assert_eq!(unified("a\nb\n", "a\n"), "@@ -2 +1,0 @@");
        assert_eq!(unified("a\n", "a\n"), "");
    }

    #[test]
    fn a_line_without_an_end_is_told() {
        let text = written("a\nb", "a\nb\n", TextDiff::default());
        let expected = "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n";
        assert_eq!(text.split_once("modified\n").unwrap().1, expected);
    }

    #[test]
    fn each_line_is_shown_line_by_line() {
        let old = "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let options =
            TextDiff { diff_type: DiffType::LineByLine, context_lines: 0, ..TextDiff::default() };
        assert_eq!(
            written(old, &old.replace("5\n", "five\n"), options),
            "--- a/original\n+++ b/modified\n  0\n  1\n  2\n  3\n  4\n- 5\n+ five\n  6\n  7\n  8\n  9\n"
        );
        assert_eq!(written(old, old, options), "");
    }

    #[test]
    fn a_file_s_name_cannot_forge_a_line() {
        let options = TextDiff {
            fromfile: b"a\n+++ \"b\\\xE2\x80\xA8",
            tofile: "b/ü \\".as_bytes(),
            ..TextDiff::default()
        };
        let text = written("", "x\n", options);
        assert!(
            text.starts_with("--- \"a\\n+++ \\\"b\\\\\\342\\200\\250\"\n+++ b/ü \\\n@@"),
            "{text}"
        );
    }
}
