//! The content of a provider's object, in Python's form.
//!
//! Immutable, comparable, hashable and picklable. The hash of a result leaves out its data, which
//! need not be hashable.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use toolwire::ToolResult;
use toolwire::provider::{self, RefusedAt, RefusedCall};

use crate::class::call::{CallData, ToolCall, fields};
use crate::host::error::raise;
use crate::host::json;
use crate::host::text::CodePoints;
use crate::host::value::to_json;

/// The outcome of a tool, and the call that it answers.
///
/// It has all attributes that a :class:`toolwire.Report` counts.
///
/// ```pycon
/// >>> message = {"role": "tool", "tool_call_id": "call_1", "content": '{"degrees": 21}'}
/// >>> result = toolwire.provider.parse(message).results[0]
/// >>> result.call_id, result.success, result.data
/// ('call_1', True, {'degrees': 21})
///
/// ```
#[pyclass(frozen, get_all, module = "toolwire.provider")]
pub struct ProviderResult {
    /// The tool's name; empty if the provider does not give it and the call is not in the same
    /// object.
    tool: String,
    /// Whether the tool ran without an error.
    success: bool,
    /// The data that the tool returned.
    data: Py<PyAny>,
    /// The error message, if the tool failed.
    error_message: Option<String>,
    /// The id of the call; None if the provider gives none.
    call_id: Option<String>,
    /// The confidence of the tool; providers do not give it.
    confidence: f64,
    /// The slug of the provider; empty for a result that was not read from a provider's object.
    format: Cow<'static, str>,
}

#[pymethods]
impl ProviderResult {
    #[new]
    #[pyo3(signature = (tool, success, data, error_message=None, call_id=None, confidence=0.0, format=""))]
    fn new(
        tool: String,
        success: bool,
        data: Py<PyAny>,
        error_message: Option<String>,
        call_id: Option<String>,
        confidence: f64,
        format: &str,
    ) -> Self {
        let format = Cow::Owned(format.to_owned());
        Self { tool, success, data, error_message, call_id, confidence, format }
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Self { tool, success, data, error_message, call_id, confidence, format } = self;
        (tool, *success, data, error_message, call_id, *confidence, format).into_pyobject(py)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        self.__getnewargs__(py)?.eq(other.__getnewargs__(py)?)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.tool, self.success, &self.error_message, &self.call_id, &self.format)
            .hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names = ["tool", "success", "data", "error_message", "call_id", "format"];
        let Self { tool, success, data, error_message, call_id, format, .. } = self;
        fields(py, "ProviderResult", &names, (tool, *success, data, error_message, call_id, format))
    }

    #[allow(clippy::needless_pass_by_value, reason = "the signature that pyo3 asks for")]
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.data)
    }
}

impl ProviderResult {
    /// Converts core's result.
    fn of(py: Python<'_>, result: provider::ProviderResult) -> PyResult<Self> {
        let provider::ProviderResult { call_id, format, outcome } = result;
        let ToolResult { tool, success, data, confidence, error_message } = outcome;
        let data = json::value(py, data.to_string().as_bytes())?.unbind();
        let format = Cow::Borrowed(format);
        Ok(Self { tool, success, data, error_message, call_id, confidence, format })
    }

    /// Core's form of the result.
    pub fn core(&self, py: Python<'_>) -> PyResult<provider::ProviderResult> {
        let outcome = ToolResult {
            tool: self.tool.clone(),
            success: self.success,
            data: to_json("data", self.data.bind(py))?,
            confidence: self.confidence,
            error_message: self.error_message.clone(),
        };
        Ok(provider::ProviderResult { call_id: self.call_id.clone(), format: "", outcome })
    }
}

