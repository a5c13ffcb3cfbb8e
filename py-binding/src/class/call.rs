//! Calls and their diagnostics, as detection returns them.
//!
//! Immutable, comparable, hashable and picklable. Spans and offsets are code points. The arguments
//! become Python objects on first access.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit, intern};

use crate::host::json;
use crate::host::text::CodePoints;

/// A range of code points: the start, and the position after the end.
pub type Span = (usize, usize);

/// A note on an accepted call.
///
/// ```pycon
/// >>> toolwire.detect('<tool:echo>{"a": 1}').calls[0].diagnostics[0].code
/// 'missing_end'
///
/// ```
#[pyclass(frozen, eq, hash, from_py_object, get_all, module = "toolwire")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// The subject of the note; a stable slug.
    code: Cow<'static, str>,
    /// The note for a person.
    message: String,
    /// The code point that the note is about.
    offset: usize,
}

#[pymethods]
impl Diagnostic {
    #[new]
    fn new(code: String, message: String, offset: usize) -> Self {
        Self { code: code.into(), message, offset }
    }

    fn __getnewargs__(&self) -> (&str, &str, usize) {
        (&self.code, &self.message, self.offset)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        fields(py, "Diagnostic", &["code", "message", "offset"], self.__getnewargs__())
    }
}

impl Diagnostic {
    /// Converts core's diagnostic.
    fn of(note: toolwire::call::Diagnostic, points: &CodePoints, text: &[u8]) -> Self {
        let offset = points.at(text, note.offset);
        Self { code: note.code.slug().into(), message: note.message, offset }
    }
}

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
    data: CallData,
    original: Py<PyString>,
    /// Built on first access.
    arguments: OnceLock<Py<PyDict>>,
}

/// The part of a call that holds no Python object.
#[derive(PartialEq, Eq, Hash)]
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
}

