//! Builds the arguments of a call from the parts that the core has read already.
//!
//! The values are those that `json` builds from the JSON text.

use std::cell::RefCell;
use std::rc::Rc;

use ext_php_rs::types::{ArrayKey, ZendHashTable, Zval};
use toolwire::json::{Part, Parts};

use crate::host::json::number;
use crate::host::value;
use crate::zend::{self, List};

/// The number of places for strings that are kept.
const KEPT: usize = 64;
/// The longest string that is kept, in bytes.
const LONGEST: usize = 32;

/// Strings that calls share: keys of their arguments, and names of tools.
#[derive(Default)]
pub(crate) struct Strings(RefCell<KeptStrings>);

thread_local! {
    /// The strings of the request; none before it begins and after its end.
    static OF_REQUEST: RefCell<Option<Rc<Strings>>> = const { RefCell::new(None) };
}

/// Lets the calls of a request share strings.
pub(crate) fn begin_of_request() {
    OF_REQUEST.set(Some(Rc::default()));
}

/// Lets go of the strings, which do not outlive their request.
pub(crate) fn end_of_request() {
    OF_REQUEST.take();
}

/// The strings, and where each one is kept.
///
/// Most programs have few tools. To make and free a value for each place would cost as much as to
/// read a call.
struct KeptStrings {
    strings: Vec<Zval>,
    /// For each place, the index of its string, which is too large where none is kept.
    places: [u8; KEPT],
}

impl Default for KeptStrings {
    fn default() -> Self {
        Self { strings: Vec::new(), places: [u8::MAX; KEPT] }
    }
}

impl KeptStrings {
    /// Keeps a string at a place, instead of the one that was kept there.
    #[inline(never)]
    fn keep(&mut self, place: usize, string: Zval) {
        let Some(index) = self.places.get_mut(place % KEPT) else { return };
        if let Some(kept) = self.strings.get_mut(usize::from(*index)) {
            *kept = string;
        } else if let Ok(next) = u8::try_from(self.strings.len()) {
            *index = next;
            self.strings.push(string);
        }
    }

    /// The string that is kept at a place, if it is that of this text.
    #[inline]
    fn at(&self, place: usize, text: &[u8]) -> Option<&Zval> {
        let index = self.places.get(place % KEPT)?;
        let kept = self.strings.get(usize::from(*index))?;
        zend::text(kept).is_some_and(|kept| kept.as_bytes() == text).then_some(kept)
    }
}

impl Strings {
    /// The strings of the request; outside of a request, new ones.
    pub(crate) fn shared() -> Rc<Self> {
        OF_REQUEST.with_borrow(Clone::clone).unwrap_or_default()
    }

    /// The PHP string of these bytes: the one that was made last, or else a new one.
    pub(crate) fn get(&self, text: &[u8]) -> Zval {
        self.with(text, Zval::shallow_clone)
    }

    /// Hands over the PHP string of these bytes; `take` asks for no other string.
    #[inline]
    fn with<R>(&self, text: &[u8], take: impl FnOnce(&Zval) -> R) -> R {
        let (Some(&first), Some(&last)) = (text.first(), text.last()) else {
            return take(&zend::string(text));
        };
        if text.len() > LONGEST {
            return take(&zend::string(text));
        }
        let place = usize::from(first) * 5 + usize::from(last) * 3 + text.len();
        // Out of memory, the engine leaves `take` by a jump, and the strings stay borrowed.
        if let Ok(kept) = self.0.try_borrow()
            && let Some(kept) = kept.at(place, text)
        {
            return take(kept);
        }
        let made = zend::string(text);
        let taken = take(&made);
        if let Ok(mut kept) = self.0.try_borrow_mut() {
            kept.keep(place, made);
        }
        taken
    }
}

/// Builds the array of an object's parts; `None` if they do not end as they should.
pub(crate) fn array(mut parts: Parts<'_>, strings: &Strings) -> Option<Zval> {
    value(&mut parts, strings)
}

/// Builds the array of the members of an object. The core nests no deeper here than the stack
/// allows.
fn members(count: usize, parts: &mut Parts<'_>, strings: &Strings) -> Option<Zval> {
    let mut table = ZendHashTable::with_capacity(u32::try_from(count).ok()?);
    for _ in 0..count {
        let Part::Text(key) = parts.next()? else { return None };
        let value = value(parts, strings)?;
        // A key that starts with a digit or a sign may be a number.
        if key.first().is_none_or(|first| *first < b':') {
            let key = ArrayKey::from(std::str::from_utf8(&key).ok()?);
            table.insert(key, value).ok()?;
        } else {
            strings.with(&key, |key| zend::put(&mut table, key, value));
        }
    }
    Some(zend::array(table))
}

/// Builds the list of the values of an array.
fn items(count: usize, parts: &mut Parts<'_>, strings: &Strings) -> Option<Zval> {
    let mut list = List::with_capacity(count);
    for _ in 0..count {
        list.push(value(parts, strings)?);
    }
    Some(list.into_value())
}

/// Builds the next value.
#[allow(clippy::inline_always, reason = "a call for each short value is half of its cost")]
#[inline(always)]
fn value(parts: &mut Parts<'_>, strings: &Strings) -> Option<Zval> {
    Some(match parts.next()? {
        Part::Object(0) | Part::Array(0) => zend::empty_array(),
        Part::Object(count) => return members(count, parts, strings),
        Part::Array(count) => return items(count, parts, strings),
        Part::Text(text) => zend::string(&text),
        Part::Integer(number) => zend::integer(number),
        Part::Number(digits) => number(std::str::from_utf8(digits).ok()?),
        Part::Boolean(flag) => value::flag(flag),
        Part::Null => Zval::new(),
    })
}
