//! VS Code's Copilot Chat: its sessions, as a document or as a log of changes to one.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::json::parse::parse_json;
use crate::json::value::Json;
use crate::transcript::about::About;
use crate::transcript::dialect::call::CallParts;
use crate::transcript::dialect::field::{at, first, has, list_in, moment, text_at};
use crate::transcript::dialect::nested::nested;
use crate::transcript::dialect::outcome::{CallEnding, ResultParts, words};
use crate::transcript::dialect::say::{say, session};
use crate::transcript::dialect::{Dialect, Give, WHOLE};
use crate::transcript::event::{LogEvent, Role};

/// How many bytes of changes a session may have; it is held until its end, as a document is.
const MOST: usize = 1 << 30;

/// The reader of the sessions.
#[derive(Debug, Default)]
pub(super) struct VsCodeChat {
    /// The session that the changes have built so far.
    state: Option<Value>,
    /// How many bytes the changes had since the last whole state.
    bytes: usize,
}

impl Dialect for VsCodeChat {
    fn weigh(record: Json<'_>) -> u32 {
        if has(record, &["requests"])
            && (has(record, &["sessionId"]) || has(record, &["requesterUsername"]))
        {
            return WHOLE;
        }
        match record.get("kind").and_then(Json::as_u64) {
            Some(0..=3) if has(record, &["v"]) || has(record, &["k"]) => 9,
            _ => 0,
        }
    }

    fn items<'a>(&self, document: Json<'a>) -> Option<Json<'a>> {
        list_in(document, &["requests"])
    }

    fn header<'a>(&mut self, document: Json<'a>, give: Give<'_, 'a>) {
        session(document, &["sessionId"], give);
    }

    fn read<'a>(&mut self, record: Json<'a>, give: Give<'_, 'a>) -> bool {
        if let Some(kind) = record.get("kind").and_then(Json::as_u64) {
            return self.change(kind, record);
        }
        if !has(record, &["message"]) {
            return false;
        }
        request(record, give);
        true
    }

    fn finish(&mut self, give: Give<'_, 'static>) {
        let Some(state) = self.state.take() else { return };
        nested(&state.to_string(), give, &mut |state, give| {
            session(state, &["sessionId"], give);
            for one in state.get("requests").into_iter().flat_map(Json::items) {
                request(one, give);
            }
        });
    }
}

impl VsCodeChat {
    /// A change of the session: the whole, one value, the end of a list, or one value less.
    fn change(&mut self, kind: u64, record: Json<'_>) -> bool {
        self.bytes = if kind == 0 { 0 } else { self.bytes };
        self.bytes += record.raw().len();
        if self.bytes > MOST {
            return false;
        }
        let value = record.get("v").and_then(|value| parse_json(value.raw().as_bytes()).ok());
        if kind == 0 {
            self.state = value;
            return true;
        }
        let Some(path) = record.get("k").and_then(|path| parse_json(path.raw().as_bytes()).ok())
        else {
            return false;
        };
        let keys = path.as_array().map(Vec::as_slice).unwrap_or_default();
        let state = self.state.get_or_insert_with(|| Value::Object(Map::new()));
        let Some((last, way)) = keys.split_last() else { return false };
        let Some(parent) = way.iter().try_fold(state, |inner, key| step(inner, key)) else {
            return false;
        };
        match kind {
            3 => {
                let key = last.as_str().unwrap_or_default();
                parent.as_object_mut().is_some_and(|fields| fields.remove(key).is_some())
            }
            2 => step(parent, last).is_some_and(|list| {
                if list.is_null() {
                    *list = Value::Array(Vec::new());
                }
                let Some(items) = list.as_array_mut() else { return false };
                let kept = record.get("i").and_then(Json::as_u64);
                if let Some(kept) = kept.and_then(|kept| usize::try_from(kept).ok()) {
                    items.truncate(kept);
                }
                items.extend(value.as_ref().and_then(Value::as_array).cloned().unwrap_or_default());
                true
            }),
            _ => step(parent, last).is_some_and(|place| {
                *place = value.unwrap_or_default();
                true
            }),
        }
    }
}

/// The value under a key or an index; a missing member is made.
fn step<'v>(value: &'v mut Value, key: &Value) -> Option<&'v mut Value> {
    if let Value::String(key) = key {
        return Some(value.as_object_mut()?.entry(key.clone()).or_insert(Value::Null));
    }
    let place = usize::try_from(key.as_u64()?).ok()?;
    let list = value.as_array_mut()?;
    if place == list.len() {
        list.push(Value::Null);
    }
    list.get_mut(place)
}

/// The calls that the rounds of a request name in full, by their id.
type Rounds<'a> = HashMap<Cow<'a, str>, Json<'a>>;

