//! The ids of calls: those that the text writes, and new ones.

use uuid::Uuid;
use uuid::fmt::Simple;

/// What stands before the UUID of a new id.
const PREFIX: &str = "call_";

/// The number of digits that count.
const COUNTED: usize = 8;

/// The number of characters of a new id.
const LENGTH: usize = PREFIX.len() + Simple::LENGTH;

/// New ids for the calls of one text.
///
/// An id is a UUID v7. The first call's is made with a clock and a source of random bytes; each
/// later one counts up from it, so the ids are in the order of the calls. Only the 32 last bits
/// count: they are random in the first id, and what stands before them differs from text to text.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewIds {
    last: Option<LastId>,
}

/// The id that was made last.
#[derive(Clone, Debug)]
struct LastId {
    characters: [u8; LENGTH],
    /// The bits that count.
    number: u32,
}

impl NewIds {
    /// An id for a call for which the text writes none.
    pub(crate) fn next_id(&mut self) -> String {
        let last = match &mut self.last {
            Some(last) => {
                last.count_up();
                last
            }
            none => none.insert(LastId::of(Uuid::now_v7())),
        };
        str::from_utf8(&last.characters).unwrap_or_default().to_owned()
    }
}

impl LastId {
    fn of(uuid: Uuid) -> Self {
        let [.., first, second, third, fourth] = uuid.into_bytes();
        let mut characters = [0; LENGTH];
        let (prefix, digits) = characters.split_at_mut(PREFIX.len());
        prefix.copy_from_slice(PREFIX.as_bytes());
        uuid.simple().encode_lower(digits);
        Self { characters, number: u32::from_be_bytes([first, second, third, fourth]) }
    }

    fn count_up(&mut self) {
        self.number = self.number.wrapping_add(1);
        for (place, character) in self.characters.iter_mut().rev().take(COUNTED).enumerate() {
            let digit = self.number >> (4 * place) & 0xF;
            *character = b"0123456789abcdef".get(digit as usize).copied().unwrap_or_default();
        }
    }
}

/// The id that the text writes; `None` for a blank one.
pub(crate) fn written_id(id: &[u8]) -> Option<String> {
    let id = String::from_utf8_lossy(id.trim_ascii()).into_owned();
    Some(id).filter(|id| !id.is_empty())
}

/// Whether a name is an id as servers make them: `call_` and hexadecimal digits.
pub(crate) fn is_new_id(name: &str) -> bool {
    let Some(digits) = name.strip_prefix(PREFIX) else { return false };
    let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    digits.len() >= COUNTED && hexadecimal && digits.bytes().any(|byte| byte.is_ascii_digit())
}

/// The tool's name in an id that is made of it: `functions.f:1` and `functions_f_1` hold `f`.
pub(crate) fn name_in_id(id: &str) -> Option<&str> {
    let named = id.strip_prefix("functions")?.strip_prefix(['.', '_', ':'])?;
    let name = named.trim_end_matches(|last: char| last.is_ascii_digit());
    Some(name.strip_suffix(['.', '_', ':']).filter(|_| name.len() < named.len()).unwrap_or(named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_text_count_up_and_those_of_two_texts_differ() {
        let (mut one, mut other) = (NewIds::default(), NewIds::default());
        let ids: Vec<_> = (0..1000).map(|_| one.next_id()).collect();
        let uuid = |id: &String| Uuid::parse_str(id.strip_prefix(PREFIX).unwrap()).unwrap();
        assert!(ids.iter().map(uuid).all(|uuid| uuid.get_version_num() == 7));
        assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), ids.len());
        assert!((0..1000).all(|_| !ids.contains(&other.next_id())));
    }

    #[test]
    fn counting_starts_again_behind_the_last_number() {
        let last = LastId::of(Uuid::from_u128(0x0123_4567_89ab_7def_8123_4567_ffff_fffe));
        let mut ids = NewIds { last: Some(last) };
        assert_eq!(ids.next_id(), "call_0123456789ab7def81234567ffffffff");
        assert_eq!(ids.next_id(), "call_0123456789ab7def8123456700000000");
        assert_eq!(ids.next_id(), "call_0123456789ab7def8123456700000001");
    }
}
