//! Values and tables that are made in place, without the checks that the binding's setters make of
//! what a value held before.

use std::mem::forget;

use ext_php_rs::boxed::ZBox;
use ext_php_rs::ffi;
use ext_php_rs::types::{ZendHashTable, ZendStr, Zval};

unsafe extern "C" {
    fn zend_hash_add_new(
        table: *mut ZendHashTable,
        key: *mut ZendStr,
        value: *mut Zval,
    ) -> *mut Zval;
}

/// A string as a value.
#[inline]
pub(crate) fn string(bytes: &[u8]) -> Zval {
    let (mut value, string) = (Zval::new(), ZendStr::new(bytes, false));
    if bytes.len() > 1 {
        value.value.str_ = string.into_raw();
        value.u1.type_info = ffi::IS_STRING_EX;
    } else {
        // The engine has the shortest strings already, and does not count them.
        value.set_zend_string(string);
    }
    value
}

/// An integer as a value.
#[inline]
pub(crate) fn integer(number: i64) -> Zval {
    let mut value = Zval::new();
    value.value.lval = number;
    value.u1.type_info = ffi::IS_LONG;
    value
}

/// A table as a value.
#[inline]
pub(crate) fn array(table: ZBox<ZendHashTable>) -> Zval {
    let mut value = Zval::new();
    // Only an immutable table is not counted.
    value.u1.type_info = if table.is_immutable() { ffi::IS_ARRAY } else { ffi::IS_ARRAY_EX };
    value.value.arr = table.into_raw();
    value
}

/// Puts a value under a key that is no number and that the table does not have.
#[inline]
pub(crate) fn put(table: &mut ZendHashTable, key: &Zval, mut value: Zval) {
    if let Some(key) = super::array::text(key) {
        // SAFETY: the table has one owner, and the key is a live string, of which the engine takes
        // a reference. The value moves into the table, so it is not dropped here.
        unsafe {
            let key = std::ptr::from_ref(key).cast_mut();
            zend_hash_add_new(table, key, &raw mut value);
        }
        forget(value);
    }
}
