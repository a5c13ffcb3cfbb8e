//! The engine's functions that coerce an argument, in one form for all versions of PHP.
//!
//! Each takes the argument, the place for the result and the argument's number, and says whether
//! the argument was coerced. The argument may be converted in place to a string. PHP 8.6 returns
//! most results instead of writing them.

use ext_php_rs::types::{ZendStr, Zval};

#[cfg(not(php86))]
unsafe extern "C" {
    #[link_name = "zend_parse_arg_str_slow"]
    pub(super) fn to_text(argument: *mut Zval, target: *mut *mut ZendStr, number: u32) -> bool;
    #[link_name = "zend_parse_arg_bool_slow"]
    pub(super) fn to_flag(argument: *const Zval, target: *mut bool, number: u32) -> bool;
    #[link_name = "zend_parse_arg_double_slow"]
    pub(super) fn to_real(argument: *const Zval, target: *mut f64, number: u32) -> bool;
}

unsafe extern "C" {
    #[link_name = "zend_parse_arg_long_slow"]
    pub(super) fn to_whole(argument: *const Zval, target: *mut i64, number: u32) -> bool;
}

#[cfg(php86)]
unsafe extern "C" {
    fn zend_parse_arg_str_slow(argument: *mut Zval, number: u32) -> *mut ZendStr;
    fn zend_parse_arg_bool_slow(argument: *const Zval, number: u32) -> std::ffi::c_uint;
    fn zend_parse_arg_double_slow(argument: *const Zval, number: u32) -> f64;
}

/// Coerces to a string.
///
/// # Safety
///
/// Both pointers must be valid, and the argument may be converted in place.
#[cfg(php86)]
pub(super) unsafe fn to_text(argument: *mut Zval, target: *mut *mut ZendStr, number: u32) -> bool {
    // SAFETY: the caller's pointers are valid; null means that the argument was not coerced.
    unsafe {
        *target = zend_parse_arg_str_slow(argument, number);
        !(*target).is_null()
    }
}

/// Coerces to a boolean.
///
/// # Safety
///
/// Both pointers must be valid.
#[cfg(php86)]
pub(super) unsafe fn to_flag(argument: *const Zval, target: *mut bool, number: u32) -> bool {
    // SAFETY: the caller's pointers are valid; 0 is false, 1 is true, 2 an error.
    unsafe {
        let answer = zend_parse_arg_bool_slow(argument, number);
        *target = answer == 1;
        answer <= 1
    }
}

/// Coerces to a float.
///
/// # Safety
///
/// Both pointers must be valid.
#[cfg(php86)]
pub(super) unsafe fn to_real(argument: *const Zval, target: *mut f64, number: u32) -> bool {
    // SAFETY: the caller's pointers are valid; NAN means that the argument was not coerced.
    unsafe {
        *target = zend_parse_arg_double_slow(argument, number);
        !(*target).is_nan()
    }
}