#[pymethods]
impl ToolCall {
    #[new]
    #[pyo3(signature = (
        id, id_given, index, name, arguments_raw, format, original, span, status="complete".to_owned(),
        diagnostics=Vec::new()
    ), text_signature = "(id, id_given, index, name, arguments_raw, format, original, span, \
        status='complete', diagnostics=())")]
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
    ) -> PyResult<Self> {
        // Only a detection guarantees that the text is valid, so the text is read here and not on
        // first access.
        let arguments = OnceLock::from(json::arguments(py, arguments_raw.as_bytes())?.unbind());
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
        };
        Ok(Self { data, original, arguments })
    }

    /// The id written in the text; without one, a new id.
    #[getter]
    fn id(&self) -> &str {
        &self.data.id
    }

    /// Whether the id was written in the text.
    #[getter]
    fn id_given(&self) -> bool {
        self.data.id_given
    }

    /// The position among the text's calls, from 0.
    #[getter]
    fn index(&self) -> usize {
        self.data.index
    }

    /// The tool's name.
    #[getter]
    fn name(&self) -> &str {
        &self.data.name
    }

    /// The arguments as a dict: built on first access, the same object each time.
    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if let Some(built) = self.arguments.get() {
            return Ok(built.bind(py).clone());
        }
        let built = json::arguments(py, self.data.arguments_raw.as_bytes())?;
        // Another thread may have been faster; then both return its dict.
        let _ = self.arguments.set(built.clone().unbind());
        Ok(self.arguments.get().map_or(built, |first| first.bind(py).clone()))
    }

    /// The JSON text of the arguments.
    #[getter]
    fn arguments_raw(&self) -> &str {
        &self.data.arguments_raw
    }

    /// The slug of the format in which the call was written.
    #[getter]
    fn format(&self) -> &str {
        &self.data.format
    }

    /// The whole markup, verbatim.
    #[getter]
    fn original(&self, py: Python<'_>) -> Py<PyString> {
        self.original.clone_ref(py)
    }

    /// The span of the whole markup: start and end in code points.
    #[getter]
    pub fn span(&self) -> Span {
        self.data.span
    }

    /// ``complete``, or ``repaired``.
    #[getter]
    fn status(&self) -> &str {
        &self.data.status
    }

    /// Notes on what was overlooked or repaired.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.data.diagnostics.iter().cloned())
    }

    /// All fields as a dict, in the order of the documentation.
    ///
    /// ```pycon
    /// >>> list(toolwire.detect('<tool:echo>{}</tool>').calls[0].to_dict())[:5]
    /// ['id', 'id_given', 'index', 'name', 'arguments']
    ///
    /// ```
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let notes = self.data.diagnostics.iter().map(|note| {
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
        fields.set_item(intern!(py, "arguments_raw"), self.arguments_raw())?;
        fields.set_item(intern!(py, "format"), self.format())?;
        fields.set_item(intern!(py, "original"), &self.original)?;
        fields.set_item(intern!(py, "span"), self.span())?;
        fields.set_item(intern!(py, "status"), self.status())?;
        fields.set_item(intern!(py, "diagnostics"), notes)?;
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
    fn to_html(&self, status: &str) -> String {
        self.render(status, None)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        Ok(self.data == other.data && self.original.bind(py).as_any().eq(&other.original)?)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.data.hash(&mut hasher);
        hasher.finish()
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let CallData { id, id_given, index, name, arguments_raw, format, span, status, .. } =
            &self.data;
        let diagnostics = self.diagnostics(py)?;
        let original = &self.original;
        (id, id_given, index, name, arguments_raw, format, original, *span, status, diagnostics)
            .into_pyobject(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let CallData { id, name, arguments_raw, format, span, .. } = &self.data;
        let names = ["id", "name", "arguments_raw", "format", "span"];
        fields(py, "ToolCall", &names, (id, name, arguments_raw, format, *span))
    }

    #[allow(clippy::needless_pass_by_value, reason = "the signature that pyo3 asks for")]
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Only the dict can lead back to this object; clearing it breaks the cycle.
        visit.call(self.arguments.get())
    }
}

impl ToolCall {
    /// The call as HTML, with its own id unless another is given.
    pub fn render(&self, status: &str, id: Option<&str>) -> String {
        let CallData { id: own, name, arguments_raw, .. } = &self.data;
        toolwire::compat::memberpress::render_call(name, arguments_raw, status, id.unwrap_or(own))
    }

    /// The call in the form that it is written from, with its id if its text gave one.
    pub fn as_new_call(&self) -> toolwire::detect::NewCall {
        let CallData { id, id_given, name, arguments_raw, .. } = &self.data;
        let call = toolwire::detect::NewCall::new(&**name, &**arguments_raw);
        if *id_given { call.with_id(&**id) } else { call }
    }

    /// The call in the form that a provider's object is written from.
    pub fn as_provider_call(&self) -> toolwire::provider::ProviderCall<'_> {
        let CallData { id, name, arguments_raw, .. } = &self.data;
        toolwire::provider::ProviderCall { id: Some(id), name, arguments: arguments_raw }
    }

    /// The call in the form that a provider's message is written from.
    pub fn as_message_call(&self) -> toolwire::provider::MessageCall<'_> {
        let CallData { id, name, arguments_raw, .. } = &self.data;
        let arguments = arguments_raw.as_bytes();
        toolwire::provider::MessageCall { id, name, arguments }
    }

    /// Joins a call's data with its markup.
    pub fn of(data: CallData, original: Py<PyString>) -> Self {
        Self { data, original, arguments: OnceLock::new() }
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
            id: call.id,
            id_given: call.id_given,
            index: call.index,
            name: call.name,
            arguments_raw,
            format: call.format.into(),
            span: points.span(text, call.span),
            status: call.status.slug().into(),
            diagnostics: diagnostics.collect(),
        }
    }

    /// The span of the markup.
    pub fn span(&self) -> Span {
        self.span
    }
}

/// Writes `Name(field=repr, …)`.
pub fn fields<'py, T>(py: Python<'py>, name: &str, names: &[&str], values: T) -> PyResult<String>
where
    T: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
{
    let mut parts = Vec::with_capacity(names.len());
    for (field, value) in names.iter().zip(values.into_pyobject(py)?.iter()) {
        parts.push(format!("{field}={}", value.repr()?.to_cow()?));
    }
    Ok(format!("{name}({})", parts.join(", ")))
}
