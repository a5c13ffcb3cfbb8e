//! The tools of a registry, found by id, name and alias, for any number of threads.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyList, PyString};
use pyo3::{PyTraverseError, PyVisit, intern};
use serde_json::Value;
use toolwire::compat::stageflow::CONSTANTS;
use toolwire::detect::{Format, PromptStyle};
use toolwire::json::Repair;
use toolwire::lifecycle::{Drive, Execution, Naming, NewDrive, RunStart, Undoing};
use toolwire::provider::{ToolOptions, provider_of_tools};
use toolwire::registry::{self, CallFields, Registered, Registry};

use super::event::Words;
use super::resolved::resolve;
use super::run::ToolRun;
use super::run_record::RunRecord;
use super::settings::{self, RunSettings};
use super::spec::{ToolSpec, hints_of};
use super::step::ToolStep;
use super::undoing::ToolUndoing;
use super::word::{optional_word, utf8, word};
use crate::class::profile::any_profile;
use crate::host::argument::text;
use crate::host::error::raise;
use crate::host::json;
use crate::host::value::to_json;

/// Tools by id, which are also found by name and alias.
#[pyclass(frozen, module = "toolwire._native")]
pub struct ToolTable {
    tools: Mutex<Registry<Handle>>,
    /// The lock that is held while a factory makes its tool, so that the factory runs once.
    making: Py<PyAny>,
}

/// The Python object of a tool.
enum Handle {
    Tool(Py<PyAny>),
    /// A callable that makes the tool at its first lookup.
    Factory(Py<PyAny>),
}

/// A way to look up a tool.
type LookUp = for<'r> fn(&'r Registry<Handle>, &str) -> Option<&'r Registered<Handle>>;

#[pymethods]
impl ToolTable {
    #[new]
    fn new(py: Python<'_>) -> PyResult<Self> {
        let making = py.import("threading")?.call_method0("RLock")?.unbind();
        Ok(Self { tools: Mutex::new(Registry::default()), making })
    }

    /// Adds a tool, which replaces the tool of the same id.
    ///
    /// Without a specification, the tool's own attributes give its id, name and aliases.
    #[pyo3(signature = (tool, spec=None))]
    fn add(&self, tool: &Bound<'_, PyAny>, spec: Option<&ToolSpec>) -> PyResult<()> {
        let py = tool.py();
        let spec = if let Some(spec) = spec {
            Arc::clone(spec.core())
        } else {
            let id = word(&tool.getattr(intern!(py, "action_type"))?)?;
            Arc::new(described(tool, id)?)
        };
        self.register(py, spec, Handle::Tool(tool.clone().unbind()));
        Ok(())
    }

    /// Adds a factory that makes the tool at its first lookup.
    fn add_factory(&self, id: &Bound<'_, PyAny>, factory: Py<PyAny>) -> PyResult<()> {
        let name = word(id)?;
        let spec = Arc::new(registry::ToolSpec::new(name));
        self.register(id.py(), spec, Handle::Factory(factory));
        Ok(())
    }

    /// Removes the tool of this id, made or not, and tells whether there was one.
    fn remove(&self, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let own = word(id)?;
        let removed = self.lock(id.py()).remove(&own);
        // Its drop comes after the lock is released, because a destructor may run any code.
        Ok(removed.is_some())
    }

    /// Returns the tool of this id, else the tool of this name or alias.
    fn get(&self, name: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        self.find(name.py(), &word(name)?, Registry::get)
    }

    /// Returns the tool of this id.
    fn by_id(&self, id: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        self.find(id.py(), &word(id)?, Registry::by_id)
    }

    /// Returns the tool of this name or alias, else the tool of this id.
    fn by_name(&self, name: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        self.find(name.py(), &word(name)?, Registry::by_name)
    }

    /// Whether there is a tool of this id, name or alias, made or not.
    fn has(&self, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        let word = word(name)?;
        Ok(self.lock(name.py()).get(&word).is_some())
    }

