//! Requests for a message: their parts and their options.

pub(in crate::provider) mod ask;
pub(in crate::provider) mod options;
