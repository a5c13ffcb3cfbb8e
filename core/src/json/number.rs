//! Writes numbers as Python writes them.
//!
//! Models that were shown Python's own output read the summaries, so the text must equal that
//! output byte by byte: `30.0%`, `1e-07`, `100.0`. Every double is covered, also `nan%`, `-inf` and
//! `-0.0`.

use std::borrow::Cow;
use std::io::Write;

use serde_json::{Number, Value};

use crate::json::lexeme::is_part_of_number;

/// Appends a whole number's digits.
#[inline]
pub(crate) fn write_int(out: &mut Vec<u8>, value: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Whether a number with a fraction or an exponent is too large for a double.
///
/// An integer is never: hosts give its digits, or an integer of any size.
pub(crate) fn exceeds_float(number: &[u8]) -> bool {
    let exponent = number.iter().any(|byte| matches!(byte, b'e' | b'E'));
    let long = number.len() > 308 && number.contains(&b'.');
    (exponent || long)
        && std::str::from_utf8(number)
            .is_ok_and(|number| number.parse::<f64>().is_ok_and(f64::is_infinite))
}

/// Whether a JSON text holds a number that is too large for a double.
///
/// A host that reads such a number gets infinity, so a tool must not be run with it.
///
/// ```
/// assert!(toolwire::json::holds_infinite(br#"{"a":[1e400]}"#));
/// assert!(!toolwire::json::holds_infinite(br#"{"1e400":"1e400","a":1e300}"#));
/// ```
#[must_use]
pub fn holds_infinite(text: &[u8]) -> bool {
    let mut rest = text;
    while let [byte, behind @ ..] = rest {
        let from = rest;
        rest = behind;
        match byte {
            b'"' => rest = behind_string(behind),
            b'-' | b'0'..=b'9' => {
                let more = behind.iter().take_while(|byte| is_part_of_number(**byte)).count();
                if exceeds_float(from.get(..=more).unwrap_or_default()) {
                    return true;
                }
                rest = behind.get(more..).unwrap_or_default();
            }
            _ => {}
        }
    }
    false
}

/// A JSON Pointer to a number that is too large for a double; none if the value has no such number.
#[must_use]
pub fn infinite_in(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => {
            let infinite =
                number.as_i64().is_none() && exceeds_float(number.to_string().as_bytes());
            infinite.then(String::new)
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| infinite_in(item).map(|path| format!("/{index}{path}"))),
        Value::Object(entries) => entries.iter().find_map(|(key, entry)| {
            let step = || key.replace('~', "~0").replace('/', "~1");
            infinite_in(entry).map(|path| format!("/{}{path}", step()))
        }),
        _ => None,
    }
}

/// A number beyond a double, for one whose digits a host has lost.
#[must_use]
pub fn beyond_float(negative: bool) -> Number {
    let digits = if negative { "-1e999" } else { "1e999" };
    digits.parse().unwrap_or_else(|_| Number::from(0))
}

/// Writes a number by its value: `1`, `1.0` and `1E0` give `1`, and `1.10` gives `1.1`.
///
/// Languages read a number with a fraction or an exponent as a double, and write it in their own
/// ways. A whole number without either keeps all its digits, as does a number beyond a double.
pub(crate) fn by_value(number: &Number) -> Cow<'_, str> {
    let text = number.as_str();
    let is_float = text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    let written = match text.parse::<f64>() {
        Ok(0.0) => return Cow::Borrowed("0"),
        Ok(value) if is_float && value.is_finite() => value.to_string(),
        _ => return Cow::Borrowed(text),
    };
    Cow::Owned(written)
}

/// The bytes behind a string whose opening quote was read.
pub(crate) fn behind_string(mut rest: &[u8]) -> &[u8] {
    loop {
        match memchr::memchr2(b'"', b'\\', rest) {
            Some(at) if rest.get(at) == Some(&b'"') => {
                return rest.get(at + 1..).unwrap_or_default();
            }
            Some(at) => rest = rest.get(at + 2..).unwrap_or_default(),
            None => return &[],
        }
    }
}

/// Appends a double as Python's `repr` does: the shortest digits that give the same double back.
pub(crate) fn write_float(out: &mut Vec<u8>, value: f64) {
    if !value.is_finite() {
        write_odd(out, value);
        return;
    }
    let mut buffer = zmij::Buffer::new();
    let digits = buffer.format_finite(value);
    match digits.split_once('e') {
        Some((mantissa, exponent)) => write_exponent(out, mantissa, exponent),
        None => write_plain(out, digits),
    }
}

/// Appends a double that has no digits. Python shows no sign of a nan.
fn write_odd(out: &mut Vec<u8>, value: f64) {
    let name: &[u8] = match value {
        f64::INFINITY => b"inf",
        f64::NEG_INFINITY => b"-inf",
        _ => b"nan",
    };
    out.extend_from_slice(name);
}

