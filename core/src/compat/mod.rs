//! Other programs' habits: their names, forms and errors, for code that must behave as they do.
//!
//! Nothing else in this crate imports from here.
//!
//! - [`data_machine`]: finding a handler's results by the rules of Data Machine's own class.
//! - [`issue_agent`]: what the live issue agent reads out of a model's reply.
//! - [`memberpress`]: the tools and the markup of the MemberPress AI Assistant.
//! - [`stageflow`]: the messages of stageflow's errors.
//! - [`vibe_kanban`]: entries of a transcript as vibe-kanban writes them.

pub mod data_machine;
pub mod issue_agent;
pub mod memberpress;
pub mod stageflow;
pub mod vibe_kanban;

use crate::detect::Preset;

/// The presets of these programs, for [`Options::presets`](crate::Options).
pub const PRESETS: &[Preset] = &[memberpress::PRESET];
