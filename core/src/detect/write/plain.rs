//! The plain example of a format, made of its markers.

use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Body, CallShape, LiteralDialect, Marked, NamePlace, Parameter};
use crate::detect::write::layout::{ID, NAME, WORD, fill};

/// The name of the call in a plain example.
const CALL: &str = "f";
/// The name of the parameter in a plain example.
const KEY: &str = "k";

/// A marker as it is written, with the least white space.
pub(super) fn spelled(marker: &Marker, word: &str, name: &str) -> String {
    let written = marker.written();
    let written = written.split_once("{ahead}").map_or(written, |(belongs, _)| belongs);
    let written = written.replace("{space}", "").replace("{suffix}", "");
    fill(&written, &[(WORD, word), (ID, word), (NAME, name)])
}

fn first(markers: &[Marker], name: &str) -> String {
    markers.first().map(|marker| spelled(marker, CALL, name)).unwrap_or_default()
}

/// A call of `f` with the argument `k`, as the markers of the format give it.
pub(super) fn plain_example(marked: &Marked) -> String {
    let wrapper = marked.wrapper.as_ref();
    let open = wrapper.map(|wrapper| first(&wrapper.open, CALL)).unwrap_or_default();
    let close = wrapper.map(|wrapper| first(&wrapper.close, CALL)).unwrap_or_default();
    let call = match &marked.body {
        Body::Json(_) => {
            let list = wrapper.and_then(|wrapper| wrapper.open.first());
            let list = list.is_some_and(|open| open.written().contains("{ahead}["));
            let (front, back) = if list { ("[", "]") } else { ("", "") };
            format!("{front}{{\"{CALL}\": {{}}}}{back}")
        }
        body => {
            let shape = &marked.call;
            format!("{}{}{}", opening(shape), arguments(body), first(&shape.close, CALL))
        }
    };
    [open, call, close].concat()
}

/// The opening of a call.
fn opening(shape: &CallShape) -> String {
    let end = shape.name_end.iter().find(|end| !end.written().contains(ID));
    let end = end.or(shape.name_end.first()).map(|end| spelled(end, CALL, CALL));
    let (open, end, prefix) =
        (first(&shape.open, CALL), end.unwrap_or_default(), &shape.name.prefix);
    let number = if shape.name.numbered { ":0" } else { "" };
    match &shape.name.place {
        NamePlace::Inline | NamePlace::Tag => format!("{open}{prefix}{CALL}{number}{end}"),
        NamePlace::Attribute(attribute) => {
            format!("{open} {attribute}=\"{prefix}{CALL}{number}\"{end}")
        }
        NamePlace::After(text) => format!("{open} {text}{prefix}{CALL}{number} {end}"),
    }
}

fn arguments(body: &Body) -> String {
    match body {
        Body::Literal(LiteralDialect::Python) => format!("({KEY}=\"v\")"),
        Body::Literal(LiteralDialect::Braces(quote)) => format!("{{{KEY}:{quote}v{quote}}}"),
        Body::Tagged(parameter) => tagged(parameter),
        Body::Json(_) | Body::Named => format!("{{\"{KEY}\": \"v\"}}"),
    }
}

fn tagged(parameter: &Parameter) -> String {
    let open = first(&parameter.open, KEY);
    let key = match &parameter.key {
        NamePlace::Attribute(attribute) => {
            let kind = parameter.type_attribute.as_deref().map(|kind| {
                format!(" {kind}=\"{}\"", if kind == "string" { "true" } else { "string" })
            });
            format!(" {attribute}=\"{KEY}\"{}", kind.unwrap_or_default())
        }
        NamePlace::Inline | NamePlace::After(_) | NamePlace::Tag => KEY.to_owned(),
    };
    [open, key, first(&parameter.key_end, KEY), "v".to_owned(), first(&parameter.close, KEY)]
        .concat()
}
