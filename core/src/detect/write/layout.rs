//! The layout of calls: what stands round and between their parts.
//!
//! A text of a layout may have holes, each with its name in braces.

use crate::detect::write::value::Style;

/// The tool's name, in a marker.
pub(super) const NAME: &str = "{name}";
/// The word of a marker: a name or an id.
pub(super) const WORD: &str = "{word}";
/// Where the id of a call stands in the text round it.
pub(super) const ID: &str = "{id}";
/// The number of the call.
pub(super) const NUMBER: &str = "{number}";
/// The word for the type of a parameter.
pub(super) const KIND: &str = "{kind}";

/// The text on both sides of something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Around {
    pub(super) front: String,
    pub(super) back: String,
}

/// The layout of calls between markers, or of bare JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallsLayout {
    /// What stands round all calls: a line before them, a code fence.
    pub(super) outer: Around,
    pub(super) wrapper: Around,
    /// Whether each call has a wrapper of its own.
    pub(super) apart: bool,
    /// What stands between two wrappers, or two calls.
    pub(super) between: String,
    pub(super) calls: WrappedCalls,
}

/// The layout of the calls in a wrapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WrappedCalls {
    /// JSON objects with the names in them.
    Json(ObjectLayout),
    /// Calls with markers of their own.
    Each(Box<Each>),
}

/// The layout of a call that is a JSON object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObjectLayout {
    pub(super) style: Style,
    /// Whether the objects stand in an array.
    pub(super) array: bool,
    /// The members in order; empty when the name is the only key.
    pub(super) parts: Vec<(CallPart, Box<str>)>,
}

/// The part of a call that a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallPart {
    Name,
    Arguments,
    Id,
}

/// The layout of a call with markers of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Each {
    /// Everything from the start of the call to the name.
    pub(super) front: String,
    /// Everything from the name to the arguments, without an id.
    pub(super) middle: String,
    /// The same with a hole for the id, where the format has a place for it.
    pub(super) middle_with_id: Option<String>,
    /// The number of the first call.
    pub(super) first_number: usize,
    /// Whether a call without an id has its number for one.
    pub(super) counts_ids: bool,
    pub(super) arguments: ArgumentsLayout,
    /// Everything from the arguments to the end of the call.
    pub(super) back: String,
}

/// The layout of arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ArgumentsLayout {
    /// One object.
    Object(Style),
    /// The arguments of a Python call.
    Python(Style),
    Tagged(Tagged),
}

/// The layout of a tagged parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tagged {
    /// White space in front of each parameter.
    pub(super) gap: String,
    pub(super) front: String,
    /// Everything from the key to the value.
    pub(super) middle: String,
    pub(super) back: String,
    /// Whether a line break stands on each side of a value.
    pub(super) lines: bool,
    /// The words for the types of values.
    pub(super) kinds: KindWords,
}

/// The words for the types of tagged values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KindWords {
    /// `true` for text and `false` for the rest.
    Flags,
    /// Those of JSON Schema.
    Types,
    /// `raw` for text, `dict` and `list` for elements, `json` for the rest.
    Elements,
}

/// Fills the holes of a text.
pub(super) fn fill(text: &str, holes: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let next = holes.iter().filter_map(|hole| Some((rest.find(hole.0)?, hole))).min();
        let Some((at, (hole, value))) = next else { break };
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        filled.push_str(before);
        filled.push_str(value);
        rest = from.strip_prefix(hole).unwrap_or_default();
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_may_hold_the_name_of_a_hole() {
        let holes = [(NAME, "{word}"), (WORD, "x")];
        assert_eq!(fill("<{name} {word}{name}>{number}", &holes), "<{word} x{word}>{number}");
    }
}
