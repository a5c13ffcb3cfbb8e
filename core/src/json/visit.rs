//! Reports the values of a JSON text to a visitor, one by one.
//!
//! A host builds its own values from these reports, in one pass and without a tree in between. Each
//! byte is looked at once. Nothing recurses, so no depth can overflow the stack.
//!
//! ```
//! use std::borrow::Cow;
//! use std::convert::Infallible;
//! use toolwire::json::{Container, VisitOptions, Visitor, visit_json};
//!
//! /// Counts the values that are neither objects nor arrays.
//! struct Leaves(usize);
//!
//! impl Visitor<'_> for Leaves {
//!     type Error = Infallible;
//!
//!     fn open(&mut self, _: Container) -> Result<(), Infallible> {
//!         Ok(())
//!     }
//!     fn key(&mut self, _: Cow<'_, str>) -> Result<(), Infallible> {
//!         Ok(())
//!     }
//!     fn close(&mut self, _: Container) -> Result<(), Infallible> {
//!         Ok(())
//!     }
//!     fn text(&mut self, _: Cow<'_, str>) -> Result<(), Infallible> {
//!         self.null()
//!     }
//!     fn number(&mut self, _: &str) -> Result<(), Infallible> {
//!         self.null()
//!     }
//!     fn boolean(&mut self, _: bool) -> Result<(), Infallible> {
//!         self.null()
//!     }
//!     fn null(&mut self) -> Result<(), Infallible> {
//!         self.0 += 1;
//!         Ok(())
//!     }
//! }
//!
//! let mut leaves = Leaves(0);
//! visit_json(br#"{"a": [1, "x", null], "b": {}}"#, VisitOptions::default(), &mut leaves)?;
//! assert_eq!(leaves.0, 3);
//! # Ok::<(), toolwire::json::VisitError<Infallible>>(())
//! ```

use std::borrow::Cow;
use std::fmt;

use crate::json::lexeme::is_number;
use crate::json::scanner::{Container, Quoted, ScanFault, Scanned, Scanner, Token};
use crate::json::text::decoded;
use crate::progress::NeedMore;

/// The deepest nesting of objects and arrays in a value that is read.
pub const MAX_VALUE_DEPTH: usize = 128;

/// Builds something from the parts of a JSON text, which arrive in their order.
///
/// The key of a member comes before its value. An error ends the reading.
pub trait Visitor<'t> {
    /// An error of the visitor, such as an exception of its host.
    type Error;

    /// An object or an array begins.
    ///
    /// # Errors
    /// Any error of the visitor; the same holds for its other functions.
    fn open(&mut self, container: Container) -> Result<(), Self::Error>;

    /// The innermost object or array ends; it is of this kind.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    fn close(&mut self, container: Container) -> Result<(), Self::Error>;

    /// A key of the innermost object.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    fn key(&mut self, key: Cow<'t, str>) -> Result<(), Self::Error>;

    /// A text; borrowed if it has no escapes.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    fn text(&mut self, text: Cow<'t, str>) -> Result<(), Self::Error>;

    /// A number as it is written, which follows the grammar of RFC 8259.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    fn number(&mut self, digits: &'t str) -> Result<(), Self::Error>;

    /// `true` or `false`.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    fn boolean(&mut self, value: bool) -> Result<(), Self::Error>;

    /// `null`.
    ///
    /// # Errors
    /// See [`open`](Self::open).
    fn null(&mut self) -> Result<(), Self::Error>;
}

/// The options of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitOptions {
    /// The deepest nesting of objects and arrays; [`MAX_VALUE_DEPTH`] by default.
    pub max_depth: usize,
    /// What becomes of an escape that is a lone surrogate; refused by default.
    pub lone_surrogates: LoneSurrogates,
}

impl Default for VisitOptions {
    fn default() -> Self {
        Self { max_depth: MAX_VALUE_DEPTH, lone_surrogates: LoneSurrogates::Refused }
    }
}

/// What becomes of an escape that is a lone surrogate, which no string could hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoneSurrogates {
    /// An error.
    Refused,
    /// The character U+FFFD.
    Replaced,
}

