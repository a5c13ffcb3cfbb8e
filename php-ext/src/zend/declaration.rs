//! Declarations of classes and methods that ext-php-rs cannot express.
//!
//! All of them are made at start-up, when no other code uses the classes.

use std::ffi::c_void;
use std::ptr;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::ffi;
use ext_php_rs::flags::{ClassFlags, DataType, DataTypeExt};
use ext_php_rs::types::{ZendObject, ZendStr, Zval};
use ext_php_rs::zend::{ClassEntry, ZendType};

/// Macros that ext-php-rs does not bind: `ZEND_ACC_READONLY`, `IS_PROP_UNINIT`.
const READONLY: u32 = 1 << 7;
const UNINITIALIZED: u32 = 1;

/// Gives a declared property of the class its type and makes it read-only.
///
/// ext-php-rs declares properties without a type and as writable; reflection and PHP's optimizer
/// read both facts. Call this at start-up, when no other code uses the class.
pub(crate) fn declare_readonly<T: RegisteredClass>(name: &str, kind: DataType, nullable: bool) {
    let class = ptr::from_ref(T::get_metadata().ce()).cast_mut();
    // SAFETY: start-up is single-threaded and the class belongs to this extension. The entries of
    // the table of properties are property infos, and a property's offset gives its slot in the
    // table of defaults.
    unsafe {
        let Some(info) = (*class).properties_info.get(name) else { return };
        let Some(info) = info.value.ptr.cast::<ffi::zend_property_info>().as_mut() else { return };
        info.flags |= READONLY;
        info.type_ = property_type(kind, nullable);
        let slot = (info.offset as usize - (size_of::<ZendObject>() - size_of::<Zval>()))
            / size_of::<Zval>();
        if let Some(default) = (*class).default_properties_table.add(slot).as_mut() {
            default.u1.type_info = ffi::IS_UNDEF;
            default.u2.extra = UNINITIALIZED;
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

/// An internal method of one of this extension's classes, at start-up.
pub(super) fn method_of(
    class: &ClassEntry,
    name: &str,
) -> Option<&'static mut ffi::zend_internal_function> {
    // SAFETY: start-up is single-threaded and the class belongs to this extension. The entries of
    // the table of functions are functions that live as long as the class, and this one is
    // internal.
    unsafe {
        let function = class.function_table.get(name)?.value.ptr.cast::<ffi::zend_function>();
        Some(&mut function.as_mut()?.internal_function)
    }
}

/// Declares that an argument of a method also takes a string or an array: ext-php-rs cannot express
/// `string|array`.
///
/// Call this at start-up.
pub(crate) fn widen(class: &ClassEntry, method: &str, argument: usize, to: DataType) {
    let Some(function) = method_of(class, method) else { return };
    if argument < function.num_args as usize {
        // SAFETY: the function's table of arguments holds `num_args` entries. It belongs to the
        // class's metadata, and from PHP 8.6 on to the engine; nobody reads it during start-up.
        unsafe {
            (*function.arg_info.add(argument)).type_.type_mask |= 1 << to.as_u32();
        }
    }
}

/// Lets `serialize()` and `unserialize()` accept objects of the class; call it at start-up.
pub(crate) fn allow_serialization<T: RegisteredClass>() {
    let class = ptr::from_ref(T::get_metadata().ce()).cast_mut();
    // SAFETY: start-up is single-threaded and the class belongs to this extension.
    unsafe { (*class).ce_flags &= !ClassFlags::NotSerializable.bits() };
}
