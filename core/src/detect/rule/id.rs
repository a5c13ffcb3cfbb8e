//! The ids of calls: those that the text writes, and new ones.

use std::sync::Arc;

use uuid::Uuid;

use crate::call_id::{CallId, FirstId, PREFIX};

/// The number of digits that count.
const COUNTED: usize = 8;

/// New ids for the calls of one text.
///
/// An id is a UUID v7. The first one is made with a clock and a source of random bytes when any id
/// of the text is asked for; each later one counts up from it, so the ids are in the order of the
/// calls. Only the 32 last bits count: they are random in the first id, and what stands before them
/// differs from text to text.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewIds {
    first: Option<Arc<FirstId>>,
    /// How many ids there are.
    count: u32,
}

impl NewIds {
    /// An id for a call for which the text writes none.
    pub(crate) fn next_id(&mut self) -> CallId {
        let made = || Arc::new(FirstId::new(|| Uuid::now_v7().as_u128()));
        let first = Arc::clone(self.first.get_or_insert_with(made));
        let number = self.count;
        self.count = number.wrapping_add(1);
        CallId::counted(first, number)
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
        let uuid = |id: &CallId| Uuid::parse_str(id.strip_prefix(PREFIX).unwrap()).unwrap();
        assert!(ids.iter().map(uuid).all(|uuid| uuid.get_version_num() == 7));
        assert_eq!(ids.iter().collect::<std::collections::HashSet<_>>().len(), ids.len());
        assert!((0..1000).all(|_| !ids.contains(&other.next_id())));
    }
}
