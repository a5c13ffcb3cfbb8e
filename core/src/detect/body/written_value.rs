//! A value as it is written between its tags.

use memchr::memmem;

use crate::call::Span;
use crate::detect::format::shape::Parameter;

/// The text that a value stands for, as it is written between its tags.
pub(crate) fn text_of<'t>(parameter: &Parameter, written: &'t [u8]) -> &'t [u8] {
    let mut value = Span::new(0, written.len());
    if parameter.trim_lines {
        value = without_lines(written, value);
    }
    without_cdata(value.of(written))
}

/// The value without the line breaks that belong to the markup, one on each side.
///
/// A line break in front of the end belongs to the markup only where one follows the opening.
pub(super) fn without_lines(input: &[u8], value: Span) -> Span {
    let text = value.of(input);
    let front = if text.starts_with(b"\r\n") { 2 } else { usize::from(text.starts_with(b"\n")) };
    let rest = text.get(front..).unwrap_or_default();
    let back = match front {
        0 => 0,
        _ if rest.ends_with(b"\r\n") => 2,
        _ => usize::from(rest.ends_with(b"\n")),
    };
    Span::new(value.start + front, value.end - back)
}

/// The value without the marks of a CDATA section round it.
pub(super) fn without_cdata(text: &[u8]) -> &[u8] {
    let inner =
        text.trim_ascii().strip_prefix(b"<![CDATA[").and_then(|text| text.strip_suffix(b"]]>"));
    inner.unwrap_or(text)
}

/// Whether an end tag in the value was taken for text.
pub(super) fn hides_end(parameter: &Parameter, value: &[u8], key: &[u8]) -> bool {
    parameter.close.iter().any(|close| {
        let mut places = memmem::find_iter(value, close.lead());
        places.any(|at| {
            matches!(close.at(value.get(at..).unwrap_or_default(), key, true), Ok(Some(_)))
        })
    })
}

/// The length of a value without the white space at its end, which may belong to the markup.
pub(super) fn solid(value: &[u8]) -> usize {
    value.trim_ascii_end().len()
}
