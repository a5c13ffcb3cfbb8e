//! Reads a list or a dictionary as Python prints it, without running anything.

use crate::call::RejectionCode;
use crate::detect::body::literal::LiteralReader;
use crate::detect::format::shape::LiteralDialect;
use crate::json::outcome::{BadArguments, Repair, Tolerance};
use crate::progress::NeedMore;

/// The JSON of a text that holds one list or one dictionary and nothing else.
///
/// # Errors
///
/// Why the text is no such literal, and the offset at which that shows. Sets, calls, and keys that
/// are no strings are none.
pub(crate) fn python_value(text: &str, depth: usize) -> Result<Box<str>, BadArguments> {
    let tolerance = Tolerance { depth, bytes: text.len(), repair: Repair::Off };
    let cut = || BadArguments::new(RejectionCode::Incomplete, text.len(), "the literal is cut off");
    let read =
        match LiteralReader::value(&LiteralDialect::Python, 0, tolerance).step(text.as_bytes()) {
            Ok(read) => read?,
            Err(NeedMore) => return Err(cut()),
        };
    let behind = text.get(read.span.end..).unwrap_or_default();
    if let Some(at) = behind.find(|letter: char| !letter.is_ascii_whitespace()) {
        let at = read.span.end + at;
        return Err(BadArguments::new(RejectionCode::BadJson, at, "text follows the literal"));
    }
    Ok(read.json(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_becomes_json() {
        let text = r#" {'a': True, 'b': [None, -1.5], "c": "L'Aquila", 'd': 'it\'s "x"'} "#;
        let json = r#"{"a":true,"b":[null,-1.5],"c":"L'Aquila","d":"it's \"x\""}"#;
        assert_eq!(python_value(text, 8).as_deref(), Ok(json));
    }

    #[test]
    fn what_is_no_literal_says_where() {
        let refused = |text: &str| python_value(text, 2).map_err(|bad| (bad.code, bad.at));
        assert_eq!(refused("{'a': b}"), Err((RejectionCode::BadJson, 6)));
        assert_eq!(refused("{'a': 1} x"), Err((RejectionCode::BadJson, 9)));
        assert_eq!(refused("{'a': [1"), Err((RejectionCode::Incomplete, 8)));
        assert_eq!(refused("{'a': [[1]]}"), Err((RejectionCode::TooDeep, 7)));
        assert_eq!(refused(""), Err((RejectionCode::Incomplete, 0)));
    }
}
