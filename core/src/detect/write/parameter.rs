//! Writes tagged parameters: `<parameter=city>Rome</parameter>`.

use std::borrow::Cow;

use crate::detect::body::written_value::text_of;
use crate::detect::format::marker::Marker;
use crate::detect::format::reference::encoded;
use crate::detect::format::shape::{NamePlace, Parameter};
use crate::detect::write::json::ExactJson;
use crate::detect::write::layout::{KIND, KindWords, NAME, Tagged, fill};
use crate::detect::write::plain::spelled;
use crate::detect::write::value::{Escapes, Notation, Style};

/// The style of values that are no texts.
const JSON: Style = Style { notation: Notation::Json, spaced: true };

/// Appends one parameter.
pub(super) fn push_parameter(
    out: &mut String,
    (layout, parameter): (&Tagged, &Parameter),
    (key, value): (&str, &ExactJson),
    escapes: Escapes,
) {
    let (mut front, mut middle) = (layout.front.clone(), layout.middle.clone());
    let is_attribute = matches!(parameter.key, NamePlace::Attribute(_));
    let key = &*if is_attribute { encoded(key) } else { Cow::Borrowed(key) };
    let holes = [(NAME, key), (KIND, kind(value, layout.kinds))];
    // A key with a quote stands between quotes of the other kind.
    if key.contains('"') && front.ends_with('"') && middle.starts_with('"') {
        front.truncate(front.len() - 1);
        front.push('\'');
        middle.replace_range(..1, "'");
    }
    out.push_str(&layout.gap);
    out.push_str(&front);
    out.push_str(key);
    out.push_str(&fill(&middle, &holes));
    out.push_str(&written(layout, parameter, value, escapes));
    out.push_str(&fill(&layout.back, &holes));
}

/// The word for the type of a value.
fn kind(value: &ExactJson, words: KindWords) -> &'static str {
    match (words, value) {
        (KindWords::Flags, ExactJson::Text(_)) => "true",
        (KindWords::Flags, _) => "false",
        (KindWords::Elements, ExactJson::Text(_)) => "raw",
        (KindWords::Elements, ExactJson::Object(_)) => "dict",
        (KindWords::Elements, ExactJson::Array(_)) => "list",
        (KindWords::Elements, _) => "json",
        (KindWords::Types, _) => value.kind(),
    }
}

/// The elements of an object or an array, each with a type.
fn typed_elements(
    layout: &Tagged,
    parameter: &Parameter,
    value: &ExactJson,
    escapes: Escapes,
) -> Option<String> {
    let mut out = String::new();
    match value {
        ExactJson::Object(members) => {
            for (key, value) in members {
                push_parameter(&mut out, (layout, parameter), (key, value), escapes);
            }
        }
        ExactJson::Array(items) => {
            let spell = |markers: &[Marker]| {
                markers.first().map(|marker| spelled(marker, "", "")).unwrap_or_default()
            };
            let (open, end) = (spell(&parameter.open), spell(&parameter.key_end));
            let attribute = parameter.type_attribute.as_deref().unwrap_or_default();
            for item in items {
                let kind = kind(item, layout.kinds);
                out.extend([&*layout.gap, &open, " ", attribute, "=\"", kind, "\"", &end]);
                out.push_str(&written(layout, parameter, item, escapes));
                out.push_str(&layout.back);
            }
        }
        _ => return None,
    }
    Some(out)
}

fn written(layout: &Tagged, parameter: &Parameter, value: &ExactJson, escapes: Escapes) -> String {
    let text = match value {
        ExactJson::Text(text) => return verbatim(layout, parameter, text),
        value => {
            let open =
                parameter.open.first().map(Marker::lead).and_then(|lead| str::from_utf8(lead).ok());
            if layout.kinds == KindWords::Elements
                && let Some(elements) = typed_elements(layout, parameter, value, escapes)
            {
                return elements;
            }
            let elements = open
                .filter(|_| parameter.nested && escapes != Escapes::Many)
                .and_then(|open| elements(value, open, escapes));
            elements.unwrap_or_else(|| json(parameter, value, escapes))
        }
    };
    if layout.lines { format!("\n{text}\n") } else { text }
}

/// JSON in which no end tag of the parameter stands, since not every reader gets over one.
fn json(parameter: &Parameter, value: &ExactJson, escapes: Escapes) -> String {
    let written = |escapes| {
        let mut json = String::new();
        JSON.push(&mut json, value, escapes);
        json
    };
    let few = written(escapes);
    let holds_end = parameter
        .close
        .iter()
        .any(|close| memchr::memmem::find(few.as_bytes(), close.lead()).is_some());
    if holds_end { written(Escapes::Many) } else { few }
}

/// A text in the first form that is read as the same text.
fn verbatim(layout: &Tagged, parameter: &Parameter, text: &str) -> String {
    let lines = |text: &str| format!("\n{text}\n");
    let cdata = format!("<![CDATA[{text}]]>");
    let forms = if layout.lines {
        [lines(text), text.to_owned(), lines(&cdata)]
    } else {
        [text.to_owned(), lines(text), cdata]
    };
    let [usual, ..] = &forms;
    let same = |form: &&String| text_of(parameter, form.as_bytes()) == text.as_bytes();
    forms.iter().find(same).unwrap_or(usual).clone()
}

/// Objects and arrays as elements; `None` when they hold anything but texts, unless elements may
/// hold it.
fn elements(value: &ExactJson, open: &str, escapes: Escapes) -> Option<String> {
    let mut out = String::new();
    push_elements(&mut out, value, (open, escapes))?;
    (!matches!(value, ExactJson::Text(_))).then_some(out)
}

fn push_elements(
    out: &mut String,
    value: &ExactJson,
    (open, escapes): (&str, Escapes),
) -> Option<()> {
    let mut element = |name: &str, value: &ExactJson| {
        out.extend([open, name, ">"]);
        push_elements(out, value, (open, escapes))?;
        out.extend([open, "/", name, ">"]);
        Some(())
    };
    match value {
        ExactJson::Object(members) if !members.is_empty() => {
            members.iter().try_for_each(|(name, value)| element(name, value))
        }
        ExactJson::Array(items) if !items.is_empty() => {
            items.iter().try_for_each(|item| element("item", item))
        }
        ExactJson::Text(text) => {
            out.push_str(text);
            Some(())
        }
        other => {
            if escapes == Escapes::Elements {
                JSON.push(out, other, escapes);
            }
            (escapes == Escapes::Elements).then_some(())
        }
    }
}
