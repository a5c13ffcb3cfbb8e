//! The one module that speaks to the engine in raw pointers, behind safe functions.
//!
//! What ext-php-rs has no safe call for: the coercion of arguments, the types of properties, objects
//! over a table, a method's short calls, in `array.rs` arrays read where they lie, and in `userland.rs` methods
//! that stand in for ones written in PHP. Nothing here keeps
//! a pointer beyond the call, and nothing here writes to a value that PHP code can see.

use std::ffi::{CStr, c_char, c_void};
use std::panic::catch_unwind;
use std::ptr;
use std::sync::OnceLock;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::ffi;
use ext_php_rs::flags::{DataType, DataTypeExt};
use ext_php_rs::types::{ZendHashTable, ZendObject, ZendStr, Zval};
use ext_php_rs::zend::{ClassEntry, ExecuteData, ExecutorGlobals, ZendType, ce};

use crate::finder;

mod array;
mod cycle;
mod object;
mod userland;
pub(crate) use array::*;
pub(crate) use cycle::*;
pub(crate) use object::*;
pub(crate) use userland::*;

/// Macros that ext-php-rs does not bind: `ZEND_ACC_READONLY`, `IS_PROP_UNINIT`.
const READONLY: u32 = 1 << 7;
const UNINITIALIZED: u32 = 1;

unsafe extern "C" {
    static spl_ce_InvalidArgumentException: *mut ClassEntry;
    static spl_ce_LogicException: *mut ClassEntry;
    static spl_ce_RuntimeException: *mut ClassEntry;

    fn zend_parse_arg_str_slow(argument: *mut Zval, target: *mut *mut ZendStr, number: u32) -> bool;
    fn zend_parse_arg_bool_slow(argument: *const Zval, target: *mut bool, number: u32) -> bool;
    fn zend_parse_arg_long_slow(argument: *const Zval, target: *mut i64, number: u32) -> bool;
    fn zend_parse_arg_double_slow(argument: *const Zval, target: *mut f64, number: u32) -> bool;
    fn zend_wrong_parameter_type_error(number: u32, expected: ffi::_zend_expected_type, argument: *mut Zval);
    fn zval_try_get_string_func(value: *mut Zval) -> *mut ZendStr;
    fn zend_wrong_parameter_class_error(number: u32, name: *const c_char, argument: *mut Zval);
    fn object_and_properties_init(
        target: *mut Zval,
        class: *mut ClassEntry,
        table: *mut ZendHashTable,
    ) -> i32;
    fn zend_update_property(
        scope: *mut ClassEntry,
        object: *mut ZendObject,
        name: *const c_char,
        length: usize,
        value: *mut Zval,
    );
}

/// The class `\InvalidArgumentException`.
pub(crate) fn invalid_argument_exception() -> &'static ClassEntry {
    // SAFETY: SPL, which cannot be left out of PHP, sets it before any extension starts, and for good.
    unsafe { spl_ce_InvalidArgumentException.as_ref() }.unwrap_or_else(ce::exception)
}

/// The class `\LogicException`.
pub(crate) fn logic_exception() -> &'static ClassEntry {
    // SAFETY: as above.
    unsafe { spl_ce_LogicException.as_ref() }.unwrap_or_else(ce::exception)
}

/// The class `\RuntimeException`.
pub(crate) fn runtime_exception() -> &'static ClassEntry {
    // SAFETY: as above.
    unsafe { spl_ce_RuntimeException.as_ref() }.unwrap_or_else(ce::exception)
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
    /// `array`, which nothing is coerced to.
    Array,
}

