//! What is compared before anything is timed: the names and the arguments of calls.

use serde_json::Value;
use toolwire::Detection;

/// A call: its name, and its arguments as a value.
pub type Call = (String, Value);

/// The value of arguments that a peer gives as JSON.
pub fn call(name: &str, arguments: &str) -> Call {
    (name.to_owned(), serde_json::from_str(arguments).expect("arguments are JSON"))
}

/// Our calls.
pub fn ours(detection: &Detection<'_>) -> Vec<Call> {
    let calls = detection.calls.iter();
    calls.map(|call| (call.name.clone(), Value::Object(detection.arguments(call)))).collect()
}

/// Stops the run when a peer's output is not ours: figures of different work must not be compared.
pub fn same(what: &str, ours: &[Call], theirs: &[Call]) {
    assert_eq!(ours.len(), theirs.len(), "{what}: the numbers of calls differ");
    for (own, other) in ours.iter().zip(theirs) {
        assert_eq!(own, other, "{what}: a call differs");
    }
}
