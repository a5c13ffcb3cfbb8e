//! A JSON tokenizer that stops where its input ends and goes on from there.
//!
//! It holds one bit for each open bracket and never recurses. Each byte is looked at once, wherever
//! the input is cut. It accepts exactly the JSON of RFC 8259, with one exception: an escape that is
//! half of a surrogate pair is a fault, as no string could hold it. An option lets it pass.

use crate::json::lexeme::{HALF, is_number, is_part_of_number, is_surrogate};
use crate::json::run::{RunEnd, run_end};
use crate::progress::{NeedMore, Progress};

/// An object or an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// Keys with values, in braces.
    Object,
    /// Values, in square brackets.
    Array,
}

/// A complete token; positions are bytes into the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Open(Container, usize),
    /// The byte after the bracket.
    Close(Container, usize),
    Key(Quoted),
    Text(Quoted),
    Number(usize, usize),
    /// `true`, `false` or `null`.
    Literal(usize, usize),
}

/// A string with its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quoted {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether it holds a backslash.
    pub(crate) escaped: bool,
}

/// Why the input is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScanFault {
    Syntax(usize, &'static str),
    TooDeep(usize),
}

impl ScanFault {
    /// The offset of the fault.
    pub(crate) fn at(self) -> usize {
        let (Self::Syntax(at, _) | Self::TooDeep(at)) = self;
        at
    }
}

/// What the scanner read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scanned {
    Token(Token),
    Fault(ScanFault),
}

/// What may stand next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExpectedToken {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    /// The value has ended.
    Nothing,
}

/// The token that is being read at the end of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartialToken {
    Nothing,
    Text { start: usize, escaped: bool },
    Number { start: usize },
}

/// The kinds of the open brackets, a bit each.
#[derive(Clone, Debug, Default)]
struct Nesting {
    top: u128,
    below: Vec<u128>,
    depth: usize,
}

impl Nesting {
    fn push(&mut self, container: Container) {
        if self.depth > 0 && self.depth.is_multiple_of(128) {
            self.below.push(self.top);
        }
        self.top = (self.top << 1) | u128::from(container == Container::Object);
        self.depth += 1;
    }

    fn pop(&mut self) -> Option<Container> {
        self.depth = self.depth.checked_sub(1)?;
        let container = if self.top & 1 == 1 { Container::Object } else { Container::Array };
        self.top >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(128) {
            self.top = self.below.pop().unwrap_or_default();
        }
        Some(container)
    }

    fn innermost(&self) -> Option<Container> {
        let container = if self.top & 1 == 1 { Container::Object } else { Container::Array };
        (self.depth > 0).then_some(container)
    }
}

/// The tokenizer's state between two pieces of input.
#[derive(Clone, Debug)]
pub(crate) struct Scanner {
    pos: usize,
    expected: ExpectedToken,
    partial: PartialToken,
    nesting: Nesting,
    max_depth: usize,
    takes_lone_surrogates: bool,
}

impl Scanner {
    /// Starts before a value at `pos`.
    pub(crate) fn new(pos: usize, max_depth: usize) -> Self {
        Self {
            pos,
            expected: ExpectedToken::Value,
            partial: PartialToken::Nothing,
            nesting: Nesting::default(),
            max_depth,
            takes_lone_surrogates: false,
        }
    }

    /// Also accepts lone surrogates, which stand for U+FFFD.
    pub(crate) fn taking_lone_surrogates(self) -> Self {
        Self { takes_lone_surrogates: true, ..self }
    }

    /// The number of open brackets.
    pub(crate) fn depth(&self) -> usize {
        self.nesting.depth
    }

    /// The offset up to which the input is read.
    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    /// Whether the value is complete.
    pub(crate) fn done(&self) -> bool {
        self.expected == ExpectedToken::Nothing
    }

    /// Reads on to the end of the next token.
    pub(crate) fn next(&mut self, input: &[u8]) -> Progress<Scanned> {
        match self.partial {
            PartialToken::Text { start, escaped } => return self.text(input, start, escaped),
            PartialToken::Number { start } => return self.number(input, start),
            PartialToken::Nothing => {}
        }
        loop {
            let &byte = input.get(self.pos).ok_or(NeedMore)?;
            match byte {
                b' ' | b'\n' | b'\r' | b'\t' => self.pos += 1,
                b':' if self.expected == ExpectedToken::Colon => {
                    self.pos += 1;
                    self.expected = ExpectedToken::Value;
                }
                b',' if self.expected == ExpectedToken::CommaOrEnd => {
                    self.pos += 1;
                    self.expected = match self.nesting.innermost() {
                        Some(Container::Object) => ExpectedToken::Key,
                        _ => ExpectedToken::Value,
                    };
                }
                _ => return self.token(input, byte),
            }
        }
    }