/// Appends mantissa and exponent with a sign and at least two digits of the exponent.
fn write_exponent(out: &mut Vec<u8>, mantissa: &str, exponent: &str) {
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => (b'-', digits),
        None => (b'+', exponent.strip_prefix('+').unwrap_or(exponent)),
    };
    // The shortest digits of the writer end in ".0" where Python drops the fraction.
    out.extend_from_slice(mantissa.strip_suffix(".0").unwrap_or(mantissa).as_bytes());
    out.extend_from_slice(&[b'e', sign]);
    if digits.len() == 1 {
        out.push(b'0');
    }
    out.extend_from_slice(digits.as_bytes());
}

/// Appends digits without an exponent, except for the decade that Python writes with one: 1e-05.
fn write_plain(out: &mut Vec<u8>, digits: &str) {
    let (sign, size) = match digits.strip_prefix('-') {
        Some(size) => ("-", size),
        None => ("", digits),
    };
    let Some(significant) = size.strip_prefix("0.0000") else {
        out.extend_from_slice(digits.as_bytes());
        return;
    };
    let (first, rest) = significant.split_at_checked(1).unwrap_or((significant, ""));
    out.extend_from_slice(sign.as_bytes());
    out.extend_from_slice(first.as_bytes());
    if !rest.is_empty() {
        out.push(b'.');
        out.extend_from_slice(rest.as_bytes());
    }
    out.extend_from_slice(b"e-05");
}

/// Appends a share as Python's `format(value, ".1%")` does.
///
/// Python multiplies by 100 as a double and rounds that double's exact value, half to even.
pub(crate) fn write_percent(out: &mut Vec<u8>, value: f64) {
    write_tenths(out, value * 100.0);
    out.push(b'%');
}

/// A double of a smaller size has at least one bit left for its fraction.
const SMALL: f64 = 4_503_599_627_370_496.0;

/// Appends a double with one digit after the point.
fn write_tenths(out: &mut Vec<u8>, value: f64) {
    let size = value.abs();
    if !value.is_finite() {
        write_odd(out, value);
    } else if size < SMALL {
        let (whole, tenth) = tenths(size);
        if value.is_sign_negative() {
            out.push(b'-');
        }
        write_int(out, whole);
        out.extend_from_slice(&[b'.', b'0' + tenth]);
    } else {
        // From 2^52 on a double is whole, so there is nothing to round. Writing to a Vec cannot
        // fail.
        let _ = write!(out, "{value:.1}");
    }
}

