//! The tools of a program: their descriptions, their limits, and the tool for a provider's call.
//!
//! A [`ToolSpec`] describes a tool. A [`Registry`] finds it by id, name or alias, together
//! with the host's handle. [`resolve_call`] reads a provider's call in place and looks its tool up;
//! [`asked`] reads the one call that a program is asked to run, in whatever form it comes.
//!
//! ```
//! use serde_json::{Value, json};
//! use toolwire::registry::{CallFields, Registry, Resolution, ToolSpec, resolve_call};
//!
//! let mut registry = Registry::default();
//! registry.register(ToolSpec::new("greet").with_id("GREET"), "the greeter");
//!
//! let function = json!({"name": "greet", "arguments": "{\"name\": \"Ada\"}"});
//! let call = json!({"id": "call_1", "function": function});
//! let look_up = |name: &str| registry.get(name).map(|tool| *tool.handle());
//! let build = |text: &[u8]| toolwire::json::parse_json(text).ok();
//! let found = resolve_call(&&call, &CallFields::default(), look_up, build);
//! let Ok(Resolution::Resolved { tool, call_id, .. }) = found else { panic!() };
//! assert_eq!((tool, &*call_id.text()), ("the greeter", "call_1"));
//! ```

mod asked;
mod call_problem;
mod directory;
mod limit;
mod offer;
mod resolution;
mod resolve;
mod spec;

pub use asked::{AskCode, AskRefusal, Asked, AskedArguments, AskedCall, asked, asked_action};
pub use call_problem::CallProblem;
pub use directory::{Registered, Registry};
pub use limit::RateLimit;
pub use resolution::{CallArguments, CallLabel, Resolution};
pub use resolve::{CallFields, TYPE, resolve_call};
pub use spec::{ToolLimits, ToolSpec};
