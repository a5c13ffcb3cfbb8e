//! Arguments that are literals of a programming language: `(city='Rome', days=[1, 2])`.
//!
//! Nothing is evaluated: an expression that is no literal is refused. There are two dialects: the
//! arguments of a Python call, and braces whose strings stand between markers. The result is JSON.

mod entry;
mod quoted;
mod repair;
mod structure;
mod text;

use crate::call::{RejectionCode, Span};
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{LiteralDialect, Marked};
use crate::json::diagnostics::Diagnostics;
use crate::json::outcome::{ArgumentsProgress, BadArguments, ReadArguments, Stop, Tolerance};
use crate::json::reason::Reason;
use crate::progress::NeedMore;

/// What may stand next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LiteralExpected {
    Value,
    ValueOrEnd,
    KeyOrEnd,
    Separator,
    CommaOrEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bracket {
    /// The round bracket of the call.
    Call,
    Dict,
    /// Braces that hold values without keys.
    Set,
    List,
    Tuple {
        commas: usize,
    },
}

/// The search for the quote that ends a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct QuotedEnd {
    quote: u8,
    /// The offset of the first quote that does not end the string.
    first: usize,
    /// The offset before which every quote was looked at.
    pos: usize,
    /// The quote that can end the string, if one was found.
    end: Option<usize>,
}

/// What is being read at the end of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartialLiteral {
    Nothing,
    /// A string that `quotes` quotes open and close. A raw string has no escapes.
    Text {
        quote: u8,
        quotes: usize,
        raw: bool,
    },
    /// A string that holds its own quotes, while its end is searched for.
    Quoting(QuotedEnd),
    /// A string that ends at a quote that is known.
    UpTo(usize),
    /// A string between markers.
    Marked,
    Word {
        start: usize,
    },
}

/// How a literal is written.
#[derive(Clone, Debug)]
struct LiteralSyntax {
    /// The brackets with which the arguments or the value may start.
    opening: &'static [u8],
    dialect: LiteralDialect,
    tolerance: Tolerance,
    /// The markers beyond which the call cannot reach, if it stands between markers.
    bounds: Vec<Box<[u8]>>,
}

/// Reads the arguments of one call, or one value.
#[derive(Clone, Debug)]
pub(crate) struct LiteralReader {
    syntax: LiteralSyntax,
    start: usize,
    pos: usize,
    stack: Vec<Bracket>,
    expected: LiteralExpected,
    partial: PartialLiteral,
    json: Vec<u8>,
    keys: Vec<(usize, Box<[u8]>)>,
    /// Where the text of the key being read starts in the JSON.
    key: usize,
    /// Whether that key stands without quotes.
    key_is_word: bool,
    diagnostics: Diagnostics,
    /// Where the elements of the outermost list end.
    element_ends: Vec<usize>,
}

impl LiteralReader {
    /// Starts before a list or a dictionary.
    pub(crate) fn value(dialect: &LiteralDialect, pos: usize, tolerance: Tolerance) -> Self {
        let mut reader = Self::new(dialect, pos, tolerance);
        reader.syntax.opening = b"[{";
        reader
    }

    fn new(dialect: &LiteralDialect, pos: usize, tolerance: Tolerance) -> Self {
        Self {
            syntax: LiteralSyntax {
                opening: if *dialect == LiteralDialect::Python { b"(" } else { b"{" },
                dialect: dialect.clone(),
                tolerance,
                bounds: Vec::new(),
            },
            start: pos,
            pos,
            stack: Vec::new(),
            expected: LiteralExpected::Value,
            partial: PartialLiteral::Nothing,
            json: Vec::new(),
            keys: Vec::new(),
            key: 0,
            key_is_word: false,
            diagnostics: Diagnostics::default(),
            element_ends: Vec::new(),
        }
    }

    /// Starts at the bracket that opens the arguments of a call.
    pub(crate) fn of_call(
        dialect: &LiteralDialect,
        pos: usize,
        tolerance: Tolerance,
        marked: &Marked,
    ) -> Self {
        let mut reader = Self::new(dialect, pos, tolerance);
        if let Some(wrapper) = marked.wrapper.as_ref().filter(|_| !marked.plain) {
            let opens = wrapper.open.iter().map(Marker::lead);
            let closes = wrapper.close.iter().filter_map(|marker| marker.texts().last());
            reader.syntax.bounds = opens.chain(closes).map(Into::into).collect();
        }
        reader
    }

    /// The JSON so far, as far as it is certain.
    pub(crate) fn json(&self) -> &[u8] {
        self.json.get(..self.certain()).unwrap_or(&self.json)
    }