/// Coerces an argument of the running function as PHP coerces those of its own functions.
///
/// Where it does not go, PHP's error is thrown and nothing given back.
pub(crate) fn coerce(argument: &Zval, scalar: Scalar) -> Option<Zval> {
    let number = argument_number(argument);
    let mut copy = argument.shallow_clone();
    let mut result = Zval::new();
    // SAFETY: each function reads the value given and writes one value of its type; `copy` is ours, so the
    // conversion in place that the string one makes is seen by nobody, and the string it hands out is the
    // one `copy` now holds.
    let coerced = unsafe {
        match scalar {
            Scalar::Text => {
                let mut text = ptr::null_mut();
                let coerced = zend_parse_arg_str_slow(&raw mut copy, &raw mut text, number);
                if coerced && copy.is_string() {
                    result = copy.shallow_clone();
                } else if let Some(text) = text.as_ref().filter(|_| coerced) {
                    result.set_zend_string(ZendStr::new(text.as_bytes(), false));
                }
                coerced
            }
            Scalar::Flag => {
                let mut flag = false;
                let coerced = zend_parse_arg_bool_slow(&raw const copy, &raw mut flag, number);
                result.set_bool(flag);
                coerced
            }
            Scalar::Whole => {
                let mut whole = 0;
                let coerced = zend_parse_arg_long_slow(&raw const copy, &raw mut whole, number);
                result.set_long(whole);
                coerced
            }
            Scalar::Real => {
                let mut real = 0.0;
                let coerced = zend_parse_arg_double_slow(&raw const copy, &raw mut real, number);
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

/// Throws PHP's error for an argument of the wrong type, unless something was thrown already.
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
    // SAFETY: the value is only read, for the name of its type; the running function is one of this
    // extension's, as the error's text needs.
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
    // SAFETY: as above; the name is only read.
    unsafe {
        zend_wrong_parameter_class_error(
            argument_number(argument),
            class.as_ptr(),
            ptr::from_ref(argument).cast_mut(),
        );
    }
}

/// Which argument of the running function lies at this address, from 1.
fn argument_number(argument: &Zval) -> u32 {
    let call = ExecutorGlobals::get().current_execute_data.cast_const();
    // SAFETY: arguments lie behind the frame's header; the address is computed for the first one, which a
    // call with an argument has.
    let first = unsafe { call.as_ref().and_then(|call| call.zend_call_arg(0)) }.map(ptr::from_mut);
    let first = first.map_or(0, |first| first as usize);
    let distance = (ptr::from_ref(argument) as usize).saturating_sub(first) / size_of::<Zval>();
    u32::try_from(distance + 1).unwrap_or(1)
}

/// Gives a declared property of the class its type and makes it read-only.
///
/// ext-php-rs declares properties without either; reflection and PHP's optimizer read both. To be
/// called at start-up, when nothing else looks at the class.
pub(crate) fn declare_readonly<T: RegisteredClass>(name: &str, kind: DataType, nullable: bool) {
    let class = ptr::from_ref(T::get_metadata().ce()).cast_mut();
    // SAFETY: start-up is single-threaded and the class is this extension's own. Entries of the table of
    // properties are property infos, and a property's offset tells its slot in the table of defaults.
    unsafe {
        let Some(info) = (*class).properties_info.get(name) else { return };
        let Some(info) = info.value.ptr.cast::<ffi::zend_property_info>().as_mut() else { return };
        info.flags |= READONLY;
        info.type_ = property_type(kind, nullable);
        let slot = (info.offset as usize - (size_of::<ZendObject>() - size_of::<Zval>())) / size_of::<Zval>();
        if let Some(default) = (*class).default_properties_table.add(slot).as_mut() {
            default.u1.type_info = ffi::IS_UNDEF;
            default.u2.property_guard = UNINITIALIZED;
        }
    }
}

fn property_type(kind: DataType, nullable: bool) -> ZendType {
    let Some(class) = kind.class_name() else {
        return ZendType::empty_from_type(kind, false, false, nullable)
            .unwrap_or_else(|| ZendType::empty(false, false));
    };
    let null = if nullable { ffi::_ZEND_TYPE_NULLABLE_BIT } else { 0 };
    let name = ZendStr::new_interned(class, true).into_raw();
    ZendType { ptr: name.cast::<c_void>(), type_mask: ffi::_ZEND_TYPE_NAME_BIT | null }
}

/// The handler that a short one stands before.
static FULL: OnceLock<unsafe extern "C" fn(*mut ExecuteData, *mut Zval)> = OnceLock::new();

/// Puts a short handler before that of `findHandlerResult`, whose calls it answers.
///
/// The binding's own handler parses arguments into a list, and guards against a bailout of the engine,
/// which costs more than to search ten packets. To be called at start-up.
pub(crate) fn shorten<T: RegisteredClass>(method: &str) {
    if let Some(function) = method_of(T::get_metadata().ce(), method)
        && let Some(full) = function.handler
        && FULL.set(full).is_ok()
    {
        function.handler = Some(find_shortly);
    }
}

/// The short handler of `findHandlerResult`; the full one answers what it leaves.
unsafe extern "C" fn find_shortly(call: *mut ExecuteData, result: *mut Zval) {
    // SAFETY: the engine calls with a frame, as many arguments behind it as `num_args` says, and room for
    // a result that owns nothing yet. A panic does not leave the function. Nothing that runs can bail out:
    // packets are only read.
    unsafe {
        let arguments = call.cast::<Zval>().add(size_of::<ExecuteData>().div_ceil(size_of::<Zval>()));
        if (*call).This.u2.num_args == 2
            && let (Some(data), Some(name)) = (table(&*arguments), text(&*arguments.add(1)))
            && !finder::may_filter()
            && let Ok(Ok(found)) = catch_unwind(|| finder::find_shortly(data, name))
        {
            match found {
                Some(packet) => result.write(packet.shallow_clone()),
                None => (*result).u1.type_info = ffi::IS_NULL,
            }
        } else if let Some(full) = FULL.get() {
            full(call, result);
        }
    }
}

/// An internal method of one of this extension's classes, at start-up.
fn method_of(class: &ClassEntry, name: &str) -> Option<&'static mut ffi::zend_internal_function> {
    // SAFETY: start-up is single-threaded and the class is this extension's own. Entries of the table of
    // functions are functions that live as long as the class, and this one is internal.
    unsafe {
        let function = class.function_table.get(name)?.value.ptr.cast::<ffi::zend_function>();
        Some(&mut function.as_mut()?.internal_function)
    }
}

/// Declares an argument of a method to take a string or an array too, beside the type that it has: ext-php-rs
/// cannot say `string|array`.
///
/// To be called at start-up.
pub(crate) fn widen(class: &ClassEntry, method: &str, argument: usize, to: DataType) {
    let Some(function) = method_of(class, method) else { return };
    if argument < function.num_args as usize {
        // SAFETY: the function's table of arguments, which the class's metadata owns, holds as many as
        // `num_args` says.
        let info = unsafe { &mut *function.arg_info.cast::<ffi::zend_internal_arg_info>().add(argument) };
        info.type_.type_mask |= 1 << to.as_u32();
    }
}

/// Makes an object of class `stdClass` whose properties are the table's entries.
///
/// A table whose keys are all strings, as an object's must be.
pub(crate) fn plain_object(table: ext_php_rs::boxed::ZBox<ZendHashTable>) -> Zval {
    let mut object = Zval::new();
    // SAFETY: the table has one owner, which becomes the object; `stdClass` declares no property that
    // would have to be told apart.
    unsafe {
        object_and_properties_init(
            &raw mut object,
            ptr::from_ref(ce::stdclass()).cast_mut(),
            table.into_raw(),
        );
    }
    object
}

/// Writes to a property of a new object as the code of its class would, however it is hidden from others.
pub(crate) fn write_hidden(object: &mut ZendObject, class: &ClassEntry, name: &str, value: &Zval) {
    // SAFETY: the engine copies the value, raising its reference count, and the name; the class lives for good.
    unsafe {
        zend_update_property(
            ptr::from_ref(class).cast_mut(),
            ptr::from_mut(object),
            name.as_ptr().cast(),
            name.len(),
            ptr::from_ref(value).cast_mut(),
        );
    }
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
    cast.set_zend_string(unsafe { ext_php_rs::boxed::ZBox::from_raw(text) });
    Some(cast)
}

/// Keeps a table as it is for as long as the value lives: whoever writes to it meanwhile gets a copy.
pub(crate) fn hold(table: &ZendHashTable) -> Zval {
    let mut held = Zval::new();
    let table = ptr::from_ref(table).cast_mut();
    // SAFETY: a table is either immutable and not counted, or counted: the value then owns the reference
    // that is added here, and gives it back when it is dropped.
    unsafe {
        held.value.arr = table;
        if (*table).gc.u.type_info & ffi::GC_IMMUTABLE == 0 {
            (*table).gc.refcount += 1;
            held.u1.type_info = ffi::IS_ARRAY_EX;
        } else {
            held.u1.type_info = ffi::IS_ARRAY;
        }
    }
    held
}
