//! Arguments of the running function: coerced as PHP coerces them, and refused with PHP's errors.

use std::ffi::{CStr, c_char};
use std::ptr;

use ext_php_rs::ffi;
use ext_php_rs::types::{ZendStr, Zval};
use ext_php_rs::zend::ExecutorGlobals;

use super::coercion;

unsafe extern "C" {
    fn zend_wrong_parameter_type_error(
        number: u32,
        expected: ffi::_zend_expected_type,
        argument: *mut Zval,
    );
    fn zend_wrong_parameter_class_error(number: u32, name: *const c_char, argument: *mut Zval);
}

/// A type that arguments are coerced to.
#[derive(Clone, Copy)]
pub(crate) enum Scalar {
    /// `string`.
    Text,
    /// `bool`.
    Flag,
    /// `int`.
    Whole,
    /// `float`.
    Real,
    /// `array`, to which no other value is coerced.
    Array,
}

/// Coerces an argument of the running function as PHP does for its own functions.
///
/// If the coercion fails, PHP's error is thrown and `None` is returned.
pub(crate) fn coerce(argument: &Zval, scalar: Scalar) -> Option<Zval> {
    let number = argument_number(argument);
    let mut copy = argument.shallow_clone();
    let mut result = Zval::new();
    // SAFETY: each function reads the given value and writes one value of its type. `copy` is ours,
    // so nobody sees the conversion in place that the string function makes, and `copy` now holds
    // the string that this function returns.
    let coerced = unsafe {
        match scalar {
            Scalar::Text => {
                let mut text = ptr::null_mut();
                let coerced = coercion::to_text(&raw mut copy, &raw mut text, number);
                if coerced && copy.is_string() {
                    result = copy.shallow_clone();
                } else if let Some(text) = text.as_ref().filter(|_| coerced) {
                    result.set_zend_string(ZendStr::new(text.as_bytes(), false));
                }
                coerced
            }
            Scalar::Flag => {
                let mut flag = false;
                let coerced = coercion::to_flag(&raw const copy, &raw mut flag, number);
                result.set_bool(flag);
                coerced
            }
            Scalar::Whole => {
                let mut whole = 0;
                let coerced = coercion::to_whole(&raw const copy, &raw mut whole, number);
                result.set_long(whole);
                coerced
            }
            Scalar::Real => {
                let mut real = 0.0;
                let coerced = coercion::to_real(&raw const copy, &raw mut real, number);
                result.set_double(real);
                coerced
            }
            Scalar::Array => false,
        }
    };
    if !coerced {
        refuse_argument(argument, scalar);
        return None;
    }
    (!ExecutorGlobals::has_exception()).then_some(result)
}

/// Throws PHP's error for an argument of the wrong type, unless an exception is already pending.
pub(crate) fn refuse_argument(argument: &Zval, scalar: Scalar) {
    if ExecutorGlobals::has_exception() {
        return;
    }
    let expected = match scalar {
        Scalar::Text => ffi::_zend_expected_type_Z_EXPECTED_STRING,
        Scalar::Flag => ffi::_zend_expected_type_Z_EXPECTED_BOOL,
        Scalar::Whole => ffi::_zend_expected_type_Z_EXPECTED_LONG,
        Scalar::Real => ffi::_zend_expected_type_Z_EXPECTED_DOUBLE,
        Scalar::Array => ffi::_zend_expected_type_Z_EXPECTED_ARRAY,
    };
    // SAFETY: the value is only read, for the name of its type; the running function belongs to
    // this extension, which the text of the error requires.
    unsafe {
        zend_wrong_parameter_type_error(
            argument_number(argument),
            expected,
            ptr::from_ref(argument).cast_mut(),
        );
    }
}

/// Throws PHP's error for an argument that is not an object of the class.
pub(crate) fn refuse_object(argument: &Zval, class: &CStr) {
    // SAFETY: the running function belongs to this extension; the value and the name are only read.
    unsafe {
        zend_wrong_parameter_class_error(
            argument_number(argument),
            class.as_ptr(),
            ptr::from_ref(argument).cast_mut(),
        );
    }
}

/// The number of the running function's argument at this address, from 1.
fn argument_number(argument: &Zval) -> u32 {
    let call = ExecutorGlobals::get().current_execute_data.cast_const();
    // SAFETY: the arguments lie after the frame's header; the address is computed for the first
    // one, which exists in a call with an argument.
    let first = unsafe { call.as_ref().and_then(|call| call.zend_call_arg(0)) }.map(ptr::from_mut);
    let first = first.map_or(0, |first| first as usize);
    let distance = (ptr::from_ref(argument) as usize).saturating_sub(first) / size_of::<Zval>();
    u32::try_from(distance + 1).unwrap_or(1)
}
