//! What stands between the quotes of a text: plain characters, and escapes.

use super::expression::{Class, Expression};

/// The characters that stand for themselves between these quotes.
pub(super) fn plain(quote: char) -> Class {
    Class::not(&[(quote, quote), ('\\', '\\'), ('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')])
}

/// The escapes between these quotes, and the same as a regular expression.
///
/// Half of a surrogate pair is no escape: it stands for no character.
pub(super) fn escapes(quote: char, python: bool) -> (Vec<Expression>, &'static str) {
    let letters = match (python, quote) {
        (false, _) => "\"\\/bfnrt",
        (true, '\'') => "'\\nrt",
        (true, _) => "\"\\nrt",
    };
    let hex = || Expression::Class(Class::of(&[('0', '9'), ('a', 'f'), ('A', 'F')]));
    let class = |ranges: &[(char, char)]| Expression::Class(Class::of(ranges));
    let mut all: Vec<_> =
        letters.chars().map(|letter| Expression::literal(format!("\\{letter}"))).collect();
    if python {
        all.push(Expression::sequence([Expression::literal("\\x"), hex(), hex()]));
    }
    let no_d = class(&[('0', '9'), ('a', 'c'), ('A', 'C'), ('e', 'f'), ('E', 'F')]);
    let d = || class(&[('d', 'd'), ('D', 'D')]);
    let mark = || Expression::literal("\\u");
    all.push(Expression::sequence([mark(), no_d, hex(), hex(), hex()]));
    all.push(Expression::sequence([mark(), d(), class(&[('0', '7')]), hex(), hex()]));
    if !python {
        let high = class(&[('8', '9'), ('a', 'b'), ('A', 'B')]);
        let low = class(&[('c', 'f'), ('C', 'F')]);
        let halves = [mark(), d(), high, hex(), hex(), mark(), d(), low, hex(), hex()];
        all.push(Expression::sequence(halves));
    }
    let regex = match (python, quote) {
        (false, _) => {
            r#"\\(["\\\/bfnrt]|u([0-9abceABCEfF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}|[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))"#
        }
        (true, '\'') => {
            r"\\(['\\nrt]|x[0-9a-fA-F]{2}|u([0-9abceABCEfF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}))"
        }
        (true, _) => {
            r#"\\(["\\nrt]|x[0-9a-fA-F]{2}|u([0-9abceABCEfF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}))"#
        }
    };
    (all, regex)
}
