//! The action that an executor runs, and the context of its caller.

use ext_php_rs::prelude::*;
use ext_php_rs::types::{ZendHashTable, Zval};
use serde_json::Value;
use toolwire::json::parse_json;
use toolwire::lifecycle::{CallName, Run, run_id};
use toolwire::provider::parse;
use toolwire::{Error, ErrorKind};
use uuid::Uuid;

use super::definition::ToolDefinition;
use super::resolved::ResolvedToolCall;
use crate::class::call::ToolCall;
use crate::class::provider::sent;
use crate::host::exception;
use crate::host::json::{self, Objects};
use crate::host::value::{self, held};

/// A request to run a tool.
pub(super) struct Action {
    /// The id of the call; empty if it has none.
    pub(super) id: String,
    /// Whether the id is the program's own, and not one that a model wrote.
    own: bool,
    pub(super) kind: String,
    pub(super) payload: Zval,
    /// The payload as a model wrote it. In it, an empty object and an empty list differ.
    pub(super) written: Option<Value>,
}

impl Action {
    /// Reads an array of id, type and payload, a provider's object that holds one call, or a
    /// detected or resolved call.
    ///
    /// # Errors
    ///
    /// `wrong_type`, `invalid_option`.
    pub(super) fn read(given: &Zval) -> PhpResult<Self> {
        Ok(if let Some(call) = held::<ToolCall>(given) {
            let (id, kind, payload) = call.asked()?;
            Self { id, own: false, kind, payload, written: parse_json(call.raw()).ok() }
        } else if let Some(call) = held::<ResolvedToolCall>(given) {
            let kind =
                held::<ToolDefinition>(&call.tool).map(|tool| tool.spec().action_type.clone());
            let payload = call.arguments.shallow_clone();
            Self {
                id: call.call_id.clone(),
                own: false,
                kind: kind.unwrap_or_default(),
                payload,
                written: None,
            }
        } else if let Some(table) = given.dereference().array() {
            match Self::of_object(given, table)? {
                Some(call) => call,
                None => Self::of_array(table).map_err(|error| exception::from_core(&error))?,
            }
        } else {
            let given = value::type_name(given);
            let message = format!(
                "action must be an array, a Toolwire\\ToolCall or a Toolwire\\Tools\\ResolvedToolCall, got {given}"
            );
            return Err(exception::wrong_type(message));
        })
    }

    /// Reads a provider's object that holds one call; nothing if the array holds none.
    fn of_object(given: &Zval, table: &ZendHashTable) -> PhpResult<Option<Self>> {
        if table.get("payload").is_some() {
            return Ok(None);
        }
        let found = parse(&sent("action", given)?, None);
        let invalid = |message: String| {
            Err(exception::from_core(&Error::new(ErrorKind::InvalidArguments, message)))
        };
        if let ([], Some(item)) = (found.calls.as_slice(), found.items.first()) {
            return invalid(format!("{}: a {} is the provider's own", item.path, item.word));
        }
        match (found.calls.as_slice(), found.rejections.first()) {
            ([], None) => Ok(None),
            (_, Some(refused)) => invalid(format!("{}: {}", refused.path, refused.message)),
            ([call], None) => {
                let arguments = call.arguments_raw(b"");
                let payload = json::read(arguments, Objects::Arrays);
                let (id, kind) = (call.id.clone(), call.name.clone());
                let written = parse_json(arguments).ok();
                let payload = payload.unwrap_or_else(Zval::new_array);
                Ok(Some(Self { id, own: false, kind, payload, written }))
            }
            (calls, None) => {
                let count = calls.len();
                invalid(format!("the object holds {count} calls; give one call at a time"))
            }
        }
    }

    fn of_array(table: &ZendHashTable) -> Result<Self, Error> {
        let kind = text("the action's type", table.get("type"))?.unwrap_or_default();
        if kind.is_empty() {
            return Err(Error::new(ErrorKind::InvalidOption, "the action has no type"));
        }
        let payload = match table.get("payload").map(Zval::dereference) {
            None => Zval::new_array(),
            Some(payload) if payload.is_null() => Zval::new_array(),
            Some(payload) if payload.is_array() => payload.shallow_clone(),
            Some(other) => {
                let message = format!(
                    "the action's payload must be an array, got {}",
                    value::type_name(other)
                );
                return Err(Error::new(ErrorKind::WrongType, message));
            }
        };
        let id = text("the action's id", table.get("id"))?.unwrap_or_default();
        Ok(Self { id, own: true, kind, payload, written: None })
    }
}