/// Something in an object that looked like a call or a result and was refused.
///
/// ```pycon
/// >>> cut_off = {"type": "tool_use", "name": "f", "input": "{"}
/// >>> rejection = toolwire.provider.parse(cut_off).rejections[0]
/// >>> rejection.code, rejection.path, rejection.format
/// ('bad_json', '/input', 'anthropic')
///
/// ```
#[pyclass(frozen, eq, hash, get_all, module = "toolwire.provider")]
#[derive(PartialEq, Eq, Hash)]
pub struct ProviderRejection {
    /// The reason; a stable slug.
    code: Cow<'static, str>,
    /// The reason in words, for a person.
    message: String,
    /// The place: a JSON Pointer into the object, or into the list of the stream's events.
    path: String,
    /// The slug of the provider that the part seemed to come from; None if that is not known.
    format: Option<Cow<'static, str>>,
}

impl ProviderRejection {
    /// What the model is told of it.
    pub fn as_refused(&self) -> RefusedCall<'_> {
        RefusedCall {
            code: &self.code,
            message: &self.message,
            place: RefusedAt::Object(&self.path),
            format: self.format.as_deref(),
        }
    }
}

#[pymethods]
impl ProviderRejection {
    #[new]
    #[pyo3(signature = (code, message, path, format=None))]
    fn new(code: String, message: String, path: String, format: Option<String>) -> Self {
        Self { code: code.into(), message, path, format: format.map(Cow::Owned) }
    }

    fn __getnewargs__(&self) -> (&str, &str, &str, Option<&str>) {
        (&self.code, &self.message, &self.path, self.format.as_deref())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        fields(
            py,
            "ProviderRejection",
            &["code", "message", "path", "format"],
            self.__getnewargs__(),
        )
    }
}

/// An item that a provider keeps for itself: a call that it runs, its result, or a question for a
/// person. It is never a call of the program's, and goes back as it was sent.
///
/// ```pycon
/// >>> sent = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
/// >>> item = toolwire.provider.parse({"output": [sent]}).items[0]
/// >>> item.kind, item.word, toolwire.provider.dump(item, "openai_responses") == sent
/// ('call', 'web_search_call', True)
///
/// ```
#[pyclass(frozen, eq, hash, module = "toolwire.provider")]
#[derive(PartialEq, Eq, Hash)]
pub struct ProviderItem {
    /// ``call``, ``result``, ``approval_request`` or ``other``.
    #[pyo3(get)]
    kind: Cow<'static, str>,
    /// The provider's word for it.
    #[pyo3(get)]
    word: String,
    /// Its id, or the id of the call that it belongs to; None if the provider gives none.
    #[pyo3(get)]
    id: Option<String>,
    /// The JSON text of the whole item.
    #[pyo3(get)]
    raw: String,
    /// The place: a JSON Pointer into the object, or into the list of the stream's events.
    #[pyo3(get)]
    path: String,
    /// The slug of the provider.
    #[pyo3(get)]
    format: Cow<'static, str>,
}

#[pymethods]
impl ProviderItem {
    #[new]
    #[pyo3(signature = (kind, word, id, raw, path, format))]
    fn new(
        py: Python<'_>,
        kind: String,
        word: String,
        id: Option<String>,
        raw: String,
        path: String,
        format: String,
    ) -> PyResult<Self> {
        json::object(py, &raw)?;
        Ok(Self { kind: kind.into(), word, id, raw, path, format: format.into() })
    }

    /// The whole item as a dict.
    #[getter]
    fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        json::object(py, &self.raw)
    }

    /// Writes a person's answer to an approval request, for the next request.
    ///
    /// ```pycon
    /// >>> asked = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "send"}
    /// >>> toolwire.provider.parse([asked]).items[0].decided(False)["approve"]
    /// False
    ///
    /// ```
    fn decided<'py>(&self, py: Python<'py>, approved: bool) -> PyResult<Bound<'py, PyAny>> {
        let decided = self.core(py)?.decided(approved);
        let decided = decided.map_err(|error| raise(py, &error))?;
        json::value(py, decided.to_string().as_bytes())
    }

    fn __getnewargs__(&self) -> (&str, &str, Option<&str>, &str, &str, &str) {
        let Self { kind, word, id, raw, path, format } = self;
        (kind, word, id.as_deref(), raw, path, format)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names = ["kind", "word", "id", "raw", "path", "format"];
        fields(py, "ProviderItem", &names, self.__getnewargs__())
    }
}

