//! `Toolwire\Tools\Registry`: the tools of a program, and the tool for a provider's call.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::cell::RefCell;
use std::rc::Rc;

use ext_php_rs::prelude::*;
use ext_php_rs::types::Zval;
use serde_json::Value;
use toolwire::Error;
use toolwire::compat::stageflow::CONSTANTS;
use toolwire::detect::{Format, PromptStyle};
use toolwire::json::Repair;
use toolwire::provider::{Provider, ToolOptions, provider_of_tools};
use toolwire::registry::{self, CallArguments, CallFields, Resolution, resolve_call};

use super::definition::ToolDefinition;
use super::resolved::ResolvedToolCall;
use super::unresolved::UnresolvedToolCall;
use crate::class::call::ToolCall;
use crate::class::detector::any_profile;
use crate::class::provider::array as array_of;
use crate::host::class::{COUNTABLE, php_class};
use crate::host::exception;
use crate::host::json::{self, Objects};
use crate::host::object::Object;
use crate::host::option;
use crate::host::tree::{Node, failed};
use crate::host::value::{self, AProfile, ATool, AnArray, As, Flag, Maybe, Table, Text, held};
use crate::zend::{self, Holds};

/// The default keys of a call's fields, as in OpenAI's calls.
const ID: &str = "id";
const NAME: &str = "name";
const ARGUMENTS: &str = "arguments";
const FUNCTION: &str = "function";
/// The default of `repair`.
const OFF: &str = Repair::Off.slug();

/// The tools with their PHP definitions, shared with the executors.
#[derive(Clone, Default)]
pub(super) struct Tools(Rc<RefCell<registry::Registry<Zval>>>);

impl Tools {
    /// Returns the tool of this id, else the tool of this name or alias.
    pub(super) fn get(&self, name: &str) -> Option<Zval> {
        self.0.borrow().get(name).map(|tool| tool.handle().shallow_clone())
    }

    /// Returns the tool of this id.
    pub(super) fn by_id(&self, id: &str) -> Option<Zval> {
        self.0.borrow().by_id(id).map(|tool| tool.handle().shallow_clone())
    }

    /// Returns the tools as a provider's request has them.
    pub(super) fn to_provider(&self, provider: &Text<'_>, strict: Flag) -> PhpResult<Zval> {
        let written = provider_of_tools(&provider.lossy())
            .and_then(|provider| self.written(provider, ToolOptions { strict: strict.0 }));
        array_of(&Value::Array(written.map_err(|error| exception::from_core(&error))?))
    }

    /// Returns the tools as a provider's request has them, as JSON.
    pub(super) fn written(
        &self,
        provider: Provider,
        options: ToolOptions,
    ) -> Result<Vec<Value>, Error> {
        self.0.borrow().to_provider(provider, options)
    }

    /// Returns the names of all tools.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.borrow().iter().map(|tool| tool.spec().name.clone()).collect()
    }

    /// Returns the tool of this name or alias, else the tool of this id.
    pub(super) fn by_name(&self, name: &str) -> Option<Zval> {
        self.0.borrow().by_name(name).map(|tool| tool.handle().shallow_clone())
    }
}

/// The tools of a program.
#[derive(Default)]
pub(crate) struct Registry(Tools);

php_class!(Registry, "Toolwire\\Tools\\Registry", [COUNTABLE], public, {});

impl Registry {
    /// Returns the tools, for an executor.
    pub(super) fn tools(&self) -> Tools {
        self.0.clone()
    }
}

impl Holds for Registry {
    fn each_held(&self, show: &mut dyn FnMut(&Zval)) {
        // While the tools change, no PHP code runs, so no collector runs either.
        if let Ok(tools) = self.0.0.try_borrow() {
            tools.iter().for_each(|tool| show(tool.handle()));
        }
    }
}

#[php_impl]
impl Registry {
    /// Makes an empty registry.
    fn __construct() -> Self {
        Self::default()
    }

    /// Adds a tool, or replaces the one of the same id.
    fn register(&self, tool: Object<ToolDefinition>) -> PhpResult<()> {
        let spec = tool.held()?.spec().clone();
        let replaced = self.0.0.borrow_mut().register(spec, tool.value().shallow_clone());
        // Dropped only here: the tool may own an object whose destructor reads the registry.
        drop(replaced);
        Ok(())
    }

    /// Returns the tool of this id, else the tool of this name or alias.
    fn get(&self, name: Text<'_>) -> Option<As<ATool>> {
        self.0.get(&name.lossy()).map(As::new)
    }

    /// Returns the tool of this id.
    fn get_by_id(&self, id: Text<'_>) -> Option<As<ATool>> {
        self.0.by_id(&id.lossy()).map(As::new)
    }

    /// Whether there is a tool of this id, name or alias.
    fn has(&self, name: Text<'_>) -> bool {
        self.0.get(&name.lossy()).is_some()
    }

