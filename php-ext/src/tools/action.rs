//! The action that an executor runs, and the context of its caller.

use ext_php_rs::prelude::*;
use ext_php_rs::types::{ZendHashTable, Zval};
use serde_json::Value;
use toolwire::json::parse_json;
use toolwire::lifecycle::{CallName, Run, RunFailure, run_id};
use toolwire::registry::{AskCode, AskRefusal, AskedArguments, AskedCall, asked, asked_action};
use toolwire::{Error, ErrorKind};
use uuid::Uuid;

use super::definition::ToolDefinition;
use super::registry::Tools;
use super::resolved::ResolvedToolCall;
use super::unresolved::UnresolvedToolCall;
use crate::class::call::ToolCall;
use crate::class::provider::sent;
use crate::host::exception;
use crate::host::json::{self, Objects};
use crate::host::option;
use crate::host::tree::{Node, failed};
use crate::host::value::{self, held};

const NO_CALL: &str = AskCode::NoCall.slug();
const BAD_ID: &str = AskCode::BadId.slug();

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
    /// Why nothing is asked for.
    pub(super) refusal: Option<AskRefusal>,
}

impl Action {
    /// Reads an array of id, type and payload, a provider's object that holds one call, or a
    /// detected or resolved call. What a stranger wrote is refused as a value.
    ///
    /// # Errors
    ///
    /// `wrong_type`.
    pub(super) fn read(given: &Zval) -> PhpResult<Self> {
        if let Some(call) = held::<ToolCall>(given) {
            let (id, kind, payload) = call.asked()?;
            let written = parse_json(call.raw()).ok();
            return Ok(Self { id, own: false, kind, payload, written, refusal: None });
        }
        if let Some(call) = held::<ResolvedToolCall>(given) {
            let tool = held::<ToolDefinition>(&call.tool);
            let kind = tool.map(|tool| tool.spec().id.clone()).unwrap_or_default();
            let (id, payload) = (call.call_id.clone(), call.arguments.shallow_clone());
            // The arguments keep their bytes, and the id does not.
            let bad = bad_text(&call.raw, &Value::Null);
            let refusal = bad.filter(|refusal| refusal.code == BAD_ID);
            let refusal = refusal.map(|refusal| AskRefusal { name: kind.clone(), ..refusal });
            return Ok(Self { id, own: false, kind, payload, written: None, refusal });
        }
        if let Some(call) = held::<UnresolvedToolCall>(given) {
            let action = Self::read(&call.raw)?;
            // It may have been read by names of fields that only the program knows.
            let is_known = action.refusal.as_ref().is_none_or(|refusal| refusal.code != NO_CALL);
            let kind = call.name.clone();
            return Ok(if is_known { action } else { Self { kind, refusal: None, ..action } });
        }
        if given.dereference().is_object() {
            let kind = value::type_name(given);
            if kind != "stdClass" {
                let message = format!(
                    "action must be an array, a Toolwire\\ToolCall or a Toolwire\\Tools\\ResolvedToolCall, got {kind}"
                );
                return Err(exception::wrong_type(message));
            }
            return Self::sent(given);
        }
        let node = Node::new(given);
        match asked_action(&node).map_err(failed)? {
            Some(Ok(AskedCall { id, own, name, arguments: AskedArguments::Host(payload) })) => {
                let payload = payload.to_value();
                if !payload.is_array() {
                    let given = value::type_name(&payload);
                    let message = format!("the action's payload must be an array, got {given}");
                    return Err(exception::wrong_type(message));
                }
                Ok(Self { id, own, kind: name, payload, written: None, refusal: None })
            }
            Some(Ok(AskedCall { id, own, name, arguments: AskedArguments::Written(text) })) => {
                Ok(Self::written(AskedCall { id, own, name, arguments: text }))
            }
            Some(Err(refusal)) => Ok(Self::refused(refusal)),
            None => Self::sent(given),
        }
    }

    /// Reads a provider's object.
    fn sent(given: &Zval) -> PhpResult<Self> {
        let object = sent("action", given)?;
        let call = match bad_text(given, &object) {
            Some(refusal) => Err(refusal),
            None => asked(&object),
        };
        Ok(call.map_or_else(Self::refused, Self::written))
    }

    /// Makes the action of a call that was read before; its place says which call it is.
    pub(super) fn of_call(kind: String, arguments: Value) -> Self {
        let payload = super::json::value(&arguments);
        let written = Some(arguments);
        Self { id: String::new(), own: false, kind, payload, written, refusal: None }
    }

    /// Finds the definition of the tool that is asked for.
    pub(super) fn tool(&self, tools: &Tools) -> Result<Zval, RunFailure> {
        match &self.refusal {
            Some(refusal) => Err(refusal.clone().into()),
            None => tools.get(&self.kind).ok_or(RunFailure::ToolNotFound),
        }
    }

    fn written(call: AskedCall<String>) -> Self {
        let AskedCall { id, own, name: kind, arguments } = call;
        let payload = json::read(arguments.as_bytes(), Objects::Arrays);
        let payload = payload.unwrap_or_else(Zval::new_array);
        let written = parse_json(arguments.as_bytes()).ok();
        Self { id, own, kind, payload, written, refusal: None }
    }

    fn refused(refusal: AskRefusal) -> Self {
        let (id, kind) = (refusal.id.clone(), refusal.name.clone());
        let (payload, written, refusal) = (Zval::new_array(), None, Some(refusal));
        Self { id, own: false, kind, payload, written, refusal }
    }
}

/// The refusal of an object with an id, or with arguments, that are not UTF-8.
fn bad_text(given: &Zval, object: &Value) -> Option<AskRefusal> {
    option::bad_text_in(given, |path| AskRefusal::of_bad_text(path, object))
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
#[derive(Clone, Default)]
pub(super) struct Context {
    mode: Option<String>,
    parent_id: Option<String>,
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
    /// `wrong_type`; `invalid_option` for bytes that are not UTF-8.
    pub(super) fn read(given: Option<&ZendHashTable>) -> Result<Self, Error> {
        let Some(table) = given else { return Ok(Self::default()) };
        Ok(Self {
            mode: text("mode", table.get("mode"))?,
            parent_id: text("parent_id", table.get("parent_id"))?,
            request_id: text("request_id", table.get("request_id"))?,
            run_id: text("run_id", table.get("run_id"))?.map(uuid).transpose()?,
            caller: text("caller", table.get("caller"))?.unwrap_or_default(),
        })
    }

    /// Makes the ids and the mode of an action's run.
    pub(super) fn run(&self, run_id: &str) -> Run {
        Run {
            mode: self.mode.clone(),
            parent_id: self.parent_id.clone(),
            request_id: self.request_id.clone(),
            ..Run::new(run_id)
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
        // Bytes that are replaced would make one caller of two.
        (Some(text), _) => match std::str::from_utf8(text.as_bytes()) {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(_) => Err(Error::new(ErrorKind::InvalidOption, format!("{what} must be UTF-8"))),
        },
        (_, Some(number)) => Ok(Some(number.to_string())),
        _ => {
            let message = format!("{what} must be a string, got {}", value::type_name(given));
            Err(Error::new(ErrorKind::WrongType, message))
        }
    }
}
