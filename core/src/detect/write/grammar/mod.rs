//! Makes the grammar to which an inference server holds a model while it writes.
//!
//! The table by which calls are read and written gives it: `calls` is the layout of a format with
//! holes in place of the values, `arguments`, `schema` and `notation` fill the holes, and `message`
//! puts the reasoning, the text and the framing of a profile round the calls. The result is one
//! [`expression`], which `structural_tag`, `lark` and `gbnf` write.

mod arguments;
mod automaton;
mod banned;
mod calls;
mod constrain;
mod constraint;
mod element;
mod expression;
mod facts;
mod gbnf;
mod integer_range;
mod kinds;
mod lark;
mod merge;
mod message;
mod nested;
mod notation;
mod notes;
mod options;
mod quotes;
mod request;
mod rules;
mod schema;
mod structural_tag;
mod tag_values;
mod words;

pub use constrain::{constrain, constrain_calls};
pub use constraint::Constraint;
pub use notes::ConstraintNote;
pub use options::{
    ConstrainOptions, GrammarBackend, GrammarReasoning, GrammarServer, GrammarText, ToolChoice,
};
