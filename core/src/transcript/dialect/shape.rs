//! Reads the arguments of known tools strictly; arguments that do not fit make the tool unknown.

use crate::json::value::Json;
use crate::transcript::action::{CallAction, FileChange, Todo};

/// A text that must be there.
pub(super) fn text(object: Json<'_>, key: &str) -> Option<String> {
    object.text_of(key).map(Into::into)
}

/// A text that must be there under exactly one of two keys.
pub(super) fn either(object: Json<'_>, one: &str, other: &str) -> Option<String> {
    match (object.get(one), object.get(other)) {
        (Some(value), None) | (None, Some(value)) => value.text().map(Into::into),
        _ => None,
    }
}

/// Checks that a value is absent, null, or fits.
pub(super) fn optional(object: Json<'_>, key: &str, fits: impl Fn(Json<'_>) -> bool) -> Option<()> {
    object.get(key).is_none_or(|value| value.is_null() || fits(value)).then_some(())
}

/// A text that may be absent or null; none if the value has another type.
#[expect(
    clippy::option_option,
    reason = "a text that is absent fits, one of another type does not"
)]
pub(super) fn optional_text(object: Json<'_>, key: &str) -> Option<Option<String>> {
    match object.get(key) {
        Some(value) if !value.is_null() => value.text().map(|text| Some(text.into())),
        _ => Some(None),
    }
}

/// Whether a value is a list of texts.
pub(super) fn is_texts(value: Json<'_>) -> bool {
    value.is_array() && value.items().all(Json::is_text)
}

/// The action that edits a file.
pub(super) fn file_edit(path: String, changes: Vec<FileChange>) -> CallAction {
    CallAction::FileEdit { named: path.clone(), path, changes }
}

/// The items of a list of things to do.
pub(super) fn todos(list: Json<'_>) -> Option<Vec<Todo>> {
    let todo = |item: Json<'_>| {
        optional_text(item, "id")?;
        let priority = optional_text(item, "priority")?;
        Some(Todo { content: text(item, "content")?, status: text(item, "status")?, priority })
    };
    if list.is_array() { list.items().map(todo).collect() } else { None }
}
