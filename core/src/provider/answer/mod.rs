//! What goes back to the model for a call: what a run of a tool gave, or why the call was refused.

pub(in crate::provider) mod bounded;
pub(in crate::provider) mod refusal;
pub(in crate::provider) mod tool_answer;
