//! Finds the values that a text assigns to names: `password=x`, `"password": "x"`, `X-Api-Key: x`.
//!
//! `docs/security.md` defines an assignment. A value is as short as possible, so that a person who
//! approves sees the text around it. No part of a text is read more than a fixed number of times,
//! so the time is linear.

use std::ops::Range;

use memchr::{memchr, memchr2, memrchr};

use super::key::SecretKeys;

/// The most bytes of a name.
const LONGEST_NAME: usize = 80;

/// The most words of a label, as in `Your new API key: x`.
const LABEL_WORDS: usize = 4;

/// The most bytes of a value with quotes or brackets.
const LONGEST_VALUE: usize = 1024;

/// Names of secrets that also begin a line of prose.
const PROSE_LABELS: &[&str] = &["cookie", "cookies", "nonce", "pin", "session"];

/// The spans of the values that a text assigns to names of secrets, in order.
pub(super) fn assigned(text: &[u8], keys: &SecretKeys) -> Vec<Range<usize>> {
    let (mut found, mut done) = (Vec::new(), 0);
    while let Some(at) = memchr2(b':', b'=', text.get(done..).unwrap_or_default()) {
        let at = done + at;
        let Some(sign) = sign(text, at) else {
            done = at + 1;
            continue;
        };
        done = sign.end;
        if let Some(value) = value_of(text, &sign, keys) {
            done = done.max(value.end);
            found.extend((!value.is_empty()).then_some(value));
        }
    }
    found
}

/// The sign of an assignment that begins at this offset: `:`, `=`, `:=` or `=>`.
fn sign(text: &[u8], at: usize) -> Option<Range<usize>> {
    let before = at.checked_sub(1).and_then(|before| text.get(before)).copied().unwrap_or(b' ');
    match text.get(at..)? {
        [b':', b':', ..] | [b':', b'/', b'/', ..] | [b'=', b'=', ..] => None,
        [b':', b'=', ..] | [b'=', b'>', ..] => Some(at..at + 2),
        [b':', ..] if before == b':' => None,
        [b'=', ..] if b"=!<>+".contains(&before) => None,
        _ => Some(at..at + 1),
    }
}

/// The value that this sign assigns to the name before it; `None` if the name is not a secret's.
fn value_of(text: &[u8], sign: &Range<usize>, keys: &SecretKeys) -> Option<Range<usize>> {
    let hides = |name: &[u8]| keys.hides(&String::from_utf8_lossy(name));
    let named = text.get(..sign.start)?;
    let before = trim_blanks_end(named);
    let rest = text.get(sign.end..)?;
    let blanks = rest.iter().take_while(|byte| is_blank(**byte)).count();
    let (start, value) = (sign.end + blanks, rest.get(blanks..)?);
    let is_equal_sign = text.get(sign.clone()) == Some(b"=");
    let name = bare_name(before);
    let part = if let Some(name) = quoted_name(before) {
        hides(name).then(|| json_value(value))?
    } else if is_equal_sign && !name.is_empty() && is_quote(value) {
        hides(name).then(|| quoted(value))?
    } else if is_equal_sign && !name.is_empty() && blanks == 0 && before.len() == named.len() {
        hides(name).then(|| 0..word(value))?
    } else {
        let label = Label::before(before)?;
        hides(label.name).then(|| label.value(value, is_equal_sign))??
    };
    Some(start + part.start..start + part.end)
}

/// The name in quotes at the end of a text.
fn quoted_name(text: &[u8]) -> Option<&[u8]> {
    let (quote, inside) = text.split_last().filter(|(last, _)| b"\"'`".contains(last))?;
    let inside = inside.get(inside.len().saturating_sub(LONGEST_NAME)..)?;
    let name = inside.get(memrchr(*quote, inside)? + 1..)?;
    (!name.is_empty() && !name.contains(&b'\n')).then_some(name)
}

/// The name without quotes at the end of a text; empty if there is none.
fn bare_name(text: &[u8]) -> &[u8] {
    let is_name =
        |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_$@.[]-".contains(byte);
    let length = text.iter().rev().take(LONGEST_NAME).take_while(is_name).count();
    text.get(text.len() - length..).unwrap_or_default()
}

