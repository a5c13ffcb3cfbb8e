//! Places for the classes that start-up registers, which every thread reads.
//!
//! In a PHP with threads, start-up runs on one thread and requests run on others, so a class is
//! kept here and never in a thread-local.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use ext_php_rs::zend::ClassEntry;

/// A place for one class.
pub(crate) struct ClassPlace(AtomicPtr<ClassEntry>);

impl ClassPlace {
    /// An empty place.
    pub(crate) const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// Keeps a class; call it at start-up.
    pub(crate) fn set(&self, class: &'static ClassEntry) {
        self.0.store(ptr::from_ref(class).cast_mut(), Ordering::Release);
    }

    /// The class, once start-up has registered it.
    pub(crate) fn get(&self) -> Option<&'static ClassEntry> {
        // SAFETY: the pointer is null, or it comes from a reference to a class that lives until the
        // process ends. All threads share the classes of an extension and none changes them after
        // start-up.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }
}
