//! PHP's own JSON.

use std::ffi::c_int;
use std::ptr;

use ext_php_rs::boxed::ZBox;
use ext_php_rs::ffi;
use ext_php_rs::types::{ZendStr, Zval};

/// Slashes and letters of every script stay, and `1.0` stays a float.
const OPTIONS: c_int = 64 | 256 | 1024;

/// The engine's growing text.
#[repr(C)]
struct SmartStr {
    text: *mut ZendStr,
    room: usize,
}

unsafe extern "C" {
    fn php_json_encode_ex(
        into: *mut SmartStr,
        value: *mut Zval,
        options: c_int,
        depth: ffi::zend_long,
    ) -> c_int;
}

/// Writes a value as `json_encode()` does; `None` for a value that it refuses, or that nests deeper
/// than `depth`. It runs the code of `jsonSerialize()`, whose exception stays pending.
pub(crate) fn json_encode(value: &Zval, depth: u16) -> Option<Vec<u8>> {
    // The code may drop the last reference to the value.
    let mut held = value.shallow_clone();
    let mut made = SmartStr { text: ptr::null_mut(), room: 0 };
    // SAFETY: the value is held, and the text is empty as the engine expects it. The module `json`
    // is a part of PHP that cannot be left out. What was written so far is a string of this
    // function's own, which is released here with its one reference.
    unsafe {
        let result =
            php_json_encode_ex(&raw mut made, &raw mut held, OPTIONS, ffi::zend_long::from(depth));
        if made.text.is_null() {
            return None;
        }
        let text = ZBox::from_raw(made.text);
        (result == 0).then(|| text.as_bytes().to_vec())
    }
}