impl ProviderItem {
    /// Converts core's item.
    fn of(item: provider::ProviderItem) -> Self {
        let provider::ProviderItem { kind, word, id, object, path, format } = item;
        let (kind, format) = (kind.slug().into(), format.into());
        Self { kind, word, id, raw: object.to_string(), path, format }
    }

    /// Core's form of the item.
    pub fn core(&self, py: Python<'_>) -> PyResult<provider::ProviderItem> {
        let format = provider::Provider::named(&self.format).map_err(|error| raise(py, &error))?;
        Ok(provider::ProviderItem {
            kind: provider::ItemKind::from_slug(&self.kind).unwrap_or(provider::ItemKind::Other),
            word: self.word.clone(),
            id: self.id.clone(),
            object: toolwire::json::parse_json(self.raw.as_bytes()).unwrap_or_default(),
            path: self.path.clone(),
            format: format.slug(),
        })
    }
}

/// The findings in one object, or in the events of a stream.
///
/// ```pycon
/// >>> block = {"type": "tool_use", "id": "t1", "name": "now", "input": {}}
/// >>> exchange = toolwire.provider.parse(block)
/// >>> [call.name for call in exchange.calls], exchange.results, exchange.rejections
/// (['now'], (), ())
///
/// ```
#[pyclass(frozen, get_all, module = "toolwire.provider")]
pub struct Exchange {
    /// The calls, in the object's order.
    calls: Py<PyTuple>,
    /// The results, in the object's order.
    results: Py<PyTuple>,
    /// Parts that looked like a call or a result and were refused, in the object's order.
    rejections: Py<PyTuple>,
    /// Items that the provider keeps for itself, in the object's order. None of them is a call.
    items: Py<PyTuple>,
}

#[pymethods]
impl Exchange {
    #[new]
    #[pyo3(signature = (calls, results, rejections, items=None))]
    fn new(
        py: Python<'_>,
        calls: Py<PyTuple>,
        results: Py<PyTuple>,
        rejections: Py<PyTuple>,
        items: Option<Py<PyTuple>>,
    ) -> Self {
        let items = items.unwrap_or_else(|| PyTuple::empty(py).unbind());
        Self { calls, results, rejections, items }
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (&self.calls, &self.results, &self.rejections, &self.items).into_pyobject(py)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        self.__getnewargs__(py)?.eq(other.__getnewargs__(py)?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.__getnewargs__(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let values = (&self.calls, &self.results, &self.rejections, &self.items);
        fields(py, "Exchange", &["calls", "results", "rejections", "items"], values)
    }

    #[allow(clippy::needless_pass_by_value, reason = "the signature that pyo3 asks for")]
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.calls)?;
        visit.call(&self.results)
    }
}

impl Exchange {
    /// Converts core's exchange.
    pub fn of(py: Python<'_>, exchange: provider::Exchange) -> PyResult<Self> {
        let original = PyString::new(py, "");
        let points = CodePoints::default();
        let calls = exchange.calls.into_iter().map(|call| {
            let data = CallData::of(call, &points, b"");
            Py::new(py, ToolCall::of(data, original.clone().unbind()))
        });
        let calls = PyTuple::new(py, calls.collect::<PyResult<Vec<_>>>()?)?.unbind();
        let results =
            exchange.results.into_iter().map(|result| Py::new(py, ProviderResult::of(py, result)?));
        let results = PyTuple::new(py, results.collect::<PyResult<Vec<_>>>()?)?.unbind();
        let rejections = exchange.rejections.into_iter().map(|rejection| {
            let provider::ProviderRejection { code, message, path, format } = rejection;
            let (code, format) = (code.slug().into(), format.map(Cow::Borrowed));
            Py::new(py, ProviderRejection { code, message, path, format })
        });
        let rejections = PyTuple::new(py, rejections.collect::<PyResult<Vec<_>>>()?)?.unbind();
        let items = exchange.items.into_iter().map(|item| Py::new(py, ProviderItem::of(item)));
        let items = PyTuple::new(py, items.collect::<PyResult<Vec<_>>>()?)?.unbind();
        Ok(Self { calls, results, rejections, items })
    }
}
