//! A request to run a tool of a Rust program.

use serde_json::Value;

use crate::call::ToolCall;
use crate::detect::Detection;
use crate::json::parse_json;
use crate::lifecycle::{CallName, Run};
use crate::registry::{AskRefusal, AskedCall, asked};

/// A request to run a tool.
#[derive(Clone, Debug, Default)]
pub struct Action {
    /// The id of the model's call; empty for a new one.
    pub id: String,
    /// Whether the id is the program's own, and not one that a model wrote.
    pub own: bool,
    /// The tool's name, one of its aliases, or its id.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// The conversation, where several that count their calls alike share a store.
    pub scope: String,
    /// The message that holds the call, where ids come again within the scope; see [`CallName`].
    pub message: String,
    /// The place of the call in its message, from 0.
    pub index: Option<u64>,
    /// The caller whose calls a rate limit counts, and to whom the run belongs.
    pub caller: String,
    /// The mode of the program that the run is in.
    pub mode: Option<String>,
    /// The id of what the run is part of, such as a pipeline's run, if it is part of something.
    pub parent_id: Option<String>,
    /// The id of the request.
    pub request_id: Option<String>,
    /// Why nothing is asked for, if the request was read from a value that holds no single call.
    pub refusal: Option<AskRefusal>,
}

impl Action {
    /// Makes a request from a call's id, a tool and its arguments.
    pub fn new(id: impl Into<String>, tool: impl Into<String>, arguments: Value) -> Self {
        Self { id: id.into(), tool: tool.into(), arguments, ..Self::default() }
    }

    /// Reads the request that a value holds: an action with `type`, `id` and `payload`, a call in
    /// the form of a provider, or a message with one call. Where there is not exactly one call, the
    /// run fails with the code and the place.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwire::executor::Action;
    ///
    /// let call = json!({"type": "tool_use", "id": "toolu_1", "name": "greet", "input": {}});
    /// assert_eq!(Action::asked(&call).tool, "greet");
    /// assert_eq!(Action::asked(&json!({})).refusal.unwrap().code, "no_call");
    /// ```
    #[must_use]
    pub fn asked(value: &Value) -> Self {
        match asked(value) {
            Ok(AskedCall { id, own, name, arguments }) => {
                let arguments = parse_json(arguments.as_bytes()).unwrap_or_default();
                Self { own, ..Self::new(id, name, arguments) }
            }
            Err(refusal) => Self {
                id: refusal.id.clone(),
                tool: refusal.name.clone(),
                refusal: Some(refusal),
                ..Self::default()
            },
        }
    }

    /// Makes the request of a detected call.
    #[must_use]
    pub fn of(detection: &Detection<'_>, call: &ToolCall) -> Self {
        Self::new(&*call.id, &*call.name, Value::Object(detection.arguments(call)))
    }

    /// Returns what names the call.
    pub(super) fn name(&self) -> CallName<'_> {
        CallName {
            caller: &self.caller,
            scope: &self.scope,
            message: &self.message,
            index: self.index,
            id: &self.id,
            own: self.own,
        }
    }

    /// Makes the ids and the mode of the run with this id.
    pub(super) fn run(&self, id: String) -> Run {
        Run {
            mode: self.mode.clone(),
            parent_id: self.parent_id.clone(),
            request_id: self.request_id.clone(),
            ..Run::new(id)
        }
    }
}
