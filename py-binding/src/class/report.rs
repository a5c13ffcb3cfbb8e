//! Results with their figures.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use pyo3::{PyTraverseError, PyVisit, intern};
use toolwire::result::{Count, ResultView, Tally};

use crate::batch::results::Results;
use crate::class::summary::{self, Tools, View, of_column};
use crate::host::error::wrong_type;
use crate::host::node::{Json, Node, raise_failure, string};

/// Collects results and reports them: figures, figures by tool, a summary, JSON.
///
/// It holds the caller's own results and counts them each time, so a later change of a result
/// counts.
///
/// ``results`` is an iterable of results, or a column or table that offers Arrow's PyCapsule
/// interface: of structs with ``tool`` and ``success``, and where wanted ``data`` (JSON text),
/// ``error_message`` and ``confidence``, or of lists of them; or of structs with such a list as
/// ``results``, as :func:`toolwire.provider.parse_batch` gives. A column is counted without an
/// object for each result; what is null is no result.
///
/// ```pycon
/// >>> report = toolwire.Report([toolwire.ToolResult("search", True, {"hits": 2}, confidence=0.5)])
/// >>> report.add(toolwire.ToolResult("search", False, {}, error_message="offline"))
/// >>> report.total, report.failed, report.success_rate, report.mean_confidence
/// (2, 1, 0.5, 0.5)
///
/// ```
#[pyclass(frozen, module = "toolwire")]
pub struct Report {
    results: Py<PyList>,
    /// The results of a column, which stand before the others, and their figures.
    column: Option<(Results, Tally)>,
}

#[pymethods]
impl Report {
    #[new]
    #[pyo3(signature = (results=None), text_signature = "(results=())")]
    fn new(py: Python<'_>, results: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let of_none = Self { results: PyList::empty(py).unbind(), column: None };
        let Some(results) = results else { return Ok(of_none) };
        if let Some(column) = Results::read("results", results)? {
            let tally = py.detach(|| column.tally());
            return Ok(Self { column: Some((column, tally)), ..of_none });
        }
        for result in results.try_iter()? {
            of_none.add(&result?)?;
        }
        Ok(of_none)
    }

    /// Adds a result.
    ///
    /// ```pycon
    /// >>> report = toolwire.Report()
    /// >>> report.add(toolwire.ToolResult("search", True, {}))
    /// >>> report.total
    /// 1
    ///
    /// ```
    fn add(&self, result: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = result.py();
        for name in ["tool", "success", "data", "error_message", "confidence"] {
            if !result.hasattr(name)? {
                return Err(wrong_type(py, "a result", "a ToolResult or like one", result));
            }
        }
        self.results.bind(py).append(result)
    }

