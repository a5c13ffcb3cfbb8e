//! Reads what a program is asked to run: one call, in whatever form it comes.
//!
//! An action is an object with a `type`, an `id` and a `payload`. Everything else is read as an
//! object of a provider. Whatever a stranger wrote gives one call or one refusal, the same in each
//! language.
//!
//! ```
//! use serde_json::json;
//! use toolwire::registry::asked;
//!
//! let call = asked(&json!({"type": "greet", "payload": {"name": "Ada"}})).unwrap();
//! assert_eq!((&*call.name, &*call.arguments), ("greet", r#"{"name":"Ada"}"#));
//!
//! let refused = asked(&json!({"name": "greet", "arguments": "{\"name\":"})).unwrap_err();
//! assert_eq!((refused.code, &*refused.problem.path), ("bad_json", "/arguments"));
//! ```

use std::convert::Infallible;

use serde_json::{Value, json};

use super::resolve::TYPE;
use crate::call::RejectionCode;
use crate::error::Error;
use crate::input_schema::Problem;
use crate::provider::{Exchange, arguments_of, parse};
use crate::result::write_shown;
use crate::slug::slugs;
use crate::tree::{Constants, Failure, Tree, View};

slugs! {
    /// Why a value asks for no single call. A call that cannot be read has a
    /// [`RejectionCode`](crate::call::RejectionCode) instead.
    #[non_exhaustive]
    pub enum AskCode {
        /// The value holds no call.
        NoCall => "no_call",
        /// The value holds more than one call.
        SeveralCalls => "several_calls",
        /// The type of an action is no text, or is empty.
        BadName => "bad_name",
        /// The id is neither a text nor a number.
        BadId => "bad_id",
    }
}

/// One call that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedCall<A> {
    /// The id; empty if the call has none.
    pub id: String,
    /// Whether the id is the program's own, as that of an action is, and not one that a model
    /// wrote.
    pub own: bool,
    /// The name of a tool.
    pub name: String,
    /// The arguments, which are an object.
    pub arguments: A,
}

/// The arguments of a call that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum AskedArguments<N> {
    /// The host's own object, as it is in an action.
    Host(N),
    /// The JSON text of an object.
    Written(String),
}

/// What a host's value asks for, or why it asks for nothing.
pub type Asked<N> = Result<AskedCall<AskedArguments<N>>, AskRefusal>;

/// Why no call runs, and where the value is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskRefusal {
    /// A slug of [`AskCode`] or of [`RejectionCode`](crate::call::RejectionCode).
    pub code: &'static str,
    /// The place, a JSON Pointer into the value, and the reason.
    pub problem: Problem,
    /// The name of the tool, as far as it can be read.
    pub name: String,
    /// The id of the call, as far as it can be read.
    pub id: String,
}

impl AskRefusal {
    fn new(code: &'static str, path: &str, message: impl Into<String>) -> Self {
        let problem = Problem { path: path.to_owned(), message: message.into() };
        Self { code, problem, name: String::new(), id: String::new() }
    }

    /// The refusal of arguments for a tool of this name.
    pub(crate) fn bad_arguments(tool: &str, message: &str) -> Self {
        let refusal = Self::new(RejectionCode::NotAnObject.slug(), "", message);
        Self { name: tool.to_owned(), ..refusal }
    }

    /// The refusal of a host's object with a text at this place, a JSON Pointer, that is not UTF-8.
    /// `object` is what was read of it, with other characters in place of the bytes: they would
    /// make one id of two, and arguments that nobody wrote. Nothing for any other text.
    #[must_use]
    pub fn of_bad_text(path: &str, object: &Value) -> Option<Self> {
        let mut keys = path.rsplit('/');
        if keys.next().is_some_and(|key| ID_KEYS.contains(&key)) {
            let refusal = bad_id(path, "bytes that are no UTF-8").of(object);
            return Some(Self { id: String::new(), ..refusal });
        }
        let is_argument = path.split('/').any(|key| ARGUMENT_KEYS.contains(&key));
        let code = RejectionCode::InvalidUtf8.slug();
        is_argument.then(|| Self::new(code, path, "the arguments are not UTF-8").of(object))
    }

