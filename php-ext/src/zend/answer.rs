//! What a function of this extension gives: a value, or an exception.

use ext_php_rs::exception::PhpResult;
use ext_php_rs::types::Zval;

/// Says that a PHP exception is pending.
#[derive(Debug)]
pub(crate) struct Thrown;

/// What the function of a property or a method gives: a value, or an exception instead.
pub(crate) trait Given {
    /// The one or the other.
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
