//! Writes results as text for a prompt.

use std::cell::RefCell;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyIterator, PyList, PyString, PyType};
use toolwire::ToolResult;
use toolwire::compat::stageflow::CONSTANTS;
use toolwire::result::ResultView;
use toolwire::tree::Constants;

use crate::batch::results::Results;
use crate::batch::{run, summaries};
use crate::class::column::Column;
use crate::host::argument::whole;
use crate::host::error::wrong_type;
use crate::host::json;
use crate::host::node::{Node, Raised, bytes, raise_failure, string};
use crate::raw;

/// Summarises a tool's data, one line for each entry.
///
/// Lists and dicts are counted, texts of more than 100 characters are cut, and every other value is
/// shown by its ``str``.
///
/// ```pycon
/// >>> print(toolwire.summarize_tool_data({"hits": [1, 2], "exact": True, "score": 0.5}))
/// - hits: 2 items
/// - exact: True
/// - score: 0.5
/// >>> toolwire.summarize_tool_data({})
/// 'No data returned'
///
/// ```
#[pyfunction]
pub fn summarize_tool_data<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let py = data.py();
    let mut out = Vec::new();
    let node: Node<'_> = Node::new(data.clone());
    toolwire::result::summarize_tool_data(&node, CONSTANTS, &mut out)
        .map_err(|failure| raise_failure(py, failure))?;
    string(py, &out)
}

/// The most results for which space is reserved before any is read.
const MOST_RESERVED: usize = 8192;

/// Summarises results for a model's prompt.
///
/// It takes :class:`ToolResult` objects, or objects with the same attributes, or a column of them
/// as :class:`Report` does. With ``max_tokens``, the text is limited to about that number of tokens
/// (1.3 a word): lines of data are left out, the largest first, then whole results, and the text
/// gives the number of both.
///
/// ```pycon
/// >>> data = {"hits": 2, "context": "a text of some more words"}
/// >>> result = toolwire.ToolResult("search", True, data, confidence=0.3)
/// >>> toolwire.results_summary([result])
/// '\n**search** (Success, Confidence: 30.0%):\n- hits: 2\n- context: a text of some more words\n'
/// >>> toolwire.results_summary([result], max_tokens=17)
/// '\n**search** (Success, Confidence: 30.0%):\n- hits: 2\n- 1 more left out\n'
///
/// ```
#[pyfunction]
#[pyo3(signature = (results, *, max_tokens=None))]
pub fn results_summary<'py>(
    results: &Bound<'py, PyAny>,
    max_tokens: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyString>> {
    let py = results.py();
    if let Some(column) = Results::read("results", results)? {
        return results_summary(of_column(py, &column)?.as_any(), max_tokens);
    }
    let max_tokens = max_tokens.map(|tokens| whole("max_tokens", tokens)).transpose()?;
    let mut out = Vec::with_capacity(
        results.cast::<PyList>().map_or(0, PyListMethods::len).min(MOST_RESERVED) * 128,
    );
    let tools = Tools::default();
    let mut failed = None;
    let views = Given::of(results)?.map_while(|result| match result {
        Ok(result) => Some(View::new(result, &tools)),
        Err(error) => {
            failed = Some(error);
            None
        }
    });
    match max_tokens {
        None => toolwire::result::results_summary(views, CONSTANTS, &mut out),
        Some(most) => toolwire::result::results_summary_within(views, CONSTANTS, most)
            .map(|summary| out = summary.text),
    }
    .map_err(|failure| raise_failure(py, failure))?;
    match failed {
        Some(error) => Err(error),
        None => string(py, &out),
    }
}

/// Summarises the results of each row of a column, as :func:`results_summary` does.
///
/// A row is a result, a list of them, or has one as ``results``: see :class:`Report`. The result is
/// a :class:`Column` of structs, row for row: ``summary``, and ``error``, a code, where there is
/// none: the data of a result must be a map. A null row stays null. ``threads`` is how many threads
/// work on the chunks of the column; 0 is one for each core.
///
/// ```pycon
/// >>> sent = '{"role": "tool", "tool_call_id": "c1", "content": "{}"}'
/// >>> toolwire.results_summary_batch(toolwire.provider.parse_batch([sent, None]))
/// <Column of 2 rows>
///
/// ```
#[pyfunction]
#[pyo3(signature = (results, *, max_tokens=None, threads=None),
    text_signature = "(results, *, max_tokens=None, threads=1)")]
