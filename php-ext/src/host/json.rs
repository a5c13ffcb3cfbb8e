//! From JSON text straight to PHP values, without a tree in between.
//!
//! An explicit stack: no depth of nesting can overflow. Integers beyond 64 bits become strings of
//! their digits, numbers beyond a float INF, and of a repeated key the last one counts. Arrays take
//! keys as PHP arrays do (`"7"` is the integer 7); objects keep every key a string.

use ext_php_rs::boxed::ZBox;
use ext_php_rs::types::{ArrayKey, ZendHashTable, Zval};
use memchr::memchr2;
use std::borrow::Cow;

use crate::host::{tree, value};
use crate::zend;

/// What JSON objects become.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Objects {
    /// PHP arrays.
    Arrays,
    /// Objects of class `stdClass`.
    Plain,
    /// PHP arrays, but for those that `json_encode()` would write as lists.
    Encodable,
}

/// An object or array that is being filled.
struct Open<'t> {
    table: ZBox<ZendHashTable>,
    /// Of an object: the key that waits for its value.
    key: Option<Cow<'t, str>>,
    object: bool,
}

/// What the next value ends.
enum Next {
    Value(Zval),
    Opened,
    Closed(Zval),
}

/// Reads one JSON value; none when the text is not JSON.
pub(crate) fn read(text: &[u8], objects: Objects) -> Option<Zval> {
    let mut reader =
        Reader { text: std::str::from_utf8(text).ok()?, pos: 0, objects, open: Vec::new() };
    let value = reader.run()?;
    reader.space();
    (reader.pos == text.len()).then_some(value)
}

struct Reader<'t> {
    text: &'t str,
    pos: usize,
    objects: Objects,
    open: Vec<Open<'t>>,
}

impl<'t> Reader<'t> {
    fn run(&mut self) -> Option<Zval> {
        loop {
            let mut value = match self.value()? {
                Next::Opened => continue,
                Next::Value(value) | Next::Closed(value) => value,
            };
            // Every value that is complete may complete the ones around it.
            loop {
                let Some(open) = self.open.last_mut() else { return Some(value) };
                match open.key.take() {
                    // A key that starts like a number may be one.
                    Some(key) if self.objects != Objects::Plain && key.as_bytes() < b":" => {
                        open.table.insert(ArrayKey::from(&*key), value).ok()?;
                    }
                    Some(key) => open.table.insert(ArrayKey::Str(&key), value).ok()?,
                    None => open.table.push(value).ok()?,
                }
                let object = open.object;
                match (self.peek()?, object) {
                    (b',', true) => {
                        self.pos += 1;
                        self.key()?;
                        break;
                    }
                    (b',', false) => {
                        self.pos += 1;
                        break;
                    }
                    (b'}', true) | (b']', false) => {
                        self.pos += 1;
                        value = self.close()?;
                    }
                    _ => return None,
                }
            }
        }
    }

    /// Skips white space and looks at what follows.
    fn peek(&mut self) -> Option<u8> {
        self.space();
        self.text.as_bytes().get(self.pos).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.as_bytes().get(self.pos) {
            self.pos += 1;
        }
    }

    fn value(&mut self) -> Option<Next> {
        match self.peek()? {
            b'{' => self.enter(true),
            b'[' => self.enter(false),
            b'"' => Some(Next::Value(value::text(self.string()?.as_bytes()))),
            b't' => self.literal("true", value::flag(true)),
            b'f' => self.literal("false", value::flag(false)),
            b'n' => self.literal("null", Zval::null()),
            b'-' | b'0'..=b'9' => self.number().map(Next::Value),
            _ => None,
        }
    }

    fn enter(&mut self, object: bool) -> Option<Next> {
        self.pos += 1;
        self.open.push(Open { table: ZendHashTable::new(), key: None, object });
        let end = if object { b'}' } else { b']' };
        if self.peek()? == end {
            self.pos += 1;
            return self.close().map(Next::Closed);
        }
        if object {
            self.key()?;
        }
        Some(Next::Opened)
    }

    fn close(&mut self) -> Option<Zval> {
        let open = self.open.pop()?;
        if open.object {
            match self.objects {
                Objects::Plain => return Some(zend::plain_object(open.table)),
                Objects::Encodable if tree::is_list(&open.table) => {
                    return Some(zend::plain_object(with_names(&open.table)?));
                }
                Objects::Arrays | Objects::Encodable => {}
            }
        }
        let mut array = Zval::new();
        array.set_hashtable(open.table);
        Some(array)
    }

