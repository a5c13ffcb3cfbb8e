//! Data Machine's finders: `DataMachine\Engine\AI\Tools\ToolResultFinder`, which follows its live
//! class, and `DataMachine\Engine\AI\ToolResultFinder`, which follows its document.
//!
//! The first is a separate class, whose calls are handled as calls of the replaced class. The
//! second has the methods of `Toolwire\ToolResultFinder`.

use std::sync::OnceLock;

use ext_php_rs::args::Arg;
use ext_php_rs::builders::{ClassBuilder, FunctionBuilder};
use ext_php_rs::class::RegisteredClass;
use ext_php_rs::error;
use ext_php_rs::exception::{PhpException, PhpResult};
use ext_php_rs::flags::{DataType, MethodFlags};
use ext_php_rs::types::Zval;
use ext_php_rs::zend::{ExecutorGlobals, ce};
use toolwire::compat::data_machine::FinderRules;
use toolwire::packet::project_envelope_data;
use toolwire::tree::Hints;
use typed_arena::Arena;

use super::offset::Asking;
use super::settings::Settings;
use crate::class::finder::{self, array_of};
use crate::host::exception::park;
use crate::host::tree::{Node, Thrown};
use crate::host::value;
use crate::zend::{self, Call, answering};

const LIVE: &str = "DataMachine\\Engine\\AI\\Tools\\ToolResultFinder";
const DOCUMENTED: &str = "DataMachine\\Engine\\AI\\ToolResultFinder";

/// The names under which `do_action` is searched, as for code in the live class's namespace.
const DO_ACTION: [&str; 2] = ["datamachine\\engine\\ai\\tools\\do_action", "do_action"];

static RULES: OnceLock<FinderRules> = OnceLock::new();

/// The rules of the class that replaces the live class.
fn rules() -> FinderRules {
    RULES.get().copied().unwrap_or_default()
}

/// Declares both classes; the setting decides whether the rules are strict.
pub(super) fn register(settings: &Settings) -> error::Result<()> {
    // Start-up runs once.
    RULES.get_or_init(|| if settings.strict { FinderRules::Strict } else { FinderRules::Live });
    let array = |name: &str| Arg::new(name, DataType::Array);
    let text = |name: &str| Arg::new(name, DataType::String);
    let log = Arg::new("log_error_on_missing", DataType::Bool).default("true");
    let methods = [
        FunctionBuilder::new("projectResultData", answering!(result_data))
            .arg(array("entry"))
            .returns(DataType::Array, false, false),
        FunctionBuilder::new("projectEnvelopeData", answering!(envelope_data))
            .arg(array("envelope"))
            .returns(DataType::Array, false, false),
        FunctionBuilder::new("projectResultEnvelope", answering!(result_envelope))
            .arg(array("entry"))
            .returns(DataType::Array, false, false),
        FunctionBuilder::new("projectResultSuccess", answering!(result_success))
            .arg(array("entry"))
            .returns(DataType::Bool, false, false),
        FunctionBuilder::new("findHandlerResult", answering!(find))
            .arg(array("dataPackets"))
            .arg(text("handler"))
            .arg(text("flow_step_id"))
            .not_required()
            .arg(log)
            .returns(DataType::Array, false, true),
        FunctionBuilder::new("findAllHandlerResults", answering!(find_all))
            .arg(array("dataPackets"))
            .arg(array("handler_slugs"))
            .arg(text("flow_step_id"))
            .returns(DataType::Array, false, false),
    ];
    let mut live = ClassBuilder::new(LIVE);
    for method in methods {
        live = live.method(method, MethodFlags::Public | MethodFlags::Static);
    }
    live.registration(|_, arguments| park(arguments)).register()?;

    let mut documented = ClassBuilder::new(DOCUMENTED);
    for (method, flags) in finder::ToolResultFinder::method_builders() {
        documented = documented.method(method, flags);
    }
    let declared = documented.registration(|class, arguments| {
        park(arguments);
        finder::widen_handlers(class);
    });
    declared.register()
}

fn result_data(call: &Call<'_>) -> PhpResult<Zval> {
    let entry = call.required(0)?;
    array_of(rules().data(&Node::new(&entry), &mut Hints::default())?)
}

fn envelope_data(call: &Call<'_>) -> PhpResult<Zval> {
    let envelope = call.required(0)?;
    array_of(project_envelope_data(&Node::new(&envelope), &mut Hints::default())?)
}

fn result_envelope(call: &Call<'_>) -> PhpResult<Zval> {
    let entry = call.required(0)?;
    array_of(rules().envelope(&Node::new(&entry), &mut Hints::default())?)
}

fn result_success(call: &Call<'_>) -> PhpResult<Zval> {
    let entry = call.required(0)?;
    Ok(value::flag(rules().success(&Node::new(&entry), &mut Hints::default())?))
}

/// The first packet that counts for a handler; a miss is logged unless the caller turns that off.
fn find(call: &Call<'_>) -> PhpResult<Zval> {
    let (packets, handler, step) = (call.required(0)?, call.required(1)?, call.required(2)?);
    let logs = call.optional(3)?.is_none_or(|logs| logs.is_true());
    let given = Arena::with_capacity(0);
    let packets =
        Asking::into(&given).values(zend::table(&packets).unwrap_or_else(|| zend::empty()));
    match rules().find(packets, value::bytes(&handler))? {
        Some(packet) if packet.value().is_array() => Ok(packet.to_value()),
        Some(packet) => Err(call.refuse_result(packet.value()).into()),
        None if logs => {
            log("AI did not execute handler tool", "handler", &handler, &step)?;
            Ok(Zval::null())
        }
        None => Ok(Zval::null()),
    }
}

/// The packets that count for each handler in turn; an empty result is logged.
fn find_all(call: &Call<'_>) -> PhpResult<Zval> {
    let (packets, handlers, step) = (call.required(0)?, call.required(1)?, call.required(2)?);
    let given = Arena::with_capacity(0);
    let asking = Asking::into(&given);
    let [packets, slugs] =
        [&packets, &handlers].map(|array| zend::table(array).unwrap_or_else(|| zend::empty()));
    let identical =
        |one: &Node<'_, _>, other: &Node<'_, _>| zend::identical(one.value(), other.value());
    let found = rules().find_all(|| asking.values(packets), asking.values(slugs), identical)?;
    if found.is_empty() {
        log("AI did not execute any handler tools", "handlers", &handlers, &step)?;
    }
    Ok(value::list(found.into_iter().map(Node::to_value))?)
}

/// Reports an error to listeners, through WordPress's `do_action`.
fn log(message: &str, key: &str, handlers: &Zval, step: &Zval) -> PhpResult<()> {
    let context = [(key, handlers.shallow_clone()), ("flow_step_id", step.shallow_clone())];
    let context = value::record(context)?;
    for function in DO_ACTION {
        let said = [value::text("datamachine_log"), value::text("error"), value::text(message)];
        let [hook, level, message] = said;
        if zend::call_function(function, [hook, level, message, context.shallow_clone()]).is_some()
        {
            return if ExecutorGlobals::has_exception() { Err(Thrown.into()) } else { Ok(()) };
        }
    }
    let message = "Call to undefined function DataMachine\\Engine\\AI\\Tools\\do_action()";
    Err(PhpException::new(message.to_owned(), 0, ce::error()))
}
