//! Writes calls as a model of a given format writes them.
//!
//! The data of the format decides: its markers, its keys, and the layout of its example (`example`,
//! `plain`). Arguments become JSON or literals (`value`) or tagged parameters (`parameter`), and
//! the markers go round them (`compose`). The text is read back before it is handed out (`proof`):
//! a text that does not give exactly the same calls is never handed out.

mod compose;
mod cursor;
mod example;
mod json;
mod layout;
mod new_call;
mod parameter;
mod plain;
mod proof;
mod render;
mod value;

pub use new_call::NewCall;
pub use render::render_calls;
