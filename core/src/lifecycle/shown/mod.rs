//! What a person is shown of a run: what it would change, the detail that is approved, a summary.

pub(in crate::lifecycle) mod change;
pub(in crate::lifecycle) mod detail;
pub(in crate::lifecycle) mod summary;
