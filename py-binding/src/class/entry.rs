//! Entries of a transcript, and patches of their list, in Python's form.

use std::hash::Hash;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use serde_json::Value;
use toolwire::json::parse_json;
use toolwire::transcript::{self, CallStatus, ToolUse};
use toolwire::{Error, ErrorKind};

use crate::class::call::fields;
use crate::host::error::{raise, raise_kind};
use crate::host::json;

/// One entry of a transcript: a message, or a call with its result.
///
/// Attributes that only a call has are None for a message.
///
/// ```pycon
/// >>> call = {"id": "c1", "function": {"name": "now", "arguments": "{}"}}
/// >>> line = {"role": "assistant", "tool_calls": [call]}
/// >>> entry = toolwire.transcript.normalize(json.dumps(line)).entries[0]
/// >>> entry.type, entry.content, entry.name, entry.arguments, entry.status
/// ('tool_use', 'now', 'now', {}, 'created')
///
/// ```
#[pyclass(frozen, eq, hash, module = "toolwire.transcript")]
#[derive(PartialEq, Eq, Hash)]
pub struct Entry(transcript::Entry);

#[pymethods]
impl Entry {
    /// ``system_message``, ``user_message``, ``assistant_message``, ``thinking``, ``error_message``
    /// or ``tool_use``.
    #[getter]
    fn r#type(&self) -> &'static str {
        self.0.entry_type()
    }

    /// The text of the message; for a call, one line that describes it.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, &self.0.content())
    }

    /// The kind of tool (``read``, ``edit``, ``bash``, ``search``, ``fetch``, ``todo``), else the
    /// tool's name.
    #[getter]
    fn tool_name(&self) -> Option<&str> {
        self.call().map(ToolUse::tool_name)
    }

    /// The tool's name in the log.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.call().map(|call| &*call.call.name)
    }

    /// The id of the call; empty if it has none.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.call().map(|call| &*call.call.id)
    }

    /// ``created``, ``success`` or ``failed``.
    #[getter]
    fn status(&self) -> Option<&'static str> {
        self.call().map(|call| call.status.slug())
    }

    /// The arguments.
    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.call().map(|call| json::value(py, call.call.arguments.as_bytes())).transpose()
    }

    /// The JSON text of the arguments.
    #[getter]
    fn arguments_raw(&self) -> Option<&str> {
        self.call().map(|call| &*call.call.arguments)
    }

    /// The action of the call: ``action`` and its details, such as ``path`` and ``changes``.
    #[getter]
    fn action<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let written = self.call().map(|call| written(|out| call.write_action(out)));
        written.map(|action| json::value(py, &action)).transpose()
    }

    /// The error: ``kind`` and ``message``; None unless the call failed.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some((kind, message)) = self.call().and_then(ToolUse::error) else { return Ok(None) };
        let error = PyDict::new(py);
        error.set_item("kind", kind)?;
        error.set_item("message", message)?;
        Ok(Some(error))
    }

    /// The time of the call, in milliseconds since 1970, if the log gives it.
    #[getter]
    fn started(&self) -> Option<i64> {
        self.call()?.call.started
    }

    /// The duration of the tool, in milliseconds, if the log gives it.
    #[getter]
    fn duration(&self) -> Option<u64> {
        self.call()?.duration()
    }

    /// What else the log says of the entry: ``at``, ``model``, ``tokens``, ``cost``, ``stop``,
    /// ``parent``, ``agent``, ``session`` and ``folder``, each None if the log does not have it.
    #[getter]
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let about = self.0.about().map(|about| about.to_value().to_string());
        about.map(|about| json::value(py, about.as_bytes())).transpose()
    }

    /// The result of the call, in the form that :class:`toolwire.Report` takes; None if there is
    /// none yet.
    #[getter]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        static RESULT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let Some((call, data)) = self.call().and_then(|call| Some((call, call.data()?))) else {
            return Ok(None);
        };
        let data = json::value(py, data.as_bytes())?;
        let error = call.error().map(|(_, message)| message);
        let success = call.status == CallStatus::Success;
        let class = RESULT.import(py, "toolwire._result", "ToolResult")?;
        class.call1((&*call.call.name, success, data, error)).map(Some)
    }

    /// The entry in the form that vibe-kanban's board reads.
    ///
    /// ```pycon
    /// >>> record = toolwire.transcript.normalize("plain text").entries[0].to_dict()
    /// >>> list(record), record["entry_type"]
    /// (['timestamp', 'entry_type', 'content', 'metadata'], {'type': 'system_message'})
    ///
    /// ```
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::value(py, &written(|out| self.0.write_json(out)))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        pickled(py, "load_entry", &self.0.to_record())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        match self.call() {
            Some(_) => {
                let values = (self.r#type(), self.tool_name(), self.content(py), self.status());
                fields(py, "Entry", &["type", "tool_name", "content", "status"], values)
            }
            None => fields(py, "Entry", &["type", "content"], (self.r#type(), self.content(py))),
        }
    }
}

impl Entry {
    /// Wraps core's entry.
    pub fn of(entry: transcript::Entry) -> Self {
        Self(entry)
    }

    /// Core's entry.
    pub fn core(&self) -> &transcript::Entry {
        &self.0
    }

    /// The call, if the entry is one.
    pub fn call(&self) -> Option<&ToolUse> {
        self.0.tool_use()
    }
}

/// The entry that was pickled.
#[pyfunction]
pub fn load_entry(py: Python<'_>, record: &str) -> PyResult<Entry> {
    read_record(py, record, transcript::Entry::from_record).map(Entry)
}

/// The value of core that was pickled.
///
/// # Errors
/// `invalid_record` if the text is no JSON or not the record of such a value.
pub fn read_record<T>(
    py: Python<'_>,
    record: &str,
    read: impl FnOnce(Value) -> Result<T, Error>,
) -> PyResult<T> {
    let json = parse_json(record.as_bytes()).map_err(|error| {
        raise_kind(py, ErrorKind::InvalidRecord, format!("this is no record: {error}"))
    })?;
    read(json).map_err(|error| raise(py, &error))
}

/// What `__reduce__` returns for a value of core: a function of `toolwire._native`, and its
/// argument, the value's record as JSON text.
///
/// # Errors
/// An error if the module lacks the function.
pub fn pickled<'py>(
    py: Python<'py>,
    load: &str,
    record: &Value,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let load = py.import("toolwire._native")?.getattr(load)?;
    Ok((load, PyTuple::new(py, [record.to_string()])?))
}

