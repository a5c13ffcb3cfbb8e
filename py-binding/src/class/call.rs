//! Calls and their diagnostics, as detection returns them.
//!
//! Immutable, comparable, hashable and picklable. Spans and offsets are code points. A call shares
//! the text and what was found in it with its detection. The arguments become Python objects on
//! first access.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit, intern};

use crate::class::diagnostic::Diagnostic;
use crate::class::found::Found;
use crate::host::json;
use crate::host::text::{CodePoints, Span};
use crate::raw;

pub use crate::host::shown::fields;

/// A request by a model to run a tool.
///
/// ```pycon
/// >>> call = toolwire.detect('Sure: <tool:search>{"q": "x"}</tool>').calls[0]
/// >>> call.name, call.arguments, call.format
/// ('search', {'q': 'x'}, 'tag')
///
/// ```
#[pyclass(frozen, module = "toolwire")]
pub struct ToolCall {
    kept: Kept,
    /// Built on first access.
    arguments: OnceLock<Py<PyDict>>,
}

/// Where a call is kept.
enum Kept {
    /// With the other calls of its text, at this position.
    Together(Arc<Found>, usize),
    /// With its markup.
    Alone(Box<CallData>, Py<PyString>),
}

/// The fields of a call by which calls are compared; they hold no Python object.
#[derive(PartialEq, Eq, Hash)]
struct CallFields<'a> {
    id: &'a str,
    id_given: bool,
    index: usize,
    name: &'a str,
    arguments_raw: &'a str,
    format: &'a str,
    span: Span,
    status: &'a str,
    diagnostics: Cow<'a, [Diagnostic]>,
    provider_data: Option<&'a str>,
}

/// The part of a call that holds no Python object.
pub struct CallData {
    id: String,
    id_given: bool,
    index: usize,
    name: String,
    arguments_raw: String,
    format: Cow<'static, str>,
    span: Span,
    status: Cow<'static, str>,
    diagnostics: Vec<Diagnostic>,
    provider_data: Option<Box<str>>,
}

