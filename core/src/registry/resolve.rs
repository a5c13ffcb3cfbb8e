//! Reads a provider's call in place and looks its tool up.
//!
//! A call is an object with an id, a name and arguments. The name and the arguments may be inside a
//! wrapper object. Arguments are an object or JSON text. If a call or its arguments are not an
//! object, only that call is unresolved.

use super::call_problem::CallProblem;
use super::resolution::{CallArguments, CallLabel, Resolution};
use crate::json::parse::parse_json;
use crate::json::{Repair, holds_infinite};
use crate::provider::own::is_not_callable;
use crate::provider::repaired_arguments;
use crate::result::write_shown;
use crate::tree::{Constants, Failure, Tree, View};

/// The keys of a call's fields. The default is OpenAI's form of a call.
#[derive(Clone, Copy, Debug)]
pub struct CallFields<'f> {
    /// The key of the call's id.
    pub id: &'f str,
    /// The key of the tool's name.
    pub name: &'f str,
    /// The key of the arguments.
    pub arguments: &'f str,
    /// The key of the object around name and arguments, for calls that have one.
    pub wrapper: Option<&'f str>,
    /// The texts for constants in place of an id or a name.
    pub constants: Constants<'f>,
    /// What is done about arguments that are almost JSON.
    pub repair: Repair,
}

impl Default for CallFields<'_> {
    fn default() -> Self {
        Self {
            id: "id",
            name: "name",
            arguments: "arguments",
            wrapper: Some("function"),
            constants: Constants::default(),
            repair: Repair::Off,
        }
    }
}

/// The key under which a provider says what kind of call it is.
pub const TYPE: &str = "type";

/// The id and the name of an unreadable call that has none.
const UNKNOWN: &str = "unknown";

/// Reads a call, builds arguments that are JSON text, and looks the tool up by name.
///
/// `build` gets a text that begins like an object, and returns nothing if the text is not JSON. So
/// one pass over the text both checks it and makes the host's value. A call without an id gets an
/// empty id. An id that is not a text becomes the text that the host shows for it.
///
/// # Errors
///
/// Any error that the host raised while its values were read. An unresolved call is not an error.
pub fn resolve_call<N: Tree, A, T>(
    call: &N,
    fields: &CallFields<'_>,
    look_up: impl FnOnce(&str) -> Option<T>,
    build: impl FnOnce(&[u8]) -> Option<A>,
) -> Result<Resolution<N, A, T>, Failure<N::Error>> {
    let unreadable = |call_id, name, problem| {
        let arguments = CallArguments::Empty;
        Ok(Resolution::Unresolved { call_id, name, arguments, problem })
    };
    if !has_members(call) {
        let none = || CallLabel::Shown(String::new());
        return unreadable(none(), none(), CallProblem::NoCall(call.view().name()));
    }
    let given_id = call.member(fields.id).map_err(Failure::Host)?;
    let wrapped = match fields.wrapper {
        Some(wrapper) if !wrapper.is_empty() => call.member(wrapper).map_err(Failure::Host)?,
        _ => None,
    };
    let inner = wrapped.as_ref().unwrap_or(call);
    if !has_members(inner) {
        // The call's own name and id, outside the wrapper, identify it among the other calls.
        let name = call.member(fields.name).map_err(Failure::Host)?;
        let name = label(name, UNKNOWN, fields.constants)?;
        let call_id = label(given_id, UNKNOWN, fields.constants)?;
        return unreadable(call_id, name, CallProblem::NoCall(inner.view().name()));
    }
    // A program's own field may be named so.
    if fields.name != TYPE && fields.id != TYPE && fields.arguments != TYPE {
        let word = call.member(TYPE).map_err(Failure::Host)?;
        if let Some(word) = word.as_ref().and_then(Tree::text)
            && let Ok(word) = std::str::from_utf8(&word)
            && is_not_callable(word)
        {
            let problem = CallProblem::UnknownKind(word.chars().take(64).collect());
            let name = inner.member(fields.name).map_err(Failure::Host)?;
            let name = label(name, "", fields.constants)?;
            return unreadable(label(given_id, "", fields.constants)?, name, problem);
        }
    }
    let call_id = label(given_id, "", fields.constants)?;
    let name = inner.member(fields.name).map_err(Failure::Host)?;
    let name = label(name, "", fields.constants)?;
    let given = inner.member(fields.arguments).map_err(Failure::Host)?;
    let arguments = match read_arguments(given, fields.repair, build) {
        Ok(arguments) => arguments,
        Err(problem) => return unreadable(call_id, name, problem),
    };
    let found = look_up(&name.text());
    Ok(match found {
        Some(tool) => Resolution::Resolved { tool, call_id, name, arguments },
        None => {
            Resolution::Unresolved { call_id, name, arguments, problem: CallProblem::UnknownTool }
        }
    })
}

