//! A provider's calls with their tools.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use toolwire::compat::stageflow::problem_message;
use toolwire::registry::{
    CallArguments, CallFields, CallLabel, CallProblem, Resolution, resolve_call,
};
use toolwire::tree::Failure;

use super::call_node::{CallNode, Keys};
use crate::class::call::fields;
use crate::host::error::raise;
use crate::host::json;
use crate::host::node::bytes;

/// A call with its tool.
///
/// ``raw`` is the same object that the provider sent.
///
/// ```pycon
/// >>> from toolwire.tools import ResolvedToolCall
/// >>> ResolvedToolCall("the tool", "call_1", "greet", {"name": "Ada"}).arguments
/// {'name': 'Ada'}
///
/// ```
#[pyclass(frozen, get_all, module = "toolwire.tools.registry")]
pub struct ResolvedToolCall {
    /// The tool.
    tool: Py<PyAny>,
    /// The call's id; empty if the call has none.
    call_id: Py<PyAny>,
    /// The name in the call.
    name: Py<PyAny>,
    /// The call's arguments.
    arguments: Py<PyAny>,
    /// The call as the provider sent it.
    raw: Py<PyAny>,
}

#[pymethods]
impl ResolvedToolCall {
    #[new]
    #[pyo3(signature = (tool, call_id, name, arguments, raw=None))]
    fn new(
        py: Python<'_>,
        tool: Py<PyAny>,
        call_id: Py<PyAny>,
        name: Py<PyAny>,
        arguments: Py<PyAny>,
        raw: Option<Py<PyAny>>,
    ) -> Self {
        Self { tool, call_id, name, arguments, raw: raw.unwrap_or_else(|| py.None()) }
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (&self.tool, &self.call_id, &self.name, &self.arguments, &self.raw).into_pyobject(py)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        self.__getnewargs__(py)?.eq(other.__getnewargs__(py)?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names = ["tool", "call_id", "name", "arguments", "raw"];
        let Self { tool, call_id, name, arguments, raw } = self;
        fields(py, "ResolvedToolCall", &names, (tool, call_id, name, arguments, raw))
    }

    #[allow(clippy::needless_pass_by_value, reason = "the signature that pyo3 asks for")]
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.tool)?;
        visit.call(&self.name)?;
        visit.call(&self.arguments)?;
        visit.call(&self.raw)
    }
}

/// A call without a tool, or a call that cannot be read.
///
/// ```pycon
/// >>> from toolwire.tools import ToolRegistry
/// >>> ToolRegistry().parse_and_resolve([{"id": "call_1", "name": "nothing"}])[1][0].error
/// 'No tool registered for action type: nothing'
///
/// ```
#[pyclass(frozen, get_all, module = "toolwire.tools.registry")]
pub struct UnresolvedToolCall {
    /// The call's id; empty if the call has none.
    call_id: Py<PyAny>,
    /// The name in the call.
    name: Py<PyAny>,
    /// The call's arguments, if they could be read.
    arguments: Py<PyAny>,
    /// The reason why the call is unresolved.
    error: Py<PyAny>,
    /// The call as the provider sent it.
    raw: Py<PyAny>,
}

#[pymethods]
impl UnresolvedToolCall {
    #[new]
    #[pyo3(signature = (call_id, name, arguments, error, raw=None))]
    fn new(
        py: Python<'_>,
        call_id: Py<PyAny>,
        name: Py<PyAny>,
        arguments: Py<PyAny>,
        error: Py<PyAny>,
        raw: Option<Py<PyAny>>,
    ) -> Self {
        Self { call_id, name, arguments, error, raw: raw.unwrap_or_else(|| py.None()) }
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (&self.call_id, &self.name, &self.arguments, &self.error, &self.raw).into_pyobject(py)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        self.__getnewargs__(py)?.eq(other.__getnewargs__(py)?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names = ["call_id", "name", "arguments", "error", "raw"];
        let Self { call_id, name, arguments, error, raw } = self;
        fields(py, "UnresolvedToolCall", &names, (call_id, name, arguments, error, raw))
    }

    #[allow(clippy::needless_pass_by_value, reason = "the signature that pyo3 asks for")]
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.name)?;
        visit.call(&self.arguments)?;
        visit.call(&self.raw)
    }
}