    /// Adds the name and the id of a call that an object seems to be.
    fn of(mut self, object: &Value) -> Self {
        let inner = object.get("function").filter(|inner| inner.is_object()).unwrap_or(object);
        let text = |value: &Value, key: &str| value.get(key)?.as_str().map(str::to_owned);
        self.name = text(inner, "name").unwrap_or_default();
        self.id = ID_KEYS.iter().find_map(|key| text(object, key)).unwrap_or_default();
        self
    }
}

/// The keys under which providers write the id of a call.
const ID_KEYS: [&str; 4] = ["id", "call_id", "tool_call_id", "toolUseId"];
/// The keys under which providers write the arguments of a call.
const ARGUMENT_KEYS: [&str; 5] = ["arguments", "args", "input", "parameters", PAYLOAD];
const PAYLOAD: &str = "payload";

/// Reads the one call that a value asks for. Its arguments are JSON text.
///
/// # Errors
/// Why there is not exactly one call.
pub fn asked(value: &Value) -> Result<AskedCall<String>, AskRefusal> {
    if let Some(found) = in_place(asked_action(&value)) {
        return found;
    }
    if let Some(found) = of_exchange(parse(value, None), value) {
        return found;
    }
    if let Some(found) = without_arguments(value) {
        return found;
    }
    match in_place(action(&value, None).map(Some)) {
        Some(found) if value.get(TYPE).is_some() => found,
        _ => Err(no_call("an object without a call")),
    }
}

/// Reads a host's value where it stands, if it is an action with a payload or can hold no call.
/// Nothing for any other value, which [`asked`] reads as JSON.
///
/// # Errors
/// What the host raised. A refusal is no error.
pub fn asked_action<N: Tree>(given: &N) -> Result<Option<Asked<N>>, Failure<N::Error>> {
    match given.view() {
        View::Map(_) => {}
        View::Opaque if given.is_container() => {}
        view => return Ok(Some(Err(no_call(view.name())))),
    }
    match given.member(PAYLOAD).map_err(Failure::Host)? {
        Some(payload) => action(given, Some(payload)).map(Some),
        None => Ok(None),
    }
}

/// Gives what was read of a JSON value, which raises nothing, with its arguments as text.
fn in_place(
    read: Result<Option<Asked<&Value>>, Failure<Infallible>>,
) -> Option<Result<AskedCall<String>, AskRefusal>> {
    let found = match read {
        Ok(found) => found?,
        Err(failure) => return Some(Err(no_call(&Error::from(failure).to_string()))),
    };
    Some(found.map(|AskedCall { id, own, name, arguments }| {
        let arguments = match arguments {
            AskedArguments::Host(value) => value.to_string(),
            AskedArguments::Written(text) => text,
        };
        AskedCall { id, own, name, arguments }
    }))
}

fn no_call(what: &str) -> AskRefusal {
    let message = format!("{what} is no call: give an object with a name and arguments");
    AskRefusal::new(AskCode::NoCall.slug(), "", message)
}

/// Reads an action where it stands.
fn action<N: Tree>(given: &N, payload: Option<N>) -> Result<Asked<N>, Failure<N::Error>> {
    let kind = given.member(TYPE).map_err(Failure::Host)?;
    let name = match kind.as_ref().map(Tree::view) {
        Some(View::Text(name)) if !name.is_empty() => String::from_utf8_lossy(&name).into_owned(),
        _ => {
            let message = "the type of an action must be the name of a tool";
            return Ok(Err(AskRefusal::new(AskCode::BadName.slug(), "/type", message)));
        }
    };
    let id = match given.member("id").map_err(Failure::Host)? {
        None => Ok(String::new()),
        Some(id) => id_of(&id)?,
    };
    let found = id.and_then(|id| match payload_of(payload) {
        Ok(arguments) => Ok(AskedCall { id, own: true, name: name.clone(), arguments }),
        Err(refusal) => Err(AskRefusal { id, ..refusal }),
    });
    Ok(found.map_err(|refusal| AskRefusal { name, ..refusal }))
}

/// Reads the id of an action: a text or a number.
fn id_of<N: Tree>(id: &N) -> Result<Result<String, AskRefusal>, Failure<N::Error>> {
    let view = id.view();
    match view {
        View::Null => Ok(Ok(String::new())),
        // Bytes that are replaced would make one id of two.
        View::Text(text) => Ok(match std::str::from_utf8(&text) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(bad_id("/id", "bytes that are no UTF-8")),
        }),
        View::Int(_) | View::BigInt | View::Float(_) => {
            let mut out = Vec::new();
            write_shown(id, view, Constants::default(), &mut out).map_err(Failure::Host)?;
            Ok(Ok(String::from_utf8_lossy(&out).into_owned()))
        }
        other => Ok(Err(bad_id("/id", other.name()))),
    }
}