/// Why a reading ended before the end of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VisitError<E> {
    /// The text is not JSON, or nests too deep.
    Text(ParseError),
    /// The visitor returned an error.
    Visitor(E),
}

impl<E: fmt::Display> fmt::Display for VisitError<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(error) => error.fmt(formatter),
            Self::Visitor(error) => error.fmt(formatter),
        }
    }
}

impl<E: std::error::Error> std::error::Error for VisitError<E> {}

/// Why a text is not read as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What is wrong with the text.
    pub kind: ParseErrorKind,
    /// The offset of the byte at which the fault shows.
    pub offset: usize,
    message: &'static str,
}

/// What is wrong with a text that is not read as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// The text ends too early.
    Cut,
    /// The text is not JSON, or not UTF-8.
    Syntax,
    /// The text nests too deep.
    TooDeep,
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at byte {}", self.message, self.offset)
    }
}

impl std::error::Error for ParseError {}

impl ParseError {
    pub(crate) fn syntax(message: &'static str, offset: usize) -> Self {
        Self { kind: ParseErrorKind::Syntax, offset, message }
    }

    fn cut(offset: usize) -> Self {
        Self { kind: ParseErrorKind::Cut, offset, message: "the text ends too early" }
    }

    fn of_fault(fault: ScanFault) -> Self {
        match fault {
            ScanFault::Syntax(offset, message) => Self::syntax(message, offset),
            ScanFault::TooDeep(offset) => {
                Self { kind: ParseErrorKind::TooDeep, offset, message: "the value nests too deep" }
            }
        }
    }
}

/// Reports one JSON value to a visitor.
///
/// Accepts exactly the JSON of RFC 8259, with one exception: [`VisitOptions::lone_surrogates`]
/// decides what becomes of an escape that is a lone surrogate, which no string could hold. A key
/// that comes twice is reported twice.
///
/// # Errors
///
/// A [`VisitError::Text`] for a text that is not JSON or nests too deep. This may show only after
/// parts of the text were reported. A [`VisitError::Visitor`] for an error of the visitor.
pub fn visit_json<'t, V: Visitor<'t>>(
    text: &'t [u8],
    options: VisitOptions,
    visitor: &mut V,
) -> Result<(), VisitError<V::Error>> {
    let text = std::str::from_utf8(text).map_err(|error| {
        VisitError::Text(ParseError::syntax("the text is not UTF-8", error.valid_up_to()))
    })?;
    if let Some(digits) = lone_number(text) {
        return visitor.number(digits.map_err(VisitError::Text)?).map_err(VisitError::Visitor);
    }
    let mut scanner = Scanner::new(0, options.max_depth);
    if options.lone_surrogates == LoneSurrogates::Replaced {
        scanner = scanner.taking_lone_surrogates();
    }
    while !scanner.done() {
        let token = match scanner.next(text.as_bytes()) {
            Ok(Scanned::Token(token)) => token,
            Ok(Scanned::Fault(fault)) => return Err(VisitError::Text(ParseError::of_fault(fault))),
            Err(NeedMore) => return Err(VisitError::Text(ParseError::cut(text.len()))),
        };
        tell(visitor, text, token).map_err(VisitError::Visitor)?;
    }
    let rest = text.get(scanner.pos()..).unwrap_or_default();
    match rest.bytes().position(|byte| !is_space(byte)) {
        Some(more) => {
            let offset = scanner.pos() + more;
            Err(VisitError::Text(ParseError::syntax("text follows the value", offset)))
        }
        None => Ok(()),
    }
}

/// Reports one token.
fn tell<'t, V: Visitor<'t>>(visitor: &mut V, text: &'t str, token: Token) -> Result<(), V::Error> {
    match token {
        Token::Open(container, _) => visitor.open(container),
        Token::Close(container, _) => visitor.close(container),
        Token::Key(quoted) => visitor.key(string(text, quoted)),
        Token::Text(quoted) => visitor.text(string(text, quoted)),
        Token::Number(start, end) => visitor.number(text.get(start..end).unwrap_or_default()),
        Token::Literal(start, end) => match text.get(start..end) {
            Some("true") => visitor.boolean(true),
            Some("false") => visitor.boolean(false),
            _ => visitor.null(),
        },
    }
}

