//! Patches: how a list of entries grows and changes.

use crate::slug::slugs;
use crate::transcript::entry::Entry;

slugs! {
    /// What a patch does.
    pub enum Op {
        /// An entry is new.
        Add => "add",
        /// An entry replaces an earlier one: a call gets its result.
        Replace => "replace",
    }
}

/// One change of the list of entries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Patch {
    /// What the patch does.
    pub op: Op,
    /// The entry's place in the list.
    pub index: usize,
    /// The entry after the change.
    pub entry: Entry,
}

impl Patch {
    /// The JSON Pointer of the entry.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/entries/{}", self.index)
    }
}