    fn token(&mut self, input: &[u8], byte: u8) -> Progress<Scanned> {
        let start = self.pos;
        match (self.expected, byte) {
            (ExpectedToken::Value | ExpectedToken::ValueOrEnd, b'{') => {
                Ok(self.open(Container::Object))
            }
            (ExpectedToken::Value | ExpectedToken::ValueOrEnd, b'[') => {
                Ok(self.open(Container::Array))
            }
            (ExpectedToken::ValueOrEnd, b']')
            | (ExpectedToken::KeyOrEnd, b'}')
            | (ExpectedToken::CommaOrEnd, b']' | b'}') => Ok(self.close(byte)),
            (
                ExpectedToken::Value
                | ExpectedToken::ValueOrEnd
                | ExpectedToken::Key
                | ExpectedToken::KeyOrEnd,
                b'"',
            ) => {
                self.pos += 1;
                self.text(input, start, false)
            }
            (ExpectedToken::Value | ExpectedToken::ValueOrEnd, b'-' | b'0'..=b'9') => {
                self.number(input, start)
            }
            (ExpectedToken::Value | ExpectedToken::ValueOrEnd, b't') => {
                self.literal(input, b"true")
            }
            (ExpectedToken::Value | ExpectedToken::ValueOrEnd, b'f') => {
                self.literal(input, b"false")
            }
            (ExpectedToken::Value | ExpectedToken::ValueOrEnd, b'n') => {
                self.literal(input, b"null")
            }
            _ => Ok(self.unexpected()),
        }
    }

    fn unexpected(&self) -> Scanned {
        let what = match self.expected {
            ExpectedToken::Value => "a value is expected",
            ExpectedToken::ValueOrEnd => "a value or ] is expected",
            ExpectedToken::Key => "a key in double quotes is expected",
            ExpectedToken::KeyOrEnd => "a key in double quotes or } is expected",
            ExpectedToken::Colon => "a colon is expected",
            ExpectedToken::CommaOrEnd => "a comma or a closing bracket is expected",
            ExpectedToken::Nothing => "the value has ended",
        };
        Scanned::Fault(ScanFault::Syntax(self.pos, what))
    }

    fn open(&mut self, container: Container) -> Scanned {
        let start = self.pos;
        if self.nesting.depth >= self.max_depth {
            return Scanned::Fault(ScanFault::TooDeep(start));
        }
        self.nesting.push(container);
        self.pos += 1;
        self.expected = match container {
            Container::Object => ExpectedToken::KeyOrEnd,
            Container::Array => ExpectedToken::ValueOrEnd,
        };
        Scanned::Token(Token::Open(container, start))
    }

    fn close(&mut self, byte: u8) -> Scanned {
        let closed = if byte == b'}' { Container::Object } else { Container::Array };
        if self.nesting.innermost() != Some(closed) {
            return Scanned::Fault(ScanFault::Syntax(self.pos, "the brackets do not match"));
        }
        self.nesting.pop();
        self.pos += 1;
        self.value_ends();
        Scanned::Token(Token::Close(closed, self.pos))
    }

    fn value_ends(&mut self) {
        self.expected = if self.nesting.depth == 0 {
            ExpectedToken::Nothing
        } else {
            ExpectedToken::CommaOrEnd
        };
    }

    /// Reads on inside the string that starts at `start`, from `self.pos`.
    fn text(&mut self, input: &[u8], start: usize, mut escaped: bool) -> Progress<Scanned> {
        let mut pos = self.pos;
        loop {
            let rest = input.get(pos..).unwrap_or_default();
            match run_end(rest, &mut escaped) {
                RunEnd::Goes(length) => pos += length,
                RunEnd::Quote(at) => {
                    self.pos = pos + at + 1;
                    return Ok(self.text_ends(Quoted { start, end: self.pos, escaped }));
                }
                RunEnd::OutOfInput(at) => {
                    self.pos = pos + at;
                    self.partial = PartialToken::Text { start, escaped };
                    return Err(NeedMore);
                }
                RunEnd::Bad(at, what) => {
                    self.pos = pos + at;
                    if self.takes_lone_surrogates
                        && is_surrogate(input.get(self.pos..).unwrap_or_default())
                    {
                        pos = self.pos + HALF;
                        continue;
                    }
                    return Ok(Scanned::Fault(ScanFault::Syntax(self.pos, what)));
                }
            }
        }
    }

