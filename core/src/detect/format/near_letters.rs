//! Letters that are those of a token, but for one of them.

/// The fewest letters of a token of which one may be missing, one too many, or another one.
const FEWEST: usize = 6;

/// The number of letters that are missing, one too many or others, if it is at most one.
pub(crate) fn edits(found: &[u8], known: &[u8]) -> Option<usize> {
    if found == known {
        return Some(0);
    }
    if known.len() < FEWEST || found.len().abs_diff(known.len()) > 1 {
        return None;
    }
    one_edit(found, known).then_some(1)
}

/// The fewest letters of the end of a token of which one may be damaged.
const FEWEST_AT_END: usize = 3;

/// Whether the letters are the last ones of the token, but for one of them.
pub(crate) fn is_end(letters: &[u8], known: &[u8]) -> bool {
    let damaged = letters.len() >= FEWEST_AT_END;
    known.ends_with(letters)
        || damaged
            && (letters.len() - 1..=letters.len() + 1).any(|length| {
                let at = known.len().checked_sub(length);
                at.and_then(|at| known.get(at..)).is_some_and(|end| one_edit(letters, end))
            })
}

/// Whether one letter makes the difference.
fn one_edit(found: &[u8], known: &[u8]) -> bool {
    let same = found.iter().zip(known).take_while(|(one, other)| one == other).count();
    let rest = |text: &[u8], from: usize| text.get(from..).unwrap_or_default().to_vec();
    match found.len().cmp(&known.len()) {
        std::cmp::Ordering::Less => rest(found, same) == rest(known, same + 1),
        std::cmp::Ordering::Greater => rest(found, same + 1) == rest(known, same),
        std::cmp::Ordering::Equal => rest(found, same + 1) == rest(known, same + 1),
    }
}
