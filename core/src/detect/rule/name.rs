//! The names that a tool may have.

/// The longest name, in bytes.
pub(crate) const MAX_NAME: usize = 128;

/// Whether a tool's name may hold the byte.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'/' | b'-')
}