/// A text that begins like a number.
///
/// The scanner needs the byte after a number to know that the number is complete, so a lone number
/// is read here.
fn lone_number(text: &str) -> Option<Result<&str, ParseError>> {
    let text = text.trim_matches(|letter: char| letter.is_ascii() && is_space(letter as u8));
    if !matches!(text.as_bytes().first(), Some(b'-' | b'0'..=b'9')) {
        return None;
    }
    let whole = is_number(text.as_bytes());
    Some(if whole { Ok(text) } else { Err(ParseError::syntax("not a number", 0)) })
}

fn string(text: &str, quoted: Quoted) -> Cow<'_, str> {
    let inner = text.get(quoted.start + 1..quoted.end.saturating_sub(1)).unwrap_or_default();
    if quoted.escaped { Cow::Owned(decoded(inner)) } else { Cow::Borrowed(inner) }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes down what is reported, until a text that it refuses.
    #[derive(Default)]
    struct Told(Vec<String>);

    impl Visitor<'_> for Told {
        type Error = String;

        fn open(&mut self, container: Container) -> Result<(), String> {
            self.0.push(format!("open {container:?}"));
            Ok(())
        }

        fn close(&mut self, container: Container) -> Result<(), String> {
            self.0.push(format!("close {container:?}"));
            Ok(())
        }

        fn key(&mut self, key: Cow<'_, str>) -> Result<(), String> {
            self.0.push(format!("key {key}"));
            Ok(())
        }

        fn text(&mut self, text: Cow<'_, str>) -> Result<(), String> {
            if text == "stop" {
                return Err("stopped".to_owned());
            }
            self.0.push(format!("text {text}"));
            Ok(())
        }

        fn number(&mut self, digits: &str) -> Result<(), String> {
            self.0.push(format!("number {digits}"));
            Ok(())
        }

        fn boolean(&mut self, value: bool) -> Result<(), String> {
            self.0.push(value.to_string());
            Ok(())
        }

        fn null(&mut self) -> Result<(), String> {
            self.0.push("null".to_owned());
            Ok(())
        }
    }

    fn told(text: &str, options: VisitOptions) -> Result<String, VisitError<String>> {
        let mut told = Told::default();
        visit_json(text.as_bytes(), options, &mut told).map(|()| told.0.join(", "))
    }

    #[test]
    fn each_part_is_told_in_its_order() {
        let plain = VisitOptions::default();
        for (text, parts) in [
            (
                r#" {"a\n": [1E5, true, "x"], "b": {}} "#,
                "open Object, key a\n, open Array, number 1E5, true, text x, close Array, key b, \
                 open Object, close Object, close Object",
            ),
            (r#"{"a":1,"a":null}"#, "open Object, key a, number 1, key a, null, close Object"),
            (" -0.5 ", "number -0.5"),
            ("false\n", "false"),
        ] {
            assert_eq!(told(text, plain).unwrap(), parts, "{text}");
        }
    }

    #[test]
    fn the_visitor_may_stop_the_reading() {
        let stopped = told(r#"["stop", 01]"#, VisitOptions::default());
        assert_eq!(stopped, Err(VisitError::Visitor("stopped".to_owned())));
        assert!(matches!(told("[01]", VisitOptions::default()), Err(VisitError::Text(_))));
    }

    #[test]
    fn options_say_what_becomes_of_halves_and_depth() {
        let lenient =
            VisitOptions { max_depth: usize::MAX, lone_surrogates: LoneSurrogates::Replaced };
        let text = r#"["a\ud800", "\udc00\ud83d\ude00"]"#;
        let parts = "open Array, text a\u{fffd}, text \u{fffd}😀, close Array";
        assert_eq!(told(text, lenient).unwrap(), parts);
        assert!(told(text, VisitOptions::default()).is_err());
        for bad in [r#"["\ud800\u00"]"#, r#"["\ud8"]"#, r#"["\ud800"#, r#"["\ud800\"]"#] {
            assert!(told(bad, lenient).is_err(), "{bad}");
        }
        let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        assert!(told(&deep, lenient).is_ok());
        assert!(told(&deep, VisitOptions { max_depth: 999, ..lenient }).is_err());
    }
}
