//! Methods that replace methods written in PHP.
//!
//! The engine treats a method of an extension differently from a method written in PHP: it refuses
//! surplus arguments, accepts null for a scalar, and words its errors differently. Here a call is
//! handled as for a method written in PHP, by the engine's own functions for this purpose, so the
//! errors are the same word for word.

use std::ffi::{c_int, c_void};
use std::ops::Deref;
use std::panic::AssertUnwindSafe;
use std::ptr;

use ext_php_rs::ffi;
use ext_php_rs::types::{ZendStr, Zval};
use ext_php_rs::zend::{ExecuteData, ExecutorGlobals, run_handler};
use toolwire::tree::Key as Known;

use super::answer::{Given, Thrown};

unsafe extern "C" {
    fn zend_missing_arg_error(call: *mut ExecuteData);
    fn zend_verify_arg_error(
        function: *const ffi::zend_function,
        argument: *const c_void,
        number: u32,
        value: *mut Zval,
    );
    fn zend_verify_return_error(function: *const ffi::zend_function, value: *mut Zval);
    fn zend_verify_scalar_type_hint(
        types: u32,
        value: *mut Zval,
        strict: bool,
        internal: bool,
    ) -> bool;
}

/// A call of a method, with its arguments.
pub(crate) struct Call<'a> {
    frame: &'a ExecuteData,
    function: &'a ffi::zend_internal_function,
}

/// An argument: the given value, or the value that it was coerced to.
pub(crate) enum Argument<'a> {
    Given(&'a Zval),
    Coerced(Zval),
}

impl Deref for Argument<'_> {
    type Target = Zval;

    fn deref(&self) -> &Zval {
        match self {
            Self::Given(value) => value,
            Self::Coerced(value) => value,
        }
    }
}

impl<'a> Call<'a> {
    /// A required argument, counted from 0; PHP's error is thrown if the argument is missing or not
    /// of its declared type.
    ///
    /// PHP checks arguments one after the other: request them in order, and all of them before any
    /// other work.
    pub(crate) fn required(&self, position: u32) -> Result<Argument<'a>, Thrown> {
        if let Some(argument) = self.optional(position)? {
            return Ok(argument);
        }
        // SAFETY: the frame belongs to the running call; it is only read.
        unsafe { zend_missing_arg_error(ptr::from_ref(self.frame).cast_mut()) };
        Err(Thrown)
    }

    /// An argument that may be left out.
    pub(crate) fn optional(&self, position: u32) -> Result<Option<Argument<'a>>, Thrown> {
        // SAFETY: both members of the union are plain integers.
        if position >= unsafe { self.frame.This.u2.num_args } || position >= self.function.num_args
        {
            return Ok(None);
        }
        let index = position as usize;
        // SAFETY: `num_args` arguments lie after the frame's header, and the function's table holds
        // a type for each argument that it declares.
        let (value, info) = unsafe {
            let header = size_of::<ExecuteData>().div_ceil(size_of::<Zval>());
            (
                &*ptr::from_ref(self.frame).cast::<Zval>().add(header + index),
                self.function.arg_info.add(index),
            )
        };
        let value = value.dereference();
        // SAFETY: the function's table holds the argument's type; a type's mask has a bit for each
        // type of value.
        let types = unsafe { (*info).type_.type_mask };
        if types == 0 || types & (1 << super::array::kind(value)) != 0 {
            return Ok(Some(Argument::Given(value)));
        }
        let mut coerced = value.shallow_clone();
        // SAFETY: the copy is ours and may be converted in place; the errors read the function and
        // the value.
        unsafe {
            if zend_verify_scalar_type_hint(types, &raw mut coerced, self.caller_is_strict(), false)
            {
                return Ok(Some(Argument::Coerced(coerced)));
            }
            let function = ptr::from_ref(self.function).cast();
            let value = ptr::from_ref(value).cast_mut();
            // The type of an entry has another name from PHP 8.6 on.
            zend_verify_arg_error(function, info.cast(), position + 1, value);
        }
        Err(Thrown)
    }

    /// Throws PHP's error for a method whose result is not of its declared return type.
    pub(crate) fn refuse_result(&self, value: &Zval) -> Thrown {
        // SAFETY: the function declares its return type; the function and the value are only read.
        unsafe {
            zend_verify_return_error(
                ptr::from_ref(self.function).cast(),
                ptr::from_ref(value).cast_mut(),
            );
        }
        Thrown
    }

    /// Whether the calling code has declared `strict_types`.
    fn caller_is_strict(&self) -> bool {
        // SAFETY: the calling frame, if there is one, outlives the call, and so does its function.
        unsafe {
            let caller =
                self.frame.prev_execute_data.as_ref().and_then(|caller| caller.func.as_ref());
            caller
                .is_some_and(|function| function.common.fn_flags & ffi::ZEND_ACC_STRICT_TYPES != 0)
        }
    }
}

