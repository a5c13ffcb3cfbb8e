//! Which formats a chat template writes, by the markers in it.
//!
//! A template may put a marker together from parts, with a name or a type in between. So a marker
//! is looked for in pieces: each tag, and each text between tags that is more than a word.

use std::collections::BTreeSet;

use crate::detect::format::Format;
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Body, Marked, NamePlace, Syntax};

/// The placeholders of a marker that may stand for nothing.
const HOLES: [&str; 10] = [
    "{space}",
    "{suffix}",
    "{ahead}",
    "{word}",
    "{id}",
    "{name}",
    "{capital}",
    "{numbers}",
    "{header}",
    "{end}",
];
/// What stands in a marker where a placeholder was.
const HOLE: &str = "\0";

/// The formats whose markers all stand in the text, without those whose markers are some of
/// another format's. One whose markers a call may lack comes first where they stand there.
pub(super) fn formats_in(text: &str) -> Vec<Format> {
    let fitting = Format::automatic().into_iter().filter_map(|format| {
        let pieces = match &format.data.syntax {
            Syntax::Marked(marked) if marked.is_of_templates() => signature(marked, text)?,
            _ => return None,
        };
        (!pieces.is_empty()).then_some((format, pieces))
    });
    let fitting: Vec<_> = fitting.collect();
    let is_part = |pieces: &BTreeSet<String>| {
        fitting.iter().any(|(_, more)| pieces.len() < more.len() && pieces.is_subset(more))
    };
    let whole = fitting.iter().filter(|(_, pieces)| !is_part(pieces));
    let mut whole: Vec<_> = whole.map(|(format, _)| format.clone()).collect();
    whole.sort_by_key(|format| !shows_optional(format, text));
    whole
}

/// Whether the text holds the markers behind a name that a call of this format may lack.
fn shows_optional(format: &Format, text: &str) -> bool {
    let Syntax::Marked(marked) = &format.data.syntax else { return false };
    marked.call.name_end_optional && any(&marked.call.name_end, None, text).is_some()
}

/// The pieces of a format's markers that the text holds; `None` if it lacks one.
fn signature(marked: &Marked, text: &str) -> Option<BTreeSet<String>> {
    let call = &marked.call;
    let mut pieces = BTreeSet::new();
    if let Some(wrapper) = &marked.wrapper {
        pieces.extend(any(&wrapper.open, None, text)?);
    }
    if !call.open.is_empty() {
        pieces.extend(any(&call.open, attribute(&call.name.place), text)?);
    }
    if let NamePlace::After(word) = &call.name.place {
        pieces.extend(text.contains(&**word).then(|| [word.to_string()])?);
    }
    if !call.name_end_optional && !call.name_end.is_empty() {
        pieces.extend(any(&call.name_end, None, text)?);
    }
    if let Body::Tagged(parameter) = &marked.body {
        // An element of a list has no name, so a template may write the name apart.
        let key = attribute(&parameter.key).filter(|_| !parameter.has_typed_elements());
        pieces.extend(any(&parameter.open, key, text)?);
        pieces.extend(any(&parameter.key_end, None, text)?);
    }
    Some(pieces)
}

fn attribute(place: &NamePlace) -> Option<&str> {
    match place {
        NamePlace::Attribute(attribute) => Some(attribute),
        NamePlace::Inline | NamePlace::After(_) | NamePlace::Tag => None,
    }
}

/// The pieces of the first marker that stands in the text.
fn any(markers: &[Marker], attribute: Option<&str>, text: &str) -> Option<Vec<String>> {
    // A marker that only looks ahead is not written, and what must follow one is not its own.
    let own = |marker: &&Marker| !marker.written().contains("{ahead}");
    let only_own = markers.iter().any(|marker| own(&marker));
    let mut written = markers
        .iter()
        .filter(|marker| !marker.written().starts_with("{ahead}") && (own(marker) || !only_own));
    written.find_map(|marker| {
        let mut written = marker.written().to_owned();
        for hole in HOLES {
            // Only an id is always written, so that it parts the text of the marker.
            written = written.replace(hole, if hole == "{id}" { HOLE } else { "" });
        }
        if let Some(attribute) = attribute {
            written = format!("{written} {attribute}=");
        }
        let parts = written.split(HOLE).flat_map(pieces);
        let pieces: Vec<_> = parts.map(str::to_owned).collect();
        pieces.iter().all(|piece| text.contains(piece)).then_some(pieces)
    })
}

/// The tags of a marker and the texts between them, without words and single characters.
fn pieces(marker: &str) -> impl Iterator<Item = &str> {
    let parts = marker.split_inclusive('>').flat_map(|part| {
        let tag = part.rfind('<').filter(|_| part.ends_with('>')).unwrap_or(0);
        let (before, tag) = part.split_at_checked(tag).unwrap_or(("", part));
        [before, tag]
    });
    parts.filter(|piece| {
        piece.trim().len() > 1 && !piece.chars().all(|letter| letter.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slugs(text: &str) -> Vec<&'static str> {
        formats_in(text).iter().map(Format::slug).collect()
    }

    #[test]
    fn formats_that_share_a_marker_are_told_apart() {
        assert_eq!(slugs("<tool_call>\n{\"name\""), ["hermes"]);
        assert_eq!(slugs("<tool_call><function=x><parameter=y>"), ["qwen3_coder"]);
        assert_eq!(slugs("<tool_call>x<arg_key>k</arg_key>\n<arg_value>"), ["glm4"]);
        assert_eq!(slugs("[TOOL_CALLS]"), ["mistral", "mistral_v11"]);
        let deepseek = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>' + type + '<｜tool▁sep｜>";
        assert_eq!(slugs(deepseek), ["deepseek_v31"]);
        assert_eq!(slugs(&format!("{deepseek}' + name + '```json")), ["deepseek_v3"]);
        assert_eq!(slugs("no markers"), [""; 0]);
    }

    #[test]
    fn each_example_has_the_signature_of_its_format() {
        for format in Format::automatic() {
            let found = slugs(format.example());
            // A template may show calls of Llama 3 without their marker.
            if format.slug() == "llama3" {
                assert_eq!(found, [""; 0]);
                continue;
            }
            let is_marked =
                matches!(&format.data.syntax, Syntax::Marked(one) if one.is_of_templates());
            assert_eq!(found.contains(&format.slug()), is_marked, "{}: {found:?}", format.slug());
        }
    }
}
