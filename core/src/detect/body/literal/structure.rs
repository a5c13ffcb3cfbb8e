//! The brackets of a literal, and the commas between its values.

use crate::detect::body::literal::{Bracket, LiteralExpected, LiteralReader};
use crate::detect::format::shape::LiteralDialect;
use crate::json::outcome::{BadArguments, Stop};
use crate::progress::NeedMore;

impl LiteralReader {
    pub(super) fn structure(&mut self, input: &[u8]) -> Result<(), Stop> {
        let rest = input.get(self.pos..).unwrap_or_default();
        let &byte = rest.first().ok_or(NeedMore)?;
        match (self.expected, byte) {
            (_, b' ' | b'\t' | b'\r' | b'\n') => {
                self.pos += 1;
                Ok(())
            }
            _ if self.stack.is_empty() && !self.syntax.opening.contains(&byte) => {
                Err(self.bad("the arguments do not start with a bracket"))
            }
            (LiteralExpected::Value | LiteralExpected::ValueOrEnd, b'(' | b'[' | b'{') => {
                self.open(byte)
            }
            (
                LiteralExpected::ValueOrEnd
                | LiteralExpected::KeyOrEnd
                | LiteralExpected::CommaOrEnd,
                b')' | b']' | b'}',
            ) => self.close(byte),
            (LiteralExpected::CommaOrEnd, b',') => {
                self.comma();
                Ok(())
            }
            (LiteralExpected::Separator, b'=' | b':') => self.separator(byte),
            (LiteralExpected::Separator, b',' | b'}') if self.may_be_set() => {
                self.dict_is_set();
                Ok(())
            }
            (LiteralExpected::CommaOrEnd | LiteralExpected::Separator, _) => {
                Err(self.bad("the structure is no literal"))
            }
            _ => self.value_or_key(rest, byte),
        }
    }

    fn open(&mut self, byte: u8) -> Result<(), Stop> {
        if self.stack.len() >= self.syntax.tolerance.depth {
            return Err(Stop::Bad(BadArguments::too_deep(self.pos)));
        }
        let (bracket, json, expected) = match byte {
            b'(' if self.stack.is_empty() => (Bracket::Call, b'{', LiteralExpected::KeyOrEnd),
            b'(' if self.syntax.dialect != LiteralDialect::Python => {
                return Err(self.bad("a round bracket is no literal"));
            }
            b'(' => (Bracket::Tuple { commas: 0 }, b'[', LiteralExpected::ValueOrEnd),
            b'[' => (Bracket::List, b'[', LiteralExpected::ValueOrEnd),
            _ => (Bracket::Dict, b'{', LiteralExpected::KeyOrEnd),
        };
        if self.stack.is_empty() {
            self.start = self.pos;
        }
        self.comma_before();
        self.stack.push(bracket);
        self.json.push(json);
        self.pos += 1;
        self.expected = expected;
        Ok(())
    }

    /// Writes the comma between two values, once it is sure that another one follows.
    pub(super) fn comma_before(&mut self) {
        let fresh = matches!(self.json.last(), None | Some(b'{' | b'[' | b':'));
        if !fresh && self.expected != LiteralExpected::CommaOrEnd {
            self.json.push(b',');
        }
    }

    fn close(&mut self, byte: u8) -> Result<(), Stop> {
        let (closes, json) = match self.stack.last() {
            Some(Bracket::Call) => (b')', b'}'),
            Some(Bracket::Dict) => (b'}', b'}'),
            Some(Bracket::Set) => (b'}', b']'),
            Some(Bracket::List) => (b']', b']'),
            Some(Bracket::Tuple { commas }) => {
                if *commas == 0 && self.json.last() != Some(&b'[') {
                    return Err(self.bad("a value in brackets is no literal"));
                }
                (b')', b']')
            }
            None => return Err(self.bad("a bracket is closed that was not opened")),
        };
        if byte != closes {
            return Err(self.bad("the brackets do not match"));
        }
        let depth = self.stack.len();
        self.stack.pop();
        while self.keys.pop_if(|(level, _)| *level >= depth).is_some() {}
        self.json.push(json);
        self.pos += 1;
        if self.stack.len() == 1 && self.stack.first() == Some(&Bracket::List) {
            self.element_ends.push(self.pos);
        }
        self.expected = LiteralExpected::CommaOrEnd;
        Ok(())
    }

    fn comma(&mut self) {
        self.pos += 1;
        self.expected = match self.stack.last_mut() {
            Some(Bracket::Tuple { commas }) => {
                *commas += 1;
                LiteralExpected::ValueOrEnd
            }
            Some(Bracket::List | Bracket::Set) | None => LiteralExpected::ValueOrEnd,
            Some(Bracket::Call | Bracket::Dict) => LiteralExpected::KeyOrEnd,
        };
    }
}
