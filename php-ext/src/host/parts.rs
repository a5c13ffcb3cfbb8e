//! Builds the arguments of a call from the parts that the core has read already.
//!
//! The values are those that `json` builds from the JSON text.

use std::cell::RefCell;

use ext_php_rs::types::{ArrayKey, ZendHashTable, Zval};
use toolwire::json::{Part, Parts};

use crate::host::json::{Objects, number};
use crate::host::value;
use crate::zend::{self, List};

/// The number of strings that are kept.
const KEPT: usize = 64;
/// The longest string that is kept, in bytes.
const LONGEST: usize = 32;

/// Strings that the calls of a text share: keys of their arguments, and names of tools.
#[derive(Default)]
pub(crate) struct Strings {
    kept: RefCell<Vec<Zval>>,
}

impl Strings {
    /// The PHP string of these bytes: the one that was made last, or else a new one.
    pub(crate) fn get(&self, text: &[u8]) -> Zval {
        let (Some(&first), Some(&last)) = (text.first(), text.last()) else {
            return value::text(text);
        };
        if text.len() > LONGEST {
            return value::text(text);
        }
        let mut kept = self.kept.borrow_mut();
        if kept.is_empty() {
            kept.resize_with(KEPT, Zval::new);
        }
        let place = usize::from(first) * 5 + usize::from(last) * 3 + text.len();
        let Some(place) = kept.get_mut(place % KEPT) else { return value::text(text) };
        if value::bytes(place) != text {
            *place = value::text(text);
        }
        place.shallow_clone()
    }
}

/// Builds the array of an object's parts; `None` if they do not end as they should.
pub(crate) fn array(mut parts: Parts<'_>, strings: &Strings) -> Option<Zval> {
    value(&mut parts, strings)
}

/// Builds the next value. The core nests no deeper here than the stack allows.
fn value(parts: &mut Parts<'_>, strings: &Strings) -> Option<Zval> {
    Some(match parts.next()? {
        Part::Object(0) | Part::Array(0) => zend::empty_array(),
        Part::Object(count) => {
            let mut table = ZendHashTable::with_capacity(u32::try_from(count).ok()?);
            for _ in 0..count {
                let Part::Text(key) = parts.next()? else { return None };
                let value = value(parts, strings)?;
                // A key that starts with a digit or a sign may be a number.
                let inserted = if key.as_ref() < b":".as_slice() {
                    table.insert(ArrayKey::from(std::str::from_utf8(&key).ok()?), value)
                } else {
                    let key = strings.get(&key);
                    table.insert(ArrayKey::ZendString(zend::text(&key)?), value)
                };
                inserted.ok()?;
            }
            value::array(table)
        }
        Part::Array(count) => {
            let mut list = List::with_capacity(count);
            for _ in 0..count {
                list.push(value(parts, strings)?);
            }
            list.into_value()
        }
        Part::Text(text) => value::text(text),
        Part::Number(digits) => number(std::str::from_utf8(digits).ok()?, Objects::Arrays),
        Part::Boolean(flag) => value::flag(flag),
        Part::Null => Zval::null(),
    })
}
