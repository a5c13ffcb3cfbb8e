//! Reads JSON text directly into PHP values, without a tree in between.
//!
//! The core reads the text. An integer beyond 64 bits or a number beyond a float becomes a string
//! of its digits, since PHP has no room for it and `json_encode()` fails for INF. Half of a
//! surrogate pair becomes U+FFFD. Of a repeated key the last one counts. Arrays treat keys as PHP
//! arrays do (`"7"` is the integer 7); objects keep every key a string.

use ext_php_rs::boxed::ZBox;
use ext_php_rs::error::Error;
use ext_php_rs::types::{ArrayKey, ZendHashTable, Zval};
use std::borrow::Cow;
use toolwire::json::{Container, LoneSurrogates, VisitOptions, Visitor, visit_json};

use crate::host::{tree, value};
use crate::zend;

/// The PHP type of JSON objects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Objects {
    /// PHP arrays.
    Arrays,
    /// Objects of class `stdClass`.
    Plain,
    /// PHP arrays, except for those that `json_encode()` would write as lists.
    Encodable,
}

/// Reads one JSON value of any depth; `None` if the text is not JSON.
pub(crate) fn read(text: &[u8], objects: Objects) -> Option<Zval> {
    read_within(text, objects, usize::MAX)
}

/// Reads one JSON value; `None` if the text is not JSON or nests deeper than `max_depth`.
pub(crate) fn read_within(text: &[u8], objects: Objects, max_depth: usize) -> Option<Zval> {
    let mut builder = Builder { objects, open: Vec::new(), whole: Zval::null() };
    visit_json(
        text,
        VisitOptions { max_depth, lone_surrogates: LoneSurrogates::Replaced },
        &mut builder,
    )
    .ok()?;
    Some(builder.whole)
}

/// An object or array that is not complete.
struct Open<'t> {
    table: ZBox<ZendHashTable>,
    /// The key of an object that waits for its value.
    key: Option<Cow<'t, str>>,
}

/// Builds a PHP value from the parts that the core reads.
struct Builder<'t> {
    objects: Objects,
    open: Vec<Open<'t>>,
    whole: Zval,
}

/// The error means that PHP has no room for a value.
type Built = Result<(), Error>;

impl Builder<'_> {
    /// Puts a value into the open object or array.
    fn take(&mut self, value: Zval) -> Built {
        let Some(open) = self.open.last_mut() else {
            self.whole = value;
            return Ok(());
        };
        match open.key.take() {
            // A key that starts with a digit or a sign may be a number.
            Some(key) if self.objects != Objects::Plain && key.as_bytes() < b":" => {
                open.table.insert(ArrayKey::from(&*key), value)
            }
            Some(key) => open.table.insert(ArrayKey::Str(&key), value),
            None => open.table.push(value),
        }
    }

    fn object(&self, table: ZBox<ZendHashTable>) -> Result<Zval, Error> {
        Ok(match self.objects {
            Objects::Plain => zend::plain_object(table),
            Objects::Encodable if tree::is_list(&table) => zend::plain_object(with_names(&table)?),
            Objects::Arrays | Objects::Encodable => array(table),
        })
    }
}

impl<'t> Visitor<'t> for Builder<'t> {
    type Error = Error;

    fn open(&mut self, _: Container) -> Built {
        self.open.push(Open { table: ZendHashTable::new(), key: None });
        Ok(())
    }

    fn close(&mut self, container: Container) -> Built {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let value = match container {
            Container::Object => self.object(open.table)?,
            Container::Array => array(open.table),
        };
        self.take(value)
    }

    fn key(&mut self, key: Cow<'t, str>) -> Built {
        if let Some(open) = self.open.last_mut() {
            open.key = Some(key);
        }
        Ok(())
    }

    fn text(&mut self, text: Cow<'t, str>) -> Built {
        self.take(value::text(text.as_bytes()))
    }

    fn number(&mut self, digits: &'t str) -> Built {
        self.take(number(digits))
    }

    fn boolean(&mut self, value: bool) -> Built {
        self.take(value::flag(value))
    }

    fn null(&mut self) -> Built {
        self.take(Zval::null())
    }
}

/// A table as a PHP array.
fn array(table: ZBox<ZendHashTable>) -> Zval {
    let mut array = Zval::new();
    array.set_hashtable(table);
    array
}

/// A whole number as an integer and any other number as a float, or as its digits if it does not
/// fit.
pub(crate) fn number(digits: &str) -> Zval {
    let mut value = Zval::new();
    if let Ok(number) = digits.parse::<i64>() {
        value.set_long(number);
        return value;
    }
    let is_whole = digits.bytes().all(|byte| matches!(byte, b'-' | b'0'..=b'9'));
    match digits.parse::<f64>() {
        Ok(float) if !is_whole && float.is_finite() => {
            value.set_double(float);
            value
        }
        _ => value::text(digits),
    }
}

/// The table of a list, with its indexes as text keys.
fn with_names(table: &ZendHashTable) -> Result<ZBox<ZendHashTable>, Error> {
    let mut named = ZendHashTable::new();
    for (index, (_, value)) in zend::entries(table).enumerate() {
        named.insert(ArrayKey::Str(&index.to_string()), value.shallow_clone())?;
    }
    Ok(named)
}
