//! Puts markers round names and arguments.

use crate::detect::format::Format;
use crate::detect::format::shape::{Attributes, Body, Syntax};
use crate::detect::write::layout::{
    ArgumentsLayout, CallPart, CallsLayout, Each, ID, NAME, NUMBER, ObjectLayout, WORD,
    WrappedCalls, fill,
};
use crate::detect::write::new_call::Call;
use crate::detect::write::parameter::push_parameter;
use crate::detect::write::value::{Escapes, Notation, Style};
use crate::html::escape;

/// The calls in this layout.
pub(super) fn compose(
    format: &Format,
    layout: &CallsLayout,
    calls: &[Call<'_>],
    escapes: Escapes,
) -> String {
    let texts: Vec<_> = calls
        .iter()
        .enumerate()
        .map(|(index, call)| match &layout.calls {
            WrappedCalls::Json(members) => object(members, call, escapes),
            WrappedCalls::Each(each) => marked(format, each, index, call, escapes),
        })
        .collect();
    let (array, comma) = match &layout.calls {
        WrappedCalls::Json(members) => (members.array, members.style.comma()),
        WrappedCalls::Each(_) => (false, ""),
    };
    let wrap = |text: &str, name: &str| {
        let (front, back) = if array { ("[", "]") } else { ("", "") };
        let open = fill(&layout.wrapper.front, &[(WORD, name), (NAME, name)]);
        let close = fill(&layout.wrapper.back, &[(WORD, name), (NAME, name)]);
        format!("{open}{front}{text}{back}{close}")
    };
    let name = calls.first().map_or("", |call| call.name);
    let whole = if layout.apart {
        let wrapped = texts.iter().zip(calls).map(|(text, call)| wrap(text, call.name));
        wrapped.collect::<Vec<_>>().join(&layout.between)
    } else {
        wrap(&texts.join(if array { comma } else { &layout.between }), name)
    };
    format!("{}{whole}{}", layout.outer.front, layout.outer.back)
}

/// A call that is a JSON object.
fn object(layout: &ObjectLayout, call: &Call<'_>, escapes: Escapes) -> String {
    let style = &layout.style;
    let colon = if style.spaced { ": " } else { ":" };
    let mut out = String::from("{");
    let mut push = |key: &str, part: CallPart| {
        if part == CallPart::Id && call.id.is_none() {
            return;
        }
        out.push_str(if out.len() > 1 { style.comma() } else { "" });
        style.push_text(&mut out, key, Escapes::Few);
        out.push_str(colon);
        match part {
            CallPart::Name => style.push_text(&mut out, call.name, Escapes::Few),
            CallPart::Id => style.push_text(&mut out, call.id.unwrap_or_default(), escapes),
            CallPart::Arguments => style.push_object(&mut out, &call.arguments, escapes),
        }
    };
    if layout.parts.is_empty() {
        push(call.name, CallPart::Arguments);
    }
    layout.parts.iter().for_each(|(part, key)| push(key, *part));
    out.push('}');
    out
}

/// A call with markers of its own.
fn marked(
    format: &Format,
    layout: &Each,
    index: usize,
    call: &Call<'_>,
    escapes: Escapes,
) -> String {
    let Syntax::Marked(shape) = &format.data.syntax else { return String::new() };
    let number = match given_number(&shape.call.name.prefix, call) {
        Some(number) if shape.call.name.numbered => number.to_owned(),
        _ => (layout.first_number + index).to_string(),
    };
    // A form that writes ids in front of names needs one.
    let made = if layout.counts_ids { number.clone() } else { format!("{}_{number}", call.name) };
    let id = call.id.unwrap_or(&made);
    let name = [(NAME, call.name), (WORD, call.name), (ID, id), (NUMBER, &number)];
    let mut out = fill(&layout.front, &name);
    out.push_str(call.name);
    match (&layout.middle_with_id, call.id) {
        (Some(middle), Some(id)) => {
            out.push_str(&fill(middle, &[(NAME, call.name), (ID, id), (NUMBER, &number)]));
        }
        _ => out.push_str(&fill(&layout.middle, &name)),
    }
    match (&layout.arguments, &shape.body) {
        (ArgumentsLayout::Tagged(layout), Body::Tagged(parameter)) => {
            for (key, value) in &call.arguments {
                push_parameter(&mut out, (layout, parameter), (key, value), escapes);
            }
        }
        (ArgumentsLayout::Python(style), _) => {
            style.push_arguments(&mut out, &call.arguments, escapes);
        }
        (ArgumentsLayout::Object(style), _) => {
            style.push_object(&mut out, &call.arguments, escapes);
        }
        (ArgumentsLayout::Tagged(_), _) => {}
    }
    out.push_str(&fill(&layout.back, &name));
    out
}

/// The number in an id that a numbered name makes: `functions.add:7`.
fn given_number<'a>(prefix: &str, call: &Call<'a>) -> Option<&'a str> {
    let rest = call.id?.strip_prefix(prefix)?.strip_prefix(call.name)?.strip_prefix(':')?;
    (!rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
}

/// The calls as HTML elements with nothing in them.
pub(super) fn elements(attributes: &Attributes, calls: &[Call<'_>]) -> String {
    let style = Style { notation: Notation::Json, spaced: false };
    let element = |call: &Call<'_>| {
        let mut json = String::new();
        style.push_object(&mut json, &call.arguments, Escapes::Few);
        let class = attributes.class.as_deref().unwrap_or_default();
        let attribute = |name: &str, value: &str| format!(" {name}=\"{}\"", escape(value));
        let id = call.id.map(|id| attribute(&attributes.id, id)).unwrap_or_default();
        format!(
            "<div{}{}{}{id}></div>",
            attribute("class", class),
            attribute(&attributes.name, call.name),
            attribute(&attributes.arguments, &json),
        )
    };
    calls.iter().map(element).collect()
}
