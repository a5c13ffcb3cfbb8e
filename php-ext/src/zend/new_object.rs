//! Objects of this extension's classes, made in less work than the binding's way takes.

use std::ptr;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::ffi;
use ext_php_rs::types::{ZendClassObject, Zval};

/// Makes an object of a class of this extension.
///
/// The engine copies the default of each property by itself, as it may be counted. No property of
/// these classes has a default, so the places are copied at once.
#[inline]
pub(crate) fn new_object<T: RegisteredClass>(value: T) -> Zval {
    let (metadata, mut made) = (T::get_metadata(), Zval::new());
    let class = ptr::from_ref(metadata.ce()).cast_mut();
    // SAFETY: the class is registered, and lives until the module ends. The engine allocates the
    // size that is asked for and the places of the class's properties behind it, and never answers
    // null. `declare_readonly` left each default as an uninitialised property, which owns nothing.
    // All fields are written before anything can read the object. The value takes the one
    // reference that a new object has.
    unsafe {
        let whole = ffi::ext_php_rs_zend_object_alloc(size_of::<ZendClassObject<T>>(), class)
            .cast::<ZendClassObject<T>>();
        let object = &raw mut (*whole).std;
        ffi::zend_object_std_init(object, class);
        ptr::copy_nonoverlapping(
            (*class).default_properties_table,
            (&raw mut (*object).properties_table).cast::<Zval>(),
            usize::try_from((*class).default_properties_count).unwrap_or_default(),
        );
        ptr::write(&raw mut (*whole).obj, Some(value));
        (*object).handlers = metadata.handlers();
        made.value.obj = object;
    }
    made.u1.type_info = ffi::IS_OBJECT_EX;
    made
}
