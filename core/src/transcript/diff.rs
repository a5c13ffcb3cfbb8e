//! Changes of a file as unified diffs.
//!
//! The lines of an edit are compared by the crate `similar`, with Myers' algorithm. Where that
//! would take long, everything between the first and the last difference is replaced.

use std::fmt::Write;
use std::ops::Range;

use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices, group_diff_ops};

use crate::transcript::form::Hunks;

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;

/// The most lines that are compared one by one; the time grows with the square of their number.
const MAX_COMPARED: usize = 4000;

/// The head of a file's diff.
fn head(path: &str) -> String {
    format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n")
}

/// The diff between an old and a new text.
pub(super) fn edit(path: &str, old: &str, new: &str) -> String {
    let (old, new) = (with_line_end(old), with_line_end(new));
    let mut out = head(path);
    if old.lines().count() + new.lines().count() > MAX_COMPARED {
        write_replaced(&mut out, &old, &new);
        return out;
    }
    let (old, new) = (lines_of(&old), lines_of(&new));
    let changes = capture_diff_slices(Algorithm::Myers, &old, &new);
    for hunk in group_diff_ops(changes, CONTEXT) {
        push_hunk(&mut out, &hunk, &old, &new);
    }
    out
}

/// Writes a hunk that the comparison of the lines gave.
fn push_hunk(out: &mut String, hunk: &[DiffOp], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return };
    let old_lines = first.old_range().start..last.old_range().end;
    let new_lines = first.new_range().start..last.new_range().end;
    // Writing to a string cannot fail.
    let _ = writeln!(out, "@@ -{} +{} @@", range(&old_lines), range(&new_lines));
    for change in hunk.iter().flat_map(|change| change.iter_changes(old, new)) {
        let sign = match change.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        push_line(out, sign, change.value());
    }
}

/// The lines of a hunk, as its head names them.
fn range(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

/// The lines of a text with their ends: a line break of any system.
fn lines_of(text: &str) -> Vec<&str> {
    let (mut lines, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find(['\r', '\n']) {
        let is_both = rest.get(at..at + 2) == Some("\r\n");
        let (line, behind) = rest.split_at(at + 1 + usize::from(is_both));
        lines.push(line);
        rest = behind;
    }
    lines.extend((!rest.is_empty()).then_some(rest));
    lines
}

fn with_line_end(text: &str) -> std::borrow::Cow<'_, str> {
    if text.ends_with('\n') { text.into() } else { format!("{text}\n").into() }
}

fn push_line(out: &mut String, sign: char, line: &str) {
    out.push(sign);
    out.push_str(line.trim_end_matches(['\r', '\n']));
    out.push('\n');
}

/// Writes one hunk that replaces all lines from the first to the last difference.
fn write_replaced(out: &mut String, old: &str, new: &str) {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let same =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let before = same(&mut old.iter().zip(&new));
    if before == old.len() && before == new.len() {
        return;
    }
    let left = old.len().min(new.len()) - before;
    let behind = same(&mut old.iter().rev().zip(new.iter().rev())).min(left);
    let start = before.saturating_sub(CONTEXT);
    let tail = behind.min(CONTEXT);
    let (old_end, new_end) = (old.len() - behind, new.len() - behind);
    let _ = writeln!(
        out,
        "@@ -{} +{} @@",
        range(&(start..old_end + tail)),
        range(&(start..new_end + tail))
    );
    let part = |lines: &[&str], from, to, sign, out: &mut String| {
        lines.get(from..to).unwrap_or_default().iter().for_each(|line| push_line(out, sign, line));
    };
    part(&old, start, before, ' ', out);
    part(&old, before, old_end, '-', out);
    part(&new, before, new_end, '+', out);
    part(&old, old_end, old_end + tail, ' ', out);
}

/// The hunks of a diff that a tool gave, under the head for a path.
pub(super) fn given(path: &str, diff: &str, hunks: Hunks) -> String {
    let mut out = head(path);
    let lines: Vec<&str> = diff.lines().collect();
    if !lines.iter().any(|line| line.starts_with("@@")) {
        let kept: Vec<&str> = lines.into_iter().filter(|line| is_change(line)).collect();
        write_hunk(&mut out, "@@", &kept, Hunks::Whole);
        return out;
    }
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        if line.starts_with("@@") {
            let body = lines.get(at..).unwrap_or_default();
            let body = body.get(..body_length(body, hunks)).unwrap_or_default();
            at += body.len();
            write_hunk(&mut out, line, body, hunks);
        }
    }
    out
}

