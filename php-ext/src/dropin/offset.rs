//! Reads PHP values as PHP code does with `$value['key'] ?? null`.

use ext_php_rs::types::{ZendHashTable, Zval};
use toolwire::tree::Key;
use typed_arena::Arena;

use crate::host::packets::{Packets, Reach};
use crate::host::tree::{Beyond, Node, Thrown};
use crate::zend;

/// Asks objects for their value under a key.
///
/// An object that implements `ArrayAccess` is asked as PHP does; any other object throws PHP's
/// error. The returned values are kept until the end of the call. Null, numbers, texts and similar
/// values have no offsets.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    given: &'a Arena<Zval>,
}

impl<'a> Asking<'a> {
    /// Keeps the returned values in an arena.
    pub(super) fn into(given: &'a Arena<Zval>) -> Self {
        Self { given }
    }

    /// The values of an array, in the order of `foreach`.
    #[inline]
    pub(super) fn values(self, table: &'a ZendHashTable) -> impl Iterator<Item = Node<'a, Self>> {
        Packets::reaching(table, self).map(move |value| Node::over(value, self))
    }

    #[cold]
    fn ask(self, object: &Zval, key: Key) -> Result<Option<&'a Zval>, Thrown> {
        Ok(Some(self.given.alloc(zend::read_offset(object, key)?)))
    }
}

/// Holds a copy of a value behind a reference, as `foreach` does, since code that runs meanwhile
/// may write to the value.
impl<'a> Reach<'a> for Asking<'a> {
    #[cold]
    fn reach(self, value: &'a Zval) -> &'a Zval {
        self.given.alloc(value.shallow_clone())
    }
}

impl<'a> Beyond<'a> for Asking<'a> {
    #[inline]
    fn get(self, value: &'a Zval, key: Key) -> Result<Option<&'a Zval>, Thrown> {
        if zend::is_object(value) { self.ask(value, key) } else { Ok(None) }
    }

    #[inline]
    fn runs_code(self, value: &Zval) -> bool {
        zend::is_object(value)
    }
}
