//! Framing tokens with white space between them.

use crate::detect::format::marker::Marker;
use crate::progress::Progress;

/// Passes white space and the framing tokens in it.
pub(super) fn pass_frames(
    frames: &[Marker],
    pos: &mut usize,
    input: &[u8],
    finished: bool,
) -> Progress<()> {
    loop {
        while input.get(*pos).is_some_and(u8::is_ascii_whitespace) {
            *pos += 1;
        }
        let rest = input.get(*pos..).unwrap_or_default();
        match Marker::first(frames, rest, b"", finished)? {
            Some(length) => *pos += length,
            None => return Ok(()),
        }
    }
}
