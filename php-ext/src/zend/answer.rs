//! The result of a function of this extension: a value, or an exception.

use ext_php_rs::exception::PhpResult;
use ext_php_rs::types::Zval;

/// Marks that a PHP exception is pending.
#[derive(Debug)]
pub(crate) struct Thrown;

/// The result of the function of a property or a method: a value, or an exception instead.
pub(crate) trait Given {
    /// Returns the value or the exception.
    fn given(self) -> PhpResult<Zval>;
}

impl Given for Zval {
    fn given(self) -> PhpResult<Zval> {
        Ok(self)
    }
}

impl Given for PhpResult<Zval> {
    fn given(self) -> PhpResult<Zval> {
        self
    }
}
