//! `MPAI_Tool_Call_Detector` of the MemberPress AI Assistant.
//!
//! Calls are found by the core's detector with the preset `memberpress`. Each result stands where its call did,
//! escaped; whatever goes wrong with one call is shown in its place and stops no other.

use std::cell::RefCell;
use std::sync::LazyLock;

use ext_php_rs::args::Arg;
use ext_php_rs::builders::{ClassBuilder, FunctionBuilder};
use ext_php_rs::error;
use ext_php_rs::exception::PhpResult;
use ext_php_rs::flags::{DataType, MethodFlags};
use ext_php_rs::types::Zval;
use ext_php_rs::zend::{ClassEntry, ExecutorGlobals, ce};
use serde_json::Value;
use toolwire::{Detector, Options, failure_in, places, render_result, replace_spans};

use super::Settings;
use crate::exception::{self, park};
use crate::json::{self, Objects};
use crate::tools::callback::{self, Raised, Stop, call_method, caught};
use crate::tree::{Node, Thrown};
use crate::value;
use crate::zend::{self, Call, answering};

const CLASS: &str = "MPAI_Tool_Call_Detector";
const REGISTRY: &str = "MPAI_Tool_Registry";

/// Flags of `json_encode`: indented, slashes and letters as they are, and no failure over bytes or depth.
const SHOWN: i64 = 128 | 64 | 256 | 512 | 2_097_152;

static DETECTOR: LazyLock<Detector> = LazyLock::new(|| {
    let mut options = Options::default();
    // The preset is built in; without it any name would do, and the registry decides.
    options
        .set("preset", &Value::from("memberpress"))
        .and_then(|()| Detector::new(options))
        .unwrap_or_default()
});

thread_local! {
    /// The one object of this request.
    static INSTANCE: RefCell<Option<Zval>> = const { RefCell::new(None) };
}

/// Declares the class.
pub(super) fn register(_: &Settings) -> error::Result<()> {
    let arg = |name: &str| Arg::new(name, DataType::Mixed);
    ClassBuilder::new(CLASS)
        .method(FunctionBuilder::new("__construct", answering!(construct)), MethodFlags::Private)
        .method(
            FunctionBuilder::new("get_instance", answering!(instance)),
            MethodFlags::Public | MethodFlags::Static,
        )
        .method(
            FunctionBuilder::new("detect_tool_calls", answering!(detect)).arg(arg("response")),
            MethodFlags::Public,
        )
        .method(
            FunctionBuilder::new("execute_tool_calls", answering!(execute))
                .arg(arg("tool_calls"))
                .arg(arg("response")),
            MethodFlags::Public,
        )
        .registration(|class, arguments| {
            park(arguments);
            zend::untype_arguments(class, "detect_tool_calls");
            zend::untype_arguments(class, "execute_tool_calls");
        })
        .register()
}

/// Lets go of the one object.
pub(crate) fn end_of_request() {
    // Dropped outside of the cell: its destructor may run PHP code.
    drop(INSTANCE.take());
}

/// The constructor, which only hides that there is nothing to construct.
fn construct(_: &Call<'_>) -> Zval {
    Zval::null()
}

fn instance(_: &Call<'_>) -> Zval {
    if let Some(instance) = INSTANCE.with_borrow(|instance| instance.as_ref().map(Zval::shallow_clone)) {
        return instance;
    }
    // The class that is asked exists.
    let instance = made(ClassEntry::try_find(CLASS).unwrap_or_else(ce::stdclass));
    INSTANCE.set(Some(instance.shallow_clone()));
    instance
}

/// A new object whose constructor has not run.
fn made(class: &ClassEntry) -> Zval {
    let mut object = class.new();
    let mut made = Zval::new();
    made.set_object(&mut object);
    made
}

/// The calls in a text, each as an array.
fn detect(call: &Call<'_>) -> PhpResult<Zval> {
    let response = call.required(0)?;
    let response = text(&response)?;
    let response = value::bytes(&response);
    let detection = DETECTOR.detect(response);
    let calls = detection.calls.iter().map(|call| {
        // The core hands out arguments that are JSON.
        let parameters = json::read(call.arguments_raw(response), Objects::Arrays);
        value::record([
            ("name", value::text(&call.name)),
            ("parameters", parameters.unwrap_or_else(Zval::new_array)),
            ("original", value::text(call.original(response))),
            ("format", value::text(call.format)),
        ])
    });
    Ok(value::list(calls.collect::<error::Result<Vec<_>>>()?)?)
}

/// The text with the results of calls in the calls' places.
fn execute(call: &Call<'_>) -> PhpResult<Zval> {
    let (calls, response) = (call.required(0)?, call.required(1)?);
    let (calls, response) = (asked(&calls)?, text(&response)?);
    let response = value::bytes(&response);
    let originals: Vec<_> = calls.iter().map(|call| value::bytes(&call.original)).collect();
    let places = places(response, &DETECTOR.detect(response).calls, &originals);
    let (mut inside, mut behind) = (Vec::new(), Vec::new());
    let results = run(&calls)?;
    for (place, result) in places.into_iter().zip(&results) {
        match place {
            Some(place) => inside.push((place, result.as_bytes())),
            // A call whose text is nowhere has its result behind the text.
            None => behind.extend_from_slice(result.as_bytes()),
        }
    }
    inside.sort_by_key(|(place, _)| place.start);
    let mut replaced = replace_spans(response, &inside).map_err(|error| exception::from_core(&error))?;
    replaced.append(&mut behind);
    Ok(value::text(replaced))
}

