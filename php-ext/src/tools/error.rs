//! The exceptions of `Toolwire\Tools\Exception`: a run ended without an output, a decision was
//! refused, or a store failed.
//!
//! They are plain PHP exceptions without a Rust half, like those of `Toolwire\Exception`.

use std::panic::AssertUnwindSafe;

use ext_php_rs::builders::{ClassBuilder, ClassProperty, FunctionBuilder};
use ext_php_rs::error::Result;
use ext_php_rs::flags::{ClassFlags, DataType, MethodFlags, PropertyFlags};
use ext_php_rs::prelude::*;
use ext_php_rs::types::{ArrayKey, Zval};
use ext_php_rs::zend::{ClassEntry, ExecuteData, run_handler};
use toolwire::input_schema::Problem;
use toolwire::lifecycle::{
    ApprovalError, RunFailure, RunsError, not_found_message, seconds_of_ms, undo_message,
};
use toolwire::store::StoreError;

use super::callback::{Carried, Stop, call_method, caught};
use crate::host::exception::{self, INTERFACE, interface, park};
use crate::host::value::{self, Anything, As};
use crate::zend::{self, ClassPlace};

/// The class entry and the name of a parent class.
type Parent = (fn() -> &'static ClassEntry, &'static str);

const TOOL: &str = "Toolwire\\Tools\\Exception\\ToolException";
const NOT_FOUND: &str = "Toolwire\\Tools\\Exception\\ToolNotFound";
const DENIED: &str = "Toolwire\\Tools\\Exception\\ToolDenied";
const INPUT: &str = "Toolwire\\Tools\\Exception\\InvalidToolInput";
const LIMITED: &str = "Toolwire\\Tools\\Exception\\ToolRateLimited";
const APPROVAL_DENIED: &str = "Toolwire\\Tools\\Exception\\ToolApprovalDenied";
const APPROVAL_TIMEOUT: &str = "Toolwire\\Tools\\Exception\\ToolApprovalTimeout";
const CHANGED: &str = "Toolwire\\Tools\\Exception\\ToolChangedSince";
const EXECUTION: &str = "Toolwire\\Tools\\Exception\\ToolExecutionFailed";
const UNDO: &str = "Toolwire\\Tools\\Exception\\ToolUndoFailed";
const APPROVAL: &str = "Toolwire\\Tools\\Exception\\ApprovalException";
const RUN: &str = "Toolwire\\Tools\\Exception\\RunException";
const AGENT: &str = "Toolwire\\Tools\\Exception\\AgentException";
const STORE: &str = "Toolwire\\Tools\\Exception\\StoreException";

/// Every class with its parent. A parent comes before the classes that extend it.
const CLASSES: [(&str, Parent); 14] = [
    (TOOL, (zend::runtime_exception, "RuntimeException")),
    (NOT_FOUND, (registered::<0>, TOOL)),
    (DENIED, (registered::<0>, TOOL)),
    (INPUT, (registered::<2>, DENIED)),
    (LIMITED, (registered::<2>, DENIED)),
    (APPROVAL_DENIED, (registered::<0>, TOOL)),
    (APPROVAL_TIMEOUT, (registered::<5>, APPROVAL_DENIED)),
    (EXECUTION, (registered::<0>, TOOL)),
    (UNDO, (registered::<0>, TOOL)),
    (APPROVAL, (zend::runtime_exception, "RuntimeException")),
    (STORE, (zend::runtime_exception, "RuntimeException")),
    (CHANGED, (registered::<2>, DENIED)),
    (RUN, (zend::runtime_exception, "RuntimeException")),
    (AGENT, (zend::runtime_exception, "RuntimeException")),
];

/// The classes that start-up has registered so far, in the order of [`CLASSES`].
static REGISTERED: [ClassPlace; CLASSES.len()] = [const { ClassPlace::new() }; CLASSES.len()];

fn registered<const PLACE: usize>() -> &'static ClassEntry {
    REGISTERED.get(PLACE).and_then(ClassPlace::get).unwrap_or_else(zend::runtime_exception)
}

/// Registers the classes.
pub(super) fn register() -> Result<()> {
    CLASSES.into_iter().try_for_each(|(name, parent)| {
        let mut class = ClassBuilder::new(name).extends(parent).registration(|entry, tables| {
            park(tables);
            let place = CLASSES.iter().position(|(known, _)| entry.name() == Some(known));
            if let Some(place) = place.and_then(|place| REGISTERED.get(place)) {
                place.set(entry);
            }
        });
        if CLASSES.iter().any(|(known, _)| *known == parent.1) {
            return class.flags(ClassFlags::empty()).register();
        }
        class = class.implements((interface, INTERFACE)).property(hidden("kind")).method(
            FunctionBuilder::new("getKind", get_kind).returns(DataType::String, false, false),
            MethodFlags::Public,
        );
        if name == TOOL {
            class = class
                .property(hidden("tool"))
                .property(hidden("details"))
                .method(
                    FunctionBuilder::new("getTool", get_tool).returns(
                        DataType::String,
                        false,
                        false,
                    ),
                    MethodFlags::Public,
                )
                .method(
                    FunctionBuilder::new("toArray", to_array).returns(
                        DataType::Array,
                        false,
                        false,
                    ),
                    MethodFlags::Public,
                );
        }
        class.register()
    })
}