fn bad_id(path: &str, kind: &str) -> AskRefusal {
    AskRefusal::new(AskCode::BadId.slug(), path, format!("an id is a text, not {kind}"))
}

/// Reads the payload of an action, which is an object or the text of one.
fn payload_of<N: Tree>(payload: Option<N>) -> Result<AskedArguments<N>, AskRefusal> {
    let Some(payload) = payload else { return Ok(AskedArguments::Written("{}".to_owned())) };
    let value = match payload.view() {
        View::Map(_) | View::Opaque => return Ok(AskedArguments::Host(payload)),
        View::Null | View::List(0) => Value::Null,
        View::Text(text) => {
            let Ok(text) = std::str::from_utf8(&text) else {
                let code = RejectionCode::InvalidUtf8.slug();
                return Err(AskRefusal::new(code, "/payload", "the payload is not UTF-8"));
            };
            Value::String(text.to_owned())
        }
        // All of them are refused alike.
        View::Bool(_) | View::Int(_) | View::BigInt | View::Float(_) | View::List(_) => true.into(),
    };
    match arguments_of(&value) {
        Ok(json) => Ok(AskedArguments::Written(json)),
        Err((code, message)) => Err(AskRefusal::new(code.slug(), "/payload", message)),
    }
}

/// Reads what was found in a provider's object; nothing if nothing was found.
fn of_exchange(
    exchange: Exchange,
    object: &Value,
) -> Option<Result<AskedCall<String>, AskRefusal>> {
    if let Some(refused) = exchange.rejections.into_iter().next() {
        let refusal = AskRefusal::new(refused.code.slug(), &refused.path, refused.message);
        return Some(Err(refusal.of(object)));
    }
    let count = exchange.calls.len();
    if count > 1 {
        let message = format!("the object holds {count} calls; give one call at a time");
        return Some(Err(AskRefusal::new(AskCode::SeveralCalls.slug(), "", message)));
    }
    let Some(call) = exchange.calls.into_iter().next() else {
        let item = exchange.items.into_iter().next()?;
        let code = RejectionCode::UnknownKind.slug();
        let message = format!("a {} is the provider's own, and not a call of a tool", item.word);
        return Some(Err(AskRefusal::new(code, &item.path, message).of(object)));
    };
    if let Some((key, id)) = odd_id(object).filter(|_| !call.id_given) {
        let refusal = bad_id(&format!("/{key}"), (&id).view().name());
        return Some(Err(AskRefusal { name: call.name, ..refusal }));
    }
    let arguments = String::from_utf8_lossy(call.arguments_raw(b"")).into_owned();
    Some(Ok(AskedCall { id: call.id.into(), own: false, name: call.name, arguments }))
}

/// An id of an object that is neither a text nor a number, and its key.
fn odd_id(object: &Value) -> Option<(&'static str, &Value)> {
    let odd = |id: &&Value| !(id.is_null() || id.is_string() || id.is_number());
    ID_KEYS.iter().find_map(|key| Some((*key, object.get(key).filter(odd)?)))
}

