//! Values as PHP casts them.

use std::ptr;

use ext_php_rs::boxed::ZBox;
use ext_php_rs::ffi;
use ext_php_rs::types::{ZendStr, Zval};

unsafe extern "C" {
    fn zval_try_get_string_func(value: *mut Zval) -> *mut ZendStr;
}

/// A value as PHP casts it to a boolean.
#[inline]
pub(crate) fn truthy(value: &Zval) -> bool {
    // SAFETY: the value is only read.
    unsafe { ffi::zend_is_true(ptr::from_ref(value).cast_mut()) != 0 }
}

/// A value as PHP casts it to a string; none if that threw.
pub(crate) fn cast_to_text(value: &Zval) -> Option<Zval> {
    // SAFETY: the value is only read; the string that comes back is owned by the caller, or null.
    let text = unsafe { zval_try_get_string_func(ptr::from_ref(value).cast_mut()).as_mut() }?;
    let mut cast = Zval::new();
    // SAFETY: the reference that was handed out moves into the box.
    cast.set_zend_string(unsafe { ZBox::from_raw(text) });
    Some(cast)
}
