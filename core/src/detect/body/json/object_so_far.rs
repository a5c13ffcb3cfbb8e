//! An object that is being read, and may be a call.

use crate::detect::body::members::Members;

/// What is known of the object that may be a call.
#[derive(Clone, Debug, Default)]
pub(super) struct ObjectSoFar {
    pub(super) start: usize,
    pub(super) is_open: bool,
    /// The members of the object itself.
    pub(super) outer: Members,
    /// The members of the object that it wraps. Few calls are written so; without this box, a
    /// reader is larger than what the allocator keeps at hand.
    pub(super) inner: Option<Box<Members>>,
    pub(super) too_deep: Option<usize>,
}

impl ObjectSoFar {
    /// The members of the object, and of the object that it wraps.
    pub(super) fn members(&self) -> impl Iterator<Item = &Members> {
        std::iter::once(&self.outer).chain(self.inner.as_deref())
    }

    /// The start of the arguments, while they are being read.
    pub(super) fn open_arguments(&self) -> Option<usize> {
        self.members().find_map(Members::open_arguments)
    }
}
