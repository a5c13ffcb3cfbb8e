//! Which of many names are nearest to one that is not known.

use std::cmp::Reverse;

/// The names that are nearest to this one, the nearest first, and of equals in their order.
pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let name: Vec<char> = name.chars().collect();
    let mut names: Vec<_> = names.map(|other| (Reverse(likeness(&name, other)), other)).collect();
    names.sort_unstable();
    names.into_iter().map(|(_, other)| other).collect()
}

/// How many characters a name and another one have in common, in the same order; in parts of a
/// million of both names.
fn likeness(one: &[char], other: &str) -> usize {
    let mut row = vec![0_usize; one.len()];
    let mut length = 0;
    for next in other.chars() {
        let (mut corner, mut left) = (0, 0);
        for (above, known) in row.iter_mut().zip(one) {
            let best = if *known == next { corner + 1 } else { left.max(*above) };
            (corner, left, *above) = (*above, best, best);
        }
        length += 1;
    }
    let common = row.last().copied().unwrap_or_default();
    common * 2_000_000 / (one.len() + length).max(1)
}
