//! Writes a value as JSON, as a literal of Python, or in braces with the format's own quote.

use std::fmt::Write;

use crate::detect::write::json::ExactJson;

/// How much is escaped that need not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escapes {
    /// As [`Self::Few`], and values within each other are elements whatever they are, where the
    /// format has such: only a schema tells a number in an element from a text.
    Elements,
    /// Only what must be, as models write it.
    Few,
    /// All punctuation, so that no marker stands in a text.
    Many,
}

/// The notation of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    Json,
    /// Literals of Python, with this quote.
    Python(char),
    /// Braces, with this marker on both sides of a text.
    Braces(Box<str>),
}

/// How values are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) notation: Notation,
    /// Whether a space follows a comma and a colon.
    pub(super) spaced: bool,
}

impl Style {
    /// The text between two values.
    pub(super) fn comma(&self) -> &'static str {
        if self.spaced { ", " } else { "," }
    }

    fn colon(&self) -> &'static str {
        if self.spaced { ": " } else { ":" }
    }

    /// Appends a value.
    pub(super) fn push(&self, out: &mut String, value: &ExactJson, escapes: Escapes) {
        match value {
            ExactJson::Null => out.push_str(self.word("null", "None")),
            ExactJson::Bool(true) => out.push_str(self.word("true", "True")),
            ExactJson::Bool(false) => out.push_str(self.word("false", "False")),
            ExactJson::Number(number) => out.push_str(number),
            ExactJson::Text(text) => self.push_text(out, text, escapes),
            ExactJson::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { self.comma() } else { "" });
                    self.push(out, item, escapes);
                }
                out.push(']');
            }
            ExactJson::Object(members) => self.push_object(out, members, escapes),
        }
    }

    /// Appends an object.
    pub(super) fn push_object(
        &self,
        out: &mut String,
        members: &[(String, ExactJson)],
        escapes: Escapes,
    ) {
        out.push('{');
        for (index, (key, value)) in members.iter().enumerate() {
            out.push_str(if index > 0 { self.comma() } else { "" });
            match self.notation {
                Notation::Braces(_) if is_word(key) => out.push_str(key),
                _ => self.push_text(out, key, escapes),
            }
            out.push_str(self.colon());
            self.push(out, value, escapes);
        }
        out.push('}');
    }

    /// Appends arguments in round brackets: `(city="Rome", days=[1, 2])`.
    pub(super) fn push_arguments(
        &self,
        out: &mut String,
        members: &[(String, ExactJson)],
        escapes: Escapes,
    ) {
        out.push('(');
        for (index, (key, value)) in members.iter().enumerate() {
            out.push_str(if index > 0 { self.comma() } else { "" });
            out.push_str(key);
            out.push('=');
            self.push(out, value, escapes);
        }
        out.push(')');
    }

    /// Appends a text in its quotes.
    pub(super) fn push_text(&self, out: &mut String, text: &str, escapes: Escapes) {
        match &self.notation {
            Notation::Json => push_quoted(out, text, '"', false, escapes),
            Notation::Python(quote) => push_quoted(out, text, *quote, true, escapes),
            Notation::Braces(marker) => {
                let quoted = format!("{text}{marker}");
                // The first marker ends the text, so it must be the one behind it.
                if escapes == Escapes::Many || quoted.find(&**marker) != Some(text.len()) {
                    return push_quoted(out, text, '"', true, escapes);
                }
                out.push_str(marker);
                out.push_str(&quoted);
            }
        }
    }

    fn word(&self, json: &'static str, python: &'static str) -> &'static str {
        if matches!(self.notation, Notation::Python(_)) { python } else { json }
    }
}

/// Whether a key needs no quotes in braces.
fn is_word(key: &str) -> bool {
    let first = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    key.as_bytes().first().is_some_and(first)
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Appends a text in quotes, with the escapes of JSON or of Python.
fn push_quoted(out: &mut String, text: &str, quote: char, python: bool, escapes: Escapes) {
    out.push(quote);
    for character in text.chars() {
        let letter = match character {
            _ if escapes == Escapes::Many && character.is_ascii_punctuation() => None,
            '\\' => Some(character),
            _ if character == quote => Some(character),
            '\n' => Some('n'),
            '\r' => Some('r'),
            '\t' => Some('t'),
            '\0'..='\u{1f}' | '\u{7f}' => None,
            _ => {
                out.push(character);
                continue;
            }
        };
        let code = u32::from(character);
        // Writing to a string cannot fail.
        let _ = match letter {
            Some(letter) => write!(out, "\\{letter}"),
            None if python => write!(out, "\\x{code:02x}"),
            None => write!(out, "\\u{code:04x}"),
        };
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(notation: Notation, spaced: bool, value: &ExactJson, escapes: Escapes) -> String {
        let mut out = String::new();
        Style { notation, spaced }.push(&mut out, value, escapes);
        out
    }

    #[test]
    fn each_notation_has_its_words_and_quotes() {
        let json = r#"{"a b": [null, true, 1.50E+05], "c": "it's\n\"<\u0001"}"#;
        let value = ExactJson::parse(json.as_bytes()).unwrap();
        assert_eq!(written(Notation::Json, true, &value, Escapes::Few), json);
        assert_eq!(
            written(Notation::Python('\''), true, &value, Escapes::Few),
            r#"{'a b': [None, True, 1.50E+05], 'c': 'it\'s\n"<\x01'}"#
        );
        assert_eq!(
            written(Notation::Braces("|".into()), false, &value, Escapes::Few),
            "{|a b|:[null,true,1.50E+05],c:|it's\n\"<\u{1}|}"
        );
    }

    #[test]
    fn many_escapes_leave_no_punctuation() {
        let value = ExactJson::Text("</a>'\"|".to_owned());
        let json = r#""\u003c\u002fa\u003e\u0027\u0022\u007c""#;
        assert_eq!(written(Notation::Json, true, &value, Escapes::Many), json);
        let python = r#""\x3c\x2fa\x3e\x27\x22\x7c""#;
        assert_eq!(written(Notation::Braces("|".into()), true, &value, Escapes::Many), python);
        assert_eq!(
            written(
                Notation::Braces("|".into()),
                true,
                &ExactJson::Text("a|".to_owned()),
                Escapes::Few
            ),
            "\"a|\""
        );
    }
}
