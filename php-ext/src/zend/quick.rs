//! Quick properties: those of a class that are read most, answered before the binding looks a
//! property up, checks the access and guards the reading.

use std::ffi::{c_int, c_void};
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::OnceLock;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::ffi::{BP_VAR_IS, BP_VAR_R};
use ext_php_rs::types::{ZendClassObject, ZendObject, ZendStr, Zval};

/// A handler of the engine that reads a property.
type Read = unsafe extern "C" fn(
    *mut ZendObject,
    *mut ZendStr,
    c_int,
    *mut *mut c_void,
    *mut Zval,
) -> *mut Zval;

/// The place of the binding's handler of one class.
pub(crate) struct FullRead(OnceLock<Read>);

impl FullRead {
    /// An empty place.
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }
}

/// A class with properties that are read often. All of them are public.
pub(crate) trait Quick {
    /// The binding's handler, which reads the other properties.
    fn full() -> &'static FullRead;

    /// The value of a quick property. For any other one, or if the reading fails, the full handler
    /// answers. No PHP code may run.
    fn quick(&self, name: &[u8]) -> Option<Zval>;
}

/// Installs a quick handler before the one that reads the properties of a class; call it at
/// start-up.
pub(crate) fn quicken<T: RegisteredClass + Quick>() {
    let handlers = ptr::from_ref(T::get_metadata().handlers()).cast_mut();
    // SAFETY: start-up is single-threaded and no object of the class exists; the table lies in a
    // cell that the binding filled at run time, so it may be written to.
    unsafe {
        if let Some(full) = (*handlers).read_property
            && T::full().0.set(full).is_ok()
        {
            (*handlers).read_property = Some(read_quickly::<T>);
        }
    }
}

/// The quick handler; the full handler answers what it leaves.
unsafe extern "C" fn read_quickly<T: RegisteredClass + Quick>(
    object: *mut ZendObject,
    member: *mut ZendStr,
    kind: c_int,
    cache: *mut *mut c_void,
    result: *mut Zval,
) -> *mut Zval {
    // SAFETY: the engine passes an object with the handlers of the class, which is the end of a
    // `ZendClassObject` that is filled or holds nothing yet, the name of a property, and a place
    // for a value that owns nothing yet. A panic does not leave the function. No PHP code runs, so
    // nothing else uses the object meanwhile.
    unsafe {
        let whole =
            object.byte_sub(offset_of!(ZendClassObject<T>, std)).cast::<ZendClassObject<T>>();
        // Without a cache, the engine itself reads, and the full handler keeps the value for it.
        if !cache.is_null()
            // The property is read, and not written through.
            && matches!(u32::try_from(kind), Ok(BP_VAR_R | BP_VAR_IS))
            && let Some(held) = &(*whole).obj
            && let name = (*member).as_bytes()
            && let Ok(Some(value)) = catch_unwind(AssertUnwindSafe(|| held.quick(name)))
        {
            ptr::write(result, value);
            return result;
        }
        if let Some(full) = T::full().0.get() {
            return full(object, member, kind, cache, result);
        }
        ptr::write(result, Zval::null());
        result
    }
}
