//! The one call that a Python program is asked to run.

use pyo3::prelude::*;
use toolwire::json::holds_infinite;
use toolwire::registry::{AskRefusal, AskedArguments, AskedCall, asked as read, asked_action};

use crate::host::json;
use crate::host::node::{Json, Node, raise_failure};
use crate::host::value::{bad_text_in, sent_json};

/// A call: its id, whether the id is the program's own, the tool's name and the arguments.
type Call<'py> = (String, bool, String, Bound<'py, PyAny>);
/// A refusal: its code, path and message, and the name and the id of the call.
type Refusal = (&'static str, String, String, String, String);

/// Reads the one call that a value asks for, or why it asks for none.
#[pyfunction]
pub fn asked<'py>(value: &Bound<'py, PyAny>) -> PyResult<(Option<Call<'py>>, Option<Refusal>)> {
    let py = value.py();
    let node = Node::<Json>::new(value.clone());
    let found = match asked_action(&node).map_err(|failure| raise_failure(py, failure))? {
        Some(Ok(AskedCall { id, own, name, arguments: AskedArguments::Host(payload) })) => {
            return Ok((Some((id, own, name, payload.value)), None));
        }
        Some(Ok(AskedCall { id, own, name, arguments: AskedArguments::Written(arguments) })) => {
            Ok(AskedCall { id, own, name, arguments })
        }
        Some(Err(refusal)) => {
            // What JSON has no word for is the program's mistake, and not a stranger's.
            sent_json("action", value)?;
            Err(refusal)
        }
        None => {
            let object = sent_json("action", value)?;
            let judge = |path: &str| AskRefusal::of_bad_text(path, &object);
            match bad_text_in(value, &judge)? {
                Some(refusal) => Err(refusal),
                None => read(&object),
            }
        }
    };
    match found {
        Ok(AskedCall { id, own, name, arguments }) => {
            Ok((Some((id, own, name, arguments_of(py, &arguments)?)), None))
        }
        Err(AskRefusal { code, problem, name, id }) => {
            Ok((None, Some((code, problem.path, problem.message, name, id))))
        }
    }
}

/// Makes the arguments. A number beyond a float is infinite, so that the run is denied.
fn arguments_of<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    if holds_infinite(text.as_bytes()) {
        return py.import("json")?.call_method1("loads", (text,));
    }
    json::value(py, text.as_bytes())
}