fn is_change(line: &str) -> bool {
    line.starts_with([' ', '+', '-'])
}

/// How many lines belong to the hunk whose head stands before them.
fn body_length(lines: &[&str], hunks: Hunks) -> usize {
    match hunks {
        Hunks::Cut => lines.iter().take_while(|line| is_change(line)).count(),
        Hunks::Whole => {
            let belongs =
                |line: &&&str| is_change(line) || line.is_empty() || line.starts_with('\\');
            let length = lines.iter().take_while(belongs).count();
            let body = lines.get(..length).unwrap_or_default();
            // Empty lines at the end separate the hunk from the text behind it.
            length - body.iter().rev().take_while(|line| line.is_empty()).count()
        }
    }
}

/// Writes a hunk; one without lines is left out.
fn write_hunk(out: &mut String, head: &str, body: &[&str], hunks: Hunks) {
    if body.is_empty() {
        return;
    }
    if head.trim_end() == "@@" {
        let count = |sign| {
            body.iter().filter(|line| line.is_empty() || line.starts_with([' ', sign])).count()
        };
        let _ = write!(out, "@@ -1,{} +1,{} @@", count('-'), count('+'));
        if hunks == Hunks::Whole {
            out.push('\n');
        }
    } else if hunks == Hunks::Whole || head.starts_with("@@ ") {
        out.push_str(head);
        out.push('\n');
    }
    for line in body {
        out.push_str(if line.is_empty() { " " } else { line });
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn body(diff: &str) -> &str {
        diff.split_once("+++ b/p\n").unwrap().1
    }

    #[test]
    fn edits_are_compared_line_by_line() {
        assert_eq!(body(&edit("p", "a\r\nb", "a\r\nc")), "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
        assert_eq!(body(&edit("p", "a", "a\n")), "");
    }

    #[test]
    fn hunks_are_kept_whole() {
        let diff =
            "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n\\ No newline at end of file\n\ndiff --git a/q b/q\n";
        assert_eq!(
            body(&given("p", diff, Hunks::Whole)),
            "@@ -1,3 +1,3 @@\n a\n \n-b\n+c\n\\ No newline at end of file\n"
        );
        assert_eq!(body(&given("p", diff, Hunks::Cut)), "@@ -1,3 +1,3 @@\n a\n");
        assert_eq!(body(&given("p", "@@\n-a\n+b\n", Hunks::Whole)), "@@ -1,1 +1,1 @@\n-a\n+b\n");
        assert_eq!(body(&given("p", "@@\n-a\n+b\n", Hunks::Cut)), "@@ -1,1 +1,1 @@-a\n+b\n");
    }

    /// The old and the new text, as far as a diff shows them.
    fn applied(diff: &str) -> (String, String) {
        let (mut old, mut new) = (String::new(), String::new());
        for line in diff.lines().filter(|line| is_change(line)) {
            let (sign, text) = line.split_at(1);
            for (side, other) in [(&mut old, "+"), (&mut new, "-")] {
                if sign != other {
                    side.push_str(text);
                    side.push('\n');
                }
            }
        }
        (old, new)
    }

    proptest! {
        #[test]
        fn a_replacement_says_what_changed(
            old in prop::collection::vec("[ab]", 1..7), new in prop::collection::vec("[ab]", 1..7),
        ) {
            let (old, new) = (old.join("\n") + "\n", new.join("\n") + "\n");
            let mut out = String::new();
            write_replaced(&mut out, &old, &new);
            let (from, to) = applied(&out);
            prop_assert!(old.contains(&from) && new.contains(&to), "{}", out);
            prop_assert_eq!(old.replacen(&from, &to, 1).len(), new.len());
            prop_assert_eq!(out.is_empty(), old == new);
        }
    }
}
