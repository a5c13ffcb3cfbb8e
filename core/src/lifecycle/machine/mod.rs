//! One run of a tool as a machine without I/O: its checks, its phases, what it asks of its host,
//! what it emits, and how it may fail.

pub(in crate::lifecycle) mod emitted;
pub(in crate::lifecycle) mod event;
pub(in crate::lifecycle) mod execution;
pub(in crate::lifecycle) mod failure;
pub(in crate::lifecycle) mod gate;
pub(in crate::lifecycle) mod phase;
pub(in crate::lifecycle) mod saved;
pub(in crate::lifecycle) mod state;
pub(in crate::lifecycle) mod step;
pub(in crate::lifecycle) mod subject;
