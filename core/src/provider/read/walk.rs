//! Finds the calls and results of any provider in an object.
//!
//! Any other object is searched only under the few keys in which providers nest messages and parts.
//! So the contents of a tool's arguments or data are never taken for a call.

use serde_json::Value;
use uuid::Uuid;

use super::arguments::{self, Read};
use super::beside;
use super::exchange::{Exchange, ProviderRejection};
use super::free_text;
use super::item::{ProviderItem, Purpose};
use super::own;
use super::place::ObjectPlace;
use super::shape::{JsonObject, SeenObject, Shape, at, id_of, text};
use crate::call::{Arguments, Diagnostic, RejectionCode, Span, Status, ToolCall};
use crate::error::Error;
use crate::json::Repair;
use crate::provider::dialect::gemini::partial;
use crate::provider::dialect::{self, chat, order, responses};
use crate::provider::kind::Provider;

/// How many keys and indexes may lead to a call.
const MAX_STEPS: usize = 32;

/// The keys under which messages, parts and events are nested.
const CONTAINERS: [&str; 14] = [
    "choices",
    "message",
    "messages",
    "output",
    "outputs",
    "candidates",
    "content",
    "contents",
    "parts",
    "input",
    "history",
    "chat_history",
    "tool_results",
    "response",
];

/// Finds the calls and results in an object.
///
/// Where several providers share a shape, `provider` says whose it is. Calls in other shapes are
/// still found.
#[must_use]
pub fn parse(object: &Value, provider: Option<Provider>) -> Exchange {
    parse_with(object, ParseOptions { provider, ..ParseOptions::default() })
}

/// How providers' objects and streams are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// Whose the objects are where several providers share a shape.
    pub provider: Option<Provider>,
    /// What is done about arguments that are almost JSON.
    pub repair: Repair,
}

impl ParseOptions {
    /// Sets `repair` by its slug, `off` or `safe`.
    ///
    /// # Errors
    /// `invalid_option` for another slug.
    pub fn repairing(self, slug: &str) -> Result<Self, Error> {
        Ok(Self { repair: Repair::named(slug)?, ..self })
    }
}

/// Finds the calls and results in an object, with options.
///
/// ```
/// use serde_json::json;
/// use toolwire::json::Repair;
/// use toolwire::provider::{ParseOptions, parse_with};
///
/// let call = json!({"name": "note", "arguments": "{\"text\":\"two\nlines\"}"});
/// let options = ParseOptions { repair: Repair::Safe, ..ParseOptions::default() };
/// let exchange = parse_with(&call, options);
/// assert_eq!(exchange.calls[0].diagnostics[0].code.slug(), "control_character");
/// assert_eq!(parse_with(&call, ParseOptions::default()).rejections[0].code.slug(), "bad_json");
/// ```
#[must_use]
pub fn parse_with(object: &Value, options: ParseOptions) -> Exchange {
    let mut exchange = parse_at(object, options, &ObjectPlace::root());
    exchange.name_results();
    exchange
}

/// Finds the calls and results in an object that stands in another.
pub(in crate::provider) fn parse_at(
    object: &Value,
    options: ParseOptions,
    place: &ObjectPlace<'_>,
) -> Exchange {
    let mut walk = ObjectWalk { exchange: Exchange::default(), options };
    walk.visit(object, place, options.provider);
    walk.exchange
}

/// A walk, with what it has found.
pub(in crate::provider) struct ObjectWalk {
    pub(in crate::provider) exchange: Exchange,
    pub(in crate::provider) options: ParseOptions,
}