    /// Returns the tools that are made, in the order of their registration.
    fn made<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let tools: Vec<_> = self
            .lock(py)
            .iter()
            .filter_map(|tool| match tool.handle() {
                Handle::Tool(made) => Some((tool.spec().id.clone(), made.clone_ref(py))),
                Handle::Factory(_) => None,
            })
            .collect();
        PyList::new(py, tools)
    }

    /// Returns the tools as a provider's request has them, and makes those that are not yet made.
    fn to_provider<'py>(
        &self,
        provider: &Bound<'py, PyAny>,
        strict: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = provider.py();
        let slug = text("provider", provider)?;
        let provider = provider_of_tools(&String::from_utf8_lossy(&slug))
            .map_err(|error| raise(py, &error))?;
        self.make_all(py)?;
        let written = self.lock(py).to_provider(provider, ToolOptions { strict });
        let written = Value::Array(written.map_err(|error| raise(py, &error))?);
        json::value(py, written.to_string().as_bytes())
    }

    /// Writes the text that tells a model without tool support its tools, and makes those that are
    /// not yet made.
    fn render_prompt(
        &self,
        py: Python<'_>,
        profile: Option<&Bound<'_, PyAny>>,
        format: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let profile = profile.map(any_profile).transpose()?;
        let format = format.map(|format| to_json("format", format)).transpose()?;
        let style = format
            .map(|format| Format::from_json(&format))
            .transpose()
            .and_then(|format| PromptStyle::choose(profile.as_ref(), format.as_ref()))
            .map_err(|error| raise(py, &error))?;
        self.make_all(py)?;
        let written = self.lock(py).render_prompt(&style);
        written.map_err(|error| raise(py, &error))
    }

    /// Resolves a provider's calls, and returns those with a tool and those without.
    fn resolve<'py>(
        &self,
        calls: &Bound<'py, PyAny>,
        id: &str,
        name: &str,
        arguments: &str,
        wrapper: Option<&str>,
        repair: &str,
    ) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
        let repair = Repair::named(repair).map_err(|error| raise(calls.py(), &error))?;
        let fields = CallFields { id, name, arguments, wrapper, constants: CONSTANTS, repair };
        resolve(calls, &fields, |name| self.find(calls.py(), name, Registry::get))
    }

    /// Begins a run of the tool of the action's type, or returns None if there is none. ``kept`` is
    /// for a run in a store: how it got its id, its caller, and whether a run that was denied or
    /// has expired begins once more.
    #[pyo3(signature = (action, ctx, settings, kept=None))]
    fn begin(
        &self,
        action: &Bound<'_, PyAny>,
        ctx: &Bound<'_, PyAny>,
        settings: &RunSettings,
        kept: Option<(&str, Bound<'_, PyString>, bool)>,
    ) -> PyResult<Option<ToolRun>> {
        let py = action.py();
        let id = word(&action.getattr(intern!(py, "type"))?)?;
        let Some((spec, tool)) = self.defined(py, &id, Registry::by_id) else {
            return Ok(None);
        };
        let run = settings::about(action, ctx)?;
        let payload = action.getattr(intern!(py, "payload"))?.unbind();
        let core = settings.core().clone();
        let Some((named, caller, again)) = kept else {
            let drive = Drive::here(Execution::new(spec, run, core));
            return Ok(Some(ToolRun::new(drive, Some(tool), payload, settings)));
        };
        let named = Naming::from_slug(named)
            .ok_or_else(|| PyValueError::new_err("a run is named call, own or new"))?;
        let caller = utf8("caller", &caller)?.to_owned();
        let start = if again { RunStart::Again } else { RunStart::Once };
        let new = NewDrive { tool: spec, run, named, caller, start, settings: core };
        let drive = settings.asking(Drive::start(new));
        Ok(Some(ToolRun::new(drive, Some(tool), payload, settings).kept()))
    }

    /// Gives a run that the store has its tool, and returns the next step, or None if the tool is
    /// not registered.
    fn restore(
        &self,
        py: Python<'_>,
        run: &mut ToolRun,
        record: &RunRecord,
    ) -> PyResult<Option<ToolStep>> {
        let record = record.core();
        let id = &record.tool.id;
        let Some((spec, tool)) = self.defined(py, id, Registry::by_id) else {
            return Ok(None);
        };
        let payload = json::value(py, record.input.payload.get().as_bytes())?;
        run.equip(spec, tool, payload).map(Some)
    }

    /// Begins an undoing by the tool of this name, else of this id, or returns None if
    /// there is none.
    fn begin_undo(
        &self,
        tool_name: &Bound<'_, PyAny>,
        run_id: &Bound<'_, PyAny>,
        ctx: &Bound<'_, PyAny>,
        original: &Bound<'_, PyAny>,
        emit_events: bool,
        stageflow: bool,
    ) -> PyResult<Option<ToolUndoing>> {
        let py = tool_name.py();
        let name = word(tool_name)?;
        let Some((spec, tool)) = self.defined(py, &name, Registry::by_name) else {
            return Ok(None);
        };
        let about = settings::about_id(run_id, ctx)?;
        let original = optional_word(original)?.unwrap_or_default();
        let undoing = Undoing::new(spec, about, original, emit_events);
        Ok(Some(ToolUndoing::new(undoing, tool, Words::new(stageflow))))
    }

    #[allow(clippy::needless_pass_by_value, reason = "the signature that pyo3 asks for")]
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // If another thread holds the lock, its step keeps the tools alive anyway.
        if let Ok(tools) = self.tools.try_lock() {
            for tool in tools.iter() {
                let (Handle::Tool(held) | Handle::Factory(held)) = tool.handle();
                visit.call(held)?;
            }
        }
        Ok(())
    }

    fn __clear__(&self) {
        if let Ok(mut tools) = self.tools.try_lock() {
            let dropped = std::mem::take(&mut *tools);
            drop(tools);
            drop(dropped);
        }
    }
}

