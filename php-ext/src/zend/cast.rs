//! Casts values as PHP does.

use std::ptr;

use ext_php_rs::boxed::ZBox;
use ext_php_rs::ffi;
use ext_php_rs::types::{ZendStr, Zval};

unsafe extern "C" {
    fn zval_try_get_string_func(value: *mut Zval) -> *mut ZendStr;
}

/// Casts a value to a boolean as PHP does.
#[inline]
pub(crate) fn truthy(value: &Zval) -> bool {
    // SAFETY: the value is only read.
    unsafe { ffi::zend_is_true(ptr::from_ref(value).cast_mut()) != 0 }
}

/// Casts a value to a string as PHP does; `None` if the cast threw.
pub(crate) fn cast_to_text(value: &Zval) -> Option<Zval> {
    // SAFETY: the value is only read; the caller owns the returned string, or null is returned.
    let text = unsafe { zval_try_get_string_func(ptr::from_ref(value).cast_mut()).as_mut() }?;
    let mut cast = Zval::new();
    // SAFETY: the returned reference moves into the box.
    cast.set_zend_string(unsafe { ZBox::from_raw(text) });
    Some(cast)
}
