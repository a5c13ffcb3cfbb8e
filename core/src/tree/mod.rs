//! Reads a host's value in place, whatever the host.
//!
//! A PHP array, a Python dict and a [`serde_json::Value`] are each a [`Tree`]: a value with a kind,
//! perhaps children under the well-known [`Key`]s, and a truth value as the host defines it. Code
//! over `Tree` is compiled once for each host. It copies nothing and allocates nothing, and it
//! hands back the host's own nodes.
//!
//! ```
//! use serde_json::json;
//! use toolwire::tree::{Hints, Key};
//! use toolwire::Tree;
//!
//! let packet = json!({"type": "tool_result", "metadata": {"tool_success": true}});
//! let kind = Hints::default().get(&&packet, Key::Type)?;
//! assert_eq!(kind.as_ref().and_then(Tree::text).as_deref(), Some(&b"tool_result"[..]));
//! # Ok::<(), std::convert::Infallible>(())
//! ```

mod constants;
mod json;
mod key;
mod node;

pub use constants::Constants;
pub use key::Key;
pub use node::{Failure, Hint, Hints, Name, Tree, View};
