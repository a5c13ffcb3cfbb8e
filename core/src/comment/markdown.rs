//! Reads Markdown as the programs that show it do.
//!
//! The parser is a port of `cmark-gfm`, which GitHub uses. It reads a text twice: with all of
//! GitHub's extensions, and by `CommonMark` alone. A part counts as code only if both readings take
//! it for code. A text is clean only if neither reading shows anything forbidden.
//!
//! The port reads the box of a task (`- [ ]`) after the blocks; `cmark-gfm` takes the box away
//! before it reads the rest of the line. `has_ambiguous_blocks` finds where the blocks differ, so
//! that nothing in such a text counts as code.

use std::ops::Range;
use std::sync::LazyLock;

use comrak::arena_tree::NodeEdge;
use comrak::nodes::{NodeValue, Sourcepos};
use comrak::{Arena, Node, Options, parse_document};
use regex::Regex;

/// The options of both readings: with GitHub's extensions, and without.
fn readings() -> [Options<'static>; 2] {
    let mut github = Options::default();
    let extension = &mut github.extension;
    extension.alerts = true;
    extension.autolink = true;
    extension.footnotes = true;
    extension.strikethrough = true;
    extension.table = true;
    extension.tasklist = true;
    [github, Options::default()]
}

/// Boxes of tasks and rows of tables after which one reader may see other blocks than another.
///
/// - Nothing follows the box: `cmark-gfm` sees an empty item, which a blank line ends.
/// - The definition of a link or the row of a table follows the box: `cmark-gfm` sees it as such.
/// - The number before the box begins no list: inside of an item, `cmark-gfm` drops three
///   characters all the same, and one of them may be a backtick.
/// - A second row of dashes and bars follows in the same paragraph. If the first one began no
///   table, older versions of `cmark-gfm` let the second one begin it.
const AMBIGUOUS_BLOCKS: &str = r"(?xm)
    (?:[-+*]|[0-9][.)])[\ \t]+\[[\ xX]\]
        (?:[\ \t]*$ | [\ \t]+(?:\| | \[(?:[^\[\]\\]|\\(?s:.))*\]:))
  | (?:[0-9][^.)\n]|[0-9]{10}[.)])[\ \t]+\[[\ xX]\](?:[\ \t]|$)
  | ROW\n(?:.*[^\ \t\n].*\n)*ROW";

/// The row below the head of a table.
const ROW: &str = r"^[-:|>\ \t]*(?:[:|][-:|>\ \t]*-|-[-:|>\ \t]*[:|])[-:|>\ \t]*$";

static AMBIGUOUS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&AMBIGUOUS_BLOCKS.replace("ROW", ROW)).ok());

/// Whether a task or a table in the text may change what is code for one of its readers.
pub(super) fn has_ambiguous_blocks(text: &str) -> bool {
    AMBIGUOUS.as_ref().is_none_or(|blocks| blocks.is_match(text))
}

/// The spans of code, in order.
pub(super) fn code_spans(text: &str) -> Vec<Range<usize>> {
    let lines = line_starts(text);
    let [github, plain] = readings().map(|options| {
        let arena = Arena::new();
        let root = parse_document(&arena, text, &options);
        let mut spans: Vec<Range<usize>> = root
            .descendants()
            .filter_map(|node| {
                let ast = node.data.borrow();
                let is_code = matches!(ast.value, NodeValue::Code(_) | NodeValue::CodeBlock(_));
                if is_code { span(&lines, ast.sourcepos) } else { None }
            })
            .collect();
        spans.sort_by_key(|span| span.start);
        spans
    });
    common(&github, &plain)
}

/// The offset at which each line starts, for a parser that counts lines.
fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0)
        .chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1))
        .collect()
}

fn span(lines: &[usize], position: Sourcepos) -> Option<Range<usize>> {
    let start =
        lines.get(position.start.line.checked_sub(1)?)? + position.start.column.checked_sub(1)?;
    let end = lines.get(position.end.line.checked_sub(1)?)? + position.end.column;
    (start < end).then_some(start..end)
}

/// The intersection of two lists of spans.
fn common(left: &[Range<usize>], right: &[Range<usize>]) -> Vec<Range<usize>> {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    let mut both = Vec::new();
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        let shared = one.start.max(other.start)..one.end.min(other.end);
        let is_left_first = one.end <= other.end;
        if !shared.is_empty() {
            both.push(shared);
        }
        if is_left_first {
            left.next();
        } else {
            right.next();
        }
    }
    both
}

/// Marks the edge of an element in a shown line; no mention crosses it.
pub(super) const EDGE: char = '\u{FFFC}';

/// Stands for something that is shown but is not text: code, or the number of a footnote.
const OBJECT: char = '`';

/// Whether each line of a text, as readers see it, passes `check`, and the text holds no image and
/// no HTML.
pub(super) fn is_shown(text: &str, check: impl Fn(&str) -> bool) -> bool {
    readings().iter().all(|options| {
        let arena = Arena::new();
        let root = parse_document(&arena, text, options);
        shown_lines(root).is_some_and(|lines| lines.lines().all(&check))
    })
}

/// The shown text outside of code, one item for each shown line; `None` if there is an image or
/// HTML.
fn shown_lines(root: Node<'_>) -> Option<String> {
    let mut lines = String::new();
    for edge in root.traverse() {
        let (NodeEdge::Start(node) | NodeEdge::End(node)) = edge;
        let value = &node.data.borrow().value;
        match value {
            NodeValue::Image(_) | NodeValue::HtmlBlock(_) | NodeValue::HtmlInline(_) => {
                return None;
            }
            NodeValue::SoftBreak | NodeValue::LineBreak => lines.push('\n'),
            NodeValue::Code(_) | NodeValue::FootnoteReference(_) => {
                lines.extend([EDGE, OBJECT, EDGE]);
            }
            NodeValue::Text(text) if matches!(edge, NodeEdge::Start(_)) => lines.push_str(text),
            NodeValue::Text(_) => {}
            value if value.block() => lines.push('\n'),
            _ => lines.push(EDGE),
        }
    }
    Some(lines)
}

#[test]
fn what_readers_take_for_different_blocks_is_found() {
    for text in [
        "- [ ]",
        "> * [x] \n> b",
        "12)\t[X]\t\na",
        "- [ ] | a |\n  |---|",
        "- [ ] [a\\]\n  b]: c",
        "- a\n\n  1` [ ] b`",
        "- a\n\n  1234567890. [ ] b",
        "a\n|-|-|\nb\n> :-\nc",
    ] {
        assert!(has_ambiguous_blocks(text), "{text}");
    }
    for text in [
        "- [ ] a",
        "1. [x] [a](b): c | d",
        "a [ ]",
        "123456789. [ ] b",
        "- [ ]a",
        "a | b\n-|-\n- | c\n\na | b\n-|-",
        "a\n---\nb\n---",
    ] {
        assert!(!has_ambiguous_blocks(text), "{text}");
    }
}