/// Where a call stands: the conversation and the message that the program names.
#[derive(Default)]
pub(super) struct CallPlace {
    pub(super) scope: String,
    pub(super) message: String,
    pub(super) index: Option<u64>,
}

impl CallPlace {
    /// Returns what names an action at this place. An id of the run that the program gives is the
    /// whole name.
    pub(super) fn name<'n>(&'n self, action: &'n Action, context: &'n Context) -> CallName<'n> {
        if let Some(id) = &context.run_id {
            return CallName { own: true, ..CallName::new(id) };
        }
        let (Self { scope, message, index }, caller) = (self, &context.caller);
        CallName { caller, scope, message, index: *index, id: &action.id, own: action.own }
    }

    /// Returns the id of a run that the store has only while a person decides. An action's id that
    /// the program made itself, and gives without a place, is the run's id.
    pub(super) fn id_of_passing_run(&self, action: &Action, context: &Context) -> String {
        if let Some(id) = &context.run_id {
            return id.clone();
        }
        let is_anywhere = self.scope.is_empty() && self.message.is_empty() && self.index.is_none();
        if action.own && is_anywhere && !action.id.is_empty() {
            return action.id.clone();
        }
        run_id(&self.name(action, context))
    }
}

/// The context in which a tool runs.
#[derive(Default)]
pub(super) struct Context {
    behavior: Option<String>,
    pipeline_run_id: Option<String>,
    request_id: Option<String>,
    /// The id of the run, where the program gives one: a UUID.
    pub(super) run_id: Option<String>,
    /// The caller whose calls a rate limit counts.
    pub(super) caller: String,
}

impl Context {
    /// Reads an array. The program may use other keys for its own data.
    ///
    /// # Errors
    ///
    /// `wrong_type`.
    pub(super) fn read(given: Option<&ZendHashTable>) -> Result<Self, Error> {
        let Some(table) = given else { return Ok(Self::default()) };
        Ok(Self {
            behavior: text("execution_mode", table.get("execution_mode"))?,
            pipeline_run_id: text("pipeline_run_id", table.get("pipeline_run_id"))?,
            request_id: text("request_id", table.get("request_id"))?,
            run_id: text("run_id", table.get("run_id"))?.map(uuid).transpose()?,
            caller: text("caller", table.get("caller"))?.unwrap_or_default(),
        })
    }

    /// Makes the ids and the behaviour of an action's run.
    pub(super) fn run(&self, action_id: &str) -> Run {
        Run {
            behavior: self.behavior.clone(),
            pipeline_run_id: self.pipeline_run_id.clone(),
            request_id: self.request_id.clone(),
            ..Run::new(action_id)
        }
    }
}

/// Checks the id that a program gives a run.
fn uuid(id: String) -> Result<String, Error> {
    let forms = Uuid::try_parse(&id).map(|id| [id.to_string(), id.as_simple().to_string()]);
    if forms.is_ok_and(|forms| forms.contains(&id)) {
        return Ok(id);
    }
    let message = format!("run_id must be a UUID in lower case, got \"{}\"", id.escape_debug());
    Err(Error::new(ErrorKind::InvalidOption, message))
}

/// Reads a text, or a number as a text.
fn text(what: &str, given: Option<&Zval>) -> Result<Option<String>, Error> {
    let Some(given) = given.map(Zval::dereference).filter(|given| !given.is_null()) else {
        return Ok(None);
    };
    match (given.zend_str(), given.long()) {
        (Some(text), _) => Ok(Some(String::from_utf8_lossy(text.as_bytes()).into_owned())),
        (_, Some(number)) => Ok(Some(number.to_string())),
        _ => {
            let message = format!("{what} must be a string, got {}", value::type_name(given));
            Err(Error::new(ErrorKind::WrongType, message))
        }
    }
}
