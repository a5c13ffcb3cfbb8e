//! Finds the contents of elements that secrets name: `<password>x</password>`.

use std::ops::Range;

use memchr::memmem::find_iter;
use memchr::memrchr;

use super::key::SecretKeys;
use super::value::{LONGEST_VALUE, bare_name, hides};

/// The most bytes of a start tag.
const LONGEST_TAG: usize = 256;

/// The content of the element whose start tag ends here, if its end tag is near:
/// `<password>x</password>`.
pub(super) fn content(text: &[u8], end: &Range<usize>, keys: &SecretKeys) -> Option<Range<usize>> {
    let near = text.get(end.start.saturating_sub(LONGEST_TAG)..end.start)?;
    let tag = near.get(memrchr(b'<', near)? + 1..)?;
    let name = tag.split(u8::is_ascii_whitespace).next()?;
    let local = name.rsplit(|byte| *byte == b':').next()?;
    let is_name = !name.is_empty() && bare_name(local).len() == local.len();
    if !is_name || tag.ends_with(b"/") || !hides(keys, local) {
        return None;
    }
    let rest = text.get(end.end..)?;
    let rest = rest.get(..LONGEST_VALUE).unwrap_or(rest);
    let is_end = |at: &usize| {
        let tag = rest.get(at + 2..).and_then(|tag| tag.split_at_checked(name.len()));
        tag.is_some_and(|(other, behind)| {
            let is_whole = behind.first().is_some_and(|byte| b" \t\r\n>".contains(byte));
            is_whole && other.eq_ignore_ascii_case(name)
        })
    };
    let length = find_iter(rest, b"</").find(is_end)?;
    Some(end.end..end.end + length)
}
