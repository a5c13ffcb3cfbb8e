//! Shows PHP's collector of cycles what objects of this extension hold.
//!
//! The binding reports the properties of an object, and not what its Rust half holds. A closure
//! that holds the object that holds the closure would live until the end of the request.

use std::ffi::c_int;
use std::ptr;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::types::{ZendClassObject, ZendHashTable, ZendObject, Zval};

/// `zend_get_gc_buffer`: the values that an object holds, for the collector.
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

/// What holds values of PHP code.
pub(crate) trait Holds {
    /// Shows each value that this object, and no other, owns a reference to.
    fn each_held(&self, show: &mut dyn FnMut(&Zval));
}

/// Lets the collector see what objects of the class hold. To be called at start-up.
pub(crate) fn trace<T: RegisteredClass + Holds>() {
    let handlers = ptr::from_ref(T::get_metadata().handlers()).cast_mut();
    // SAFETY: start-up is single-threaded and no object of the class exists; the table lies in a
    // cell that the binding filled at run time, so it may be written to.
    unsafe { (*handlers).get_gc = Some(get_gc::<T>) };
}

/// The collector's question: the values of the buffer, and the table of properties if there is one.
unsafe extern "C" fn get_gc<T: RegisteredClass + Holds>(
    object: *mut ZendObject,
    table: *mut *mut Zval,
    count: *mut c_int,
) -> *mut ZendHashTable {
    // SAFETY: the engine asks with an object of the class and places for the answer. The buffer is
    // the engine's own; it takes copies of values that own nothing, as its own functions do.
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
