//! Data packets of a pipeline: finding one handler's result, and what its envelope carries.
//!
//! - [`find`], [`find_all`]: a handler's results among the packets.
//! - [`project_envelope`], [`project_data`], [`project_success`]: what a packet's envelope carries.
//!
//! All of it reads a host's values in place, through [`Tree`](crate::Tree).

mod envelope;
mod finder;
mod kind;

pub use envelope::{
    Projection, STATUS_KEYS, failure_in, made_entries, payload_entries, project_data,
    project_envelope, project_envelope_data, project_success,
};
pub(crate) use envelope::{container, metadata};
pub use finder::{FindOptions, ResultPacket, find, find_all, names_another};
pub use kind::PacketKind;
