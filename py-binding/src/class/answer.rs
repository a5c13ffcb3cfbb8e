//! Writes what a run of a tool gave for the model: `toolwire.provider.dump`.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFrozenSet, PyList, PySet};
use serde_json::Value;
use toolwire::input_schema::Problem;
use toolwire::lifecycle::OutputGap;
use toolwire::provider::{AnswerData, AnswerOptions, AnsweredCall, Ending, Shown, ToolAnswer};
use toolwire::redact::Redaction;

use crate::class::provider::provider;
use crate::host::argument::count;
use crate::host::error::raise;
use crate::host::json;
use crate::host::node::{Json, Node, Raised, raise_failure};
use crate::host::value::plain;

/// The call that is answered.
#[derive(FromPyObject)]
pub struct Call {
    id: String,
    /// Whether the provider gave the id; not known for a call that has no format.
    id_given: bool,
    tool: String,
    format: Option<String>,
}

/// Writes an answer. The state is `completed`, `failed`, `waiting`, `running`, `not_shown` with the
/// gap of the output as the message, or `wrong_arguments` with the problems as the data and the
/// code as the message.
#[pyfunction]
#[pyo3(signature = (call, state, data, message, provider, max_bytes=None, secret_keys=None))]
pub fn dump_answer<'py>(
    call: Call,
    state: &str,
    data: &Bound<'py, PyAny>,
    message: Option<String>,
    provider: &Bound<'py, PyAny>,
    max_bytes: Option<&Bound<'py, PyAny>>,
    secret_keys: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = data.py();
    let provider = self::provider(provider)?;
    let mut options = AnswerOptions::default();
    if let Some(keys) = secret_keys {
        options.redaction = Redaction::new(keys);
    }
    if let Some(most) = max_bytes {
        let most = Value::from(count("max_bytes", most)?);
        options = options.with_max_bytes(&most).map_err(|error| raise(py, &error))?;
    }
    let ending = ending(state, data, message, &options)?;
    let Call { id, id_given, tool, format } = call;
    let call = match format {
        Some(format) => AnsweredCall::found(&id, id_given, &tool, &format, provider),
        None if id_given => AnsweredCall { id: Some(id), tool },
        None => AnsweredCall::new(&id, &tool, provider),
    };
    let written = ToolAnswer { call, ending }.dump(provider, &options);
    json::value(py, written.to_string().as_bytes())
}

/// Reads how a run ended, in the words of [`dump_answer`].
pub fn ending<'py>(
    state: &str,
    data: &Bound<'py, PyAny>,
    message: Option<String>,
    options: &AnswerOptions,
) -> PyResult<Ending> {
    let py = data.py();
    let node: Node<'py, Json> = Node::new(data.clone());
    let read =
        || AnswerData::read(&node, options, told).map_err(|failure| raise_failure(py, failure));
    Ok(match state {
        "waiting" => Ending::Waiting,
        "running" => Ending::Running,
        "not_shown" => {
            let gap = message.as_deref().and_then(OutputGap::from_slug);
            Ending::NotShown { reason: gap.map_or("it was not kept", OutputGap::reason).to_owned() }
        }
        "wrong_arguments" => {
            let problems: Vec<Problem> =
                data.extract::<Vec<(String, String)>>()?.into_iter().map(problem).collect();
            Ending::WrongArguments { code: message.unwrap_or_default(), problems }
        }
        "failed" => {
            let data = if data.is_none() { None } else { Some(read()?) };
            Ending::Failed { message: message.unwrap_or_default(), data }
        }
        _ => Ending::Completed(read()?),
    })
}

fn problem((path, message): (String, String)) -> Problem {
    Problem { path, message }
}

/// What stands for an object that JSON does not have.
///
/// The text of any other object may hold a secret, so only its class is told.
fn told<'py>(node: &Node<'py, Json>) -> Result<Shown<Node<'py, Json>>, Raised> {
    let value = &node.value;
    let class = || {
        let name = value.get_type().qualname()?;
        Ok::<_, PyErr>(Shown::Text(format!("<{name} object>")))
    };
    // The object's own code may raise anything, which is no reason to lose the whole result.
    Ok(match read(value) {
        Ok(Some(told)) => told,
        Ok(None) | Err(_) => class()?,
    })
}

fn read<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Shown<Node<'py, Json>>>> {
    let py = value.py();
    let found = |value: Bound<'py, PyAny>| Ok(Some(Shown::Value(Node::new(value))));
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Some(Shown::Text(String::from_utf8_lossy(bytes.as_bytes()).into_owned())));
    }
    if value.is_instance_of::<PySet>() || value.is_instance_of::<PyFrozenSet>() {
        return found(
            PyList::new(py, value.try_iter()?.collect::<PyResult<Vec<_>>>()?)?.into_any(),
        );
    }
    match plain(value)? {
        Some(plain) => found(plain),
        None => Ok(None),
    }
}