/// A request: what the person asked, and all that came of it.
fn request<'a>(one: Json<'a>, give: Give<'_, 'a>) {
    let when = one.get("timestamp").and_then(moment);
    let model = one.text_of("modelId").map(|model| Box::from(&*model));
    give(LogEvent::About(About { at: when, model, ..About::default() }));
    let asked = text_at(one, &["message", "text"]).or_else(|| one.text_of("message"));
    if let Some(text) = asked {
        say(Role::User, text, give);
    }
    let meta = at(one, &["result", "metadata"]);
    let mut rounds = Rounds::new();
    let mut order = Vec::new();
    let all = meta.and_then(|meta| meta.get("toolCallRounds")).into_iter().flat_map(Json::items);
    for call in all.flat_map(|round| round.get("toolCalls").into_iter().flat_map(Json::items)) {
        if let Some(id) = call.text_of("id") {
            order.push(id.clone());
            rounds.insert(id, call);
        }
    }
    let results = meta.and_then(|meta| meta.get("toolCallResults"));
    let mut words = String::new();
    for part in one.get("response").into_iter().flat_map(Json::items) {
        match part.text_of("kind").as_deref() {
            None => words.push_str(&part.text_of("value").unwrap_or_default()),
            Some("thinking") => {
                let text = part.get("value").and_then(crate::transcript::dialect::outcome::words);
                say(Role::Thinking, text.unwrap_or_default(), give);
            }
            Some("inlineReference" | "codeblockUri" | "undoStop") => {}
            Some("toolInvocationSerialized") => {
                say(Role::Assistant, std::mem::take(&mut words), give);
                let id = part.text_of("toolCallId").unwrap_or_default();
                invocation(part, rounds.remove(&id), results, when, give);
            }
            Some(kind) => give(LogEvent::Skipped(kind.to_owned().into())),
        }
    }
    say(Role::Assistant, words, give);
    for call in order.iter().filter_map(|id| rounds.remove(id)) {
        give(called(call, when));
        let id = call.text_of("id").unwrap_or_default();
        if let Some(text) = results.and_then(|results| given(results, &id)) {
            let ending = CallEnding::Success;
            give(ResultParts { id: Some(id), name: None, at: None, ending }.saying(text.into()));
        }
    }
    if let Some(text) = text_at(one, &["result", "errorDetails", "message"]) {
        give(LogEvent::Message { role: Role::Error, text });
    }
}

fn called(call: Json<'_>, at: Option<i64>) -> LogEvent<'_> {
    let name = call.text_of("name").unwrap_or_default();
    let id = call.text_of("id").unwrap_or_default();
    CallParts { id, name, arguments: call.get("arguments"), at }.of_agent()
}

/// A call as the response shows it, with its result.
fn invocation<'a>(
    part: Json<'a>,
    call: Option<Json<'a>>,
    results: Option<Json<'a>>,
    when: Option<i64>,
    give: Give<'_, 'a>,
) {
    let id = part.text_of("toolCallId").unwrap_or_default();
    if let Some(call) = call {
        give(called(call, when));
    } else {
        let name = part.text_of("toolId").unwrap_or_default();
        let specific = part.get("toolSpecificData");
        let arguments = specific
            .and_then(|data| first(data, &["rawInput", "commandLine"]))
            .or_else(|| at(part, &["resultDetails", "input"]));
        give(CallParts { id: id.clone(), name, arguments, at: when }.of_agent());
    }
    let confirmed = part.get("isConfirmed");
    let kind = confirmed.and_then(|confirmed| confirmed.get("type")).and_then(Json::as_u64);
    let code = at(part, &["toolSpecificData", "terminalCommandState", "exitCode"]);
    let code = code.and_then(Json::as_i64).and_then(|code| i32::try_from(code).ok());
    let error = part.text_of("resultError");
    let is_error = at(part, &["resultDetails", "isError"]).and_then(Json::as_bool);
    let ending = match kind {
        Some(0) => CallEnding::Denied,
        _ if confirmed.and_then(Json::as_bool) == Some(false) => CallEnding::Denied,
        Some(5) => CallEnding::Cancelled,
        _ => CallEnding::failed(error.is_some() || is_error.unwrap_or_default()),
    };
    let text = results.and_then(|results| given(results, &id)).map(Cow::Owned);
    let shown = text_at(part, &["toolSpecificData", "terminalCommandOutput", "text"]);
    let output = at(part, &["resultDetails", "output"]).and_then(|output| {
        let texts: Vec<_> = output.items().filter_map(|one| one.text_of("value")).collect();
        (!texts.is_empty()).then(|| Cow::Owned(texts.join("\n")))
    });
    let parts = ResultParts { id: Some(id), name: None, at: None, ending };
    match (error.or(text).or(shown).or(output), code) {
        (text, Some(code)) => give(parts.of_command(text.unwrap_or_default(), Some(code))),
        (Some(text), None) => give(parts.saying(text)),
        (None, None) if ending != CallEnding::Success => give(parts.saying("".into())),
        (None, None) => {}
    }
}

/// What a call gave, by its id: texts, and texts in trees of nodes.
fn given(results: Json<'_>, id: &str) -> Option<String> {
    let result = results.get(id)?;
    let mut texts = Vec::new();
    for part in result.get("content").into_iter().flat_map(Json::items) {
        match part.get("value") {
            Some(value) if value.is_text() => texts.extend(value.text().map(Cow::into_owned)),
            Some(value) => collect(value, &mut texts, 0),
            None => texts.extend(words(part).map(Cow::into_owned)),
        }
    }
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The texts in a tree of nodes.
fn collect(node: Json<'_>, texts: &mut Vec<String>, depth: usize) {
    if depth > 64 {
        return;
    }
    if let Some(text) = node.text_of("text") {
        texts.push(text.into_owned());
    }
    for item in node.items() {
        collect(item, texts, depth + 1);
    }
    for key in ["node", "children"] {
        if let Some(inner) = node.get(key) {
            collect(inner, texts, depth + 1);
        }
    }
}
