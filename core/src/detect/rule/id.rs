//! The ids of calls: those that the text writes, and new ones.

use uuid::Uuid;

/// What stands before the UUID of a new id.
const PREFIX: &str = "call_";

/// New ids for the calls of one text.
///
/// An id is a UUID v7. The first call's is made with a clock and a source of random bytes; each
/// later one counts up from it, so the ids are in the order of the calls. Only the 32 last bits
/// count: they are random in the first id, and what stands before them differs from text to text.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewIds {
    last: Option<u128>,
}

impl NewIds {
    /// An id for a call for which the text writes none.
    pub(crate) fn next_id(&mut self) -> String {
        const COUNTED: u128 = 0xFFFF_FFFF;
        let next = match self.last {
            Some(last) => last & !COUNTED | (last + 1) & COUNTED,
            None => Uuid::now_v7().as_u128(),
        };
        self.last = Some(next);
        let mut buffer = Uuid::encode_buffer();
        let digits = Uuid::from_u128(next).simple().encode_lower(&mut buffer);
        let mut id = String::with_capacity(PREFIX.len() + digits.len());
        id.push_str(PREFIX);
        id.push_str(digits);
        id
    }
}

/// The id that the text writes; `None` for a blank one.
pub(crate) fn written_id(id: &[u8]) -> Option<String> {
    let id = String::from_utf8_lossy(id.trim_ascii()).into_owned();
    Some(id).filter(|id| !id.is_empty())
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
        let mut ids = NewIds { last: Some(0x0123_4567_89ab_7def_8123_4567_ffff_ffff) };
        assert_eq!(ids.next_id(), "call_0123456789ab7def8123456700000000");
        assert_eq!(ids.next_id(), "call_0123456789ab7def8123456700000001");
    }
}