#[pymethods]
impl ToolCall {
    #[new]
    #[pyo3(signature = (
        id, id_given, index, name, arguments_raw, format, original, span, status="complete".to_owned(),
        diagnostics=Vec::new(), provider_data=None
    ), text_signature = "(id, id_given, index, name, arguments_raw, format, original, span, \
        status='complete', diagnostics=(), provider_data=None)")]
    #[allow(clippy::too_many_arguments, reason = "a Python constructor has an argument a field")]
    fn new(
        py: Python<'_>,
        id: String,
        id_given: bool,
        index: usize,
        name: String,
        arguments_raw: String,
        format: String,
        original: Py<PyString>,
        span: Span,
        status: String,
        diagnostics: Vec<Diagnostic>,
        provider_data: Option<String>,
    ) -> PyResult<Self> {
        // Only a detection guarantees that the text is valid, so the text is read here and not on
        // first access.
        let arguments = OnceLock::from(json::arguments(py, arguments_raw.as_bytes())?.unbind());
        if let Some(data) = &provider_data {
            json::object(py, data)?;
        }
        let provider_data = provider_data.map(String::into_boxed_str);
        let (format, status) = (format.into(), status.into());
        let data = CallData {
            id,
            id_given,
            index,
            name,
            arguments_raw,
            format,
            span,
            status,
            diagnostics,
            provider_data,
        };
        Ok(Self { kept: Kept::Alone(Box::new(data), original), arguments })
    }

    /// The id written in the text; without one, a new id.
    #[getter]
    fn id(&self) -> &str {
        match &self.kept {
            Kept::Together(found, index) => &found.findings.call(*index).id,
            Kept::Alone(data, _) => &data.id,
        }
    }

    /// Whether the id was written in the text.
    #[getter]
    fn id_given(&self) -> bool {
        match &self.kept {
            Kept::Together(found, index) => found.findings.call(*index).id_given,
            Kept::Alone(data, _) => data.id_given,
        }
    }

    /// The position among the text's calls, from 0.
    #[getter]
    fn index(&self) -> usize {
        match &self.kept {
            Kept::Together(_, index) => *index,
            Kept::Alone(data, _) => data.index,
        }
    }

    /// The tool's name.
    #[getter]
    fn name(&self) -> &str {
        match &self.kept {
            Kept::Together(found, index) => &found.findings.call(*index).name,
            Kept::Alone(data, _) => &data.name,
        }
    }

    /// The arguments as a dict: built on first access, the same object each time.
    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if let Some(built) = self.arguments.get() {
            return Ok(built.bind(py).clone());
        }
        let built = match &self.kept {
            Kept::Together(found, index) => {
                let (call, text) = (found.findings.call(*index), found.text(py));
                match found.findings.argument_parts(call, text) {
                    Some(parts) => json::of_parts(py, parts)?,
                    None => json::arguments(py, call.arguments_raw(text))?,
                }
            }
            Kept::Alone(data, _) => json::arguments(py, data.arguments_raw.as_bytes())?,
        };
        // Another thread may have been faster; then both return its dict.
        let _ = self.arguments.set(built.clone().unbind());
        Ok(self.arguments.get().map_or(built, |first| first.bind(py).clone()))
    }

    /// The JSON text of the arguments.
    #[getter]
    fn arguments_raw<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, self.raw(py))
    }

    /// The slug of the format in which the call was written.
    #[getter]
    fn format(&self) -> &str {
        match &self.kept {
            Kept::Together(found, index) => found.findings.call(*index).format,
            Kept::Alone(data, _) => &data.format,
        }
    }

    /// The whole markup, verbatim.
    #[getter]
    fn original<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        match &self.kept {
            Kept::Together(found, _) => {
                let (start, end) = self.span(py);
                raw::substring(found.input.bind(py), start, end)
            }
            Kept::Alone(_, original) => Ok(original.bind(py).clone()),
        }
    }

    /// The span of the whole markup: start and end in code points.
    #[getter]
    pub fn span(&self, py: Python<'_>) -> Span {
        match &self.kept {
            Kept::Together(found, index) => found.span(py, found.findings.call(*index).span),
            Kept::Alone(data, _) => data.span,
        }
    }

    /// ``complete``, or ``repaired``.
    #[getter]
    fn status(&self) -> &str {
        match &self.kept {
            Kept::Together(found, index) => found.findings.call(*index).status.slug(),
            Kept::Alone(data, _) => &data.status,
        }
    }

    /// Notes on what was overlooked or repaired.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.notes(py).iter().cloned())
    }

    /// What the provider wrote beside the call and wants back with it, such as a signature: the
    /// JSON text of an object. None for a call without any.
    #[getter]
    fn provider_data(&self) -> Option<&str> {
        match &self.kept {
            Kept::Together(..) => None,
            Kept::Alone(data, _) => data.provider_data.as_deref(),
        }
    }

    /// All fields as a dict, in the order of the documentation. ``provider_data`` is left out
    /// where there is none.
    ///
    /// ```pycon
    /// >>> list(toolwire.detect('<tool:echo>{}</tool>').calls[0].to_dict())[:5]
    /// ['id', 'id_given', 'index', 'name', 'arguments']
    ///
    /// ```
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let notes = self.notes(py);
        let notes = notes.iter().map(|note| {
            let entry = PyDict::new(py);
            entry.set_item(intern!(py, "code"), &note.code)?;
            entry.set_item(intern!(py, "message"), &note.message)?;
            entry.set_item(intern!(py, "offset"), note.offset)?;
            Ok(entry)
        });
        let notes = notes.collect::<PyResult<Vec<_>>>()?;
        let fields = PyDict::new(py);
        fields.set_item(intern!(py, "id"), self.id())?;
        fields.set_item(intern!(py, "id_given"), self.id_given())?;
        fields.set_item(intern!(py, "index"), self.index())?;
        fields.set_item(intern!(py, "name"), self.name())?;
        fields.set_item(intern!(py, "arguments"), self.arguments(py)?)?;
        fields.set_item(intern!(py, "arguments_raw"), self.arguments_raw(py))?;
        fields.set_item(intern!(py, "format"), self.format())?;
        fields.set_item(intern!(py, "original"), self.original(py)?)?;
        fields.set_item(intern!(py, "span"), self.span(py))?;
        fields.set_item(intern!(py, "status"), self.status())?;
        fields.set_item(intern!(py, "diagnostics"), notes)?;
        if let Some(data) = self.provider_data() {
            fields.set_item(intern!(py, "provider_data"), data)?;
        }
        Ok(fields)
    }

    /// The call as an HTML block, with every value escaped for its place.
    ///
    /// ```pycon
    /// >>> 'data-tool-name="echo"' in toolwire.detect('<tool:echo>{}</tool>').calls[0].to_html()
    /// True
    ///
    /// ```
    #[pyo3(signature = (status="processing"))]
    fn to_html(&self, py: Python<'_>, status: &str) -> String {
        self.render(py, status, None)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        let equal = self.fields(py) == other.fields(py);
        Ok(equal && self.original(py)?.as_any().eq(other.original(py)?)?)
    }

    fn __hash__(&self, py: Python<'_>) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.fields(py).hash(&mut hasher);
        hasher.finish()
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let CallFields { id, id_given, index, name, arguments_raw, format, span, status, .. } =
            self.fields(py);
        let (original, diagnostics) = (self.original(py)?, self.diagnostics(py)?);
        let known =
            (id, id_given, index, name, arguments_raw, format, original, span, status, diagnostics)
                .into_pyobject(py)?;
        // A call without data is pickled as older versions read it.
        match self.provider_data() {
            Some(data) => PyTuple::new(
                py,
                known.iter().chain([PyString::new(py, data).into_any()]).collect::<Vec<_>>(),
            ),
            None => Ok(known),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let CallFields { id, name, arguments_raw, format, span, .. } = self.fields(py);
        let names = ["id", "name", "arguments_raw", "format", "span"];
        fields(py, "ToolCall", &names, (id, name, arguments_raw, format, span))
    }

    #[allow(clippy::needless_pass_by_value, reason = "the signature that pyo3 asks for")]
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Only the dict can lead back to this object; clearing it breaks the cycle.
        visit.call(self.arguments.get())
    }
}

