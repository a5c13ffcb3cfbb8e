//! Takes objects of this extension's classes as arguments.

use std::ffi::CString;
use std::marker::PhantomData;

use ext_php_rs::class::RegisteredClass;
use ext_php_rs::convert::FromZval;
use ext_php_rs::exception::PhpResult;
use ext_php_rs::flags::DataType;
use ext_php_rs::types::Zval;

use crate::host::exception;
use crate::host::value::held;
use crate::zend;

/// An argument that is an object of one of this extension's classes, with its reference count
/// raised.
pub(crate) struct Object<T>(Zval, PhantomData<T>);

impl<T: RegisteredClass> Object<T> {
    /// The PHP value of the object.
    pub(crate) fn value(&self) -> &Zval {
        &self.0
    }

    /// The Rust half of the object.
    pub(crate) fn held(&self) -> PhpResult<&T> {
        // The argument was accepted because it is such an object.
        held(&self.0).ok_or_else(|| exception::not_constructible(T::CLASS_NAME))
    }
}

impl<'a, T: RegisteredClass> FromZval<'a> for Object<T> {
    const TYPE: DataType = DataType::object(T::CLASS_NAME);

    fn from_zval(value: &'a Zval) -> Option<Self> {
        if held::<T>(value).is_none() {
            zend::refuse_object(value, &CString::new(T::CLASS_NAME).unwrap_or_default());
            return None;
        }
        Some(Self(value.shallow_clone(), PhantomData))
    }
}
