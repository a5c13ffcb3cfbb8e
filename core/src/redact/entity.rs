//! The named entities of HTML.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The bytes of the longest entity name.
const LONGEST_NAME: usize = 31;

/// A name and the code points of its characters in each line. As text it is a fifth of what a table
/// of slices takes in a library.
const NAMED: &str = include_str!("entities.txt");

static CHARACTERS: LazyLock<HashMap<&str, String>> = LazyLock::new(|| {
    let named = NAMED.lines().filter_map(|line| {
        let (name, points) = line.split_once(' ')?;
        Some((name, points.split(' ').filter_map(character).collect()))
    });
    named.collect()
});

fn character(point: &str) -> Option<char> {
    u32::from_str_radix(point, 16).ok().and_then(char::from_u32)
}

/// The characters of an entity, by its name without `&` and `;`.
pub(crate) fn entity(name: &str) -> Option<&'static str> {
    CHARACTERS.get(name).map(String::as_str)
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
    fn the_names_and_characters_are_those_of_html() {
        let named = entities::ENTITIES.iter().filter_map(|entity| {
            let name = entity.entity.strip_prefix('&')?.strip_suffix(';')?;
            Some((name, entity.characters.to_owned()))
        });
        assert_eq!(*CHARACTERS, named.collect());
        assert_eq!(NAMED.lines().count(), CHARACTERS.len());
    }

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
