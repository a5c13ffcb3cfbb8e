//! Which of many names are nearest to one that is not known.

use std::cmp::Reverse;

/// How alike a name must be to be suggested, in parts of a million of both names.
const ALIKE: usize = 600_000;

/// The longest unknown name that is compared, in bytes.
const LONGEST: usize = 48;

/// How many names are suggested.
const SUGGESTED: usize = 3;

/// The end of a message about a name that is not known: the names that are like it, and all.
pub(crate) fn suggestion(name: &str, known: &[&str]) -> String {
    let all = known.join(", ");
    let letters: Vec<char> = name.chars().collect();
    let mut near = Vec::new();
    if name.len() <= LONGEST {
        let alike = known.iter().copied().filter(|other| likeness(&letters, other) >= ALIKE);
        near = nearest(name, alike);
        near.truncate(SUGGESTED);
    }
    if near.is_empty() {
        return format!("; known: {all}");
    }
    format!("; nearest: {}; known: {all}", near.join(", "))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_alike_come_before_all() {
        let known = ["formats", "model", "tools"];
        assert_eq!(suggestion("modle", &known), "; nearest: model; known: formats, model, tools");
        assert_eq!(
            suggestion("format", &known),
            "; nearest: formats; known: formats, model, tools"
        );
        assert_eq!(suggestion("colour", &known), "; known: formats, model, tools");
        assert_eq!(suggestion("", &known), "; known: formats, model, tools");
        assert_eq!(suggestion(&"tools".repeat(99), &known), "; known: formats, model, tools");
    }
}