impl ToolTable {
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Registry<Handle>> {
        // Each step leaves the registry whole, so a panic of another thread does not damage it.
        self.tools.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn register(&self, py: Python<'_>, spec: Arc<registry::ToolSpec>, handle: Handle) {
        let replaced = self.lock(py).register(spec, handle);
        // The drop comes after the lock is released, because a tool's destructor may run any code.
        drop(replaced);
    }

    /// Returns the tool that a lookup finds, and makes it first if necessary.
    fn find(&self, py: Python<'_>, name: &str, look_up: LookUp) -> PyResult<Option<Py<PyAny>>> {
        let unmade = match look_up(&self.lock(py), name) {
            None => return Ok(None),
            Some(tool) => match tool.handle() {
                Handle::Tool(tool) => return Ok(Some(tool.clone_ref(py))),
                Handle::Factory(_) => tool.spec().id.clone(),
            },
        };
        self.making.call_method0(py, intern!(py, "acquire"))?;
        let made = self.make(py, &unmade);
        self.making.call_method0(py, intern!(py, "release"))?;
        made
    }

    /// Makes the tools whose factories have not run yet.
    fn make_all(&self, py: Python<'_>) -> PyResult<()> {
        let is_unmade = |tool: &&Registered<Handle>| matches!(tool.handle(), Handle::Factory(_));
        let unmade: Vec<String> =
            self.lock(py).iter().filter(is_unmade).map(|tool| tool.spec().id.clone()).collect();
        unmade.iter().try_for_each(|id| self.find(py, id, Registry::by_id).map(drop))
    }

    /// Makes the tool of an id, unless another thread has just done so.
    fn make(&self, py: Python<'_>, id: &str) -> PyResult<Option<Py<PyAny>>> {
        let factory = match self.lock(py).by_id(id).map(Registered::handle) {
            None => return Ok(None),
            Some(Handle::Tool(tool)) => return Ok(Some(tool.clone_ref(py))),
            Some(Handle::Factory(factory)) => factory.clone_ref(py),
        };
        let tool = factory.call0(py)?;
        let spec = described(tool.bind(py), id.to_owned())?;
        self.register(py, Arc::new(spec), Handle::Tool(tool.clone_ref(py)));
        Ok(Some(tool))
    }

    /// Returns the specification and the definition that a lookup finds.
    fn defined(
        &self,
        py: Python<'_>,
        name: &str,
        look_up: LookUp,
    ) -> Option<(Arc<registry::ToolSpec>, Py<PyAny>)> {
        let tools = self.lock(py);
        let tool = look_up(&tools, name)?;
        match tool.handle() {
            Handle::Tool(definition) => Some((Arc::clone(tool.spec()), definition.clone_ref(py))),
            Handle::Factory(_) => None,
        }
    }
}

/// Reads a tool's description from its attributes. Without a name, the id is the name.
fn described(tool: &Bound<'_, PyAny>, id: String) -> PyResult<registry::ToolSpec> {
    let py = tool.py();
    let name = match tool.getattr_opt(intern!(py, "name"))? {
        Some(name) if !name.is_none() => word(&name)?,
        _ => id.clone(),
    };
    let aliases = match tool.getattr_opt(intern!(py, "aliases"))? {
        Some(aliases) if !aliases.is_none() => {
            aliases.try_iter()?.map(|alias| word(&alias?)).collect::<PyResult<_>>()?
        }
        _ => Vec::new(),
    };
    let extra = |name: &str| -> PyResult<_> {
        Ok(tool.getattr_opt(name)?.filter(|value| !value.is_none()))
    };
    let spec = registry::ToolSpec {
        aliases,
        description: extra("description")?.map(|text| word(&text)).transpose()?.unwrap_or_default(),
        hints: hints_of(tool)?,
        ..registry::ToolSpec::new(name).with_id(id)
    };
    match extra("input_schema")? {
        Some(schema) => {
            let schema = to_json("input_schema", &schema)?;
            spec.with_schema(&schema).map_err(|error| raise(py, &error))
        }
        None => Ok(spec),
    }
}
