//! Objects that `unserialize()` made and that hold nothing yet.
//!
//! A part of `zend.rs`: the binding fills an object in its constructor alone, which `unserialize()` does not call.

use std::mem::offset_of;
use std::ptr;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::flags::ClassFlags;
use ext_php_rs::types::{ZendClassObject, ZendObject};
use ext_php_rs::zend::ClassEntry;

unsafe extern "C" {
    static php_json_serializable_ce: *mut ClassEntry;
}

/// The interface `JsonSerializable`.
pub(crate) fn json_serializable() -> &'static ClassEntry {
    // SAFETY: the JSON extension, which cannot be left out of PHP, sets it before this one starts, and for good.
    unsafe { php_json_serializable_ce.as_ref() }.unwrap_or_else(ext_php_rs::zend::ce::traversable)
}

/// Fills an object of the class that holds nothing yet; false for any other one, which stays as it is.
pub(crate) fn fill<T: RegisteredClass>(object: &mut ZendObject, value: T) -> bool {
    if !ptr::eq(object.handlers, T::get_metadata().handlers()) {
        return false;
    }
    // SAFETY: an object with the handlers of the class was made by the class, as the end of a `ZendClassObject`
    // whose other part is an `Option`, initialised when it was made. Nobody borrows a value that is not there.
    unsafe {
        let whole =
            ptr::from_mut(object).byte_sub(offset_of!(ZendClassObject<T>, std)).cast::<ZendClassObject<T>>();
        if (*whole).obj.is_some() {
            return false;
        }
        ptr::write(&raw mut (*whole).obj, Some(value));
    }
    true
}

/// Lets `serialize()` and `unserialize()` have objects of the class. To be called at start-up.
pub(crate) fn allow_serialization<T: RegisteredClass>() {
    let class = ptr::from_ref(T::get_metadata().ce()).cast_mut();
    // SAFETY: start-up is single-threaded and the class is this extension's own.
    unsafe { (*class).ce_flags &= !ClassFlags::NotSerializable.bits() };
}
