//! The profiles of model families.
//!
//! Immutable, comparable, hashable and picklable.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use toolwire::detect::{Format, Profile as Core};

use crate::class::call::fields;
use crate::host::error::raise;
use crate::host::json;
use crate::host::value::to_json;

/// How the models of a family write a message.
///
/// It is made from the name of a model or from a definition.
///
/// ```pycon
/// >>> profile = toolwire.profile_for("Qwen/Qwen3-30B-A3B-Thinking-2507")
/// >>> profile.slug, profile.formats, profile.reasoning, profile.reasoning_begun
/// ('qwen3_thinking', ('hermes',), ('think',), 'think')
///
/// ```
#[pyclass(frozen, module = "toolwire")]
pub struct Profile {
    core: Core,
}

#[pymethods]
impl Profile {
    #[new]
    fn new(definition: &Bound<'_, PyAny>) -> PyResult<Self> {
        read_profile(definition).map(Self::of)
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>,)> {
        Ok((json::value(py, self.core.definition().to_string().as_bytes())?,))
    }

    /// The name of the profile.
    #[getter]
    fn slug(&self) -> &str {
        self.core.slug()
    }

    /// Whether it is the profile of the model that was named: False where the model's family is
    /// known and its version is not, so that this is the profile of the nearest version.
    #[getter]
    fn exact(&self) -> bool {
        self.core.is_exact()
    }

    /// The models that it is for, as text for people.
    #[getter]
    fn models(&self) -> &str {
        self.core.models()
    }

    /// The names of inference servers' parsers for these models.
    #[getter]
    fn aliases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.core.aliases())
    }

    /// The names of the formats of the calls; none where no format is known.
    #[getter]
    fn formats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.core.formats().iter().map(Format::slug))
    }

    /// The names of the formats that the models are known to write besides, which are read too.
    #[getter]
    fn siblings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.core.siblings().iter().map(Format::slug))
    }

    /// The styles of the reasoning, as ``think`` for ``<think>…</think>``.
    #[getter]
    fn reasoning<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.core.reasoning().collect::<Vec<_>>())
    }

    /// The style of the reasoning that the prompt has already begun.
    #[getter]
    fn reasoning_begun(&self) -> Option<&str> {
        self.core.reasoning_begun()
    }

    /// Whether a call inside the reasoning counts.
    #[getter]
    fn calls_in_reasoning(&self) -> bool {
        self.core.calls_in_reasoning()
    }

    /// The variables of the chat template that switch thinking; none where the models always think,
    /// or None where it is not known.
    #[getter]
    fn thinking<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let names = self.core.thinking_names();
        names.map(|names| PyTuple::new(py, names.collect::<Vec<_>>())).transpose()
    }

    /// The tokens with which the models end their turn; none where it is not known.
    #[getter]
    fn stop<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.core.stop())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.core == other.core
    }

    fn __hash__(&self) -> u64 {
        let bytes = self.core.slug().bytes();
        bytes.fold(0, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let begun = self.core.reasoning_begun();
        let values = (self.core.slug(), self.formats(py)?, self.reasoning(py)?, begun);
        fields(py, "Profile", &["slug", "formats", "reasoning", "reasoning_begun"], values)
    }
}

impl Profile {
    /// Makes a profile from a profile of the core.
    pub fn of(core: Core) -> Self {
        Self { core }
    }

    /// The profile of the core.
    pub fn core(&self) -> &Core {
        &self.core
    }
}

/// Reads a profile: the name of a model, or a definition.
pub fn any_profile(value: &Bound<'_, PyAny>) -> PyResult<Core> {
    match value.cast::<Profile>() {
        Ok(known) => Ok(known.get().core().clone()),
        Err(_) => read_profile(value),
    }
}

/// Reads a profile from the name of a model or a definition.
pub fn read_profile(value: &Bound<'_, PyAny>) -> PyResult<Core> {
    let read = Core::from_json(&to_json("profile", value)?);
    read.map_err(|error| raise(value.py(), &error))
}

/// Lists the built-in profiles, in order.
///
/// ```pycon
/// >>> [profile.slug for profile in toolwire.profiles()][:2]
/// ['hermes', 'qwen25']
///
/// ```
#[pyfunction]
pub fn profiles() -> Vec<Profile> {
    Core::all().iter().cloned().map(Profile::of).collect()
}

/// The built-in profile for a model, or None if no profile is known.
///
/// The name is the model's on Hugging Face, in Ollama or at a provider, the path of a GGUF file, or
/// that of an inference server's parser.
///
/// ```pycon
/// >>> names = ["zai-org/GLM-4.5-Air", "gpt-oss:20b", "Qwen3-8B-Q4_K_M.gguf", "my-model"]
/// >>> [profile and profile.slug for profile in map(toolwire.profile_for, names)]
/// ['glm45', 'gpt_oss', 'qwen3', None]
///
/// ```
#[pyfunction]
pub fn profile_for(model: &str) -> Option<Profile> {
    Core::find(model).map(Profile::of)
}

/// The profile for a model, and the slug, alias or pattern that the model's name matches.
///
/// Raises the error of an unknown model.
#[pyfunction]
pub fn explain_profile(py: Python<'_>, model: &str) -> PyResult<(Profile, String)> {
    let (core, why) = Core::explain(model).map_err(|error| raise(py, &error))?;
    Ok((Profile::of(core), why))
}
