//! Reads the layout of a format from its example.
//!
//! An example that does not fit its format, or that is missing, is replaced by a plain one that
//! the markers give.

use crate::detect::body::opening::{Looked, Sought};
use crate::detect::format::Format;
use crate::detect::format::keys::Keys;
use crate::detect::format::shape::{
    Body, CallShape, LiteralDialect, Marked, NamePlace, Parameter, Syntax,
};
use crate::detect::rule::name::is_name_byte;
use crate::detect::write::cursor::Cursor;
use crate::detect::write::layout::{
    ArgumentsLayout, Around, CallPart, CallsLayout, Each, ID, KIND, KindWords, NUMBER,
    ObjectLayout, Tagged, WORD, WrappedCalls,
};
use crate::detect::write::plain::{plain_example, spelled};
use crate::detect::write::value::{Notation, Style};

/// The layouts to try: that of the example, and a plain one.
pub(super) fn layouts(format: &Format) -> Vec<CallsLayout> {
    let plain = match &format.data.syntax {
        Syntax::Element(_) => return Vec::new(),
        Syntax::Bare(_) => "{\"f\": {}}".to_owned(),
        Syntax::Marked(marked) => plain_example(marked),
    };
    let own = layout(format, format.example()).map(|own| {
        let between = format.data.example.between.as_deref().map(str::to_owned);
        CallsLayout { between: between.unwrap_or(own.between), ..own }
    });
    let marked = own.as_ref().and_then(|own| with_markers(format, own));
    own.into_iter().chain(marked).chain(layout(format, &plain)).collect()
}

/// The layout with the markers of the wrapper, if it lacks them.
fn with_markers(format: &Format, layout: &CallsLayout) -> Option<CallsLayout> {
    let Syntax::Marked(marked) = &format.data.syntax else { return None };
    let open = marked.wrapper.as_ref()?.open.first()?;
    let wrapper = Around { front: spelled(open, WORD, ""), back: String::new() };
    layout.wrapper.front.is_empty().then(|| CallsLayout { wrapper, ..layout.clone() })
}

/// The layout of an example; `None` where it is no call of the format.
pub(super) fn layout(format: &Format, example: &str) -> Option<CallsLayout> {
    match &format.data.syntax {
        Syntax::Element(_) => None,
        Syntax::Bare(keys) => bare(keys, example),
        Syntax::Marked(marked) => marked_layout(marked, example),
    }
}

fn bare(keys: &Keys, example: &str) -> Option<CallsLayout> {
    let start = example.find(['{', '['])?;
    let end = if example.get(start..)?.starts_with('[') { ']' } else { '}' };
    let end = example.rfind(end)? + 1;
    let front = example.get(..start)?;
    Some(CallsLayout {
        outer: Around { front: front.to_owned(), back: example.get(end..)?.to_owned() },
        wrapper: Around::default(),
        apart: false,
        between: "\n".to_owned(),
        calls: WrappedCalls::Json(members(keys, example.get(start..end)?)),
    })
}

fn marked_layout(marked: &Marked, example: &str) -> Option<CallsLayout> {
    let mut cursor = Cursor::new(example);
    let (mut wrapper, mut apart) = (Around::default(), false);
    if let Some(shape) = &marked.wrapper {
        match cursor.marker(&shape.open, b"") {
            Some(open) => {
                apart = shape.single || open.contains(WORD);
                wrapper.front = open + cursor.gap();
            }
            None if marked.bare => {}
            None => return None,
        }
    }
    let calls = match &marked.body {
        Body::Json(keys) => {
            let close = marked.wrapper.as_ref().map(|shape| &*shape.close).unwrap_or_default();
            let text = cursor.until(close, b"").unwrap_or_else(|| cursor.rest());
            let members = members(keys, text.trim());
            let between = marked.wrapper.as_ref().and_then(|shape| shape.between.as_ref());
            apart |= !members.array && between.is_none();
            cursor.skip(text.trim_end());
            WrappedCalls::Json(members)
        }
        _ => WrappedCalls::Each(Box::new(each(marked, &mut cursor)?)),
    };
    if let Some(shape) = &marked.wrapper {
        wrapper.back += cursor.gap();
        wrapper.back += &cursor.marker(&shape.close, b"").unwrap_or_default();
    }
    if !cursor.rest().trim().is_empty() {
        return None;
    }
    let between = between(marked, cursor.saw_lines);
    Some(CallsLayout { outer: Around::default(), wrapper, apart, between, calls })
}

