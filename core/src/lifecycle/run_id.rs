//! The id of a run, made of the id of its call.

use uuid::Uuid;

/// The namespace of the ids of runs.
const CALLS: Uuid = Uuid::from_u128(0x5f0c_1f0e_6c0b_5d0a_9d53_0a3d_6a1f_7c2e);

/// Returns the id of the run for a call's id, the same in every process and every language.
///
/// Models count their calls anew in each conversation, so two conversations that share a store
/// need a `scope` each, for example the conversation's id. Without a scope, an id that is a UUID
/// is the run's own id. Any other id gives a UUID of version 5, and an empty id gives a new one.
///
/// ```
/// use toolwire::lifecycle::run_id;
///
/// assert_eq!(run_id("", "call_1"), run_id("", "call_1"));
/// assert_ne!(run_id("chat 7", "call_1"), run_id("chat 8", "call_1"));
/// let id = "0b4d2a4e-5d0a-4c8e-9d53-0a3d6a1f7c2e";
/// assert_eq!(run_id("", id), id);
/// ```
#[must_use]
pub fn run_id(scope: &str, call_id: &str) -> String {
    if call_id.is_empty() {
        return Uuid::new_v4().to_string();
    }
    if scope.is_empty() {
        return match Uuid::try_parse(call_id) {
            Ok(own) if own.to_string() == call_id => call_id.to_owned(),
            _ => Uuid::new_v5(&CALLS, call_id.as_bytes()).to_string(),
        };
    }
    Uuid::new_v5(&CALLS, format!("{scope}\0{call_id}").as_bytes()).to_string()
}