/// Resolves calls, and returns those with a tool and those without, each in order.
///
/// # Errors
/// Any exception from the iteration over the calls. A call that cannot be read is unresolved.
pub fn resolve<'py>(
    calls: &Bound<'py, PyAny>,
    fields: &CallFields<'_>,
    find: impl Fn(&str) -> PyResult<Option<Py<PyAny>>>,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
    let py = calls.py();
    let (resolved, unresolved) = (PyList::empty(py), PyList::empty(py));
    let keys = Keys::new(py, fields);
    for call in calls.try_iter()? {
        match one(&call?, fields, &keys, &find)? {
            Found::Resolved(call) => resolved.append(Py::new(py, call)?)?,
            Found::Unresolved(call) => unresolved.append(Py::new(py, call)?)?,
        }
    }
    Ok((resolved, unresolved))
}

enum Found {
    Resolved(ResolvedToolCall),
    Unresolved(UnresolvedToolCall),
}

/// Resolves a call. If Python code raises meanwhile (a factory, or a mapping of the host), the
/// exception is the call's error.
fn one<'py>(
    call: &Bound<'py, PyAny>,
    fields: &CallFields<'_>,
    keys: &Keys<'_, 'py>,
    find: &impl Fn(&str) -> PyResult<Option<Py<PyAny>>>,
) -> PyResult<Found> {
    let py = call.py();
    let mut raised = None;
    let look_up = |name: &str| {
        find(name).unwrap_or_else(|error| {
            raised = Some(error);
            None
        })
    };
    let build = |json: &[u8]| json::value(py, json).ok();
    let found = resolve_call(&CallNode::new(call.clone(), keys), fields, look_up, build);
    if let Some(error) = raised {
        return failed(call, fields, error);
    }
    let found = match found {
        Ok(found) => found,
        Err(Failure::Host(error)) => return failed(call, fields, *error),
        Err(Failure::Misuse(error)) => return failed(call, fields, raise(py, &error)),
    };
    let raw = call.clone().unbind();
    let (call_id, name, read) = match found {
        Resolution::Resolved { tool, call_id, name, arguments } => {
            let read = Ok((built(py, arguments), Some(tool)));
            (call_id, name, read)
        }
        Resolution::Unresolved { call_id, name, arguments, problem } => match problem {
            CallProblem::UnknownTool => (call_id, name, Ok((built(py, arguments), None))),
            // Only Python accepts half of a surrogate pair, written as an escape, in a text.
            CallProblem::BadJson(_) => {
                let read =
                    as_python(py, call, fields).and_then(|read| Ok((read, find(&name.text())?)));
                (call_id, name, read)
            }
            problem => {
                let error = problem_message(&problem, &name.text());
                return Ok(Found::Unresolved(unread(py, call_id, name, &error, raw)));
            }
        },
    };
    match read {
        Ok((arguments, tool)) => Ok(finish(py, tool, call_id, name, arguments, raw)),
        Err(error) if is_decode_error(py, &error)? => {
            let error = format!("Invalid JSON arguments: {}", error.value(py).str()?.to_cow()?);
            Ok(Found::Unresolved(unread(py, call_id, name, &error, raw)))
        }
        Err(error) => failed(call, fields, error),
    }
}

fn finish<'py>(
    py: Python<'py>,
    tool: Option<Py<PyAny>>,
    call_id: CallLabel<CallNode<'_, 'py>>,
    name: CallLabel<CallNode<'_, 'py>>,
    arguments: Bound<'py, PyAny>,
    raw: Py<PyAny>,
) -> Found {
    let arguments = arguments.unbind();
    if let Some(tool) = tool {
        let (call_id, name) = (text(py, call_id), given(py, name));
        return Found::Resolved(ResolvedToolCall { tool, call_id, name, arguments, raw });
    }
    let error = problem_message(&CallProblem::UnknownTool, &name.text());
    let error = PyString::new(py, &error).into_any().unbind();
    let (call_id, name) = (text(py, call_id), given(py, name));
    Found::Unresolved(UnresolvedToolCall { call_id, name, arguments, error, raw })
}

