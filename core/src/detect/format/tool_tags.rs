//! Formats in which the tag of a call is the name of its tool: `<read_file>…</read_file>`.
//!
//! Any name could open such a call, and HTML is full of tags. So only the tools of the program open
//! one, and those that the format names. For the search, such a format becomes one format for each
//! name, with markers like those of any other.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Body, CallShape, Marked, NamePlace, Syntax};
use crate::detect::format::{Data, Format};
use crate::detect::rule::name::{MAX_NAME, is_name_byte};

/// What a definition must be that has `call.names`.
pub(super) const MUST_BE_PLAIN: &str = concat!(
    "call.names needs the body \"tagged\" without a wrapper, and in call and parameter the open ",
    "\"<\", the end \">\" and the close \"</{name}>\"",
);

/// Whether calls and parameters are elements whose tags hold nothing but a name.
pub(super) fn are_plain(call: &CallShape, body: &Body) -> bool {
    let Body::Tagged(parameter) = body else { return false };
    let is = |markers: &[Marker], text: &str| matches!(markers, [one] if one.written() == text);
    let is_element = |open: &[Marker], end: &[Marker], close: &[Marker]| {
        is(open, "<") && is(end, ">") && is(close, "</{name}>")
    };
    call.name.place == NamePlace::Inline
        && parameter.key == NamePlace::Inline
        && !parameter.nested
        && is_element(&call.open, &call.name_end, &call.close)
        && is_element(&parameter.open, &parameter.key_end, &parameter.close)
}

/// Names in the order in which they are looked up.
pub(super) fn sorted(mut names: Vec<Box<str>>) -> Arc<[Box<str>]> {
    names.sort_unstable();
    names.dedup();
    names.into()
}

/// The formats, each of those whose tags are names of tools as one format for each name: those of
/// `tools`, and those of the format.
pub(crate) fn with_tags_of<'t>(
    formats: Vec<Format>,
    tools: impl Fn() -> Vec<&'t str>,
) -> Vec<Format> {
    let each = |format: Format| match &format.data.syntax {
        Syntax::Marked(marked) if !marked.call.names.is_empty() => {
            of_names(&format.data, marked, &tools())
        }
        _ => vec![format],
    };
    formats.into_iter().flat_map(each).collect()
}

fn of_names(data: &Data, marked: &Marked, tools: &[&str]) -> Vec<Format> {
    let is_name = |name: &&str| {
        name.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_')
            && !name.ends_with('/')
            && name.len() <= MAX_NAME
            && name.bytes().all(is_name_byte)
    };
    let own = marked.call.names.iter().map(|name| &**name);
    let all: BTreeSet<&str> = own.chain(tools.iter().copied().filter(is_name)).collect();
    let names: Arc<[Box<str>]> = all.iter().map(|name| Box::from(*name)).collect();
    let format = |name: &str| {
        let call = of_name(&marked.call, name, &names)?;
        let syntax = Syntax::Marked(Box::new(Marked { call, ..marked.clone() }));
        let (models, example) = (data.models.clone(), data.example.clone());
        Some(Format { data: Arc::new(Data { slug: data.slug, models, example, syntax }) })
    };
    all.iter().filter_map(|name| format(name)).collect()
}

/// The markers of the calls of one tool.
fn of_name(call: &CallShape, name: &str, names: &Arc<[Box<str>]>) -> Option<CallShape> {
    let mut call = CallShape { names: Arc::clone(names), ..call.clone() };
    call.open = vec![Marker::parse(&format!("<{name}>")).ok()?];
    call.close = vec![Marker::parse(&format!("</{name}>")).ok()?];
    call.name_end = Vec::new();
    call.name.place = NamePlace::Tag;
    Some(call)
}
