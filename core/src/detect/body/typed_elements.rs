//! Objects and lists that are written as elements with a name and a type each:
//! `<value name="days" type="list"><value type="json">1</value></value>`.

use std::collections::HashMap;

use crate::detect::body::opening::{Looked, Opening, Sought};
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::Parameter;
use crate::detect::rule::typed::{self, Typed};
use crate::json::outcome::Tolerance;

/// Whether a type says that elements stand in the value.
pub(super) fn holds_elements(parameter: &Parameter, kind: &[u8]) -> bool {
    parameter.has_typed_elements() && matches!(kind, b"dict" | b"list")
}

/// Whether a value is of the type that its tag says. A text that opens an element is none: a tag
/// may stand in the wrong place.
pub(super) fn is_of_type(
    text: &[u8],
    kind: &[u8],
    parameter: &Parameter,
    tolerance: Tolerance,
) -> bool {
    if holds_elements(parameter, kind) {
        return of_typed_elements(text, kind, parameter, tolerance).matches;
    }
    if typed::is_text_kind(kind) {
        return !opens_element(text, parameter);
    }
    typed::of_json(text, tolerance).matches
}

/// Whether the opening of an element stands in a text.
fn opens_element(text: &[u8], parameter: &Parameter) -> bool {
    Marker::find(&parameter.open, text).is_some()
}

/// Reads the elements of a value of this type; a value that is damaged is a string.
pub(super) fn of_typed_elements(
    text: &[u8],
    kind: &[u8],
    parameter: &Parameter,
    tolerance: Tolerance,
) -> Typed {
    let mut reader = TypedElements { text, pos: 0, parameter, tolerance };
    match reader.elements(kind == b"list", tolerance.depth) {
        Some(json) if reader.pos == text.len() => Typed { json, matches: true },
        _ => Typed { json: typed::text(text), matches: false },
    }
}

/// Reads elements from their start to the end tag of what holds them.
struct TypedElements<'t> {
    text: &'t [u8],
    pos: usize,
    parameter: &'t Parameter,
    tolerance: Tolerance,
}

impl TypedElements<'_> {
    fn rest(&self) -> &[u8] {
        self.text.get(self.pos..).unwrap_or_default()
    }

    fn elements(&mut self, is_list: bool, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let mut values: Vec<(String, String)> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        loop {
            self.pos += self.rest().len() - self.rest().trim_ascii_start().len();
            if self.rest().is_empty() || self.close().is_some() {
                break;
            }
            let (name, value) = self.element(depth)?;
            match name.filter(|_| !is_list) {
                None if is_list => values.push((String::new(), value)),
                None => return None,
                // Of several with one name, the last counts.
                Some(name) => {
                    if let Some(member) = known.get(&name).and_then(|at| values.get_mut(*at)) {
                        member.1 = value;
                    } else {
                        known.insert(name.clone(), values.len());
                        values.push((name, value));
                    }
                }
            }
        }
        let parts: Vec<_> = values.into_iter().map(|(name, value)| name + &value).collect();
        let joined = parts.join(",");
        Some(if is_list { format!("[{joined}]") } else { format!("{{{joined}}}") })
    }

    /// An element: its name with a colon, if it has one, and its value as JSON.
    fn element(&mut self, depth: usize) -> Option<(Option<String>, String)> {
        let length = Marker::first(&self.parameter.open, self.rest(), b"", true).ok()??;
        let sought = Sought {
            place: &self.parameter.key,
            kind: self.parameter.type_attribute.as_deref(),
            end: &self.parameter.key_end,
        };
        let looked = sought.look(self.text, self.pos + length, true).ok()?;
        let Looked::Read(Opening { name, kind: Some(kind), end, closes: false, .. }) = looked
        else {
            return None;
        };
        self.pos = end;
        let value = match kind.of(self.text) {
            b"dict" => self.elements(false, depth)?,
            b"list" => self.elements(true, depth)?,
            kind => self.leaf(kind)?,
        };
        self.pos += self.close()?;
        let name = self.parameter.key.read(name.of(self.text));
        let name = (!name.is_empty()).then(|| typed::text(&name) + ":");
        Some((name, value))
    }

    fn leaf(&mut self, kind: &[u8]) -> Option<String> {
        let start = self.pos;
        self.pos = self.leaf_end()?;
        let text = self.text.get(start..self.pos)?;
        if typed::is_text_kind(kind) {
            return (!opens_element(text, self.parameter)).then(|| typed::text(text));
        }
        let read = typed::of_json(text, self.tolerance);
        read.matches.then_some(read.json)
    }

    /// Where the end tag stands that closes the element; elements in its text are closed again.
    fn leaf_end(&self) -> Option<usize> {
        let mut depth = 0_usize;
        let first = self.parameter.close.first()?.lead().first()?;
        for at in memchr::memchr_iter(*first, self.rest()) {
            let rest = self.rest().get(at..)?;
            if Marker::first(&self.parameter.close, rest, b"", true).ok()?.is_some() {
                let Some(left) = depth.checked_sub(1) else { return Some(self.pos + at) };
                depth = left;
            } else if Marker::first(&self.parameter.open, rest, b"", true).ok()?.is_some() {
                depth += 1;
            }
        }
        None
    }

    fn close(&self) -> Option<usize> {
        Marker::first(&self.parameter.close, self.rest(), b"", true).ok()?
    }
}