/// Returns a label as a `str`. A `str` of the caller stays the same object.
fn text(py: Python<'_>, label: CallLabel<CallNode<'_, '_>>) -> Py<PyAny> {
    match label {
        CallLabel::Host(call) if call.node.value.is_exact_instance_of::<PyString>() => {
            call.node.value.unbind()
        }
        label => PyString::new(py, &label.text()).into_any().unbind(),
    }
}

/// Returns a label as the caller's own object, of any type, or as the text for an absent one.
fn given(py: Python<'_>, label: CallLabel<CallNode<'_, '_>>) -> Py<PyAny> {
    match label {
        CallLabel::Host(call) | CallLabel::Value(call, _) => call.node.value.unbind(),
        CallLabel::Shown(text) => PyString::new(py, &text).into_any().unbind(),
    }
}

fn unread<'py>(
    py: Python<'py>,
    call_id: CallLabel<CallNode<'_, 'py>>,
    name: CallLabel<CallNode<'_, 'py>>,
    error: &str,
    raw: Py<PyAny>,
) -> UnresolvedToolCall {
    let arguments = PyDict::new(py).into_any().unbind();
    let error = PyString::new(py, error).into_any().unbind();
    UnresolvedToolCall { call_id: text(py, call_id), name: given(py, name), arguments, error, raw }
}

/// Returns the arguments as a Python object.
fn built<'py>(
    py: Python<'py>,
    arguments: CallArguments<CallNode<'_, 'py>, Bound<'py, PyAny>>,
) -> Bound<'py, PyAny> {
    match arguments {
        CallArguments::Empty => PyDict::new(py).into_any(),
        CallArguments::Host(call) => call.node.value,
        CallArguments::Built(built) => built,
    }
}

/// Reads the arguments by Python's own rules, which accept more than JSON: NaN and lone surrogates.
fn as_python<'py>(
    py: Python<'py>,
    call: &Bound<'py, PyAny>,
    fields: &CallFields<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let wrapper = fields.wrapper.filter(|wrapper| !wrapper.is_empty());
    let inner = match wrapper {
        Some(wrapper) if call.contains(wrapper)? => call.get_item(wrapper)?,
        _ => call.clone(),
    };
    let text = inner.get_item(fields.arguments)?;
    let read = LOADS.import(py, "json", "loads")?.call1((text,))?;
    if read.is_instance_of::<PyDict>() {
        return Ok(read);
    }
    let kind = read.get_type().name()?;
    Err(NotAnObject::raise(py, &format!("expected an object, not {kind}")))
}

/// The error for arguments that Python reads as JSON, but not as an object.
struct NotAnObject;

impl NotAnObject {
    fn raise(py: Python<'_>, message: &str) -> PyErr {
        match decode_error(py).and_then(|class| class.call1((message, "", 0))) {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    }
}

fn decode_error(py: Python<'_>) -> PyResult<&Bound<'_, pyo3::types::PyType>> {
    static CLASS: PyOnceLock<Py<pyo3::types::PyType>> = PyOnceLock::new();
    CLASS.import(py, "json", "JSONDecodeError")
}

fn is_decode_error(py: Python<'_>, error: &PyErr) -> PyResult<bool> {
    Ok(error.is_instance(py, decode_error(py)?))
}

/// Makes the result for a call that raised while it was read.
fn failed(call: &Bound<'_, PyAny>, fields: &CallFields<'_>, error: PyErr) -> PyResult<Found> {
    let py = call.py();
    if !error.is_instance_of::<PyException>(py) {
        return Err(error);
    }
    let shown = |field: &str| -> PyResult<String> {
        let value = call.call_method1("get", (field, "unknown"))?;
        Ok(String::from_utf8_lossy(&bytes(&value.str()?)).into_owned())
    };
    let label = |field: &str| CallLabel::Shown(shown(field).unwrap_or_default());
    let (call_id, name) = (label(fields.id), label(fields.name));
    let what = error.value(py).str().map_or_else(|_| String::new(), |text| text.to_string());
    let error = format!("Failed to parse tool call: {what}");
    Ok(Found::Unresolved(unread(py, call_id, name, &error, call.clone().unbind())))
}