/// The output of a function of core.
fn written(write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out);
    out
}

/// One change to the list of entries: a new entry, or an entry that replaces its earlier version.
///
/// ```pycon
/// >>> patch = toolwire.transcript.Reader().feed("plain text")[0]
/// >>> patch.op, patch.index, patch.path, patch.entry.content
/// ('add', 0, '/entries/0', 'plain text')
///
/// ```
#[pyclass(frozen, eq, hash, module = "toolwire.transcript")]
#[derive(PartialEq, Eq, Hash)]
pub struct Patch(transcript::Patch);

#[pymethods]
impl Patch {
    /// ``add`` or ``replace``.
    #[getter]
    fn op(&self) -> &'static str {
        self.0.op.slug()
    }

    /// The entry's position in the list.
    #[getter]
    fn index(&self) -> usize {
        self.0.index
    }

    /// The JSON Pointer of the entry.
    #[getter]
    fn path(&self) -> String {
        self.0.path()
    }

    /// The entry after the change.
    #[getter]
    fn entry(&self) -> Entry {
        Entry(self.0.entry.clone())
    }

    /// The patch as an operation of JSON Patch (RFC 6902).
    ///
    /// ```pycon
    /// >>> list(toolwire.transcript.Reader().feed("plain text")[0].to_dict())
    /// ['op', 'path', 'value']
    ///
    /// ```
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::value(py, &written(|out| self.0.write_json(out)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let entry = Bound::new(py, self.entry())?;
        fields(py, "Patch", &["op", "path", "entry"], (self.op(), self.path(), entry))
    }
}

impl Patch {
    /// Wraps core's patch.
    pub fn of(patch: transcript::Patch) -> Self {
        Self(patch)
    }
}
