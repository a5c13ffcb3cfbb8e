//! The topic `tools`: runs of a scripted tool, what is asked for, resolved calls, and summaries of
//! payloads.
//!
//! Times, durations, request ids and class names differ in each run, so they are written as
//! `<time>`, `<ms>`, `<request>` and `<class>`. The expected message of an error is the beginning
//! of the message. Where a message of stageflow's differs, both texts are there, as `own` and
//! `stageflow`.

use serde_json::{Value, json};

use crate::case::Case;
use crate::tool_asked::asked;
use crate::tool_input::{resolve, summary};
use crate::tool_run::run;

/// Runs a case.
pub fn tools(case: &Case) -> Result<(), String> {
    let outcome = match case.function()? {
        "run" => run(&case.input()?),
        "asked" => asked(&case.input()?),
        "resolve" => resolve(case.input()?),
        "payload_summary" => summary(&case.input()?),
        other => return Err(format!("input: an unknown function {other:?}")),
    };
    match case.outcome(Ok(outcome))? {
        Some((mut made, expected)) => {
            shorten(&mut made, expected);
            case.check(Ok(made))
        }
        None => Ok(()),
    }
}

/// A message of the project's own, with stageflow's where that differs.
pub fn said(own: &str, stageflow: &str) -> Value {
    if own == stageflow { json!(own) } else { json!({"own": own, "stageflow": stageflow}) }
}

/// Shortens each message to the length of the expected beginning.
fn shorten(made: &mut Value, expected: &Value) {
    match (made, expected) {
        (Value::Object(made), Value::Object(expected)) => {
            for (key, value) in made {
                let Some(wanted) = expected.get(key) else { continue };
                match (&mut *value, wanted) {
                    (Value::String(text), Value::String(start))
                        if ["message", "error", "own", "stageflow"].contains(&&**key) =>
                    {
                        if text.starts_with(start.as_str()) {
                            text.truncate(start.len());
                        }
                    }
                    _ => shorten(value, wanted),
                }
            }
        }
        (Value::Array(made), Value::Array(expected)) => {
            made.iter_mut().zip(expected).for_each(|(made, expected)| shorten(made, expected));
        }
        _ => {}
    }
}