/// Answers a call with the result of a function, or throws.
pub(crate) fn answer<G: Given>(
    frame: &mut ExecuteData,
    result: &mut Zval,
    give: fn(&Call<'_>) -> G,
) {
    run_handler(AssertUnwindSafe(|| {
        // SAFETY: a call has a function, which belongs to this extension, since the engine calls
        // this handler for no other function.
        let Some(function) = (unsafe { frame.func.as_ref() }) else { return };
        let call = Call { frame, function: unsafe { &function.internal_function } };
        match give(&call).given() {
            Ok(value) => *result = value,
            Err(thrown) => thrown.throw(),
        }
    }));
}

/// Makes a function that answers calls from a function that returns a value for a [`Call`].
macro_rules! answering {
    ($give:path) => {{
        ext_php_rs::zend_fastcall! {
            extern fn answering(frame: &mut ext_php_rs::zend::ExecuteData, result: &mut ext_php_rs::types::Zval) {
                $crate::zend::answer(frame, result, $give);
            }
        }
        answering
    }};
}
pub(crate) use answering;

/// Calls a function by its lower-case name; returns `None` if the function does not exist.
///
/// The caller must check for a pending exception.
pub(crate) fn call_function<const N: usize>(name: &str, mut arguments: [Zval; N]) -> Option<Zval> {
    let mut given = Zval::null();
    // SAFETY: the name is only read; the function, if there is one, lives while it runs. The engine
    // copies the arguments and writes one value.
    unsafe {
        let function = ffi::zend_fetch_function_str(name.as_ptr().cast(), name.len()).as_mut()?;
        let (none, scope, named) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let count = u32::try_from(N).unwrap_or_default();
        let arguments = arguments.as_mut_ptr();
        ffi::zend_call_known_function(
            function,
            none,
            scope,
            &raw mut given,
            count,
            arguments,
            named,
        );
    }
    Some(given)
}

/// Reads `$object[$key] ?? null`, which may run the object's code; PHP's error is thrown for an
/// object that does not act as an array.
pub(crate) fn read_offset(object: &Zval, key: Known) -> Result<Zval, Thrown> {
    // The object's code may drop the last reference to the object.
    let held = object.shallow_clone();
    let mut offset = Zval::new();
    offset.set_zend_string(ZendStr::new(key.slug(), false));
    let mut made = Zval::null();
    let Some(object) = held.object() else { return Ok(made) };
    // SAFETY: every object has handlers, and this handler is always set. It returns null, the place
    // that was passed to it, or a value that lives until other code runs.
    let read = unsafe {
        let Some(read) = object.handlers.as_ref().and_then(|handlers| handlers.read_dimension)
        else {
            return Ok(made);
        };
        let quietly = c_int::try_from(ffi::BP_VAR_IS).unwrap_or_default();
        read(ptr::from_ref(object).cast_mut(), &raw mut offset, quietly, &raw mut made).as_ref()
    };
    let read = read.map_or_else(Zval::null, |read| read.dereference().shallow_clone());
    if ExecutorGlobals::has_exception() { Err(Thrown) } else { Ok(read) }
}

/// Whether two values are of one type and equal, as `===` decides.
pub(crate) fn identical(one: &Zval, other: &Zval) -> bool {
    // SAFETY: both values are only read.
    unsafe {
        ffi::zend_is_identical(ptr::from_ref(one).cast_mut(), ptr::from_ref(other).cast_mut())
    }
}
