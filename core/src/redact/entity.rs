//! The named entities of HTML.

use std::collections::HashMap;
use std::sync::LazyLock;

use entities::ENTITIES;

/// The bytes of the longest entity name.
const LONGEST_NAME: usize = 31;

static CHARACTERS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let named = ENTITIES.iter().filter_map(|entity| {
        let name = entity.entity.strip_prefix('&')?.strip_suffix(';')?;
        Some((name, entity.characters))
    });
    named.collect()
});

/// The characters of an entity, by its name without `&` and `;`.
pub(crate) fn entity(name: &str) -> Option<&'static str> {
    CHARACTERS.get(name).copied()
}

/// The characters of the entity at the start of a text, whose `&` is already read, and the text
/// after it.
pub(super) fn leading_entity(text: &[u8]) -> Option<(&'static str, &[u8])> {
    let length =
        text.iter().take(LONGEST_NAME).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let (name, behind) = text.split_at_checked(length)?;
    let behind = behind.strip_prefix(b";")?;
    Some((entity(str::from_utf8(name).ok()?)?, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_longer_than_what_is_looked_at() {
        assert_eq!(CHARACTERS.keys().map(|name| name.len()).max(), Some(LONGEST_NAME));
    }

    #[test]
    fn names_are_found_with_their_semicolon() {
        assert_eq!(leading_entity(b"lt;b"), Some(("<", &b"b"[..])));
        assert_eq!(leading_entity(b"shy;"), Some(("\u{AD}", &b""[..])));
        for text in ["", ";", "lt", "lt b;", "nothing;"] {
            assert_eq!(leading_entity(text.as_bytes()), None, "{text}");
        }
    }
}