/// A value of JSON or of a PHP array: a text without its quotes, a list or map, or a word.
fn json_value(text: &[u8]) -> Range<usize> {
    match text.first() {
        Some(b'"' | b'\'' | b'`') => quoted(text),
        Some(b'{' | b'[') => {
            0..balanced(text.get(..LONGEST_VALUE).unwrap_or(text)).unwrap_or_default()
        }
        _ => 0..text.iter().take_while(|byte| is_word(**byte) && **byte != b',').count(),
    }
}

fn is_quote(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'"' | b'\'' | b'`'))
}

/// The content of the quotes at the start of a text, or a word if the line does not close the
/// quotes.
fn quoted(text: &[u8]) -> Range<usize> {
    let near = text.get(..LONGEST_VALUE).unwrap_or(text);
    let line = near.get(..memchr(b'\n', near).unwrap_or(near.len())).unwrap_or_default();
    closing_quote(line).map_or_else(|| 1..1 + word(text.get(1..).unwrap_or_default()), |end| 1..end)
}

fn closing_quote(text: &[u8]) -> Option<usize> {
    let (quote, mut at) = (text.first()?, 1);
    loop {
        at += memchr2(*quote, b'\\', text.get(at..)?)?;
        if text.get(at) == Some(quote) {
            return Some(at);
        }
        at += 2;
    }
}