/// The text between two calls.
fn between(marked: &Marked, lines: bool) -> String {
    if let Some(between) = marked.wrapper.as_ref().and_then(|shape| shape.between.as_deref()) {
        return between.to_owned();
    }
    let open = marked.wrapper.as_ref().and_then(|wrapper| wrapper.open.first());
    let between = if lines {
        "\n"
    } else if !marked.call.open.is_empty() || matches!(marked.body, Body::Json(_)) {
        ""
    } else if open.is_some_and(|open| open.written().ends_with('[')) {
        ", "
    } else {
        "\n"
    };
    between.to_owned()
}

fn each(marked: &Marked, cursor: &mut Cursor<'_>) -> Option<Each> {
    let shape = &marked.call;
    let counts_ids = cursor.id(&shape.open).is_some_and(|id| id.parse::<usize>().is_ok());
    let mut front =
        if shape.open.is_empty() { String::new() } else { cursor.marker(&shape.open, b"")? };
    let name = match &shape.name.place {
        NamePlace::Inline => inline_name(shape, cursor)?,
        place => header(shape, place, cursor)?,
    };
    front += &name.front;
    let gap = cursor.gap().to_owned();
    let end = if shape.close.is_empty() {
        marked.wrapper.as_ref().map(|wrapper| &*wrapper.close).unwrap_or_default()
    } else {
        &shape.close
    };
    let arguments = match &marked.body {
        Body::Tagged(parameter) => ArgumentsLayout::Tagged(tagged(parameter, gap.clone(), cursor)?),
        body => {
            let text = cursor.until(end, name.text).unwrap_or_else(|| cursor.rest()).trim_end();
            cursor.skip(text);
            arguments(body, text)?
        }
    };
    let gap_behind_name = if matches!(arguments, ArgumentsLayout::Tagged(_)) { "" } else { &gap };
    let mut back = String::new();
    if !shape.close.is_empty() {
        let gap = cursor.gap();
        if let Some(close) = cursor.marker(&shape.close, name.text) {
            back = format!("{gap}{close}");
        }
    }
    Some(Each {
        front,
        middle: name.middle + gap_behind_name,
        middle_with_id: name.middle_with_id.map(|middle| middle + gap_behind_name),
        first_number: name.first_number,
        counts_ids,
        arguments,
        back,
    })
}

/// The name in an example, and what stands round it.
struct NameLayout<'e> {
    text: &'e [u8],
    front: String,
    middle: String,
    middle_with_id: Option<String>,
    first_number: usize,
}

fn inline_name<'e>(shape: &CallShape, cursor: &mut Cursor<'e>) -> Option<NameLayout<'e>> {
    cursor.rest().strip_prefix(&*shape.name.prefix)?;
    cursor.skip(&shape.name.prefix);
    let name = cursor.while_not(&shape.name_end, is_name_byte);
    if name.is_empty() {
        return None;
    }
    let parts = name.rsplit_once(':').filter(|_| shape.name.numbered);
    let number = parts.and_then(|(_, number)| number.parse().ok());
    let mut middle = if shape.name.numbered { format!(":{NUMBER}") } else { String::new() };
    let with_id = shape.name_end.iter().find(|end| end.written().contains(ID));
    let with_id = with_id.map(|end| format!("{middle}{}", spelled(end, ID, "")));
    if !shape.name_end.is_empty() {
        middle += cursor.while_not(&shape.name_end, |byte| byte.is_ascii_whitespace());
        let without = shape.name_end.iter().find(|end| !end.written().contains(ID));
        match (cursor.marker(&shape.name_end, b""), without) {
            (Some(end), _) if !end.contains(ID) => middle += &end,
            (_, Some(end)) => middle += &spelled(end, "", ""),
            (_, None) => middle += &with_id.clone()?.replace(ID, ""),
        }
    }
    Some(NameLayout {
        text: parts.map_or(name, |(name, _)| name).as_bytes(),
        front: shape.name.prefix.to_string(),
        middle,
        middle_with_id: with_id,
        first_number: number.unwrap_or_default(),
    })
}

