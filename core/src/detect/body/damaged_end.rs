//! The end tag of a value that is damaged, as `</parameter1>` or `</arg_val>`.

use memchr::{memmem, memrchr};

use crate::call::Span;
use crate::detect::format::marker::Marker;
use crate::detect::format::near_letters::edits;

/// The longest damaged end tag, in bytes.
const LONGEST: usize = 64;
/// The fewest letters by which a damaged tag is known.
const FEWEST: usize = 4;

/// The damaged end tag with which a value ends.
///
/// A tag whose letters are nearly those of an end tag, and which closes nothing in the value, is no
/// text of it.
pub(super) fn damaged_end(input: &[u8], value: Span, close: &[Marker]) -> Option<Span> {
    let text = value.of(input).trim_ascii_end();
    let from = text.len().saturating_sub(LONGEST);
    let at = from + memrchr(b'<', text.get(from..)?)?;
    let tag = text.get(at + 1..)?;
    let slashes = tag.iter().take_while(|byte| matches!(byte, b'/' | b'\\' | b' ')).count();
    let (slashes, name) = tag.split_at_checked(slashes)?;
    let name = name.strip_suffix(b">").unwrap_or(name);
    let is_tag = slashes.contains(&b'/') && !name.iter().any(|byte| b"\n\r\"'>".contains(byte));
    let letters = letters(name);
    let is_near = |marker: &Marker| is_near(&letters, &letters_of(marker));
    if !is_tag || letters.len() < FEWEST || !close.iter().any(is_near) {
        return None;
    }
    let opens = [b"<", name].concat();
    memmem::find(text, &opens)
        .is_none()
        .then(|| Span::new(value.start + at, value.start + text.len()))
}

/// The end tag of the parameter's own name with which a value ends, as `</path>`: what stands round
/// it, or its right form, is lost. It closes nothing in the value.
pub(super) fn end_of_name(input: &[u8], value: Span, key: &[u8]) -> Option<Span> {
    let is_left = |byte: &u8| byte.is_ascii_whitespace() || b"[]<>".contains(byte);
    let text = value.of(input);
    let behind = text.iter().rev().take(LONGEST).take_while(|byte| is_left(byte)).count();
    let (text, left) = text.split_at_checked(text.len() - behind)?;
    let start = text.strip_suffix(key)?.strip_suffix(b"</")?.len();
    let is_open = memmem::find(text, &[b"<", key].concat()).is_some();
    let is_tag = !key.is_empty() && left.starts_with(b">") && !is_open;
    is_tag.then(|| Span::new(value.start + start, value.end))
}

/// Whether letters are those of a tag but for one, or begin like it.
fn is_near(letters: &[u8], known: &[u8]) -> bool {
    known.len() >= FEWEST
        && (letters.starts_with(known)
            || known.starts_with(letters)
            || edits(letters, known).is_some())
}

/// The letters of a marker, without those that stand for others.
fn letters_of(marker: &Marker) -> Vec<u8> {
    let mut is_hole = false;
    let written = marker.written().bytes().filter(|byte| {
        is_hole = *byte == b'{' || is_hole && *byte != b'}';
        !is_hole
    });
    letters(&written.collect::<Vec<_>>())
}

fn letters(text: &[u8]) -> Vec<u8> {
    text.iter().filter(|byte| byte.is_ascii_alphabetic()).map(u8::to_ascii_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(value: &str, close: &str) -> Option<String> {
        let close = [Marker::parse(close).unwrap()];
        let whole = Span::new(0, value.len());
        damaged_end(value.as_bytes(), whole, &close).map(|end| value[end.start..end.end].to_owned())
    }

    #[test]
    fn a_damaged_end_tag_is_told_from_text() {
        for tag in [
            "</parameter1>",
            "</parameters>",
            "</paramter>",
            "</param>",
            "<//parameter>",
            "</parameter",
            "</Parameter >",
            "< /parameter>",
            "</parameter1",
            "<\\/parameter>",
        ] {
            for value in [format!("Paris{tag}"), format!("<b>Paris</b>\n{tag}\n\n")] {
                assert_eq!(end_of(&value, "</parameter>").as_deref(), Some(tag), "{value}");
            }
        }
        assert_eq!(end_of("x</arg_val>", "</arg_value>").as_deref(), Some("</arg_val>"));
        for text in [
            "<object><param name=\"a\"></param>",
            "<parameters>1</parameters>",
            "a < b / parameter",
            "</p>",
            "</div>",
            "<parameter>",
            "write \"</parameter>\"",
            "",
            "</>",
            "</par",
        ] {
            assert_eq!(end_of(text, "</parameter>"), None, "{text}");
        }
        assert_eq!(end_of("x</name>", "</{name}>"), None);
    }

    #[test]
    fn the_end_tag_of_the_parameter_s_name_is_no_text() {
        let start = |value: &str| {
            let whole = Span::new(0, value.len());
            end_of_name(value.as_bytes(), whole, b"path").map(|end| end.start)
        };
        for tag in ["</path>", "</path>\n", "</path>]", "</path>]<]", "</path>][\n"] {
            assert_eq!(start(&format!("a.md{tag}")), Some(4), "{tag}");
        }
        for text in ["<path>a</path>", "a</pat>", "a</path", "a</path>b", "</path>b>", "path>", ""]
        {
            assert_eq!(start(text), None, "{text}");
        }
    }
}
