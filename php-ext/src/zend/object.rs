//! Objects that the binding cannot make: over a table, or left empty by `unserialize()`.
//!
//! The binding fills an object only in its constructor, which `unserialize()` does not call.

use std::ffi::c_char;
use std::mem::offset_of;
use std::ptr;

use ext_php_rs::boxed::ZBox;
use ext_php_rs::class::RegisteredClass;
use ext_php_rs::types::{ZendClassObject, ZendHashTable, ZendObject, Zval};
use ext_php_rs::zend::{ClassEntry, ce};

unsafe extern "C" {
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
    static php_json_serializable_ce: *mut ClassEntry;
}

/// The interface `JsonSerializable`.
pub(crate) fn json_serializable() -> &'static ClassEntry {
    // SAFETY: the JSON extension, which cannot be left out of PHP, sets the pointer before this
    // extension starts, and never changes it.
    unsafe { php_json_serializable_ce.as_ref() }.unwrap_or_else(ce::traversable)
}

/// The properties of an object of class `stdClass` or of a class that extends it.
///
/// A lazy object has none until PHP code uses it: its properties are made by code of the program,
/// which must not run while values are read.
pub(crate) fn properties(value: &Zval) -> Option<&ZendHashTable> {
    let object = value.object()?;
    #[cfg(php84)]
    if object.is_lazy() && !object.is_lazy_initialized() {
        return None;
    }
    if object.instance_of(ce::stdclass()) { object.get_properties().ok() } else { None }
}

/// Fills an object of the class that holds nothing yet; returns false for any other object, which
/// stays unchanged.
pub(crate) fn fill<T: RegisteredClass>(object: &mut ZendObject, value: T) -> bool {
    if !ptr::eq(object.handlers, T::get_metadata().handlers()) {
        return false;
    }
    // SAFETY: an object with the handlers of the class was made by the class, as the end of a
    // `ZendClassObject` whose other part is an `Option`, initialised when it was made. An empty
    // `Option` has no value that could be borrowed.
    unsafe {
        let whole = ptr::from_mut(object)
            .byte_sub(offset_of!(ZendClassObject<T>, std))
            .cast::<ZendClassObject<T>>();
        if (*whole).obj.is_some() {
            return false;
        }
        ptr::write(&raw mut (*whole).obj, Some(value));
    }
    true
}

/// Makes an object of class `stdClass` whose properties are the table's entries.
///
/// The keys of the table must all be strings, as the keys of an object are.
pub(crate) fn plain_object(table: ZBox<ZendHashTable>) -> Zval {
    let mut object = Zval::new();
    // SAFETY: the table has one owner, which becomes the object; `stdClass` declares no property
    // that needs separate treatment.
    unsafe {
        object_and_properties_init(
            &raw mut object,
            ptr::from_ref(ce::stdclass()).cast_mut(),
            table.into_raw(),
        );
    }
    object
}

/// Writes to a property of a new object with the rights of its class, so that a hidden property can
/// be written.
pub(crate) fn write_hidden(object: &mut ZendObject, class: &ClassEntry, name: &str, value: &Zval) {
    // SAFETY: the engine copies the value, raising its reference count, and the name; the class
    // lives until the process ends.
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
