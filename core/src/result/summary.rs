//! Sums tool results up as text for a model's prompt.
//!
//! The text has one line for each entry of a tool's data. Long texts are cut, lists and maps are
//! counted. The caller names the texts for null, true and false. So every language writes the same
//! prompt.
//!
//! Output is appended as bytes, since a PHP text may hold any bytes; UTF-8 input gives UTF-8
//! output.
//!
//! ```
//! use serde_json::json;
//! use toolwire::result::results_summary;
//! use toolwire::ToolResult;
//! use toolwire::tree::Constants;
//!
//! let results = [ToolResult::success("rag_search", json!({"hits": [1, 2], "exact": true}), 0.3)];
//! let mut text = Vec::new();
//! results_summary(&results, Constants::default(), &mut text).map_err(toolwire::Error::from)?;
//! assert_eq!(
//!     text,
//!     b"\n**rag_search** (Success, Confidence: 30.0%):\n- hits: 2 items\n- exact: true\n",
//! );
//! # Ok::<(), toolwire::Error>(())
//! ```

use super::result::{HostError, ResultView};
use crate::error::{Error, ErrorKind};
use crate::json::number::{write_float, write_int, write_percent};
use crate::text::prefix;
use crate::tree::{Constants, Failure, Name, Tree, View};

/// Texts with more code points than this are cut.
const LONGEST: usize = 100;

