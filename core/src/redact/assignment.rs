//! Finds the values that a text assigns to names: `password=x`, `"password": "x"`, `X-Api-Key: x`,
//! `define('PASSWORD', 'x')`, `<password>x</password>`.
//!
//! `docs/security.md` defines an assignment. A value is as short as possible, so that a person who
//! approves sees the text around it. No part of a text is read more than a fixed number of times,
//! so the time is linear.

use std::ops::Range;

use super::element::content;
use super::key::SecretKeys;
use super::setter::argument;
use super::value::{
    LONGEST_NAME, bare_name, behind, blanks, hides, is_blank, is_quote, json_value, literal_prefix,
    quoted, quoted_name, trim_blanks_end, word,
};

/// The most words of a label, as in `Your new API key: x`.
const LABEL_WORDS: usize = 4;

/// Names of secrets that also begin a line of prose.
const PROSE_LABELS: &[&str] = &["cookie", "cookies", "nonce", "pin", "session"];

/// The spans of the values that a text assigns to names of secrets, in order.
pub(super) fn assigned(text: &[u8], keys: &SecretKeys) -> Vec<Range<usize>> {
    let (mut found, mut done, mut words) = (Vec::new(), 0, ReadWord { text, last: 0..0 });
    let is_sign = |byte: &u8| matches!(byte, b':' | b'=' | b',' | b'>');
    while let Some(at) = text.get(done..).and_then(|rest| rest.iter().position(is_sign)) {
        let at = done + at;
        let Some(sign) = sign(text, at) else {
            done = at + 1;
            continue;
        };
        done = sign.end;
        let value = match text.get(at) {
            Some(b',') => argument(text, &sign, keys),
            Some(b'>') => content(text, &sign, keys),
            _ => value_of(&mut words, &sign, keys),
        };
        if let Some(value) = value {
            done = done.max(value.end);
            found.extend((!value.is_empty()).then_some(value));
        }
    }
    found
}

/// The sign of an assignment that begins at this offset: `:`, `=`, `:=` or `=>`; a comma in a call,
/// or the end of a tag.
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
fn value_of(
    words: &mut ReadWord<'_>,
    sign: &Range<usize>,
    keys: &SecretKeys,
) -> Option<Range<usize>> {
    let text = words.text;
    let named = text.get(..sign.start)?;
    let before = trim_blanks_end(named);
    let rest = text.get(sign.end..)?;
    let blanks = blanks(rest);
    let (start, value) = (sign.end + blanks, rest.get(blanks..)?);
    let is_equal_sign = text.get(sign.clone()) == Some(b"=");
    let name = bare_name(before);
    let prefix = literal_prefix(value);
    let literal = value.get(prefix..)?;
    let part = if let Some(name) = quoted_name(before) {
        hides(keys, name).then(|| behind(prefix, &json_value(literal)))?
    } else if is_equal_sign && !name.is_empty() && is_quote(literal) {
        hides(keys, name).then(|| behind(prefix, &quoted(literal)))?
    } else if is_equal_sign && !name.is_empty() && blanks == 0 && before.len() == named.len() {
        hides(keys, name).then(|| 0..word(value))?
    } else {
        let label = Label::before(before)?;
        hides(keys, label.name).then(|| label.value(words, start, is_equal_sign))??
    };
    Some(behind(start, &part))
}

/// The words of a text behind labels. Many labels may stand in one word, which is read once.
struct ReadWord<'t> {
    text: &'t [u8],
    last: Range<usize>,
}

impl ReadWord<'_> {
    /// The bytes of the word at this offset.
    fn length(&mut self, start: usize) -> usize {
        if !self.last.contains(&start) {
            self.last = start..start + word(self.text.get(start..).unwrap_or_default());
        }
        self.last.end - start
    }
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
    fn value(
        &self,
        words: &mut ReadWord<'_>,
        start: usize,
        is_equation: bool,
    ) -> Option<Range<usize>> {
        let text = words.text.get(start..)?;
        let prefix = literal_prefix(text);
        let literal = text.get(prefix..)?;
        if is_quote(literal) && !self.ends_before(*literal.first()?) {
            return Some(behind(prefix, &quoted(literal)));
        }
        let length = words.length(start);
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
    use super::super::value::LONGEST_VALUE;
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
            ("{b'password': b'a b'}", "{b'password': b'…'}"),
            ("Login(password=b'a b', n=1)", "Login(password=b'…', n=1)"),
            ("(password: Rb'a b')", "(password: Rb'…')"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn values_that_calls_and_elements_give_to_secrets_are_found() {
        for (text, expected) in [
            ("define('DB_PASSWORD', 'a b');", "define('DB_PASSWORD', '…');"),
            ("Define ( \"AUTH_KEY\",\"a, b\" )", "Define ( \"AUTH_KEY\",\"…\" )"),
            ("update_option('x_api_key','ab', false)", "update_option('x_api_key','…', false)"),
            ("array('password', 'title')", "array('password', 'title')"),
            ("define('TITLE', 'password', 'x')", "define('TITLE', 'password', 'x')"),
            ("define('DB_PASSWORD', getenv('X'))", "define('DB_PASSWORD', getenv('X'))"),
            ("<a><password>a b</password></a>", "<a><password>…</password></a>"),
            ("<w:Password Type='x'>a</w:password >", "<w:Password Type='x'>…</w:password >"),
            ("<token><![CDATA[a<b]]></token>", "<token>…</token>"),
            ("https://<token>@e.x/ is <token>", "https://<token>@e.x/ is <token>"),
            ("<passage>a</passage><password/>b", "<passage>a</passage><password/>b"),
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
            ("-H 'X-Api-Key: b' -v 'c'", "-H 'X-Api-Key: …' -v 'c'"),
        ] {
            assert_eq!(shown(text), expected);
        }
        let long = format!("{{\"secret\": \"{}\"}}", "a b ".repeat(LONGEST_VALUE));
        assert!(shown(&long).starts_with("{\"secret\": \"… b a b"));
        let long = format!("{{\"secret\": [{}]}}", "1, ".repeat(LONGEST_VALUE));
        assert_eq!(shown(&long), long);
    }

    #[test]
    fn a_word_of_many_labels_is_read_once() {
        let text = b"token:token:token: x";
        let mut words = ReadWord { text, last: 0..0 };
        assert_eq!(words.length(6), 12);
        words.text = b"";
        assert_eq!(words.length(12), 6);
        assert_eq!(shown("token:token:token: x"), "token:token:token: …");
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