/// Whether a node is a map, or a value that the host treats like a map.
fn has_members<N: Tree>(node: &N) -> bool {
    match node.view() {
        View::Map(_) => true,
        View::List(_) => false,
        _ => node.is_container(),
    }
}

/// Returns the arguments, if they are an object or empty.
fn read_arguments<N: Tree, A>(
    given: Option<N>,
    repair: Repair,
    build: impl FnOnce(&[u8]) -> Option<A>,
) -> Result<CallArguments<N, A>, CallProblem> {
    let Some(given) = given else { return Ok(CallArguments::Empty) };
    match given.view() {
        // PHP has only one empty array, for lists and objects.
        View::Null | View::List(0) => Ok(CallArguments::Empty),
        View::Text(text) if is_nothing(&text) => Ok(CallArguments::Empty),
        View::Text(text) => {
            let almost = str::from_utf8(&text).ok().filter(|_| repair == Repair::Safe);
            match almost.and_then(repaired_arguments) {
                Some(repaired) => build_object(repaired.as_bytes(), build),
                None => build_object(&text, build),
            }
        }
        View::Map(_) => Ok(CallArguments::Host(given)),
        other => Err(CallProblem::NoObject(other.name())),
    }
}

/// Whether a text stands for no arguments.
fn is_nothing(text: &[u8]) -> bool {
    matches!(text.trim_ascii(), b"" | b"null" | b"[]")
}

/// Returns the value that the host builds from a text, if the text is the JSON of an object.
fn build_object<N, A>(
    text: &[u8],
    build: impl FnOnce(&[u8]) -> Option<A>,
) -> Result<CallArguments<N, A>, CallProblem> {
    let first = text.trim_ascii_start().first();
    if holds_infinite(text) {
        return Err(CallProblem::BadNumber);
    }
    if first == Some(&b'{')
        && let Some(built) = build(text)
    {
        return Ok(CallArguments::Built(built));
    }
    if let Err(error) = parse_json(text) {
        return Err(CallProblem::BadJson(error.to_string()));
    }
    Err(match first {
        Some(b'{') => CallProblem::BadJson("the text cannot be held".to_owned()),
        Some(b'[') => CallProblem::NoObject("a list"),
        Some(b'"') => CallProblem::NoObject("a text"),
        Some(b't' | b'f') => CallProblem::NoObject("a boolean"),
        Some(b'n') => CallProblem::NoObject("null"),
        _ => CallProblem::NoObject("a number"),
    })
}

