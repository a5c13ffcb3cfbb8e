//! How much an agent may do for one text of its user.

use serde::{Deserialize, Serialize};

use crate::slug::slugs;

slugs! {
    /// A limit that was reached.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum AgentLimit {
        /// The model was asked too often.
        Turns => "turns",
        /// The model called too many tools.
        Calls => "calls",
        /// The requests took too many tokens.
        Tokens => "tokens",
        /// The model and the tools worked for too long.
        Seconds => "seconds",
        /// The model wrote calls that cannot be read, too often in a row.
        Repairs => "repairs",
        /// One call with the same arguments gave the same result too often.
        SameCall => "same_call",
    }
}

/// How much an agent may do for one text of its user. All of it is counted from what the store
/// keeps, so waiting and going on in another process begins no new count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentLimits {
    /// How often the model is asked.
    pub turns: usize,
    /// How many calls it may make.
    pub calls: usize,
    /// How many tokens the requests and answers may have together; none for no limit.
    pub tokens: Option<u64>,
    /// For how many seconds the model and the tools may work. Waiting for a person does not count.
    pub seconds: u64,
    /// How often in a row the model is told that a call could not be read.
    pub repairs: usize,
    /// How often one call with the same arguments may give the same result.
    pub same_call: usize,
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self { turns: 20, calls: 50, tokens: None, seconds: 600, repairs: 3, same_call: 3 }
    }
}