pub fn results_summary_batch(
    results: &Bound<'_, PyAny>,
    max_tokens: Option<&Bound<'_, PyAny>>,
    threads: Option<&Bound<'_, PyAny>>,
) -> PyResult<Column> {
    let py = results.py();
    let max_tokens = max_tokens.map(|tokens| whole("max_tokens", tokens)).transpose()?;
    let threads = run::threads(threads)?;
    let Some(column) = Results::read("results", results)? else {
        return Err(wrong_type(py, "results", "a column of results", results));
    };
    let chunks = summaries::chunks(py, &column, max_tokens, threads)?;
    Ok(Column::of(summaries::summaries(), chunks))
}

/// The results of a column as objects.
///
/// # Errors
/// Any exception of the class.
pub fn of_column<'py>(py: Python<'py>, column: &Results) -> PyResult<Bound<'py, PyList>> {
    static RESULT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (class, all) = (RESULT.import(py, "toolwire._result", "ToolResult")?, PyList::empty(py));
    for ToolResult { tool, success, data, confidence, error_message } in column.each() {
        let data = json::value(py, data.to_string().as_bytes())?;
        all.append(class.call1((tool, success, data, error_message, confidence))?)?;
    }
    Ok(all)
}

/// The results of a list, or of any other iterable.
enum Given<'py> {
    /// A list, and the position of its next result; an iterator would cost more.
    List(Bound<'py, PyList>, usize),
    Other(Bound<'py, PyIterator>),
}

impl<'py> Given<'py> {
    fn of(results: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(match results.cast_exact::<PyList>() {
            Ok(list) => Self::List(list.clone(), 0),
            Err(_) => Self::Other(results.try_iter()?),
        })
    }
}

impl<'py> Iterator for Given<'py> {
    type Item = PyResult<Bound<'py, PyAny>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            // The list may shrink while its results are read, so its length is checked each time.
            Self::List(list, at) if *at < list.len() => {
                *at += 1;
                Some(list.get_item(*at - 1))
            }
            Self::List(..) => None,
            Self::Other(iterator) => iterator.next(),
        }
    }
}

/// The tools and the class of results met so far: results are many, tools and classes are few, and
/// reading an Enum is slow.
#[derive(Default)]
pub struct Tools<'py> {
    known: RefCell<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
    /// The class of the last result, and whether its attributes are those of its dict.
    class: RefCell<Option<(Bound<'py, PyType>, bool)>>,
}

/// The attributes of a result, in the order in which a `ToolResult` sets them.
const ATTRIBUTES: [&str; 5] = ["tool", "success", "data", "error_message", "confidence"];

/// The most tools that are remembered.
const MOST_TOOLS: usize = 16;

impl<'py> Tools<'py> {
    /// The name of a tool: the value of an Enum, and any other value unchanged.
    pub fn name(&self, tool: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        static ENUM: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let py = tool.py();
        if tool.is_exact_instance_of::<PyString>()
            || !raw::is_of_type(&tool, ENUM.import(py, "enum", "Enum")?)
        {
            return Ok(tool);
        }
        if let Some((_, name)) = self.known.borrow().iter().find(|(known, _)| known.is(&tool)) {
            return Ok(name.clone());
        }
        // `value` reads this attribute too, but through Python code.
        let name = tool.getattr(intern!(py, "_value_"))?;
        let mut known = self.known.borrow_mut();
        if known.len() < MOST_TOOLS {
            known.push((tool, name.clone()));
        }
        Ok(name)
    }
}

