//! Finds the values that calls give to names: `define('PASSWORD', 'x')`.

use std::ops::Range;

use super::key::SecretKeys;
use super::value::{
    bare_name, behind, blanks, hides, is_quote, literal_prefix, quoted, quoted_name,
    trim_blanks_end,
};

/// Functions whose second argument is the value of the name in the first one.
const SETTERS: &[&str] = &["define", "setenv", "add_option", "update_option"];

/// The second argument of a call that sets what its first argument names, if it is in quotes:
/// `define('PASSWORD', 'x')`.
pub(super) fn argument(
    text: &[u8],
    comma: &Range<usize>,
    keys: &SecretKeys,
) -> Option<Range<usize>> {
    let before = trim_blanks_end(text.get(..comma.start)?);
    let name = quoted_name(before)?;
    let call = trim_blanks_end(before.get(..before.len().checked_sub(name.len() + 2)?)?);
    let function = bare_name(trim_blanks_end(call.strip_suffix(b"(")?));
    let is_setter = |setter: &&str| function.eq_ignore_ascii_case(setter.as_bytes());
    let rest = text.get(comma.end..)?;
    let start = blanks(rest);
    let start = start + literal_prefix(rest.get(start..)?);
    let value = rest.get(start..).filter(|value| is_quote(value))?;
    let is_secret = SETTERS.iter().any(is_setter) && hides(keys, name);
    is_secret.then(|| behind(comma.end + start, &quoted(value)))
}