impl ToolCall {
    /// The JSON text of the arguments.
    fn raw<'a>(&'a self, py: Python<'a>) -> &'a str {
        match &self.kept {
            // Core guarantees that the arguments are UTF-8.
            Kept::Together(found, index) => {
                let raw = found.findings.call(*index).arguments_raw(found.text(py));
                std::str::from_utf8(raw).unwrap_or_default()
            }
            Kept::Alone(data, _) => &data.arguments_raw,
        }
    }

    fn notes<'a>(&'a self, py: Python<'a>) -> Cow<'a, [Diagnostic]> {
        match &self.kept {
            Kept::Together(found, index) => {
                let notes = found.findings.call(*index).diagnostics.iter();
                notes
                    .map(|note| Diagnostic::of(note.clone(), found.points(py), found.text(py)))
                    .collect()
            }
            Kept::Alone(data, _) => Cow::Borrowed(&data.diagnostics),
        }
    }

    fn fields<'a>(&'a self, py: Python<'a>) -> CallFields<'a> {
        CallFields {
            id: self.id(),
            id_given: self.id_given(),
            index: self.index(),
            name: self.name(),
            arguments_raw: self.raw(py),
            format: self.format(),
            span: self.span(py),
            status: self.status(),
            diagnostics: self.notes(py),
            provider_data: self.provider_data(),
        }
    }

    /// The call as HTML, with its own id unless another is given.
    pub fn render(&self, py: Python<'_>, status: &str, id: Option<&str>) -> String {
        let id = id.unwrap_or_else(|| self.id());
        toolwire::compat::memberpress::render_call(self.name(), self.raw(py), status, id)
    }

    /// The call in the form that it is written from, with its id if its text gave one.
    pub fn as_new_call(&self, py: Python<'_>) -> toolwire::detect::NewCall {
        let call = toolwire::detect::NewCall::new(self.name(), self.raw(py));
        if self.id_given() { call.with_id(self.id()) } else { call }
    }

    /// The call in the form that a provider's object is written from.
    pub fn as_provider_call<'a>(&'a self, py: Python<'a>) -> toolwire::provider::ProviderCall<'a> {
        let (id, name, arguments) = (Some(self.id()), self.name(), self.raw(py));
        let (format, provider_data) = (self.format(), self.provider_data());
        toolwire::provider::ProviderCall { id, name, arguments, format, provider_data }
    }

    /// The call in the form that a provider's message is written from.
    pub fn as_message_call<'a>(&'a self, py: Python<'a>) -> toolwire::provider::MessageCall<'a> {
        let (id, name, arguments) = (self.id(), self.name(), self.raw(py).as_bytes());
        toolwire::provider::MessageCall { id, name, arguments }
    }

    /// Joins a call's data with its markup.
    pub fn of(data: CallData, original: Py<PyString>) -> Self {
        Self { kept: Kept::Alone(Box::new(data), original), arguments: OnceLock::new() }
    }

    /// The call at a position of what was found in a text.
    pub fn found(found: &Arc<Found>, index: usize) -> Self {
        Self { kept: Kept::Together(Arc::clone(found), index), arguments: OnceLock::new() }
    }
}

impl CallData {
    /// Converts core's call; `text` is the searched text.
    pub fn of(call: toolwire::ToolCall, points: &CodePoints, text: &[u8]) -> Self {
        // Core guarantees that the arguments are UTF-8, so nothing is replaced here.
        let arguments_raw = String::from_utf8_lossy(call.arguments_raw(text)).into_owned();
        let diagnostics =
            call.diagnostics.into_iter().map(|note| Diagnostic::of(note, points, text));
        Self {
            id: call.id.into(),
            id_given: call.id_given,
            index: call.index,
            name: call.name,
            arguments_raw,
            format: call.format.into(),
            span: points.span(text, call.span),
            status: call.status.slug().into(),
            diagnostics: diagnostics.collect(),
            provider_data: call.provider_data,
        }
    }

    /// The span of the markup.
    pub fn span(&self) -> Span {
        self.span
    }
}