/// A call as it is given to be run.
struct Asked {
    name: Zval,
    parameters: Zval,
    original: Zval,
}

/// Reads the calls that are to be run, all before the first one runs.
fn asked(calls: &Zval) -> PhpResult<Vec<Asked>> {
    let refuse = || exception::wrong_type("tool_calls must be a list of arrays with a name and an original");
    let Some(table) = zend::table(calls) else { return Err(refuse()) };
    let field = |call: &Zval, name: &str| {
        let value = zend::table(call)?.get(name)?;
        Some(value.dereference().shallow_clone())
    };
    let text = |call: &Zval, name: &str| field(call, name).filter(Zval::is_string).ok_or_else(refuse);
    zend::entries(table)
        .map(|(_, call)| {
            let parameters = field(call, "parameters").unwrap_or_else(Zval::new_array);
            Ok(Asked { name: text(call, "name")?, parameters, original: text(call, "original")? })
        })
        .collect()
}

/// What came of a call.
struct Outcome {
    success: bool,
    text: String,
}

impl Outcome {
    fn failed(text: String) -> Self {
        Self { success: false, text }
    }

    /// The failure that something thrown is; a script that exits goes on exiting.
    fn stopped(stop: Stop) -> Result<Self, Stop> {
        let Stop::Thrown(thrown) = stop else { return Err(stop) };
        let Raised { class, message } = Raised::of(&thrown);
        Ok(Self::failed(if message.is_empty() { class } else { message }))
    }

    fn html(&self, call: &Asked) -> String {
        render_result(&String::from_utf8_lossy(value::bytes(&call.name)), self.success, &self.text)
    }
}

/// Runs calls one after the other, and gives the result of each as HTML.
fn run(calls: &[Asked]) -> Result<Vec<String>, Stop> {
    if calls.is_empty() {
        return Ok(Vec::new());
    }
    let registry = match registry() {
        Ok(registry) => registry,
        Err(stop) => {
            let outcome = Outcome::stopped(stop)?;
            return Ok(calls.iter().map(|call| outcome.html(call)).collect());
        }
    };
    let run = |call| run_one(registry.as_ref(), call).or_else(Outcome::stopped);
    calls.iter().map(|call| Ok(run(call)?.html(call))).collect()
}

/// The registry of tools: its one object, or else a new one; none without such a class.
fn registry() -> Result<Option<Zval>, Stop> {
    let class = ClassEntry::try_find(REGISTRY);
    caught()?;
    let Some(class) = class else { return Ok(None) };
    let one = value::list([value::text(REGISTRY), value::text("get_instance")])?;
    if one.is_callable() {
        return callback::call(&one, Vec::new()).map(Some);
    }
    let registry = made(class);
    if !class.constructor.is_null() {
        call_method(&registry, "__construct", Vec::new())?;
    }
    Ok(Some(registry))
}

/// What a call's tool gives, or why there is nothing.
fn run_one(registry: Option<&Zval>, call: &Asked) -> Result<Outcome, Stop> {
    let tool = match registry {
        Some(registry) => call_method(registry, "get_tool", vec![&call.name])?,
        None => Zval::null(),
    };
    if !zend::truthy(&tool) {
        let name = String::from_utf8_lossy(value::bytes(&call.name));
        return Ok(Outcome::failed(format!("Tool '{name}' not found.")));
    }
    let given = call_method(&tool, "execute", vec![&call.parameters])?;
    let given = given.dereference();
    match failure(given)? {
        Some(reason) => shown(&reason).map(Outcome::failed),
        None => shown(given).map(|text| Outcome { success: true, text }),
    }
}

/// Why a tool failed, if what it gave says so: WordPress's error, false, or an envelope of failure.
fn failure(given: &Zval) -> Result<Option<Zval>, Stop> {
    if given.is_object() {
        let error = zend::call_function("is_wp_error", [given.shallow_clone()]);
        caught()?;
        if error.is_some_and(|error| zend::truthy(&error)) {
            return call_method(given, "get_error_message", Vec::new()).map(Some);
        }
    }
    if given.is_false() {
        return Ok(Some(value::flag(false)));
    }
    let reason = failure_in(&Node::new(given));
    caught()?;
    Ok(reason.ok().flatten().map(Node::to_value))
}

/// A value as text: a text as it is, anything else as JSON, null as nothing.
fn shown(given: &Zval) -> Result<String, Stop> {
    if given.is_null() {
        return Ok(String::new());
    }
    if given.is_string() {
        return Ok(String::from_utf8_lossy(value::bytes(given)).into_owned());
    }
    let mut flags = Zval::new();
    flags.set_long(SHOWN);
    let json = zend::call_function("json_encode", [given.shallow_clone(), flags]);
    caught()?;
    Ok(json.map_or_else(String::new, |json| String::from_utf8_lossy(value::bytes(&json)).into_owned()))
}

/// A response as PHP casts it to a string; an array is none.
fn text(response: &Zval) -> PhpResult<Zval> {
    if response.is_array() {
        return Err(exception::wrong_type("response must be a string, not array"));
    }
    let text = zend::cast_to_text(response);
    if ExecutorGlobals::has_exception() { Err(Thrown.into()) } else { Ok(text.unwrap_or_else(Zval::null)) }
}
