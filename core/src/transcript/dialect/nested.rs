//! Reads JSON that stands as a text in a record.

use crate::json::tape::Tape;
use crate::json::value::Json;
use crate::transcript::dialect::Give;

/// What reads the inner value; its events are given without borrowed texts.
pub(super) type ReadNested<'r> = dyn for<'b> FnMut(Json<'b>, Give<'_, 'b>) + 'r;

/// Reads a text as JSON; false if it is none.
pub(super) fn nested(text: &str, give: Give<'_, '_>, read: &mut ReadNested<'_>) -> bool {
    let mut tape = Tape::default();
    let Some(value) = tape.read(text.trim()) else { return false };
    read(value, &mut |event| give(event.into_owned()));
    true
}

/// Reads a value that is JSON, or a text that holds JSON; false for any other text.
pub(super) fn either<'a>(value: Json<'a>, give: Give<'_, 'a>, read: &mut ReadNested<'_>) -> bool {
    if let Some(text) = value.text() {
        return nested(&text, give, read);
    }
    read(value, give);
    true
}