/// Appends a tool's data, one line for each entry in order.
///
/// Data that the host counts as false (`null`, an empty map or text, 0) gives `No data returned`.
///
/// # Errors
///
/// [`ErrorKind::WrongType`] if the data is anything but a map, or what the host raised. What was
/// appended until then stays.
pub fn summarize_tool_data<N: Tree>(
    data: &N,
    constants: Constants<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Failure<N::Error>> {
    write_data(data, constants, out, |_| {})
}

/// Appends a tool's data; `ended` receives the end of each entry's line.
#[inline]
fn write_data<N: Tree>(
    data: &N,
    constants: Constants<'_>,
    out: &mut Vec<u8>,
    mut ended: impl FnMut(usize),
) -> Result<(), Failure<N::Error>> {
    if !data.truthy().map_err(Failure::Host)? {
        out.extend_from_slice(b"No data returned");
        return Ok(());
    }
    let view = data.view();
    let listed = matches!(view, View::List(_));
    if listed || !(matches!(view, View::Map(_)) || data.is_container()) {
        let message = format!("tool data must be a map, not {}", view.name());
        return Err(Error::new(ErrorKind::WrongType, message).into());
    }
    let mut first = true;
    data.entries(|name, value| {
        out.extend_from_slice(if first { b"- " } else { b"\n- " });
        first = false;
        write_name(&name, constants, out).map_err(Failure::Host)?;
        out.extend_from_slice(b": ");
        write_item(&value, constants, out).map_err(Failure::Host)?;
        ended(out.len());
        Ok(())
    })
}

/// Appends the summaries of results, two blank lines between them.
///
/// # Errors
///
/// [`ErrorKind::WrongType`] if a successful result's data is true but not a map, or what the host
/// raised. What was appended until then stays.
pub fn results_summary<R: ResultView>(
    results: impl IntoIterator<Item = R>,
    constants: Constants<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Failure<HostError<R>>> {
    for (place, result) in results.into_iter().enumerate() {
        if place > 0 {
            out.push(b'\n');
        }
        if !result.write_quickly(constants, out) {
            write_result(&result, constants, out, |_| {})?;
        }
    }
    Ok(())
}

/// Appends the summary of one result; `ended` receives the end of each line of its data.
#[inline]
pub(super) fn write_result<R: ResultView>(
    result: &R,
    constants: Constants<'_>,
    out: &mut Vec<u8>,
    ended: impl FnMut(usize),
) -> Result<(), Failure<HostError<R>>> {
    out.extend_from_slice(b"\n**");
    result.write_tool(out).map_err(Failure::Host)?;
    if result.success().map_err(Failure::Host)? {
        out.extend_from_slice(b"** (Success, Confidence: ");
        write_percent(out, result.confidence().map_err(Failure::Host)?);
        out.extend_from_slice(b"):\n");
        write_data(&result.data().map_err(Failure::Host)?, constants, out, ended)?;
    } else {
        out.extend_from_slice(b"** (Failed): ");
        result.write_error(out).map_err(Failure::Host)?;
    }
    out.push(b'\n');
    Ok(())
}

/// Appends an entry's key.
#[inline]
fn write_name<N: Tree>(
    name: &Name<'_, N>,
    constants: Constants<'_>,
    out: &mut Vec<u8>,
) -> Result<(), N::Error> {
    match name {
        Name::Text(text) => out.extend_from_slice(text),
        Name::Number(number) => write_int(out, *number),
        Name::Node(node) => return write_shown(node, node.view(), constants, out),
    }
    Ok(())
}

/// Appends an entry's value: counted, cut or shown.
#[inline]
fn write_item<N: Tree>(
    value: &N,
    constants: Constants<'_>,
    out: &mut Vec<u8>,
) -> Result<(), N::Error> {
    match value.view() {
        View::Text(text) => {
            let shown = prefix(&text, LONGEST);
            out.extend_from_slice(shown);
            if shown.len() < text.len() {
                out.extend_from_slice(b"...");
            }
        }
        View::List(length) => {
            write_int(out, length);
            out.extend_from_slice(b" items");
        }
        View::Map(length) => {
            write_int(out, length);
            out.extend_from_slice(b" properties");
        }
        view => return write_shown(value, view, constants, out),
    }
    Ok(())
}

/// Appends a value as it is shown in a text; `view` is the value's view.
#[inline]
pub(crate) fn write_shown<N: Tree>(
    value: &N,
    view: View<'_>,
    constants: Constants<'_>,
    out: &mut Vec<u8>,
) -> Result<(), N::Error> {
    match view {
        View::Null => out.extend_from_slice(constants.null.as_bytes()),
        View::Bool(true) => out.extend_from_slice(constants.yes.as_bytes()),
        View::Bool(false) => out.extend_from_slice(constants.no.as_bytes()),
        View::Int(number) => write_int(out, number),
        View::Float(number) => write_float(out, number),
        View::Text(text) => out.extend_from_slice(&text),
        View::BigInt | View::Opaque | View::List(_) | View::Map(_) => return value.display(out),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::result::ToolResult;

    fn summary(data: &Value) -> Result<String, Error> {
        let mut out = Vec::new();
        summarize_tool_data(&data, Constants::default(), &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn an_empty_list_and_an_empty_map_are_told_apart_as_values() {
        assert_eq!(summary(&json!({"a": [], "b": {}})).unwrap(), "- a: 0 items\n- b: 0 properties");
    }

    #[test]
    fn integers_beyond_64_bits_are_exact() {
        let data: Value =
            serde_json::from_str(r#"{"n": 1000000000000000000000000000000}"#).unwrap();
        assert_eq!(summary(&data).unwrap(), "- n: 1000000000000000000000000000000");
    }

    #[test]
    fn data_that_is_no_map_is_refused_by_its_kind() {
        let data: Value = serde_json::from_str("18446744073709551616").unwrap();
        for (data, kind) in [
            (json!([1]), "a list"),
            (json!("x"), "a text"),
            (json!(1), "an integer"),
            (json!(0.5), "a number"),
            (json!(true), "a boolean"),
            (data, "an integer"),
        ] {
            let error = summary(&data).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::WrongType);
            assert_eq!(error.to_string(), format!("tool data must be a map, not {kind}"));
        }
    }

    #[test]
    fn data_of_a_failed_result_is_not_looked_at() {
        let results = [ToolResult::failure("t", json!([1]), "boom")];
        let mut out = Vec::new();
        results_summary(&results, Constants::default(), &mut out).unwrap();
        assert_eq!(out, b"\n**t** (Failed): boom\n");
    }

    proptest! {
        #[test]
        fn a_text_is_cut_behind_its_hundredth_character(text in "\\PC{0,130}") {
            let shown: String = text.chars().take(LONGEST).collect();
            let dots = if text.chars().count() > LONGEST { "..." } else { "" };
            prop_assert_eq!(summary(&json!({ "k": text })).unwrap(), format!("- k: {shown}{dots}"));
        }

        #[test]
        fn every_entry_gives_one_line(numbers in prop::collection::vec(any::<i64>(), 1..20)) {
            let data: Value = numbers.iter().enumerate().map(|(key, value)| (key.to_string(), *value)).collect();
            let lines: Vec<_> = numbers.iter().enumerate().map(|(key, value)| format!("- {key}: {value}")).collect();
            prop_assert_eq!(summary(&data).unwrap(), lines.join("\n"));
        }
    }
}
