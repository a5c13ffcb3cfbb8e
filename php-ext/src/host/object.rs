//! Objects of this extension's classes as arguments.

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

/// An object of one of this extension's classes that is given as an argument, its reference count
/// raised.
pub(crate) struct Object<T>(Zval, PhantomData<T>);

impl<T: RegisteredClass> Object<T> {
    /// The object as PHP has it.
    pub(crate) fn value(&self) -> &Zval {
        &self.0
    }

    /// What the object holds.
    pub(crate) fn held(&self) -> PhpResult<&T> {
        // The argument was taken because it is one.
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
