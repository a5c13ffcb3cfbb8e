//! Shows PHP's cycle collector the values that objects of this extension hold.
//!
//! The binding reports the properties of an object, but not the values in its Rust half. Without
//! this report, a closure and an object that hold each other would live until the end of the
//! request.

use std::ffi::c_int;
use std::ptr;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::types::{ZendClassObject, ZendHashTable, ZendObject, Zval};

/// `zend_get_gc_buffer`: the values that an object holds, as the collector reads them.
#[repr(C)]
struct Buffer {
    next: *mut Zval,
    end: *mut Zval,
    start: *mut Zval,
}

unsafe extern "C" {
    fn zend_get_gc_buffer_create() -> *mut Buffer;
    fn zend_get_gc_buffer_grow(buffer: *mut Buffer);
}

/// An object that holds values of PHP code.
pub(crate) trait Holds {
    /// Shows each value that only this object owns a reference to.
    fn each_held(&self, show: &mut dyn FnMut(&Zval));
}

/// Lets the collector see what objects of the class hold; call it at start-up.
pub(crate) fn trace<T: RegisteredClass + Holds>() {
    let handlers = ptr::from_ref(T::get_metadata().handlers()).cast_mut();
    // SAFETY: start-up is single-threaded and no object of the class exists; the table lies in a
    // cell that the binding filled at run time, so it may be written to.
    unsafe { (*handlers).get_gc = Some(get_gc::<T>) };
}

/// Answers the collector: the values of the buffer, and the table of properties if there is one.
unsafe extern "C" fn get_gc<T: RegisteredClass + Holds>(
    object: *mut ZendObject,
    table: *mut *mut Zval,
    count: *mut c_int,
) -> *mut ZendHashTable {
    // SAFETY: the engine passes an object of the class and pointers for the answer. The buffer
    // belongs to the engine; it takes copies of values that own nothing, as the engine's own
    // functions do.
    unsafe {
        let buffer = zend_get_gc_buffer_create();
        let mut show = |value: &Zval| {
            if (*buffer).next == (*buffer).end {
                zend_get_gc_buffer_grow(buffer);
            }
            ptr::copy_nonoverlapping(value, (*buffer).next, 1);
            (*buffer).next = (*buffer).next.add(1);
        };
        if let Some(held) = ZendClassObject::<T>::from_zend_obj(&*object) {
            held.each_held(&mut show);
        }
        if (*object).properties.is_null() {
            let slots = (&raw const (*object).properties_table).cast::<Zval>();
            for slot in
                0..usize::try_from((*(*object).ce).default_properties_count).unwrap_or_default()
            {
                show(&*slots.add(slot));
            }
        }
        *table = (*buffer).start;
        *count = c_int::try_from((*buffer).next.offset_from((*buffer).start)).unwrap_or_default();
        (*object).properties
    }
}