/// The end of the list or map at the start of a text.
fn balanced(text: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        match text.get(at)? {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' | b'\'' => at += closing_quote(text.get(at..)?)?,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// The bytes of a word without markup and without a shell's special characters.
fn word(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_word(**byte)).count()
}

fn is_word(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b"\"'`<>;|&\\(){}[]".contains(&byte)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn trim_blanks_end(text: &[u8]) -> &[u8] {
    let length = text.iter().rposition(|byte| !is_blank(*byte)).map_or(0, |last| last + 1);
    text.get(..length).unwrap_or_default()
}

/// A name at the start of a line, a quote, an element or an item of a list.
struct Label<'t> {
    name: &'t [u8],
    /// The byte before the label; a line feed at the start of the text.
    before: u8,
}

impl<'t> Label<'t> {
    /// The label at the end of a text.
    fn before(text: &'t [u8]) -> Option<Self> {
        let is_edge = |byte: &u8| b"\n\"'`{(>,;|:=".contains(byte);
        let near = text.get(text.len().saturating_sub(LONGEST_NAME)..)?;
        let (before, name) = match near.iter().rposition(is_edge) {
            Some(at) => (*near.get(at)?, near.get(at + 1..)?),
            None if near.len() == text.len() => (b'\n', near),
            None => return None,
        };
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
        let (first, last) = (name.iter().position(is_part)?, name.iter().rposition(is_part)?);
        let name = name.get(first..=last)?;
        let words = name.split(|byte| is_blank(*byte)).filter(|word| !word.is_empty()).count();
        (words <= LABEL_WORDS).then_some(Self { name, before })
    }

    /// Whether the label is a name without blanks.
    fn is_one(&self) -> bool {
        !self.name.iter().any(|byte| is_blank(*byte))
    }

    /// Whether the label is one name of several joined words, as in headers and settings.
    fn is_header(&self) -> bool {
        let is_joined = self.name.iter().any(|byte| b"_-".contains(byte))
            || self.name.windows(2).any(|two| matches!(two, [b'a'..=b'z', b'A'..=b'Z']));
        self.is_one() && (is_joined || self.is_authorization())
    }

    fn is_authorization(&self) -> bool {
        let end = self.name.len().saturating_sub(b"authorization".len());
        self.name.get(end..).is_some_and(|end| end.eq_ignore_ascii_case(b"authorization"))
    }

    fn is_prose(&self) -> bool {
        PROSE_LABELS.iter().any(|label| self.name.eq_ignore_ascii_case(label.as_bytes()))
    }

    /// Whether this byte ends the value of this label.
    fn ends_before(&self, byte: u8) -> bool {
        match self.before {
            b'"' | b'\'' | b'`' => byte == self.before || byte == b'\n',
            b'>' => matches!(byte, b'<' | b'\n'),
            b'{' | b'(' | b',' | b';' | b'|' => b",;})|\n".contains(&byte),
            _ => byte == b'\n',
        }
    }

    /// The value assigned to the label: the content of quotes, or a word. After a label of prose,
    /// the value must be the last word.
    fn value(&self, text: &[u8], is_equation: bool) -> Option<Range<usize>> {
        if is_quote(text) && !self.ends_before(*text.first()?) {
            return Some(quoted(text));
        }
        let length = word(text);
        let behind = text.get(length..)?;
        let blanks = behind.iter().take(LONGEST_NAME).take_while(|byte| is_blank(**byte)).count();
        let next = behind.get(blanks..)?;
        if self.is_authorization() && blanks > 0 && word(next) > 0 {
            // The first word is the authorization scheme.
            let start = length + blanks;
            return Some(start..start + word(next));
        }
        let is_last = next.first().is_none_or(|byte| self.ends_before(*byte));
        let is_call = behind.first() == Some(&b'(');
        let is_value = is_last || self.is_header() || (is_equation && self.is_one());
        (is_value && !is_call && !self.is_prose()).then_some(0..length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text in which each value assigned to a secret's name is `…`.
    fn shown(text: &str) -> String {
        let mut made = text.to_owned();
        for value in assigned(text.as_bytes(), &SecretKeys::default()).into_iter().rev() {
            made.replace_range(value, "…");
        }
        made
    }

    #[test]
    fn values_of_secrets_are_found() {
        for (text, expected) in [
            ("user=a&password=hunter2&x=1", "user=a&password=…&x=1"),
            ("run --db-password=a,b; c now", "run --db-password=…; c now"),
            ("user[pass]=x&b", "user[pass]=…&b"),
            (r#"{"password":"a\"b","n":1}"#, r#"{"password":"…","n":1}"#),
            (r#"{"pin" : 1234, "token": null}"#, r#"{"pin" : …, "token": …}"#),
            (r#"{"secrets": {"a": ["}"]}, "b": 1}"#, r#"{"secrets": …, "b": 1}"#),
            (r#"{"API key": "cut off"#, r#"{"API key": "… off"#),
            ("'db_password' => 'x y',", "'db_password' => '…',"),
            ("define = 1\npassword = a b\nnext", "define = 1\npassword = … b\nnext"),
            ("const token = \"a b\";", "const token = \"…\";"),
            ("<input data-token=\"a b\">", "<input data-token=\"…\">"),
            ("X-Api-Key: a b\nAccept: c", "X-Api-Key: … b\nAccept: c"),
            ("Authorization: Token a b", "Authorization: Token … b"),
            ("-H 'X-Api-Key: ab' -v", "-H 'X-Api-Key: …' -v"),
            ("- password: hunter2 \n  user: x", "- password: … \n  user: x"),
            ("Your new API key: abc", "Your new API key: …"),
            ("{user: a, password: b}", "{user: a, password: …}"),
            ("<p>Password: hunter2</p>", "<p>Password: …</p>"),
            ("(password: 'a b')", "(password: '…')"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn what_stands_round_a_value_is_kept() {
        for (text, expected) in [
            ("token=$(rm -rf /)", "token=…(rm -rf /)"),
            ("password=a;rm -rf /", "password=…;rm -rf /"),
            ("X-Api-Key: a | sh", "X-Api-Key: … | sh"),
            ("password=\"a\nrm -rf /\"", "password=\"…\nrm -rf /\""),
            ("$password = getenv('X');", "$password = getenv('X');"),
        ] {
            assert_eq!(shown(text), expected);
        }
        let long = format!("{{\"secret\": \"{}\"}}", "a b ".repeat(LONGEST_VALUE));
        assert!(shown(&long).starts_with("{\"secret\": \"… b a b"));
        let long = format!("{{\"secret\": [{}]}}", "1, ".repeat(LONGEST_VALUE));
        assert_eq!(shown(&long), long);
    }

    #[test]
    fn prose_is_kept() {
        for text in [
            "the password: see the manual",
            "Token: what it is, and why",
            "Session: Keynote",
            "max_tokens=100&tokenizer=x",
            "passage: one",
            "if (password == other && token != x) {}",
            "Secret::new() https://password://x",
            "He tells what happens when somebody forgets the password: nothing",
            "password=",
            "\"password\": ",
            "{\"title\": \"password\", \"text\": \"x\"}",
        ] {
            assert_eq!(shown(text), text);
        }
    }
}
