//! A summary of results that fits a prompt.
//!
//! ```
//! use serde_json::json;
//! use toolwire::result::results_summary_within;
//! use toolwire::ToolResult;
//! use toolwire::tree::Constants;
//!
//! let long = "a very long text ".repeat(5);
//! let results = [ToolResult::success("search", json!({"hits": 2, "context": long}), 0.5)];
//! let summary = results_summary_within(&results, Constants::default(), 20)
//!     .map_err(toolwire::Error::from)?;
//! assert_eq!(
//!     summary.text,
//!     b"\n**search** (Success, Confidence: 50.0%):\n- hits: 2\n- 1 more left out\n",
//! );
//! assert_eq!((summary.lines_left_out, summary.results_left_out), (1, 0));
//! # Ok::<(), toolwire::Error>(())
//! ```

use std::cmp::Reverse;
use std::io::Write;
use std::ops::Range;

use super::result::{HostError, ResultView};
use super::summary::write_result;
use crate::token::Size;
use crate::tree::{Constants, Failure};

/// The size of the line that stands for the left-out lines of a result.
const LINES_NOTE: Size = Size { words: 5, marks: 0 };

/// The size of the line that stands for left-out results.
const RESULTS_NOTE: Size = Size { words: 4, marks: 0 };

/// Results as text for a prompt, and how much of them was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The text; if nothing was left out, the text of
    /// [`results_summary`](crate::result::results_summary).
    pub text: Vec<u8>,
    /// How many lines of data were left out of the results that the text shows.
    pub lines_left_out: usize,
    /// How many results were left out.
    pub results_left_out: usize,
}

/// One result's part of the text.
struct ResultBlock {
    head: Range<usize>,
    lines: Vec<EntryLine>,
    kept: bool,
}

/// One entry of a result's data.
struct EntryLine {
    at: Range<usize>,
    size: Size,
    kept: bool,
}

impl ResultBlock {
    fn left_out(&self) -> usize {
        self.lines.iter().filter(|line| !line.kept).count()
    }
}

/// Sums results up in about `max_tokens` tokens, as [`count_tokens`](crate::token::count_tokens)
/// counts.
///
/// Whole lines are left out until the text fits: the largest first, and of equally large lines the
/// later one. Each result says how many of its lines are missing. If that is not enough, whole
/// results are left out, the largest first, and the text says how many.
///
/// # Errors
///
/// Those of [`results_summary`](crate::result::results_summary).
pub fn results_summary_within<R: ResultView>(
    results: impl IntoIterator<Item = R>,
    constants: Constants<'_>,
    max_tokens: usize,
) -> Result<Summary, Failure<HostError<R>>> {
    let mut text = Vec::new();
    let mut blocks = Vec::new();
    for (place, result) in results.into_iter().enumerate() {
        if place > 0 {
            text.push(b'\n');
        }
        let (start, mut ends) = (text.len(), Vec::new());
        write_result(&result, constants, &mut text, |end| ends.push(end))?;
        blocks.push(block(&text, start, &ends));
    }
    let size = Size::of(&String::from_utf8_lossy(&text));
    if size.tokens() <= max_tokens {
        return Ok(Summary { text, ..Summary::default() });
    }
    let size = leave_lines_out(&mut blocks, size, max_tokens);
    leave_results_out(&mut blocks, &text, size, max_tokens);
    Ok(compose(&blocks, &text))
}

/// The parts of a result's text, where `ends` are the ends of its lines.
fn block(text: &[u8], start: usize, ends: &[usize]) -> ResultBlock {
    let mut lines: Vec<EntryLine> = Vec::with_capacity(ends.len());
    // The first line begins behind the head, the others behind the line feed that separates them.
    let first = ends.first().map(|end| text.get(start..*end).unwrap_or_default());
    let head = first.map_or(text.len() - 1, |part| start + head_length(part));
    let mut from = head;
    for &end in ends {
        let size = Size::of(&String::from_utf8_lossy(text.get(from..end).unwrap_or_default()));
        lines.push(EntryLine { at: from..end, size, kept: true });
        from = end + 1;
    }
    ResultBlock { head: start..head, lines, kept: true }
}

/// The length of a head, which ends with the line of the confidence.
///
/// The tool's name in the head may hold line feeds.
fn head_length(part: &[u8]) -> usize {
    const END: &[u8] = b"):\n- ";
    let end = part.windows(END.len()).position(|window| window == END);
    end.map_or(part.len(), |at| at + END.len() - 2)
}

fn weight(size: Size) -> usize {
    size.words * 13 + size.marks
}

/// Leaves lines out while the text is too large; gives the size that is left.
fn leave_lines_out(blocks: &mut [ResultBlock], mut size: Size, max_tokens: usize) -> Size {
    let mut order: Vec<(usize, usize, usize)> = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        order
            .extend(block.lines.iter().enumerate().map(|(line, one)| (weight(one.size), at, line)));
    }
    order.sort_unstable_by_key(|entry| Reverse(*entry));
    let mut noted = vec![false; blocks.len()];
    for (_, at, line) in order {
        if size.tokens() <= max_tokens {
            break;
        }
        let Some(line) = blocks.get_mut(at).and_then(|block| block.lines.get_mut(line)) else {
            continue;
        };
        line.kept = false;
        size = size.minus(line.size);
        if let Some(noted) = noted.get_mut(at).filter(|noted| !**noted) {
            *noted = true;
            size = size.plus(LINES_NOTE);
        }
    }
    size
}

