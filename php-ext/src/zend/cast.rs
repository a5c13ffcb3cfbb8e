//! Casts values as PHP does.

use std::ptr;

use ext_php_rs::boxed::ZBox;
use ext_php_rs::ffi;
use ext_php_rs::types::{ZendStr, Zval};

unsafe extern "C" {
    fn zval_try_get_string_func(value: *mut Zval) -> *mut ZendStr;
}

/// Casts a value to a boolean as PHP does, but runs no code of a program.
///
/// NAN is true, as everywhere in PHP. From PHP 8.5 on, the engine also warns of that cast, and a
/// program's error handler could then free the values that are being read. So a float never
/// reaches the engine.
#[inline]
pub(crate) fn truthy(value: &Zval) -> bool {
    if let Some(number) = value.double() {
        return number != 0.0;
    }
    // SAFETY: the value is only read. An object of PHP code is true without a call of its code.
    let answer = unsafe { ffi::zend_is_true(ptr::from_ref(value).cast_mut()) };
    #[allow(clippy::useless_conversion, reason = "PHP 8.4 and newer answer with a boolean")]
    let answer = i32::from(answer);
    answer != 0
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