    /// Reads a key and its colon.
    fn key(&mut self) -> Option<()> {
        if self.peek()? != b'"' {
            return None;
        }
        let key = self.string()?;
        self.open.last_mut()?.key = Some(key);
        if self.peek()? != b':' {
            return None;
        }
        self.pos += 1;
        Some(())
    }

    fn literal(&mut self, word: &str, value: Zval) -> Option<Next> {
        self.text.get(self.pos..)?.starts_with(word).then(|| {
            self.pos += word.len();
            Next::Value(value)
        })
    }

    fn number(&mut self) -> Option<Zval> {
        let bytes = self.text.as_bytes();
        let negative = bytes.get(self.pos) == Some(&b'-');
        let start = self.pos + usize::from(negative);
        let (mut end, mut number) = (start, 0_i64);
        while let Some(digit @ b'0'..=b'9') = bytes.get(end) {
            number = number.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
            end += 1;
        }
        // Most numbers are whole, and so short that nothing was lost.
        if !(1..=18).contains(&(end - start))
            || matches!(bytes.get(end), Some(b'+' | b'-' | b'.' | b'e' | b'E'))
        {
            return self.long_number();
        }
        self.pos = end;
        let mut value = Zval::new();
        value.set_long(if negative { -number } else { number });
        Some(value)
    }

    /// Reads a number with a fraction, or one that may not fit.
    fn long_number(&mut self) -> Option<Zval> {
        let rest = self.text.get(self.pos..)?;
        let mut whole = true;
        let end = rest.bytes().position(|byte| match byte {
            b'-' | b'0'..=b'9' => false,
            b'+' | b'.' | b'e' | b'E' => {
                whole = false;
                false
            }
            _ => true,
        });
        let digits = rest.get(..end.unwrap_or(rest.len()))?;
        self.pos += digits.len();
        let mut value = Zval::new();
        if !whole {
            let number = digits.parse::<f64>().ok()?;
            if self.objects == Objects::Encodable && !number.is_finite() {
                // `json_encode()` fails over INF.
                return Some(value::text(digits));
            }
            value.set_double(number);
        } else if let Ok(number) = digits.parse::<i64>() {
            value.set_long(number);
        } else {
            value = value::text(digits);
        }
        Some(value)
    }

    /// Reads a string from its opening quote on.
    fn string(&mut self) -> Option<Cow<'t, str>> {
        let text = self.text;
        let start = self.pos + 1;
        let mut end = start;
        let mut decoded = String::new();
        loop {
            let found = end + memchr2(b'"', b'\\', text.as_bytes().get(end..)?)?;
            if text.as_bytes().get(found) == Some(&b'"') {
                self.pos = found + 1;
                if decoded.is_empty() && end == start {
                    return text.get(start..found).map(Cow::Borrowed);
                }
                decoded.push_str(text.get(end..found)?);
                return Some(Cow::Owned(decoded));
            }
            decoded.push_str(text.get(end..found)?);
            end = escape(text, found + 1, &mut decoded)?;
        }
    }
}

/// The table of a list with its indexes as texts.
fn with_names(table: &ZendHashTable) -> Option<ZBox<ZendHashTable>> {
    let mut named = ZendHashTable::new();
    for (index, (_, value)) in zend::entries(table).enumerate() {
        named.insert(ArrayKey::Str(&index.to_string()), value.shallow_clone()).ok()?;
    }
    Some(named)
}

/// Decodes the escape behind a backslash; gives the byte behind it.
fn escape(text: &str, at: usize, decoded: &mut String) -> Option<usize> {
    decoded.push(match text.as_bytes().get(at)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return unicode(text, at + 1, decoded),
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        _ => return None,
    });
    Some(at + 1)
}

/// Decodes the four digits of an escape, and the other half of a pair; half a pair is U+FFFD.
fn unicode(text: &str, at: usize, decoded: &mut String) -> Option<usize> {
    let unit = unit(text, at)?;
    if let Some(character) = char::from_u32(unit) {
        decoded.push(character);
        return Some(at + 4);
    }
    let low = text
        .get(at + 4..at + 6)
        .filter(|mark| *mark == "\\u")
        .and_then(|_| self::unit(text, at + 6));
    if let Some(low @ 0xDC00..=0xDFFF) = low.filter(|_| unit < 0xDC00) {
        decoded.push(char::from_u32(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))?);
        return Some(at + 10);
    }
    decoded.push(char::REPLACEMENT_CHARACTER);
    Some(at + 4)
}

fn unit(text: &str, at: usize) -> Option<u32> {
    u32::from_str_radix(text.get(at..at + 4)?, 16).ok()
}
