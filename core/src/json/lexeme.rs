//! The parts of a token: the escapes of a string, and the grammar of a number.

use crate::progress::{NeedMore, Progress};

/// What stands where an escape begins.
pub(crate) enum Escape {
    /// An escape of this length.
    Whole(usize),
    Bad(&'static str),
}

/// Whether a backslash and this byte are a whole escape.
pub(crate) fn is_short_escape(kind: u8) -> bool {
    matches!(kind, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
}

/// The length of the escape at the start of `rest`; a surrogate pair is one escape.
pub(crate) fn escape_length(rest: &[u8]) -> Progress<Escape> {
    const LONE: Escape = Escape::Bad("half of a surrogate pair");
    const NOT_HEX: Escape = Escape::Bad("not four hexadecimal digits");
    match rest.get(1).ok_or(NeedMore)? {
        kind if is_short_escape(*kind) => return Ok(Escape::Whole(2)),
        b'u' => {}
        _ => return Ok(Escape::Bad("not an escape")),
    }
    match code_unit(rest)? {
        None => Ok(NOT_HEX),
        Some(0xDC00..=0xDFFF) => Ok(LONE),
        Some(0xD800..=0xDBFF) => {
            let second = rest.get(6..).unwrap_or_default();
            match (second.first(), second.get(1)) {
                (None, _) | (Some(b'\\'), None) => Err(NeedMore),
                (Some(b'\\'), Some(b'u')) => Ok(match code_unit(second)? {
                    None => NOT_HEX,
                    Some(0xDC00..=0xDFFF) => Escape::Whole(12),
                    Some(_) => LONE,
                }),
                _ => Ok(LONE),
            }
        }
        Some(_) => Ok(Escape::Whole(6)),
    }
}

/// The code unit of the `\uXXXX` at the start of `rest`.
pub(crate) fn hex_unit(rest: &[u8]) -> Option<u32> {
    rest.get(2..6)?
        .iter()
        .try_fold(0, |unit, &byte| Some((unit << 4) | char::from(byte).to_digit(16)?))
}

/// The length of an escape that is one code unit.
pub(crate) const HALF: usize = 6;

/// Whether the escape at the start of `rest` is half of a surrogate pair.
pub(crate) fn is_surrogate(rest: &[u8]) -> bool {
    rest.starts_with(b"\\u") && matches!(hex_unit(rest), Some(0xD800..=0xDFFF))
}

fn code_unit(rest: &[u8]) -> Progress<Option<u32>> {
    if rest.len() < 6 { Err(NeedMore) } else { Ok(hex_unit(rest)) }
}

/// Whether a number may hold the byte.
#[inline]
pub(crate) fn is_part_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')
}

/// Whether `text` is a number in the grammar of RFC 8259.
#[inline]
pub(crate) fn is_number(text: &[u8]) -> bool {
    // Most numbers are short and have no fraction.
    match text {
        [b'0'..=b'9'] => true,
        [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => true,
        _ => is_other_number(text),
    }
}

/// Whether `text` is a number that may have a sign, a fraction or an exponent.
fn is_other_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.first() == Some(&b'0')) {
        return false;
    }
    let mut rest = rest.get(whole..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix(b".") {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = fraction.get(length..).unwrap_or_default();
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let exponent =
            exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_grammar() {
        for good in ["0", "-0", "10", "1.5", "1e9", "1E-9", "-1.25e+10"] {
            assert!(is_number(good.as_bytes()), "{good}");
        }
        for bad in ["", "-", "01", "1.", ".5", "1e", "1e+", "+1", "1.5.5", "1-2"] {
            assert!(!is_number(bad.as_bytes()), "{bad}");
        }
    }
}
