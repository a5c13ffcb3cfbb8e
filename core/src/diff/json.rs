//! A host's value as JSON text on one line, and whether two values are the same as JSON.

use super::document::{Document, Layout, Node};
use crate::tree::{Failure, Tree};

/// Appends a value as JSON on one line, as Python's `json.dumps(value, default=str)` writes it.
///
/// ```
/// use serde_json::json;
///
/// let mut text = Vec::new();
/// toolwire::diff::compact_json(&&json!({"b": [1, "ü"], "a": null}), &mut text)
///     .map_err(toolwire::Error::from)?;
/// assert_eq!(text, br#"{"b": [1, "\u00fc"], "a": null}"#);
/// # Ok::<(), toolwire::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the value nests deeper than
/// [`MAX_DEPTH`](crate::json::MAX_DEPTH) or holds millions of values (it may hold itself), or what
/// the host raised. After an error nothing is appended.
pub fn compact_json<N: Tree>(value: &N, out: &mut Vec<u8>) -> Result<(), Failure<N::Error>> {
    out.append(&mut Document::of(value, Layout::Line)?.into_text());
    Ok(())
}

/// Appends a value as [`compact_json`] does, with the entries of maps in the order of their names.
///
/// ```
/// use serde_json::json;
///
/// let mut text = Vec::new();
/// toolwire::diff::sorted_json(&&json!({"b": [1], "a": null}), &mut text)
///     .map_err(toolwire::Error::from)?;
/// assert_eq!(text, br#"{"a": null, "b": [1]}"#);
/// # Ok::<(), toolwire::Error>(())
/// ```
///
/// # Errors
///
/// As [`compact_json`].
pub fn sorted_json<N: Tree>(value: &N, out: &mut Vec<u8>) -> Result<(), Failure<N::Error>> {
    out.append(&mut Document::of(value, Layout::Line)?.sorted());
    Ok(())
}

/// Whether two values are the same as JSON: types count, the order of keys does not.
///
/// ```
/// use serde_json::json;
/// use toolwire::diff::same_json;
///
/// assert!(same_json(&&json!({"a": 1, "b": 2}), &&json!({"b": 2, "a": 1}))?);
/// assert!(!same_json(&&json!([1]), &&json!([1.0]))?);
/// # Ok::<(), toolwire::tree::Failure<std::convert::Infallible>>(())
/// ```
///
/// # Errors
///
/// As [`compact_json`].
pub fn same_json<N: Tree>(one: &N, other: &N) -> Result<bool, Failure<N::Error>> {
    let (one, other) = (Document::of(one, Layout::Line)?, Document::of(other, Layout::Line)?);
    Ok(one.same(Node::ROOT, &other, Node::ROOT))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::{Error, ErrorKind};

    fn document(text: &str) -> Document {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        Document::of(&&value, Layout::Line).unwrap()
    }

    #[test]
    fn the_order_of_keys_does_not_count_and_types_do() {
        let same = |one: &str, other: &str| {
            let (one, other) = (document(one), document(other));
            one.same(Node::ROOT, &other, Node::ROOT)
        };
        assert!(same(
            r#"{"a": {"b": 1, "c": [2]}, "d": 3}"#,
            r#"{"d": 3, "a": {"c": [2], "b": 1}}"#
        ));
        for (one, other) in [
            ("1", "1.0"),
            ("1", "true"),
            ("0", "false"),
            ("0", "null"),
            ("[]", "{}"),
            ("\"1\"", "1"),
            ("[1, 2]", "[2, 1]"),
            (r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#),
            (r#"{"a": 1, "b": 2}"#, r#"{"a": 1}"#),
            (r#"{"a": null}"#, r#"{"b": null}"#),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn sorting_is_by_the_names_and_not_by_how_they_are_written() {
        let mut out = Vec::new();
        sorted_json(&&json!({"é": 1, "z": {"b": 1, "a": [{"d": 1, "c": 2}]}}), &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            r#"{"z": {"a": [{"c": 2, "d": 1}], "b": 1}, "\u00e9": 1}"#
        );
    }

    #[test]
    fn nesting_is_bounded() {
        let nest = |levels| (0..levels).fold(json!(0), |inner, _| json!([inner]));
        assert!(compact_json(&&nest(crate::json::MAX_DEPTH), &mut Vec::new()).is_ok());
        let failure =
            compact_json(&&nest(crate::json::MAX_DEPTH + 1), &mut Vec::new()).unwrap_err();
        assert_eq!(Error::from(failure).kind(), ErrorKind::WrongType);
    }
}
