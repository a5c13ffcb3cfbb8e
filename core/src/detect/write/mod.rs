//! Writes calls as a model of a given format writes them, and messages as a model of a profile
//! does.
//!
//! The data of the format decides: its markers, its keys, and the layout of its example (`example`,
//! `plain`). Arguments become JSON or literals (`value`) or tagged parameters (`parameter`), and
//! the markers go round them (`compose`). The text is read back before it is handed out (`proof`):
//! a text that does not give exactly the same calls is never handed out. The same holds for whole
//! messages (`message`, `message_proof`), and for the text that tells a model its tools (`prompt`,
//! with an example that `sample` makes). The same layouts give the grammar to which a server holds
//! a model (`grammar`, by the options of `grammar_settings`).

mod compose;
mod cursor;
mod example;
mod grammar;
mod grammar_settings;
mod json;
mod layout;
mod message;
mod message_proof;
mod new_call;
mod new_message;
mod parameter;
mod plain;
mod prompt;
mod proof;
mod render;
mod sample;
mod value;

pub use grammar::{
    ConstrainOptions, Constraint, ConstraintNote, GrammarBackend, GrammarReasoning, GrammarServer,
    GrammarText, ToolChoice, constrain, constrain_calls,
};
pub use grammar_settings::GrammarSettings;
pub use message::render_message;
pub use new_call::NewCall;
pub use new_message::NewMessage;
pub use prompt::{PromptStyle, PromptTool, render_prompt};
pub use render::render_calls;