    /// The results, in the order they were added.
    #[getter]
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        Ok(self.all(py)?.to_tuple())
    }

    /// The number of results.
    #[getter]
    fn total(&self, py: Python<'_>) -> usize {
        let counted = self.column.as_ref().map_or(0, |(_, tally)| tally.all().total());
        counted + self.results.bind(py).len()
    }

    /// The number of results that succeeded.
    #[getter]
    fn succeeded(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.tally(py)?.all().succeeded())
    }

    /// The number of results that failed.
    #[getter]
    fn failed(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.tally(py)?.all().failed())
    }

    /// The share of results that succeeded, from 0 to 1; None if there are no results.
    #[getter]
    fn success_rate(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(self.tally(py)?.all().success_rate())
    }

    /// The mean confidence of the results that succeeded; None if none succeeded.
    #[getter]
    fn mean_confidence(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(self.tally(py)?.all().mean_confidence())
    }

    /// The figures of each tool, in the order of first appearance.
    #[getter]
    fn by_tool<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_tool(py, &self.tally(py)?)
    }

    /// The results as text for a prompt, as :func:`results_summary` returns it.
    ///
    /// ```pycon
    /// >>> failed = toolwire.ToolResult("a", False, {}, error_message="offline")
    /// >>> toolwire.Report([failed]).summary()
    /// '\n**a** (Failed): offline\n'
    ///
    /// ```
    #[pyo3(signature = (*, max_tokens=None))]
    fn summary<'py>(
        &self,
        py: Python<'py>,
        max_tokens: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyString>> {
        summary::results_summary(self.all(py)?.as_any(), max_tokens)
    }

    /// The whole report as a dict.
    ///
    /// ```pycon
    /// >>> list(toolwire.Report().to_dict())
    /// ['total', 'succeeded', 'failed', 'success_rate', 'mean_confidence', 'by_tool', 'results']
    ///
    /// ```
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tally = self.tally(py)?;
        let whole = figures(py, tally.all())?;
        whole.set_item(intern!(py, "by_tool"), by_tool(py, &tally)?)?;
        let (results, tools) = (PyList::empty(py), Tools::default());
        for result in self.all(py)?.iter() {
            let entry = PyDict::new(py);
            entry.set_item(intern!(py, "tool"), View::new(result.clone(), &tools).tool()?)?;
            for name in ["success", "data", "confidence", "error_message"] {
                entry.set_item(name, result.getattr(name)?)?;
            }
            results.append(entry)?;
        }
        whole.set_item(intern!(py, "results"), results)?;
        Ok(whole)
    }

    /// The whole report as JSON text, in ASCII.
    ///
    /// A value that JSON cannot represent is written as its ``str``, and a number that is not
    /// finite as null.
    ///
    /// ```pycon
    /// >>> toolwire.Report().to_json()[:16]
    /// '{\n  "total": 0,\n'
    ///
    /// ```
    #[pyo3(signature = (indent=Some(2)), text_signature = "(self, indent=2)")]
    fn to_json<'py>(&self, py: Python<'py>, indent: Option<usize>) -> PyResult<Bound<'py, PyAny>> {
        let node = Node::<Json>::new(self.to_dict(py)?.into_any());
        let mut out = Vec::new();
        toolwire::json::pretty_json(&node, &mut out)
            .map_err(|failure| raise_failure(py, failure))?;
        let text = string(py, &out)?.into_any();
        if indent == Some(2) {
            return Ok(text);
        }
        let json = py.import("json")?;
        let keywords = PyDict::new(py);
        keywords.set_item("indent", indent)?;
        json.call_method("dumps", (json.call_method1("loads", (text,))?,), Some(&keywords))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.total(py)
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyList>,)> {
        Ok((self.all(py)?,))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<Report of {} results>", self.total(py))
    }

    #[allow(clippy::needless_pass_by_value, reason = "the signature that pyo3 asks for")]
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.results)
    }
}

impl Report {
    /// All results as objects: the caller's own, or those that a column gives and the added ones.
    fn all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let own = self.results.bind(py);
        let Some((column, _)) = &self.column else { return Ok(own.clone()) };
        let all = of_column(py, column)?;
        own.iter().try_for_each(|result| all.append(result))?;
        Ok(all)
    }

    /// Counts the results.
    fn tally(&self, py: Python<'_>) -> PyResult<Tally> {
        let counted = self.column.as_ref().map(|(_, tally)| tally.clone());
        let mut tally = counted.unwrap_or_default();
        let (mut tool, tools) = (Vec::new(), Tools::default());
        for result in self.results.bind(py).iter() {
            let view = View::new(result, &tools);
            tool.clear();
            view.write_tool(&mut tool).map_err(|raised| *raised)?;
            let success = view.success().map_err(|raised| *raised)?;
            tally.add(&tool, success, view.number()?);
        }
        Ok(tally)
    }
}

/// The figures as a dict.
fn figures<'py>(py: Python<'py>, count: &Count) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item(intern!(py, "total"), count.total())?;
    entry.set_item(intern!(py, "succeeded"), count.succeeded())?;
    entry.set_item(intern!(py, "failed"), count.failed())?;
    entry.set_item(intern!(py, "success_rate"), count.success_rate())?;
    entry.set_item(intern!(py, "mean_confidence"), count.mean_confidence())?;
    Ok(entry)
}

/// Each tool's figures as a dict.
fn by_tool<'py>(py: Python<'py>, tally: &Tally) -> PyResult<Bound<'py, PyDict>> {
    let tools = PyDict::new(py);
    for (tool, count) in tally.tools() {
        tools.set_item(string(py, tool)?, figures(py, count)?)?;
    }
    Ok(tools)
}
