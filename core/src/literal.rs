//! Compares a text, which may be cut off, with its expected beginning.

use crate::progress::{NeedMore, Progress};

/// The length of `text`, if `rest` begins with it.
pub(crate) fn compare(text: &[u8], rest: &[u8]) -> Progress<Option<usize>> {
    if rest.starts_with(text) {
        Ok(Some(text.len()))
    } else if text.starts_with(rest) {
        Err(NeedMore)
    } else {
        Ok(None)
    }
}