/// The whole part and the first decimal of a double from 0 to 2^52, rounded half to even.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the callers' range keeps the whole part under 2^52, the scaled fraction under 2^64 and a digit under 10"
)]
fn tenths(size: f64) -> (u64, u8) {
    let whole = size.trunc();
    // A fraction under 1/32 has bits below 2^-64, but its first decimal is 0 in any case.
    let fraction = size - whole;
    if fraction < 1.0 / 32.0 {
        return (whole as u64, 0);
    }
    let scaled = u128::from((fraction * 18_446_744_073_709_551_616.0) as u64) * 10;
    let (digit, rest) = ((scaled >> 64) as u8, scaled as u64);
    let half = 1 << 63;
    let up = rest > half || (rest == half && digit % 2 == 1);
    match digit + u8::from(up) {
        10 => (whole as u64 + 1, 0),
        digit => (whole as u64, digit),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_beyond_a_double_are_found_where_they_are() {
        for text in ["1e309", "-1E+400", "[{\"a\\\"\":17.5e308}]"] {
            assert!(holds_infinite(text.as_bytes()), "{text}");
        }
        let long = format!("{}.5", "9".repeat(309));
        assert!(holds_infinite(long.as_bytes()));
        for text in
            ["1.7976931348623157e308", "1e-400", "\"1e400\"", "{\"1e400\":0}", "[\"\\\"1e400"]
        {
            assert!(!holds_infinite(text.as_bytes()), "{text}");
        }
        assert!(!holds_infinite("9".repeat(400).as_bytes()));
        let value = serde_json::json!({"a/b": [1, beyond_float(true)]});
        assert_eq!(infinite_in(&value), Some("/a~1b/1".to_owned()));
        assert_eq!(infinite_in(&serde_json::json!({"a": [1, 1e300]})), None);
    }

    #[test]
    fn a_number_is_written_by_its_value() {
        let written = |text: &str| by_value(&text.parse().unwrap()).into_owned();
        for [text, value] in [
            ["7", "7"],
            ["7.0", "7"],
            ["0.7E+1", "7"],
            ["-1.10", "-1.1"],
            ["-0", "0"],
            ["-0.0", "0"],
            ["0e5", "0"],
            ["1e-7", "0.0000001"],
            ["1e22", "10000000000000000000000"],
            ["18446744073709551617", "18446744073709551617"],
            ["1e400", "1e+400"],
        ] {
            assert_eq!(written(text), value);
        }
    }

    fn float(value: f64) -> String {
        let mut out = Vec::new();
        write_float(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    fn percent(value: f64) -> String {
        let mut out = Vec::new();
        write_percent(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    /// What Python 3.11 gave for `repr(x)`.
    #[test]
    fn floats_as_python_shows_them() {
        let shown: &[(f64, &str)] = &[
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (100.0, "100.0"),
            (0.1, "0.1"),
            (1.0 / 3.0, "0.3333333333333333"),
            (0.0001, "0.0001"),
            (0.000_123_4, "0.0001234"),
            (0.000_01, "1e-05"),
            (-0.000_099_9, "-9.99e-05"),
            (1e-7, "1e-07"),
            (1.5e-10, "1.5e-10"),
            (5e-324, "5e-324"),
            (123_456_789.123_456_79, "123456789.12345679"),
            (1e15, "1000000000000000.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (-1.25e16, "-1.25e+16"),
            (1e22, "1e+22"),
            (1e100, "1e+100"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::NAN, "nan"),
            (-f64::NAN, "nan"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, text) in shown {
            assert_eq!(float(*value), *text);
        }
    }

    /// What Python 3.11 gave for `format(x, ".1%")`.
    #[test]
    fn percentages_as_python_shows_them() {
        let shown: &[(f64, &str)] = &[
            (0.3, "30.0%"),
            (0.300_000_000_000_000_04, "30.0%"),
            (0.0005, "0.1%"),
            (0.0015, "0.1%"),
            (0.0025, "0.2%"),
            (0.0035, "0.4%"),
            (0.999_9, "100.0%"),
            (0.999_499_999, "99.9%"),
            (1.0, "100.0%"),
            (100.0, "10000.0%"),
            (-0.0, "-0.0%"),
            (-0.000_1, "-0.0%"),
            (-0.125_5, "-12.6%"),
            (5e-324, "0.0%"),
            (1e22, "999999999999999983222784.0%"),
            (f64::NAN, "nan%"),
            (-f64::NAN, "nan%"),
            (f64::INFINITY, "inf%"),
            (1e307, "inf%"),
            (f64::NEG_INFINITY, "-inf%"),
        ];
        for (value, text) in shown {
            assert_eq!(percent(*value), *text, "{value:?}");
        }
    }

    /// The exact tenths of a double by whole-number arithmetic alone.
    fn exact_tenths(size: f64) -> String {
        let bits = size.to_bits();
        let exponent = i32::try_from(bits >> 52).unwrap();
        let mantissa = bits & ((1 << 52) - 1);
        let (mantissa, exponent) =
            if exponent == 0 { (mantissa, -1074) } else { (mantissa | 1 << 52, exponent - 1075) };
        // Under 2^53, so ten times the value is mantissa * 10 / 2^shift.
        let shift = u32::try_from(-exponent).unwrap();
        let (tenths, rest, half) = if shift > 120 {
            (0, u128::from(mantissa.min(1)), 2)
        } else {
            let scaled = u128::from(mantissa) * 10;
            (
                scaled >> shift,
                scaled & ((1 << shift) - 1),
                if shift == 0 { 1 } else { 1 << (shift - 1) },
            )
        };
        let tenths = tenths + u128::from(rest > half || (rest == half && tenths % 2 == 1));
        format!("{}.{}", tenths / 10, tenths % 10)
    }

    proptest! {
        #[test]
        fn tenths_are_exact(bits in 0_u64..SMALL.to_bits(), near in 0.0_f64..200.0) {
            for size in [f64::from_bits(bits), near] {
                let (whole, tenth) = tenths(size);
                prop_assert_eq!(format!("{}.{}", whole, tenth), exact_tenths(size), "{:e}", size);
            }
        }

        #[test]
        fn ties_go_to_the_even_digit(whole in 0_u32..1_000_000, eighth in 0_u8..8) {
            let size = f64::from(whole) + f64::from(eighth) / 8.0;
            let (found, tenth) = tenths(size);
            prop_assert_eq!(format!("{}.{}", found, tenth), exact_tenths(size));
        }

        #[test]
        fn a_shown_float_reads_back_the_same(bits: u64) {
            let value = f64::from_bits(bits);
            let shown = float(value);
            let read: f64 = shown.parse().unwrap();
            prop_assert!(read.to_bits() == bits || value.is_nan(), "{}", shown);
            // Python never shows a whole number here.
            prop_assert!(shown.contains(['.', 'e', 'n']), "{}", shown);
        }
    }
}
