//! Makes the grammar to which an inference server holds a model while it writes.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use toolwire::detect::{Constraint as Core, ConstraintNote as CoreNote, GrammarSettings, Tools};

use crate::class::call::fields;
use crate::class::profile::Profile;
use crate::host::error::raise;
use crate::host::json;
use crate::host::value::to_json;

/// A grammar that holds a model to calls that can be read.
///
/// ```pycon
/// >>> constraint = toolwire.constrain([{"name": "now"}], model="qwen2.5-7b")
/// >>> constraint.backend, constraint.profile, constraint.reasoning, constraint.notes
/// ('structural_tag', 'qwen25', False, ())
///
/// ```
#[pyclass(frozen, module = "toolwire")]
pub struct Constraint {
    core: Core,
}

#[pymethods]
impl Constraint {
    /// The grammar: a dict for a structural tag, a string for Lark and GBNF.
    #[getter]
    fn grammar<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::value(py, self.core.grammar.to_string().as_bytes())
    }

    /// What is to be merged into the body of the request to the server.
    ///
    /// It has the grammar, and for vLLM, SGLang and TensorRT-LLM ``skip_special_tokens``, so that
    /// they keep the tokens that mark calls.
    #[getter]
    fn request<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::value(py, self.core.request().to_string().as_bytes())
    }

    /// The tokens that end the turn; the grammar ends in front of them.
    #[getter]
    fn stop<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.core.stop)
    }

    /// What the grammar does not hold: a :class:`ConstraintNote` for each keyword.
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.core.notes.iter().map(ConstraintNote::of))
    }

    /// The name of the profile; None where only a format was given.
    #[getter]
    fn profile(&self) -> Option<&str> {
        self.core.profile.as_deref()
    }

    /// The name of the calls' format; None where there are no calls.
    #[getter]
    fn format(&self) -> Option<&str> {
        self.core.format.as_deref()
    }

    /// The notation of the grammar.
    #[getter]
    fn backend(&self) -> &'static str {
        self.core.backend.slug()
    }

    /// Who writes the reasoning: True for the grammar, False for nobody, ``"engine"`` for the
    /// server's parser.
    #[getter]
    fn reasoning<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::value(py, self.core.reasoning.to_json().to_string().as_bytes())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let core = &self.core;
        let values = (&core.profile, &core.format, core.backend.slug(), &core.stop);
        fields(py, "Constraint", &["profile", "format", "backend", "stop"], values)
    }
}

/// A keyword of a schema that a grammar does not hold: the arguments must be checked for it.
///
/// ```pycon
/// >>> schema = {"type": "object", "properties": {"a": {"not": {"type": "string"}}}}
/// >>> tools = [{"name": "f", "parameters": schema}]
/// >>> [note] = toolwire.constrain(tools, format="hermes").notes
/// >>> note.tool, note.pointer, note.keyword
/// ('f', '/properties/a/not', 'not')
///
/// ```
#[pyclass(frozen, eq, hash, get_all, module = "toolwire")]
#[derive(PartialEq, Eq, Hash)]
pub struct ConstraintNote {
    /// The tool; empty for the schema of the text.
    tool: String,
    /// Where the keyword stands in the schema, as a JSON pointer.
    pointer: String,
    /// The keyword.
    keyword: String,
    /// What is not held, for people.
    message: String,
}

impl ConstraintNote {
    fn of(note: &CoreNote) -> Self {
        let CoreNote { tool, pointer, keyword, message } = note.clone();
        Self { tool, pointer, keyword, message }
    }
}

#[pymethods]
impl ConstraintNote {
    #[new]
    fn new(tool: String, pointer: String, keyword: String, message: String) -> Self {
        Self { tool, pointer, keyword, message }
    }

    fn __getnewargs__(&self) -> (&str, &str, &str, &str) {
        (&self.tool, &self.pointer, &self.keyword, &self.message)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let names = ["tool", "pointer", "keyword", "message"];
        fields(py, "ConstraintNote", &names, self.__getnewargs__())
    }
}

/// Makes the grammar to which an inference server holds a model while it writes.
///
/// It writes calls of these tools only, in the model's own format, with arguments that fit the
/// schemas.
///
/// ``model``, ``template``, ``prompt`` and ``thinking`` say which model writes, as for
/// :class:`Detector`; ``format`` stands for the calls of one format alone. ``backend`` is
/// ``structural_tag`` (vLLM, SGLang, TensorRT-LLM), ``lark`` (llguidance) or ``gbnf`` (llama.cpp).
/// ``tool_choice`` is ``auto``, ``required``, ``none`` or the name of a tool. ``parallel`` says
/// whether a second call may follow. ``reasoning`` is True where the grammar has a place for it,
/// False for none, ``"engine"`` where the server's reasoning parser reads over it. ``text`` is
/// True, False, or a schema by which the text is JSON. ``special_tokens`` names the tokens that the
/// model's tokenizer keeps whole (only Lark needs them). With ``strict`` a keyword that cannot be
/// held raises ``cannot_constrain``, and is no note. ``server`` says for whom ``request`` is.
///
/// ```pycon
/// >>> constraint = toolwire.constrain([{"name": "now"}], model="qwen2.5-7b", backend="gbnf")
/// >>> constraint.format, constraint.stop, list(constraint.request)
/// ('hermes', ('<|im_end|>',), ['grammar'])
///
/// ```
#[pyfunction]
#[pyo3(signature = (tools, *, model=None, template=None, prompt=None, thinking=None, format=None,
                    backend=None, tool_choice=None, parallel=None, reasoning=None,
                    text=None, special_tokens=None, strict=None, server=None))]
#[allow(clippy::too_many_arguments, reason = "each is a keyword of the Python function")]
pub fn constrain(
    py: Python<'_>,
    tools: &Bound<'_, PyAny>,
    model: Option<&Bound<'_, PyAny>>,
    template: Option<&Bound<'_, PyAny>>,
    prompt: Option<&Bound<'_, PyAny>>,
    thinking: Option<&Bound<'_, PyAny>>,
    format: Option<&Bound<'_, PyAny>>,
    backend: Option<&Bound<'_, PyAny>>,
    tool_choice: Option<&Bound<'_, PyAny>>,
    parallel: Option<&Bound<'_, PyAny>>,
    reasoning: Option<&Bound<'_, PyAny>>,
    text: Option<&Bound<'_, PyAny>>,
    special_tokens: Option<&Bound<'_, PyAny>>,
    strict: Option<&Bound<'_, PyAny>>,
    server: Option<&Bound<'_, PyAny>>,
) -> PyResult<Constraint> {
    let tools = Tools::from_json(&to_json("tools", tools)?).map_err(|error| raise(py, &error))?;
    let mut settings = GrammarSettings::default();
    for (name, value) in [
        ("model", model),
        ("template", template),
        ("prompt", prompt),
        ("thinking", thinking),
        ("format", format),
        ("backend", backend),
        ("tool_choice", tool_choice),
        ("parallel", parallel),
        ("reasoning", reasoning),
        ("text", text),
        ("special_tokens", special_tokens),
        ("strict", strict),
        ("server", server),
    ] {
        match value.map(|value| (value, value.cast::<Profile>())) {
            Some((_, Ok(profile))) if name == "model" => {
                settings.set_profile(profile.get().core().clone());
            }
            Some((value, _)) => {
                let value = to_json(name, value)?;
                settings.set(name, &value).map_err(|error| raise(py, &error))?;
            }
            None => {}
        }
    }
    settings.constrain(&tools).map(|core| Constraint { core }).map_err(|error| raise(py, &error))
}
