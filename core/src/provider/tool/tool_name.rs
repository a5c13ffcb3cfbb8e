//! The names that providers take for tools, and a name for each tool that they would refuse.
//!
//! The name is made of the tool's own name and of a hash of its id. So it is the same in
//! every process, and no second tool of a registry gets it. `docs/provider.md` names the source of
//! each rule.

use sha2::{Digest, Sha256};

use crate::provider::dialect::wordpress::ability;

/// How many digits of the hash a name ends with, and how many if that name is taken.
const DIGITS: [usize; 2] = [8, 24];

/// Which names a reader of tools takes. Letters and digits of ASCII are always allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NameRule {
    /// The longest name, in bytes.
    longest: usize,
    /// The characters beside letters and digits.
    marks: &'static str,
    /// Whether a name must begin with a letter or an underscore.
    begins_with_letter: bool,
    /// Whether a name with a slash is written as WordPress core writes an ability.
    abilities: bool,
}

impl NameRule {
    pub(in crate::provider) const CHAT: Self =
        Self { longest: 64, marks: "_-", begins_with_letter: false, abilities: false };
    pub(in crate::provider) const GEMINI: Self =
        Self { marks: "_-.", begins_with_letter: true, ..Self::CHAT };
    pub(in crate::provider) const MCP: Self = Self { longest: 128, marks: "_-.", ..Self::CHAT };
    pub(in crate::provider) const WORDPRESS: Self = Self { abilities: true, ..Self::CHAT };
    /// An identifier, which every format of calls in a text can hold.
    pub(crate) const IDENTIFIER: Self = Self { marks: "_", begins_with_letter: true, ..Self::CHAT };

    /// Every rule.
    const ALL: [Self; 5] = [Self::CHAT, Self::GEMINI, Self::IDENTIFIER, Self::MCP, Self::WORDPRESS];

    /// Whether a name is taken as it is.
    pub(crate) fn takes(self, name: &str) -> bool {
        let first = name.bytes().next().is_some_and(|byte| self.begins(byte));
        first && name.len() <= self.longest && name.bytes().all(|byte| self.allows(byte))
    }

    /// The name of a tool that is taken, if the rule has one that needs no hash.
    pub(crate) fn plain(self, name: &str) -> Option<String> {
        let name = if self.abilities { ability::to_function(name) } else { name.to_owned() };
        self.takes(&name).then_some(name)
    }

    /// The names for a tool whose own name is refused or taken, the best first.
    pub(crate) fn made(self, name: &str, id: &str) -> impl Iterator<Item = String> {
        let hash = digits(id);
        let name = name.to_owned();
        DIGITS.into_iter().map(move |count| {
            let replaced = |character: char| {
                let byte = u8::try_from(character).unwrap_or_default();
                if self.allows(byte) { character } else { '_' }
            };
            let mut stem: String = name.chars().map(replaced).collect();
            if !stem.bytes().next().is_some_and(|byte| self.begins(byte)) {
                stem.insert(0, '_');
            }
            stem.truncate(self.longest.saturating_sub(count + 1));
            format!("{stem}_{}", hash.get(..count).unwrap_or_default())
        })
    }

    fn allows(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || self.marks.as_bytes().contains(&byte)
    }

    fn begins(self, byte: u8) -> bool {
        if self.begins_with_letter {
            byte.is_ascii_alphabetic() || byte == b'_'
        } else {
            self.allows(byte)
        }
    }
}

/// Whether any rule gives the tool this name in place of its own.
pub(crate) fn is_made_for(made: &str, name: &str, id: &str) -> bool {
    let Some((_, hash)) = made.rsplit_once('_') else { return false };
    DIGITS.contains(&hash.len())
        && digits(id).starts_with(hash)
        && NameRule::ALL.iter().any(|rule| rule.made(name, id).any(|one| one == made))
}

/// Whether a name is an ability's name as a function, and the tool's name is that ability.
pub(crate) fn is_function_of(function: &str, name: &str) -> bool {
    name.contains('/') && ability::to_function(name) == function
}

/// The hash of a text, as digits.
fn digits(text: &str) -> String {
    use std::fmt::Write as _;

    Sha256::digest(text.as_bytes()).iter().fold(String::new(), |mut digits, byte| {
        // Writing to a text cannot fail.
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(rule: NameRule, name: &str) -> String {
        rule.made(name, "TYPE").next().unwrap()
    }

    #[test]
    fn every_name_that_is_made_is_taken() {
        let long = "ä".repeat(300);
        for rule in NameRule::ALL {
            for name in ["", "a b", "9lives", "a.b/c", "naïve", "\0", "-x", &long, "_", "."] {
                for made in rule.made(name, "TYPE") {
                    assert!(rule.takes(&made), "{rule:?} {name:?} {made:?}");
                    assert!(is_made_for(&made, name, "TYPE"));
                    assert!(!is_made_for(&made, name, "OTHER"));
                }
            }
        }
    }

    #[test]
    fn the_own_name_shows_in_the_made_one() {
        assert_eq!(made(NameRule::CHAT, "weather.get"), "weather_get_a90bab6f");
        assert_eq!(made(NameRule::IDENTIFIER, "2nd"), "_2nd_a90bab6f");
        assert_eq!(made(NameRule::GEMINI, "a.b c"), "a.b_c_a90bab6f");
    }

    #[test]
    fn an_ability_is_a_function() {
        let function = NameRule::WORDPRESS.plain("core/get-info").unwrap();
        assert_eq!(function, "wpab__core__get-info");
        assert!(is_function_of(&function, "core/get-info"));
        assert_eq!(NameRule::WORDPRESS.plain("a b"), None);
    }
}