    fn text_ends(&mut self, quoted: Quoted) -> Scanned {
        self.partial = PartialToken::Nothing;
        if matches!(self.expected, ExpectedToken::Key | ExpectedToken::KeyOrEnd) {
            self.expected = ExpectedToken::Colon;
            return Scanned::Token(Token::Key(quoted));
        }
        self.value_ends();
        Scanned::Token(Token::Text(quoted))
    }

    fn number(&mut self, input: &[u8], start: usize) -> Progress<Scanned> {
        let rest = input.get(self.pos..).unwrap_or_default();
        let Some(more) = rest.iter().position(|byte| !is_part_of_number(*byte)) else {
            self.pos = input.len();
            self.partial = PartialToken::Number { start };
            return Err(NeedMore);
        };
        self.pos += more;
        self.partial = PartialToken::Nothing;
        if !is_number(input.get(start..self.pos).unwrap_or_default()) {
            return Ok(Scanned::Fault(ScanFault::Syntax(start, "not a number")));
        }
        self.value_ends();
        Ok(Scanned::Token(Token::Number(start, self.pos)))
    }

    fn literal(&mut self, input: &[u8], word: &[u8]) -> Progress<Scanned> {
        let start = self.pos;
        let rest = input.get(start..).unwrap_or_default();
        if rest.starts_with(word) {
            self.pos += word.len();
            self.value_ends();
            Ok(Scanned::Token(Token::Literal(start, self.pos)))
        } else if word.starts_with(rest) {
            Err(NeedMore)
        } else {
            Ok(self.unexpected())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &[u8], chunk: usize) -> (Vec<Token>, Progress<Scanned>) {
        let mut scanner = Scanner::new(0, 8);
        let mut tokens = Vec::new();
        let mut end = 0;
        loop {
            match scanner.next(text.get(..end).unwrap()) {
                Ok(Scanned::Token(token)) => tokens.push(token),
                Err(NeedMore) if end == text.len() => return (tokens, Err(NeedMore)),
                Err(NeedMore) => end = (end + chunk).min(text.len()),
                fault @ Ok(Scanned::Fault(_)) => return (tokens, fault),
            }
            if scanner.done() {
                return (tokens, Err(NeedMore));
            }
        }
    }

    #[test]
    fn cutting_the_input_changes_nothing() {
        let texts: [&[u8]; 7] = [
            br#" {"a" : [1, -2.5e+3, true, null, "x\"\\\ud83d\ude00y"], "b":{}} "#,
            br#"{"a":"\ud83dx"}"#,
            br#"{"a":"\udc00"}"#,
            b"{\"a\":\"tab\there\"}",
            b"[[[[[[[[[1]]]]]]]]]",
            b"{\"a\":01 }",
            b"{\"a\":tru}",
        ];
        for text in texts {
            let whole = tokens(text, text.len());
            for chunk in 1..8 {
                assert_eq!(tokens(text, chunk), whole, "{}", String::from_utf8_lossy(text));
            }
        }
    }

    #[test]
    fn a_long_string_is_scanned_for_control_characters() {
        let mut text = br#"{"a":""#.to_vec();
        text.extend([b'x'; 100]);
        text.push(b'\n');
        text.extend(br#""}"#);
        let (_, step) = tokens(&text, text.len());
        let fault = ScanFault::Syntax(106, "a control character must be escaped");
        assert_eq!(step, Ok(Scanned::Fault(fault)));
    }

    #[test]
    fn brackets_nest_beyond_one_word_of_bits() {
        let mut nesting = Nesting::default();
        let kinds: Vec<_> = (0..1000)
            .map(|index| if index % 3 == 0 { Container::Object } else { Container::Array })
            .collect();
        for &kind in &kinds {
            nesting.push(kind);
        }
        for &kind in kinds.iter().rev() {
            assert_eq!(nesting.innermost(), Some(kind));
            assert_eq!(nesting.pop(), Some(kind));
        }
        assert_eq!(nesting.pop(), None);
    }
}