impl<'py> Tools<'py> {
    /// The dict of a result whose attributes are looked up there and nowhere else.
    fn attributes(&self, result: &Bound<'py, PyAny>) -> Option<Bound<'py, PyDict>> {
        let class = result.get_type();
        let known = self
            .class
            .borrow()
            .as_ref()
            .and_then(|(known, plain)| known.is(&class).then_some(*plain));
        let plain = known.unwrap_or_else(|| {
            let plain = is_plain(&class).unwrap_or(false);
            *self.class.borrow_mut() = Some((class, plain));
            plain
        });
        if plain { raw::attributes(result) } else { None }
    }
}

/// Whether objects of a class keep the attributes of a result in a dict, as those of a dataclass
/// do, and no code of the class runs when one is read.
fn is_plain(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    let own = class.getattr(intern!(py, "__getattribute__"))?;
    let usual = py.get_type::<PyAny>().getattr(intern!(py, "__getattribute__"))?;
    if !own.is(&usual) || class.getattr(intern!(py, "__dictoffset__"))?.eq(0)? {
        return Ok(false);
    }
    for name in ATTRIBUTES {
        if let Some(found) = class.getattr_opt(name)?
            && found.get_type().hasattr(intern!(py, "__set__"))?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A Python object with the attributes of a result.
pub struct View<'py, 'a> {
    result: Bound<'py, PyAny>,
    /// The result's attributes, where they can be read at once.
    attributes: Option<Bound<'py, PyDict>>,
    tools: &'a Tools<'py>,
}

impl<'py, 'a> View<'py, 'a> {
    /// Wraps a result.
    pub fn new(result: Bound<'py, PyAny>, tools: &'a Tools<'py>) -> Self {
        let attributes = tools.attributes(&result);
        Self { result, attributes, tools }
    }

    /// An attribute by its name; `place` is its usual place in the dict.
    #[inline]
    fn attribute(&self, place: u8, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let text = ATTRIBUTES.get(usize::from(place)).copied().unwrap_or_default().as_bytes();
        let known = self.attributes.as_ref();
        match known.and_then(|known| raw::value_at(known, place, name, text)) {
            Some(value) => Ok(value),
            None => self.result.getattr(name),
        }
    }

    /// The tool's name.
    pub fn tool(&self) -> PyResult<Bound<'py, PyAny>> {
        self.tools.name(self.attribute(0, intern!(self.result.py(), "tool"))?)
    }

    /// The confidence, if it is a number.
    pub fn number(&self) -> PyResult<Option<f64>> {
        let confidence = self.attribute(4, intern!(self.result.py(), "confidence"))?;
        let number = confidence.is_instance_of::<PyFloat>() || confidence.is_instance_of::<PyInt>();
        if number { confidence.extract().map(Some) } else { Ok(None) }
    }
}

/// The result of a method that may raise.
type Raising<T> = Result<T, Raised>;

impl<'py> ResultView for View<'py, '_> {
    type Data = Node<'py>;

    #[inline]
    fn write_quickly(&self, constants: Constants<'_>, out: &mut Vec<u8>) -> bool {
        let Some(attributes) = &self.attributes else { return false };
        let py = self.result.py();
        let names = raw::ResultNames {
            attributes: [
                intern!(py, "tool"),
                intern!(py, "success"),
                intern!(py, "data"),
                intern!(py, "error_message"),
                intern!(py, "confidence"),
            ],
            tools: &self.tools.known.borrow(),
        };
        raw::write_plain_result(attributes, names, constants, out)
    }

    fn write_tool(&self, out: &mut Vec<u8>) -> Raising<()> {
        write_str(&self.tool()?, out)
    }

    fn success(&self) -> Raising<bool> {
        let success = self.attribute(1, intern!(self.result.py(), "success"))?;
        match success.cast_exact::<PyBool>() {
            Ok(truth) => Ok(truth.is_true()),
            Err(_) => Ok(success.is_truthy()?),
        }
    }

    fn data(&self) -> Raising<Node<'py>> {
        let data = self.attribute(2, intern!(self.result.py(), "data"))?;
        Ok(Node::new(data))
    }

    fn confidence(&self) -> Raising<f64> {
        let py = self.result.py();
        let confidence = self.attribute(4, intern!(py, "confidence"))?;
        if let Ok(float) = confidence.cast_exact::<PyFloat>() {
            return Ok(float.value());
        }
        // A value that cannot be formatted this way raises Python's own error.
        confidence.call_method1(intern!(py, "__format__"), (intern!(py, ".1%"),))?;
        Ok(confidence.extract()?)
    }

    fn write_error(&self, out: &mut Vec<u8>) -> Raising<()> {
        write_str(&self.attribute(3, intern!(self.result.py(), "error_message"))?, out)
    }
}

/// Appends a value's `str`.
fn write_str(value: &Bound<'_, PyAny>, out: &mut Vec<u8>) -> Raising<()> {
    match value.cast_exact::<PyString>() {
        Ok(string) => out.extend_from_slice(&bytes(string)),
        Err(_) => out.extend_from_slice(&bytes(&value.str()?)),
    }
    Ok(())
}