/// Returns the label of a value, or `absent` if there is no value.
fn label<N: Tree>(
    value: Option<N>,
    absent: &str,
    constants: Constants<'_>,
) -> Result<CallLabel<N>, Failure<N::Error>> {
    let Some(value) = value else { return Ok(CallLabel::Shown(absent.to_owned())) };
    let mut out = Vec::new();
    match value.view() {
        View::Text(_) => return Ok(CallLabel::Host(value)),
        view => write_shown(&value, view, constants, &mut out).map_err(Failure::Host)?,
    }
    let shown = String::from_utf8(out);
    Ok(CallLabel::Value(
        value,
        shown.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn resolve<'v>(call: &'v Value, fields: &CallFields<'_>) -> Resolution<&'v Value, Value, u8> {
        let look_up = |name: &str| (name == "greet").then_some(7);
        let found = resolve_call(&call, fields, look_up, |text| parse_json(text).ok());
        found.unwrap_or_else(|_| panic!("reading a JSON value cannot fail"))
    }

    fn resolved(call: &Value) -> (String, Value) {
        match resolve(call, &CallFields::default()) {
            Resolution::Resolved { tool: 7, call_id, arguments, .. } => {
                (text(&call_id), owned(arguments))
            }
            other => panic!("{other:?}"),
        }
    }

    fn unresolved(call: &Value) -> (String, String) {
        match resolve(call, &CallFields::default()) {
            Resolution::Unresolved { call_id, name, problem, .. } => {
                (text(&call_id), problem.message(&name.text()))
            }
            other @ Resolution::Resolved { .. } => panic!("{other:?}"),
        }
    }

    fn text(label: &CallLabel<&Value>) -> String {
        label.text().into_owned()
    }

    fn owned(arguments: CallArguments<&Value, Value>) -> Value {
        match arguments {
            CallArguments::Empty => json!({}),
            CallArguments::Host(value) => value.clone(),
            CallArguments::Built(value) => value,
        }
    }

    #[test]
    fn arguments_that_are_almost_json_are_read_if_that_is_asked_for() {
        let call = json!({"id": "c", "name": "greet", "arguments": "{\"a\": 'x',}"});
        let refused = resolve(&call, &CallFields::default());
        let is_bad = |found: &Resolution<_, _, _>| {
            matches!(found, Resolution::Unresolved { problem: CallProblem::BadJson(_), .. })
        };
        assert!(is_bad(&refused));
        let mends = CallFields { repair: Repair::Safe, ..CallFields::default() };
        let Resolution::Resolved { arguments: CallArguments::Built(built), .. } =
            resolve(&call, &mends)
        else {
            panic!("it can be repaired")
        };
        assert_eq!(built, json!({"a": "x"}));
        // What could mean several things is refused as before, and what is JSON stays as it is.
        let cut = json!({"id": "c", "name": "greet", "arguments": "{\"a\": "});
        assert!(is_bad(&resolve(&cut, &mends)));
    }

    #[test]
    fn a_call_is_read_with_its_wrapper_and_without() {
        let text = "{\"a\": 1}".to_owned();
        let wrapped = json!({"id": "c", "function": {"name": "greet", "arguments": text}});
        assert_eq!(resolved(&wrapped), ("c".to_owned(), json!({"a": 1})));
        let flat = json!({"id": "c", "name": "greet", "arguments": {"a": 1}});
        assert_eq!(resolved(&flat), ("c".to_owned(), json!({"a": 1})));
        let named = CallFields {
            id: "call",
            name: "tool",
            arguments: "input",
            wrapper: None,
            ..CallFields::default()
        };
        let other = json!({"call": 5, "tool": "greet", "input": {}, "function": "x"});
        assert!(
            matches!(resolve(&other, &named), Resolution::Resolved { call_id, .. } if call_id.text() == "5")
        );
    }

    #[test]
    fn arguments_that_are_missing_are_none() {
        let none = [json!(null), json!(""), json!([]), json!(" "), json!("null"), json!("[]")];
        for arguments in none {
            let call = json!({"name": "greet", "arguments": arguments});
            assert_eq!(resolved(&call), (String::new(), json!({})));
        }
        assert_eq!(resolved(&json!({"id": null, "name": "greet"})).0, "null");
    }

    #[test]
    fn arguments_that_are_no_object_are_never_made_one() {
        for (arguments, message) in [
            (json!("[1]"), "Invalid JSON arguments: expected an object, not a list"),
            (json!(" 3"), "Invalid JSON arguments: expected an object, not a number"),
            (json!("\"a\""), "Invalid JSON arguments: expected an object, not a text"),
            (json!("true"), "Invalid JSON arguments: expected an object, not a boolean"),
            (json!([1]), "Invalid JSON arguments: expected an object, not a list"),
            (json!(1), "Invalid JSON arguments: expected an object, not an integer"),
            (json!("{\"a\":"), "Invalid JSON arguments: the text ends too early at byte 5"),
        ] {
            let call = json!({"id": "c", "name": "greet", "arguments": arguments});
            assert_eq!(unresolved(&call), ("c".to_owned(), message.to_owned()));
        }
    }

    #[test]
    fn what_the_provider_runs_itself_is_unresolved() {
        for word in ["mcp_call", "mcp_approval_request", "server_tool_use", "quantum_call"] {
            let call = json!({"type": word, "id": "c", "name": "greet", "arguments": "{}"});
            let found = resolve(&call, &CallFields::default());
            let Resolution::Unresolved { problem, .. } = found else { panic!("{word}") };
            assert_eq!(problem.code().slug(), "unknown_kind");
        }
        for word in ["function", "function_call", "tool_use", "greeting"] {
            resolved(&json!({"type": word, "id": "c", "name": "greet", "arguments": "{}"}));
        }
    }

    #[test]
    fn a_number_beyond_a_float_is_refused() {
        let call = json!({"id": "c", "name": "greet", "arguments": "{\"a\":1e400}"});
        let message = "Invalid JSON arguments: a number is not finite".to_owned();
        assert_eq!(unresolved(&call), ("c".to_owned(), message));
    }

    #[test]
    fn one_call_that_is_none_is_unresolved_alone() {
        for (call, kind) in [
            (json!(null), "null"),
            (json!("x"), "a text"),
            (json!(1), "an integer"),
            (json!([]), "a list"),
        ] {
            let message = format!("Failed to parse tool call: expected an object, not {kind}");
            assert_eq!(unresolved(&call), (String::new(), message));
        }
        let inner = json!({"id": "c", "function": "x"});
        let message = "Failed to parse tool call: expected an object, not a text".to_owned();
        assert_eq!(unresolved(&inner), ("c".to_owned(), message.clone()));
        assert_eq!(unresolved(&json!({"function": "x"})), ("unknown".to_owned(), message));
    }

    #[test]
    fn an_unknown_tool_keeps_its_arguments() {
        let call = json!({"id": "c", "name": "nobody", "arguments": {"a": 1}});
        let Resolution::Unresolved { name, arguments, problem, .. } =
            resolve(&call, &CallFields::default())
        else {
            panic!("there is no such tool");
        };
        assert_eq!((owned(arguments), problem.code().slug()), (json!({"a": 1}), "unknown_tool"));
        assert_eq!(problem.message(&name.text()), "There is no tool 'nobody'");
    }
}
