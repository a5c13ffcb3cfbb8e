//! The names that a tool may have.

/// The longest name, in bytes.
pub(crate) const MAX_NAME: usize = 128;

/// Whether a tool's name may hold each byte. Names are read byte by byte, and a look into a table
/// takes a third of the time of the comparisons.
#[allow(clippy::indexing_slicing, reason = "the table has a place for each byte")]
const NAME_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < u8::MAX {
        let is_mark = matches!(byte, b'_' | b'.' | b':' | b'/' | b'-');
        table[byte as usize] = byte.is_ascii_alphanumeric() || is_mark;
        byte += 1;
    }
    table
};

/// Whether a tool's name may hold the byte.
#[inline]
pub(crate) fn is_name_byte(byte: u8) -> bool {
    NAME_BYTES.get(usize::from(byte)).copied().unwrap_or_default()
}
