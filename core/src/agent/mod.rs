//! Conversations with a model that calls tools: from a user's text to an answer.
//!
//! An [`Agent`] asks a model, runs the calls that the model writes, tells it what they gave, and
//! asks again until the model answers. What was said is in a store, one entry for each message, and
//! what comes next is found from it. So a process may die at any moment, and [`Agent::run`] without
//! a text goes on in another one: no handler runs twice, and no result is lost. While a person has
//! to approve a call, the answer says so ([`AgentState::Waiting`]). Nothing is sent to the model
//! until all calls of its message have results.
//!
//! What the model wrote goes back to its provider as it was sent, signatures and encrypted
//! reasoning included. A call that cannot be read never runs: the model is told what was wrong and
//! at which place, and may write it again. A call runs only if this agent received it from its
//! model. A result that the model makes up is text.
//!
//! ```
//! use std::sync::Arc;
//! use serde_json::{Value, json};
//! use toolwire::agent::{Agent, AgentState, ModelError};
//! use toolwire::executor::{Executor, Fault, ToolInput, ToolOutput};
//! use toolwire::lifecycle::{Decision, Settings};
//! use toolwire::provider::Provider;
//! use toolwire::registry::ToolSpec;
//! use toolwire::store::MemoryStore;
//!
//! // A model that wipes a disk, and says what came of it. Yours sends the body to a server.
//! let model = |body: &Value| -> Result<Value, ModelError> {
//!     let last = body["messages"].as_array().and_then(|all| all.last());
//!     let message = match last.filter(|last| last["role"] == "tool") {
//!         Some(result) => json!({"role": "assistant", "content": result["content"]}),
//!         None => json!({"role": "assistant", "content": null, "tool_calls": [{
//!             "id": "call_0", "type": "function",
//!             "function": {"name": "wipe", "arguments": "{\"disk\": 7}"},
//!         }]}),
//!     };
//!     Ok(json!({"choices": [{"message": message}]}))
//! };
//! let store = Arc::new(MemoryStore::default());
//! let mut executor = Executor::new(store.clone(), Settings::default());
//! let spec = ToolSpec { requires_approval: true, ..ToolSpec::new("wipe") };
//! executor.register(spec, |input: &ToolInput| {
//!     Ok(ToolOutput::ok(format!("wiped {}", input.arguments["disk"])))
//! })?;
//! let agent = Agent::new(model, Provider::OpenAi, "qwen3", executor, store);
//!
//! let answer = agent.run(Some("Wipe disk 7."), "chat 7")?;
//! assert_eq!(answer.state, AgentState::Waiting);
//! let request = answer.waiting[0].approval_id.clone().unwrap_or_default();
//! agent.executor().approve(&request, &Decision::approved())?;
//!
//! let answer = agent.run(None, "chat 7")?; // In this process or in another one.
//! assert_eq!((answer.state, &*answer.text), (AgentState::Done, "wiped 7"));
//! # Ok::<(), Fault>(())
//! ```

mod answer;
mod conversation;
mod drive;
mod error;
mod event;
mod grammar;
mod hearing;
mod kept;
mod limits;
mod message;
mod model;
mod program;
mod received;
mod run_call;
mod settings;
mod standing;

pub use answer::{AgentAnswer, AgentState};
pub use conversation::{Conversation, NextStep, OpenCall};
pub use drive::{AgentHost, AgentLoop, PlacedCall};
pub use error::{AgentCode, AgentError};
pub use event::{AgentEvent, AgentEventKind};
pub use grammar::AgentGrammar;
pub use hearing::Hearing;
pub use kept::Conversations;
pub use limits::{AgentLimit, AgentLimits};
pub use model::{Model, ModelError, read_response};
pub use program::{Agent, AgentListener};
pub use run_call::OnInterrupted;
pub use settings::AgentSettings;
pub use standing::{CallStanding, RanCall, WaitingCall};
