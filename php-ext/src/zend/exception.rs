//! The engine's own exception classes that ext-php-rs does not bind.

use ext_php_rs::zend::{ClassEntry, ce};

unsafe extern "C" {
    static spl_ce_InvalidArgumentException: *mut ClassEntry;
    static spl_ce_LogicException: *mut ClassEntry;
    static spl_ce_RuntimeException: *mut ClassEntry;
}

/// The class `\InvalidArgumentException`.
pub(crate) fn invalid_argument_exception() -> &'static ClassEntry {
    // SAFETY: SPL, which cannot be left out of PHP, sets the pointer before any extension starts,
    // and never changes it.
    unsafe { spl_ce_InvalidArgumentException.as_ref() }.unwrap_or_else(ce::exception)
}

/// The class `\LogicException`.
pub(crate) fn logic_exception() -> &'static ClassEntry {
    // SAFETY: SPL sets the pointer as above.
    unsafe { spl_ce_LogicException.as_ref() }.unwrap_or_else(ce::exception)
}

/// The class `\RuntimeException`.
pub(crate) fn runtime_exception() -> &'static ClassEntry {
    // SAFETY: SPL sets the pointer as above.
    unsafe { spl_ce_RuntimeException.as_ref() }.unwrap_or_else(ce::exception)
}