impl ObjectWalk {
    /// Visits a value: each item of a list, or an object according to its kind.
    fn visit(&mut self, value: &Value, place: &ObjectPlace<'_>, near: Option<Provider>) {
        match value {
            Value::Array(_) | Value::Object(_) if place.depth > MAX_STEPS => {
                self.reject(
                    RejectionCode::TooDeep,
                    "the object nests too deep",
                    place.pointer(),
                    near,
                );
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.visit(item, &place.item(index), near);
                }
            }
            // Packets of Data Machine share types with other providers, so their metadata comes
            // first.
            Value::Object(_) if self.packet(value, place) => {}
            Value::Object(object) => self.visit_object(object, place, near),
            _ => {}
        }
    }

    fn visit_object(
        &mut self,
        object: &JsonObject,
        place: &ObjectPlace<'_>,
        near: Option<Provider>,
    ) {
        if let Some(purpose) = own::purpose(object, near, place) {
            return self.set_apart(object, purpose, near, place);
        }
        let seen = SeenObject::new(object, near);
        if let Some(shape) = order::call(&seen) {
            return self.call(object, shape, place);
        }
        if self.result(&seen, place) {
            return;
        }
        let near = self.options.provider.or_else(|| order::hint(object)).or(near);
        for key in CONTAINERS {
            match object.get(key) {
                // An `input` that is an object holds the arguments of some tool.
                Some(Value::Object(_)) if key == "input" => {}
                Some(inner) => self.visit(inner, &place.key(key), near),
                None => {}
            }
        }
        if let Some(list) = object.get("tool_calls") {
            self.listed(list, &place.key("tool_calls"), near);
        }
        match object.get("function_call") {
            None | Some(Value::Null) => {}
            Some(Value::Object(call)) => {
                self.call(call, chat::FUNCTION, &place.key("function_call"));
            }
            Some(_) => {
                self.misshapen(
                    &place.key("function_call"),
                    "function_call must be an object",
                    near,
                );
            }
        }
    }

    /// Reads a message's `tool_calls`.
    fn listed(&mut self, list: &Value, place: &ObjectPlace<'_>, near: Option<Provider>) {
        let items = match list {
            Value::Null => return,
            Value::Array(items) => items,
            _ => return self.misshapen(place, "tool_calls must be a list", near),
        };
        for (index, item) in items.iter().enumerate() {
            let place = place.item(index);
            let purpose = item.as_object().and_then(|item| own::purpose(item, near, &place));
            if let (Some(purpose), Some(item)) = (purpose, item.as_object()) {
                self.set_apart(item, purpose, near, &place);
                continue;
            }
            let seen = item.as_object().map(|item| SeenObject::new(item, near));
            match seen.and_then(|seen| Some((seen.object, order::listed_call(&seen)?))) {
                Some((item, shape)) => self.call(item, shape, &place),
                None => self.misshapen(&place, "this is no call of a function", near),
            }
        }
    }

    /// Takes an object that is no call of a tool with arguments.
    fn set_apart(
        &mut self,
        object: &JsonObject,
        purpose: Purpose<'_>,
        near: Option<Provider>,
        place: &ObjectPlace<'_>,
    ) {
        match purpose {
            Purpose::Own(kind, word, provider) => {
                let item = ProviderItem::of(object, (kind, word, provider), place.pointer());
                self.exchange.items.push(item);
            }
            Purpose::FreeText => self.free_text(object, near, place),
            Purpose::Unknown(word) => {
                let path = place.pointer();
                self.reject(RejectionCode::UnknownKind, &own::unknown(word), path, near);
            }
        }
    }

    /// Reads a call of a tool that takes a free text.
    fn free_text(&mut self, object: &JsonObject, near: Option<Provider>, place: &ObjectPlace<'_>) {
        let is_item = text(object, "type") == Some(responses::FREE_TEXT.word);
        let form = if is_item { responses::FREE_TEXT } else { chat::free_text_of(near) };
        let name = match name_of(at(object, form.shape.name), form.shape.provider) {
            Ok(name) => name,
            Err((code, message)) => {
                let path = place.pointer_to(form.shape.name);
                return self.reject(code, &message, path, Some(form.shape.provider));
            }
        };
        let Some(Value::String(input)) = at(object, form.shape.arguments) else {
            let path = place.pointer_to(form.shape.arguments);
            let message = "the input must be a text";
            return self.reject(RejectionCode::BadShape, message, path, Some(form.shape.provider));
        };
        let Some(beside) = beside::beside(object, &form.shape) else {
            return self.too_deep(place, form.shape.provider);
        };
        let id = at(object, form.shape.id).and_then(id_of);
        let mut call = made(id, name, free_text::read(input), form.shape.provider);
        call.provider_data = beside::written(form.marked(beside));
        self.exchange.push_call(call);
    }

    fn too_deep(&mut self, place: &ObjectPlace<'_>, provider: Provider) {
        let message = "what stands beside the call nests too deep";
        self.reject(RejectionCode::TooDeep, message, place.pointer(), Some(provider));
    }

    /// Reads a call whose shape is known.
    pub(in crate::provider) fn call(
        &mut self,
        object: &JsonObject,
        shape: Shape,
        place: &ObjectPlace<'_>,
    ) {
        let provider = shape.provider;
        if let Some(error) = shape.error.and_then(|key| text(object, key)) {
            return self.reject(RejectionCode::UnknownTool, error, place.pointer(), Some(provider));
        }
        let name = match name_of(at(object, shape.name), provider) {
            Ok(name) => name,
            Err((code, message)) => {
                return self.reject(code, &message, place.pointer_to(shape.name), Some(provider));
            }
        };
        let Some(beside) = beside::beside(object, &shape) else {
            return self.too_deep(place, provider);
        };
        let arguments = at(object, shape.arguments);
        let read = match partial::arguments(object, &shape, arguments) {
            Some(read) => read,
            None => arguments::read(arguments, shape.spelling, self.options.repair),
        };
        match read {
            Ok(read) => {
                let id = at(object, shape.id).and_then(id_of);
                let mut call = made(id, name, read, provider);
                call.provider_data = beside::written(beside);
                self.exchange.push_call(call);
            }
            Err(refused) => {
                let path = place.pointer_to(shape.arguments);
                self.reject(refused.code, &refused.message, path, Some(provider));
            }
        }
    }

    pub(in crate::provider) fn misshapen(
        &mut self,
        place: &ObjectPlace<'_>,
        message: &str,
        provider: Option<Provider>,
    ) {
        self.reject(RejectionCode::BadShape, message, place.pointer(), provider);
    }

    pub(in crate::provider) fn reject(
        &mut self,
        code: RejectionCode,
        message: &str,
        path: String,
        provider: Option<Provider>,
    ) {
        let format = provider.map(Provider::slug);
        self.exchange.rejections.push(ProviderRejection {
            code,
            message: message.to_owned(),
            path,
            format,
        });
    }
}