    /// Returns the tools in the order in which their ids were first registered.
    fn list(&self) -> PhpResult<As<AnArray>> {
        let tools: Vec<Zval> =
            self.0.0.borrow().iter().map(|tool| tool.handle().shallow_clone()).collect();
        Ok(As::new(value::list(tools)?))
    }

    /// Returns the tools as a provider's request has them, in the order of their registration.
    #[php(defaults(strict = false))]
    fn to_provider(&self, provider: Text<'_>, strict: Flag) -> PhpResult<As<AnArray>> {
        self.0.to_provider(&provider, strict).map(As::new)
    }

    /// Writes the text that tells a model without tool support which tools it has and how to call
    /// them.
    fn render_prompt(
        &self,
        profile: Maybe<As<AProfile>>,
        format: Option<As<AnArray>>,
    ) -> PhpResult<String> {
        let text = || {
            let profile = profile.0.map(|given| any_profile(&given.0)).transpose()?;
            let format = format.map(|given| given.0).filter(|given| !given.is_null());
            let format = format.map(|given| Format::from_json(&option::option("format", &given)?));
            let style = PromptStyle::choose(profile.as_ref(), format.transpose()?.as_ref())?;
            self.0.0.borrow().render_prompt(&style)
        };
        text().map_err(|error| exception::from_core(&error))
    }

    /// Returns the number of tools.
    fn count(&self) -> usize {
        self.0.0.borrow().iter().count()
    }

    /// Reads providers' calls and looks their tools up. Returns the resolved calls and the
    /// unresolved ones.
    #[php(defaults(
        idField = ID,
        nameField = NAME,
        argumentsField = ARGUMENTS,
        functionWrapper = FUNCTION,
        repair = OFF
    ))]
    fn parse_and_resolve(
        &self,
        toolCalls: Table<'_>,
        idField: Text<'_>,
        nameField: Text<'_>,
        argumentsField: Text<'_>,
        functionWrapper: Maybe<Text<'_>>,
        repair: Text<'_>,
    ) -> PhpResult<As<AnArray>> {
        let (id, name, arguments) = (idField.lossy(), nameField.lossy(), argumentsField.lossy());
        let wrapper = functionWrapper.0.as_ref().map(Text::lossy);
        let repair =
            Repair::named(&repair.lossy()).map_err(|error| exception::from_core(&error))?;
        let fields = CallFields {
            id: &id,
            name: &name,
            arguments: &arguments,
            wrapper: wrapper.as_deref(),
            constants: CONSTANTS,
            repair,
        };
        let (mut resolved, mut unresolved) = (Vec::new(), Vec::new());
        // Converting a call to text may run PHP code that changes the list.
        let held = toolCalls.0.shallow_clone();
        for (_, call) in held.array().into_iter().flat_map(zend::entries) {
            match self.resolve(call, &fields)? {
                Ok(call) => resolved.push(value::object(call)?),
                Err(call) => unresolved.push(value::object(call)?),
            }
        }
        Ok(As::new(value::list([value::list(resolved)?, value::list(unresolved)?])?))
    }
}

impl Registry {
    fn resolve(
        &self,
        raw: &Zval,
        fields: &CallFields<'_>,
    ) -> PhpResult<Result<ResolvedToolCall, UnresolvedToolCall>> {
        let detected = match held::<ToolCall>(raw) {
            Some(call) => Some(call.under(fields.id, fields.name, fields.arguments)?),
            None => None,
        };
        let node = Node::new(detected.as_ref().unwrap_or(raw));
        let raw = raw.shallow_clone();
        let build = |text: &[u8]| json::read(text, Objects::Arrays);
        Ok(match resolve_call(&node, fields, |name| self.0.get(name), build).map_err(failed)? {
            Resolution::Resolved { tool, call_id, name, arguments } => {
                let arguments = array(arguments).map_err(|error| exception::from_core(&error))?;
                let (call_id, name) = (call_id.text().into_owned(), name.text().into_owned());
                Ok(ResolvedToolCall { tool, call_id, name, arguments, raw })
            }
            Resolution::Unresolved { call_id, name, arguments, problem } => {
                let (call_id, name) = (call_id.text().into_owned(), name.text().into_owned());
                let error = problem.message(&name);
                let arguments = array(arguments).map_err(|error| exception::from_core(&error))?;
                Err(UnresolvedToolCall { call_id, name, arguments, error, raw })
            }
        })
    }
}

/// Returns arguments as a PHP array.
fn array(given: CallArguments<Node<'_>, Zval>) -> Result<Zval, Error> {
    match given {
        CallArguments::Host(node) if node.value().is_array() => Ok(node.to_value()),
        CallArguments::Host(node) => {
            let json = option::sent("arguments", node.value())?.to_string();
            Ok(json::read(json.as_bytes(), Objects::Arrays).unwrap_or_else(Zval::new_array))
        }
        CallArguments::Built(array) => Ok(array),
        CallArguments::Empty => Ok(Zval::new_array()),
    }
}
