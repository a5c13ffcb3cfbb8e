//! PHP values, as the core reads them in place.
//!
//! A [`Node`] is a borrowed value with its reference followed. Arrays are lists or maps. Objects of
//! class `stdClass` are maps that are not searched by key, and other objects are opaque. Truthiness
//! follows PHP's rules.

use std::borrow::Cow;

use ext_php_rs::prelude::PhpException;
use ext_php_rs::types::{ZendHashTable, Zval};
use toolwire::Tree;
use toolwire::tree::{Failure, Hint, Key, Name, View};

use crate::host::exception;
use crate::host::packets::Packets;
use crate::host::value;
use crate::zend;

pub(crate) use crate::zend::Thrown;

impl From<Thrown> for PhpException {
    fn from(_: Thrown) -> Self {
        // The caller gets the pending exception; this one never replaces it.
        exception::wrong_type("a value could not be read")
    }
}

/// The exception for a failure during the reading of a value.
pub(crate) fn failed(failure: Failure<Thrown>) -> PhpException {
    match failure {
        Failure::Misuse(error) => exception::from_core(&error),
        Failure::Host(thrown) => thrown.into(),
    }
}

/// Looks a well-known key up in a value that is not an array.
pub(crate) trait Beyond<'a>: Copy {
    /// The value under the key.
    fn get(self, value: &'a Zval, key: Key) -> Result<Option<&'a Zval>, Thrown>;

    /// Whether the look-up runs code.
    fn runs_code(self, value: &Zval) -> bool;
}

/// Looks keys up only in arrays.
impl<'a> Beyond<'a> for () {
    #[inline]
    fn get(self, _: &'a Zval, _: Key) -> Result<Option<&'a Zval>, Thrown> {
        Ok(None)
    }

    #[inline]
    fn runs_code(self, _: &Zval) -> bool {
        false
    }
}

/// A borrowed PHP value.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a, B = ()> {
    value: &'a Zval,
    beyond: B,
}

impl<'a> Node<'a> {
    /// Borrows a value, following a reference.
    #[inline]
    pub(crate) fn new(value: &'a Zval) -> Self {
        Self::followed(value.dereference())
    }

    /// Borrows a value that is known not to be a reference.
    #[inline]
    pub(crate) fn followed(value: &'a Zval) -> Self {
        Self::over(value, ())
    }

    /// The values of an array, for a search that ends at its first result.
    #[inline]
    pub(crate) fn values(self) -> impl Iterator<Item = Self> {
        Packets::of(self.value).map(Self::followed)
    }

    /// The values of an array, for a search of all results.
    #[inline]
    pub(crate) fn all_values(self) -> impl Iterator<Item = Self> {
        Packets::of(self.value).with_types().map(Self::followed)
    }
}

impl<'a, B: Copy> Node<'a, B> {
    /// Borrows a value that is known not to be a reference, with the way to look keys up if it is
    /// not an array.
    #[inline]
    pub(crate) fn over(value: &'a Zval, beyond: B) -> Self {
        Self { value, beyond }
    }

    /// Another value, with the same way to look keys up.
    #[inline]
    fn at(self, value: &'a Zval) -> Self {
        Self::over(value, self.beyond)
    }

    /// The value itself.
    pub(crate) fn value(self) -> &'a Zval {
        self.value
    }

    /// The value itself, with its reference count raised.
    pub(crate) fn to_value(self) -> Zval {
        self.value.shallow_clone()
    }

    fn table(self) -> Option<&'a ZendHashTable> {
        zend::table(self.value).or_else(|| zend::properties(self.value))
    }
}

/// Whether an array's keys are 0, 1, … in order.
pub(crate) fn is_list(table: &ZendHashTable) -> bool {
    zend::entries(table)
        .zip(0..)
        .all(|((key, _), position)| matches!(key, zend::Key::Index(index) if index == position))
}

impl<'a, B: Beyond<'a>> Tree for Node<'a, B> {
    type Error = Thrown;

    fn view(&self) -> View<'_> {
        let value = self.value;
        if let Some(text) = value.zend_str() {
            View::Text(Cow::Borrowed(text.as_bytes()))
        } else if let Some(table) = value.array() {
            if is_list(table) { View::List(table.len()) } else { View::Map(table.len()) }
        } else if let Some(number) = value.long() {
            View::Int(number)
        } else if let Some(number) = value.double() {
            View::Float(number)
        } else if let Some(flag) = value.bool() {
            View::Bool(flag)
        } else if value.is_null() {
            View::Null
        } else {
            zend::properties(value).map_or(View::Opaque, |table| View::Map(table.len()))
        }
    }

    #[allow(clippy::inline_always, reason = "the key is compared by words once it is known")]
    #[inline(always)]
    fn get(&self, key: Key, _: &mut Hint) -> Result<Option<Self>, Thrown> {
        let found = match zend::table(self.value) {
            Some(table) => zend::lookup(table, key),
            None => self.beyond.get(self.value, key)?,
        };
        Ok(found.map(|value| self.at(value)))
    }

    #[inline]
    fn member(&self, name: &str) -> Result<Option<Self>, Thrown> {
        Ok(self.table().and_then(|table| table.get(name)).map(|value| self.at(value.dereference())))
    }

    #[inline]
    fn text(&self) -> Option<Cow<'_, [u8]>> {
        zend::text(self.value).map(|text| Cow::Borrowed(text.as_bytes()))
    }

    #[inline]
    fn is_container(&self) -> bool {
        zend::table(self.value).is_some()
    }

    #[inline]
    fn runs_code(&self) -> bool {
        self.beyond.runs_code(self.value)
    }

    #[inline]
    fn truthy(&self) -> Result<bool, Thrown> {
        Ok(zend::truthy(self.value))
    }

    fn entries<F>(&self, mut visit: F) -> Result<(), Failure<Thrown>>
    where
        F: FnMut(Name<'_, Self>, Self) -> Result<(), Failure<Thrown>>,
    {
        let Some(table) = self.table() else { return Ok(()) };
        // A visit may show an object and so run PHP code that changes the walked table. The table
        // is held, so that code changes a copy.
        let _held = zend::hold(self.value);
        for (key, value) in zend::entries(table) {
            let name = match key {
                zend::Key::Index(index) => Name::Number(index.cast_signed()),
                zend::Key::Name(name) => Name::Text(Cow::Borrowed(name)),
            };
            visit(name, self.at(value))?;
        }
        Ok(())
    }

    fn items<F>(&self, mut visit: F) -> Result<(), Failure<Thrown>>
    where
        F: FnMut(Self) -> Result<(), Failure<Thrown>>,
    {
        self.entries(|_, value| visit(value))
    }

    fn display(&self, out: &mut Vec<u8>) -> Result<(), Thrown> {
        let shown = if self
            .value
            .object()
            .is_some_and(|object| object.instance_of(ext_php_rs::zend::ce::stringable()))
        {
            zend::cast_to_text(self.value).ok_or(Thrown)?
        } else {
            value::text(value::type_name(self.value))
        };
        out.extend_from_slice(value::bytes(&shown));
        Ok(())
    }
}