/// The name of the tool, if it is a valid one.
pub(in crate::provider) fn name_of(
    value: Option<&Value>,
    provider: Provider,
) -> Result<String, (RejectionCode, String)> {
    let name = value.and_then(Value::as_str).unwrap_or_default();
    if name.is_empty() {
        return Err((RejectionCode::MissingName, "the call names no tool".to_owned()));
    }
    let name = (dialect::of(provider).tool_name)(name);
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:/-".contains(&byte);
    if name.len() > 128 || !name.bytes().all(allowed) {
        let message = "the name is not of the form [A-Za-z0-9_.:/-]{1,128}".to_owned();
        return Err((RejectionCode::BadName, message));
    }
    Ok(name)
}

/// Makes a call; a call without an id gets a new one.
pub(in crate::provider) fn made(
    id: Option<String>,
    name: String,
    read: Read,
    provider: Provider,
) -> ToolCall {
    let Read { json, notes } = read;
    ToolCall {
        id_given: id.is_some(),
        id: id.unwrap_or_else(|| format!("call_{}", Uuid::now_v7().simple())).into(),
        index: 0,
        name,
        arguments: Arguments::Made(json.into_boxed_str()),
        format: provider.slug(),
        span: Span::default(),
        status: if notes.iter().any(is_repair) { Status::Repaired } else { Status::Complete },
        diagnostics: notes,
        provider_data: None,
    }
}

fn is_repair(note: &Diagnostic) -> bool {
    note.code.is_repair()
}