    /// Where the elements of the outermost list end, once the list is read.
    pub(crate) fn take_element_ends(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.element_ends)
    }

    /// Whether an argument has begun.
    pub(crate) fn begun(&self) -> bool {
        self.json.len() > 1
    }

    /// Reads on as far as `input` reaches.
    pub(crate) fn step(&mut self, input: &[u8]) -> ArgumentsProgress {
        match Stop::progress(self.read(input)) {
            Err(NeedMore) if input.len() > self.limit() => {
                Ok(Err(BadArguments::too_large(self.limit())))
            }
            progress => progress,
        }
    }

    /// The byte that the arguments must not reach.
    fn limit(&self) -> usize {
        self.start.saturating_add(self.syntax.tolerance.bytes)
    }

    fn read(&mut self, input: &[u8]) -> Result<ReadArguments, Stop> {
        loop {
            let input = input.get(..self.limit()).unwrap_or(input);
            match self.partial {
                PartialLiteral::Nothing => self.structure(input)?,
                PartialLiteral::Text { quote, quotes, raw } => {
                    self.text(input, quote, quotes, raw)?;
                }
                PartialLiteral::Quoting(search) => self.find_end(input, search)?,
                PartialLiteral::UpTo(end) => self.text_up_to(input, end)?,
                PartialLiteral::Marked => self.marked_text(input)?,
                PartialLiteral::Word { start } => self.word(input, start)?,
            }
            if self.stack.is_empty() && self.expected == LiteralExpected::CommaOrEnd {
                return Ok(self.arguments());
            }
        }
    }

    /// The arguments that were read to their end.
    fn arguments(&mut self) -> ReadArguments {
        let json =
            String::from_utf8_lossy(&std::mem::take(&mut self.json)).into_owned().into_boxed_str();
        let notes = self.diagnostics.take();
        ReadArguments { span: Span::new(self.start, self.pos), notes, made: Some(json) }
    }

    fn bad(&self, what: &'static str) -> Stop {
        let reason = Reason::Failed("the arguments cannot be read", what);
        Stop::Bad(BadArguments::new(RejectionCode::BadJson, self.pos, reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::outcome::Repair;

    fn read(dialect: &LiteralDialect, text: &str, chunk: usize) -> Result<String, String> {
        let tolerance = Tolerance { depth: 8, bytes: 4096, repair: Repair::Off };
        let mut reader = LiteralReader::new(dialect, 0, tolerance);
        let text = text.as_bytes();
        let mut end = chunk.min(text.len());
        loop {
            match reader.step(text.get(..end).unwrap()) {
                Ok(Ok(read)) => return Ok(read.made.unwrap().into()),
                Ok(Err(bad)) => return Err(format!("{} at {}", bad.reason, bad.at)),
                Err(NeedMore) if end == text.len() => return Err("more".to_owned()),
                Err(NeedMore) => end = (end + chunk).min(text.len()),
            }
        }
    }

    fn check(dialect: &LiteralDialect, text: &str, expected: Result<&str, ()>) {
        let whole = read(dialect, text, text.len());
        match expected {
            Ok(json) => {
                assert_eq!(whole.as_deref(), Ok(json), "{text}");
                serde_json::from_str::<serde_json::Value>(json).unwrap();
            }
            Err(()) => assert!(whole.is_err(), "{text}: {whole:?}"),
        }
        for chunk in 1..5 {
            assert_eq!(read(dialect, text, chunk), whole, "{text}");
        }
    }

    #[test]
    fn python_calls_become_json() {
        let good = [
            ("()", "{}"),
            ("( )", "{}"),
            ("(a=1, b='x', c=[True, None,],)", r#"{"a":1,"b":"x","c":[true,null]}"#),
            (r#"(a="it's", b='say "hi"')"#, r#"{"a":"it's","b":"say \"hi\""}"#),
            (r"(a='a\tb\\c\x41\u00e9\101\d')", r#"{"a":"a\tb\\cAéA\\d"}"#),
            (r"(a='\ud83d\ude00')", r#"{"a":"😀"}"#),
            (r"(a=r'c:\n', b=u'x')", r#"{"a":"c:\\n","b":"x"}"#),
            ("(a='''x\n'y''')", r#"{"a":"x\n'y"}"#),
            ("(a='', b=\"\")", r#"{"a":"","b":""}"#),
            ("(a={'k': (1, 2), \"e\": {}}, b=())", r#"{"a":{"k":[1,2],"e":{}},"b":[]}"#),
            ("(n=-1.5e3, big=12345678901234567890)", r#"{"n":-1.5e3,"big":12345678901234567890}"#),
        ];
        for (text, json) in good {
            check(&LiteralDialect::Python, text, Ok(json));
        }
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        for bad in [
            "(1)",
            "(a=b)",
            "(a=f(1))",
            "(a=1+2)",
            "(a=(1))",
            "(a='x\n')",
            "(a=1 b=2)",
            "(a='\\ud83d')",
            "(a=01)",
            "(a:1)",
            "(a={1: 2})",
            "(a={'k'=1})",
            "(a=[1)",
            "(a=f'x')",
            "(a='x' 'y')",
            "(a=[[[[[[[[[[1]]]]]]]]]])",
            "x",
            "(*a)",
            "(a=1__0)",
        ] {
            check(&LiteralDialect::Python, bad, Err(()));
        }
    }

    #[test]
    fn braces_have_strings_between_markers() {
        let braces = LiteralDialect::Braces("<|\"|>".into());
        check(
            &braces,
            r#"{a:<|"|>x "y" <z {}<|"|>,b:[1,true],c:{d:null}}"#,
            Ok(r#"{"a":"x \"y\" <z {}","b":[1,true],"c":{"d":null}}"#),
        );
        check(&braces, "{ }", Ok("{}"));
        check(&braces, "{a:x}", Err(()));
    }
}