/// The name in a header, which may hold more than the name.
fn header<'e>(
    shape: &CallShape,
    place: &NamePlace,
    cursor: &mut Cursor<'e>,
) -> Option<NameLayout<'e>> {
    let sought = Sought { place, kind: None, end: &shape.name_end };
    let Ok(Looked::Read(opening)) = sought.look(cursor.whole(), cursor.pos(), true) else {
        return None;
    };
    let name = opening.name.of(cursor.whole());
    let prefix =
        if name.starts_with(shape.name.prefix.as_bytes()) { &*shape.name.prefix } else { "" };
    let front = cursor.to(opening.name.start + prefix.len())?.to_owned();
    cursor.to(opening.name.end)?;
    let mut middle = cursor.to(opening.end)?.to_owned();
    let mut first_number = 0;
    // A number in another attribute counts the calls.
    if matches!(place, NamePlace::Attribute(_))
        && let Some((before, rest)) =
            middle.split_once("=\"").filter(|(before, _)| !before.contains('='))
        && let Some((number, behind)) = rest.split_once('"')
        && let Ok(number) = number.parse()
    {
        first_number = number;
        middle = format!("{before}=\"{NUMBER}\"{behind}");
    }
    if shape.name.numbered {
        middle = format!(":{NUMBER}{middle}");
    }
    Some(NameLayout { text: name, front, middle, middle_with_id: None, first_number })
}

fn tagged(parameter: &Parameter, gap: String, cursor: &mut Cursor<'_>) -> Option<Tagged> {
    let mut front = cursor.marker(&parameter.open, b"")?;
    let kind = parameter.type_attribute.as_deref();
    let sought = Sought { place: &parameter.key, kind, end: &parameter.key_end };
    let Ok(Looked::Read(opening)) = sought.look(cursor.whole(), cursor.pos(), true) else {
        return None;
    };
    front += cursor.to(opening.name.start)?;
    let key = cursor.to(opening.name.end)?.as_bytes();
    let mut kinds = KindWords::Types;
    let middle = match opening.kind {
        Some(span) => {
            let before = cursor.to(span.start)?;
            kinds = match cursor.to(span.end)? {
                "true" | "false" => KindWords::Flags,
                "raw" | "json" | "dict" | "list" => KindWords::Elements,
                _ => KindWords::Types,
            };
            format!("{before}{KIND}{}", cursor.to(opening.end)?)
        }
        None => cursor.to(opening.end)?.to_owned(),
    };
    let value = cursor.until(&parameter.close, key)?;
    cursor.skip(value);
    let lines = parameter.trim_lines && value.starts_with('\n') && value.ends_with('\n');
    let back = cursor.marker(&parameter.close, key)?;
    Some(Tagged { gap, front, middle, back, lines, kinds })
}

fn arguments(body: &Body, text: &str) -> Option<ArgumentsLayout> {
    Some(match body {
        Body::Named => ArgumentsLayout::Object(style(text, false)),
        Body::Literal(LiteralDialect::Python) => ArgumentsLayout::Python(style(text, true)),
        Body::Literal(LiteralDialect::Braces(quote)) => ArgumentsLayout::Object(Style {
            notation: Notation::Braces(quote.clone()),
            spaced: false,
        }),
        Body::Json(_) | Body::Tagged(_) => return None,
    })
}

/// The style of values in a text.
fn style(text: &str, python: bool) -> Style {
    let quote = text.chars().find(|character| matches!(character, '"' | '\'')).unwrap_or('"');
    let notation = if python { Notation::Python(quote) } else { Notation::Json };
    let has = |sign: &str| ['"', '\''].iter().any(|quote| text.contains(&format!("{quote}{sign}")));
    Style { notation, spaced: has(": ") || !has(":") }
}

/// The layout of an object that is a call.
fn members(keys: &Keys, text: &str) -> ObjectLayout {
    let place = |key: &str| {
        let quoted = ['"', '\''].map(|quote| format!("{quote}{key}{quote}:"));
        quoted.iter().filter_map(|quoted| text.find(quoted.as_str())).min()
    };
    let mut members = Vec::new();
    let parts = [
        (CallPart::Name, &keys.name),
        (CallPart::Arguments, &keys.arguments),
        (CallPart::Id, &keys.id),
    ];
    for (part, keys) in parts {
        let known = keys.iter().filter_map(|key| Some((place(key)?, key))).min();
        let (at, key) = known.or_else(|| Some((usize::MAX, keys.first()?))).unzip();
        members.extend(at.zip(key).map(|(at, key)| (at, part, key.clone())));
    }
    // The sort keeps the order of members that the example lacks.
    members.sort_by_key(|(at, ..)| *at);
    let members = members.into_iter().map(|(_, part, key)| (part, key)).collect();
    ObjectLayout {
        style: style(text, keys.python),
        array: text.starts_with('['),
        parts: if keys.name_is_key { Vec::new() } else { members },
    }
}
