//! The fiber that runs.

use ext_php_rs::zend::ExecutorGlobals;

/// Names the fiber that runs now, or the code outside of all fibers, as no other one that exists
/// is named.
pub(crate) fn running_fiber() -> usize {
    ExecutorGlobals::get().current_fiber_context.addr()
}