/// Makes a property that only the class and its subclasses see.
fn hidden(name: &str) -> ClassProperty {
    ClassProperty {
        name: name.to_owned(),
        flags: PropertyFlags::Protected,
        default: None,
        docs: &[],
        ty: None,
        nullable: false,
        readonly: false,
        default_stub: None,
    }
}

zend_fastcall! {
    /// `getKind(): string`: the slug.
    extern fn get_kind(call: &mut ExecuteData, result: &mut Zval) {
        run_handler(AssertUnwindSafe(|| {
            if call.parser().parse().is_ok() {
                *result = own_text(call, "kind");
            }
        }));
    }
}

zend_fastcall! {
    /// `getTool(): string`: the tool's name.
    extern fn get_tool(call: &mut ExecuteData, result: &mut Zval) {
        run_handler(AssertUnwindSafe(|| {
            if call.parser().parse().is_ok() {
                *result = own_text(call, "tool");
            }
        }));
    }
}

zend_fastcall! {
    /// `toArray(): array`: the slug, the message, the tool and the other known fields.
    extern fn to_array(call: &mut ExecuteData, result: &mut Zval) {
        run_handler(AssertUnwindSafe(|| {
            if call.parser().parse().is_ok() {
                let fields =
                    [("kind", own_text(call, "kind")), ("message", own_text(call, "message")), ("tool", own_text(call, "tool"))];
                if let Ok(mut all) = value::record(fields) {
                    let details = own(call, "details");
                    if let (Some(details), Some(table)) = (details.array(), all.array_mut()) {
                        for (key, detail) in zend::entries(details) {
                            if let zend::Key::Name(name) = key {
                                let name = String::from_utf8_lossy(name);
                                let _ = table.insert(ArrayKey::Str(&name), detail.shallow_clone());
                            }
                        }
                    }
                    *result = all;
                }
            }
        }));
    }
}

/// Returns a property of the object whose method runs.
fn own(call: &mut ExecuteData, name: &str) -> Zval {
    let own = call.get_self().and_then(|this| this.get_property::<As<Anything>>(name).ok());
    own.map_or_else(Zval::null, |own| own.0)
}

/// Returns a property that holds a text, or an empty text if it does not hold one.
fn own_text(call: &mut ExecuteData, name: &str) -> Zval {
    let own = own(call, name);
    if own.is_string() { own } else { value::text("") }
}

/// The contents of an exception of a run.
struct Told<'t> {
    class: &'static str,
    kind: &'static str,
    message: String,
    tool: &'t str,
    details: Vec<(&'static str, Zval)>,
    previous: Option<Zval>,
}

impl Told<'_> {
    fn object(self) -> Result<Zval> {
        let mut details = ext_php_rs::types::ZendHashTable::new();
        for (name, detail) in self.details {
            details.insert(ArrayKey::Str(name), detail)?;
        }
        let mut table = Zval::new();
        table.set_hashtable(details);
        let mut fields = vec![
            ("kind", value::text(self.kind)),
            ("tool", value::text(self.tool)),
            ("details", table),
        ];
        fields.extend(self.previous.map(|previous| ("previous", previous)));
        Ok(exception::object(self.class, &self.message, &fields))
    }
}

/// Makes the exception for a call of a tool that is not registered.
pub(super) fn not_found(name: &str) -> Result<Zval> {
    Told {
        class: NOT_FOUND,
        kind: "tool_not_found",
        message: not_found_message(name),
        tool: name,
        details: Vec::new(),
        previous: None,
    }
    .object()
}