/// Reads a call that names its tool, and has no arguments.
fn without_arguments(object: &Value) -> Option<Result<AskedCall<String>, AskRefusal>> {
    if object.get("role").is_some() {
        return None;
    }
    let inner = object.get("function").filter(|inner| inner.is_object()).unwrap_or(object);
    let mut call = json!({"name": inner.get("name")?, "arguments": {}});
    let id = ID_KEYS.iter().find_map(|key| Some((*key, object.get(key)?)));
    if let (Some((key, id)), Some(call)) = (id, call.as_object_mut()) {
        call.insert(key.to_owned(), id.clone());
    }
    of_exchange(parse(&call, None), &call)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &Value) -> Result<(String, String, String), (&'static str, String)> {
        asked(value)
            .map(|call| (call.name, call.id, call.arguments))
            .map_err(|refusal| (refusal.code, refusal.problem.path))
    }

    #[test]
    fn a_call_without_arguments_has_none_in_every_form() {
        let none = [json!(null), json!(""), json!("null"), json!([]), json!({}), json!("{}")];
        for arguments in none {
            for call in [
                json!({"type": "a", "id": "c", "payload": arguments}),
                json!({"id": "c", "name": "a", "arguments": arguments}),
                json!({"id": "c", "function": {"name": "a", "arguments": arguments}}),
                json!({"type": "tool_use", "id": "c", "name": "a", "input": arguments}),
            ] {
                assert_eq!(read(&call), Ok(("a".into(), "c".into(), "{}".into())), "{call}");
            }
        }
        for call in [
            json!({"type": "a", "id": "c"}),
            json!({"id": "c", "name": "a"}),
            json!({"type": "function", "id": "c", "function": {"name": "a"}}),
            json!({"type": "function", "function": {"name": "a"}, "call_id": "c"}),
        ] {
            assert_eq!(read(&call), Ok(("a".into(), "c".into(), "{}".into())), "{call}");
        }
    }

    #[test]
    fn what_asks_for_no_single_call_is_refused_at_its_place() {
        let refused = [
            (json!(null), "no_call", ""),
            (json!("mail"), "no_call", ""),
            (json!([{"name": "a", "arguments": {}}]), "no_call", ""),
            (json!({}), "no_call", ""),
            (json!({"role": "assistant", "content": "hi"}), "no_call", ""),
            (json!({"type": 5, "payload": {}}), "bad_name", "/type"),
            (json!({"type": ""}), "bad_name", "/type"),
            (json!({"type": "a", "id": [1], "payload": {}}), "bad_id", "/id"),
            (json!({"name": "a", "id": true, "arguments": {}}), "bad_id", "/id"),
            (json!({"type": "a", "payload": [1]}), "not_an_object", "/payload"),
            (json!({"type": "a", "payload": 1}), "not_an_object", "/payload"),
            (json!({"type": "a", "payload": "x"}), "bad_json", "/payload"),
            (json!({"name": "a", "arguments": "{"}), "bad_json", "/arguments"),
            (json!({"type": "mcp_call", "name": "a", "arguments": "{}"}), "unknown_kind", ""),
        ];
        for (value, code, path) in refused {
            assert_eq!(read(&value), Err((code, path.to_owned())), "{value}");
        }
        let call = json!({"id": "c", "function": {"name": "a", "arguments": "{}"}});
        let several = json!({"role": "assistant", "tool_calls": [call, call]});
        assert_eq!(read(&several), Err(("several_calls", String::new())));
        let one = json!({"role": "assistant", "tool_calls": [call]});
        assert_eq!(read(&one), Ok(("a".into(), "c".into(), "{}".into())));
    }

    #[test]
    fn an_id_is_a_text_or_a_number() {
        for (id, text) in [(json!("c"), "c"), (json!(7), "7"), (json!(null), "")] {
            let action = json!({"type": "a", "id": id, "payload": {"b": 1}});
            let found = asked(&action).unwrap();
            assert_eq!((&*found.id, found.own, &*found.arguments), (text, true, "{\"b\":1}"));
        }
    }

    #[test]
    fn a_text_that_is_not_utf8_is_refused_in_ids_and_arguments() {
        let object = json!({"id": "c\u{fffd}", "name": "a", "arguments": {"x": "\u{fffd}"}});
        let refused = |path: &str| {
            let refusal = AskRefusal::of_bad_text(path, &object)?;
            Some((refusal.code, refusal.name, refusal.id, refusal.problem.path))
        };
        let (id, name) = ("c\u{fffd}".to_owned(), "a".to_owned());
        let expected = ("bad_id", name.clone(), String::new(), "/id".to_owned());
        assert_eq!(refused("/id"), Some(expected));
        let expected = ("invalid_utf8", name, id, "/arguments/x".to_owned());
        assert_eq!(refused("/arguments/x"), Some(expected));
        assert_eq!(refused("/tool_calls/0/function/arguments").unwrap().0, "invalid_utf8");
        assert_eq!(refused("/content/0/toolUse/toolUseId").unwrap().0, "bad_id");
        assert_eq!(refused("/content/0/text"), None);
    }

    #[test]
    fn a_refusal_names_the_call_it_is_about() {
        let call = json!({"id": "c", "function": {"name": "a", "arguments": "["}});
        let refusal = asked(&call).unwrap_err();
        assert_eq!((&*refusal.name, &*refusal.id, refusal.code), ("a", "c", "bad_json"));
        assert_eq!(refusal.problem.path, "/function/arguments");
    }
}