/// Leaves whole results out while the text is too large.
fn leave_results_out(blocks: &mut [ResultBlock], text: &[u8], mut size: Size, max_tokens: usize) {
    if size.tokens() <= max_tokens {
        return;
    }
    // Every line is left out by now.
    let head = |block: &ResultBlock| {
        let head =
            Size::of(&String::from_utf8_lossy(text.get(block.head.clone()).unwrap_or_default()));
        if block.lines.is_empty() { head } else { head.plus(LINES_NOTE) }
    };
    let mut order: Vec<_> = blocks.iter_mut().map(|block| (head(block), block)).collect();
    order.sort_by_key(|(size, block)| Reverse((weight(*size), block.head.start)));
    size = size.plus(RESULTS_NOTE);
    for (head, block) in order {
        if size.tokens() <= max_tokens {
            break;
        }
        block.kept = false;
        size = size.minus(head);
    }
}

fn compose(blocks: &[ResultBlock], whole: &[u8]) -> Summary {
    let mut summary = Summary::default();
    let text = &mut summary.text;
    for block in blocks.iter().filter(|block| block.kept) {
        if !text.is_empty() {
            text.push(b'\n');
        }
        text.extend_from_slice(whole.get(block.head.clone()).unwrap_or_default());
        for line in block.lines.iter().filter(|line| line.kept) {
            text.extend_from_slice(whole.get(line.at.clone()).unwrap_or_default());
            text.push(b'\n');
        }
        let left_out = block.left_out();
        if left_out > 0 {
            // Writing to memory does not fail.
            let _ = writeln!(text, "- {left_out} more left out");
            summary.lines_left_out += left_out;
        } else if block.lines.is_empty() {
            text.push(b'\n');
        }
    }
    summary.results_left_out = blocks.iter().filter(|block| !block.kept).count();
    if summary.results_left_out > 0 {
        let gap = if text.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{gap}\n({} results left out)", summary.results_left_out);
    }
    summary
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::result::{ToolResult, results_summary};
    use crate::token::count_tokens;

    fn within(results: &[ToolResult<Value>], max_tokens: usize) -> (String, usize, usize) {
        let summary = results_summary_within(results, Constants::default(), max_tokens).unwrap();
        (String::from_utf8(summary.text).unwrap(), summary.lines_left_out, summary.results_left_out)
    }

    #[test]
    fn the_largest_lines_go_first() {
        let results = [
            ToolResult::success("a", json!({"long": "x y z ".repeat(9), "n": 1}), 0.5),
            ToolResult::failure("b", json!({}), "it is down"),
        ];
        let (text, lines, left_out) = within(&results, 25);
        assert_eq!(
            text,
            "\n**a** (Success, Confidence: 50.0%):\n- n: 1\n- 1 more left out\n\n\n**b** (Failed): it is down\n"
        );
        assert_eq!((lines, left_out), (1, 0));
    }

    #[test]
    fn results_go_when_their_lines_are_not_enough() {
        let results: Vec<_> =
            (0..9).map(|n| ToolResult::success(format!("t{n}"), json!({"n": n}), 0.5)).collect();
        let (text, lines, left_out) = within(&results, 17);
        assert_eq!(
            text,
            "\n**t0** (Success, Confidence: 50.0%):\n- 1 more left out\n\n\n(8 results left out)\n"
        );
        assert_eq!((lines, left_out), (1, 8));
        assert_eq!(within(&results, 0).0, "\n(9 results left out)\n");
    }

    #[test]
    fn a_tool_s_name_that_looks_like_a_head_does_no_harm() {
        let results = [ToolResult::success("x):\n- y", json!({"a": "b ".repeat(50)}), 0.5)];
        let (text, ..) = within(&results, 12);
        assert!(text.ends_with("left out\n") || text.ends_with("left out)\n"), "{text}");
    }

    proptest! {
        #[test]
        fn a_summary_fits_or_says_nothing_else(
            sizes in prop::collection::vec(prop::collection::vec(0_usize..40, 0..5), 0..6),
            max_tokens in 0_usize..150,
        ) {
            let data = |words: &[usize]| -> Value {
                words.iter().enumerate().map(|(key, words)| (key.to_string(), json!("w ".repeat(*words)))).collect()
            };
            let results: Vec<_> = sizes.iter().map(|words| ToolResult::success("t", data(words), 0.5)).collect();
            let (text, lines, left_out) = within(&results, max_tokens);
            let mut whole = Vec::new();
            results_summary(&results, Constants::default(), &mut whole).unwrap();
            let whole = String::from_utf8(whole).unwrap();
            if lines + left_out == 0 {
                prop_assert_eq!(&text, &whole);
            }
            if count_tokens(&whole) <= max_tokens {
                prop_assert_eq!(&text, &whole);
            }
            prop_assert!(count_tokens(&text) <= max_tokens || left_out == results.len());
        }
    }
}