/// Makes the exception for a run that ended without an output; `cause` is what the handler threw.
pub(super) fn of_failure(
    failure: &RunFailure,
    tool: &str,
    run_id: &str,
    cause: Option<Zval>,
) -> Result<Zval> {
    let (class, details) = match failure {
        RunFailure::ModeNotAllowed { mode, allowed } => {
            let allowed = value::list(allowed.iter().map(value::text))?;
            let mode = value::text_or_null(mode.as_ref());
            (DENIED, vec![("mode", mode), ("allowed_modes", allowed)])
        }
        RunFailure::PermissionDenied { reason } => (DENIED, vec![("reason", value::text(reason))]),
        RunFailure::InvalidInput { problems } | RunFailure::BadNumber { problems } => {
            (INPUT, vec![("problems", listed(problems)?)])
        }
        RunFailure::BadCall { refusal } => {
            (INPUT, vec![("problems", listed(std::slice::from_ref(&refusal.problem))?)])
        }
        RunFailure::RateLimited { retry_after_ms } => {
            let after = value::real_or_null(Some(seconds_of_ms(*retry_after_ms)));
            (LIMITED, vec![("retry_after", after)])
        }
        RunFailure::ApprovalDenied { request_id, reason } => (
            APPROVAL_DENIED,
            vec![("request_id", value::text(request_id)), ("reason", value::text(reason))],
        ),
        RunFailure::ApprovalTimeout { request_id, timeout_ms } => {
            let timeout = value::real_or_null(Some(seconds_of_ms(*timeout_ms)));
            let reason = value::text("timeout");
            let request_id = value::text(request_id);
            (
                APPROVAL_TIMEOUT,
                vec![("request_id", request_id), ("reason", reason), ("timeout_seconds", timeout)],
            )
        }
        RunFailure::ChangedSince { request_id } => {
            (CHANGED, vec![("request_id", value::text(request_id))])
        }
        RunFailure::Raised { class, message } => {
            let (class, message) = (value::text(class), value::text(message));
            (
                EXECUTION,
                vec![("run_id", value::text(run_id)), ("cause", class), ("cause_message", message)],
            )
        }
        RunFailure::SchemaLimit => (INPUT, vec![("problems", value::list([])?)]),
        RunFailure::CallIdReused => (DENIED, vec![("run_id", value::text(run_id))]),
        _ => (TOOL, vec![("run_id", value::text(run_id))]),
    };
    let (kind, message) = (failure.slug(), failure.message(tool));
    Told { class, kind, message, tool, details, previous: cause }.object()
}

/// Makes the list of problems of arguments.
fn listed(problems: &[Problem]) -> Result<Zval> {
    let problems = problems.iter().map(|problem| {
        let (path, message) = (value::text(&problem.path), value::text(&problem.message));
        value::record([("path", path), ("message", message)])
    });
    value::list(problems.collect::<Result<Vec<_>>>()?)
}

/// Reads the code and the problems of an exception for wrong arguments; none for any other.
pub(super) fn problems_of(thrown: &Zval) -> Option<(String, Vec<Problem>)> {
    if value::type_name(thrown) != INPUT {
        return None;
    }
    let told = call_method(thrown, "toarray", Vec::new()).ok()?;
    let told = told.array()?;
    let text = |value: Option<&Zval>| {
        let text = value.map(Zval::dereference).and_then(Zval::zend_str);
        text.map(|text| String::from_utf8_lossy(text.as_bytes()).into_owned()).unwrap_or_default()
    };
    let problems = told.get("problems")?;
    let problem = |given: &Zval| {
        let table = given.dereference().array();
        let part = |name: &str| text(table.and_then(|table| table.get(name)));
        Problem { path: part("path"), message: part("message") }
    };
    let problems = problems.array()?.values().map(problem).collect();
    Some((text(told.get("kind")), problems))
}

/// Makes the exception for a run that could not be undone.
pub(super) fn undo(tool: &str, run_id: &str, reason: &str, cause: Option<Zval>) -> Result<Zval> {
    Told {
        class: UNDO,
        kind: "undo_failed",
        message: undo_message(tool, run_id, reason),
        tool,
        details: vec![("run_id", value::text(run_id)), ("reason", value::text(reason))],
        previous: cause,
    }
    .object()
}

/// Makes the exception for a store's error. If a PHP store threw an exception, it is the cause, or
/// the exception itself if it says the kind.
pub(super) fn store(error: StoreError) -> Stop {
    if let Err(Stop::Exit) = caught() {
        return Stop::Exit;
    }
    let (kind, message) = (error.kind().slug(), error.to_string());
    let mut fields = vec![("kind", value::text(kind))];
    let source = error.into_source();
    let thrown = source.as_ref().and_then(|source| source.downcast_ref::<Carried>());
    if let Some(thrown) = thrown.map(Carried::object) {
        if thrown.object().is_some_and(|object| object.instance_of(registered::<10>())) {
            return Stop::Thrown(thrown);
        }
        fields.push(("previous", thrown));
    }
    Stop::Thrown(exception::object(STORE, &message, &fields))
}

impl From<ApprovalError> for Stop {
    fn from(error: ApprovalError) -> Self {
        approval(error)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        store(error)
    }
}

impl From<RunsError> for Stop {
    fn from(error: RunsError) -> Self {
        run(error)
    }
}

/// Makes the exception for a refused decision.
pub(super) fn approval(error: ApprovalError) -> Stop {
    match error {
        ApprovalError::Store(error) => store(error),
        error => {
            let kind = value::text(error.slug());
            Stop::Thrown(exception::object(APPROVAL, &error.to_string(), &[("kind", kind)]))
        }
    }
}

/// Makes the exception for an agent that gave no answer.
pub(super) fn agent(code: &str, message: &str) -> Stop {
    Stop::Thrown(exception::object(AGENT, message, &[("kind", value::text(code))]))
}

/// Makes the exception for a run that was not kept, not listed or not retried.
pub(super) fn run(error: RunsError) -> Stop {
    match error {
        RunsError::Store(error) => store(error),
        RunsError::Run(error) => error.into(),
        error => {
            let kind = value::text(error.slug());
            Stop::Thrown(exception::object(RUN, &error.to_string(), &[("kind", kind)]))
        }
    }
}
