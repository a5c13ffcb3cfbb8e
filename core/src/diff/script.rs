//! How one sequence of numbers becomes another: what is equal, removed and added.
//!
//! Short sequences get the script of Python's `difflib` if no script is shorter. All others get a
//! script by Myers' algorithm, from the crate `similar`. If little changed, that script is a
//! shortest one; if a lot changed, the search ends at a bound. The bound grows with the square root
//! of the length. So long sequences are cut into pieces, at items that are unique on both sides if
//! there are any, and the time is linear.

use std::ops::Range;

use similar::DiffOp;
use similar::algorithms::{Capture, Compact, DiffHook, NoFinishHook, Replace, myers};

use super::runs::{CommonRun, longest_runs, matched};

/// How many items of both sides together are compared at once for a short script.
const MOST_AT_ONCE: usize = 1 << 18;

/// How many items of both sides together are compared at once for a figure alone.
const MOST_TO_COUNT: usize = 1 << 13;

/// How one sequence becomes another.
pub(super) struct Script {
    /// The steps in order, over both sequences without a gap.
    pub(super) steps: Vec<DiffOp>,
    /// How many items are alike: for short sequences as `difflib` counts them, for others by the
    /// steps.
    pub(super) alike: usize,
}

impl Script {
    /// Finds a script for sequences of numbers that [`Numbered`](super::lines::Numbered) gave.
    pub(super) fn of(old: &[u32], new: &[u32]) -> Self {
        let runs = longest_runs(old, new);
        if let Some(runs) = &runs
            && matched(runs) == old.len().min(new.len())
        {
            return Self { steps: steps_of(runs, old.len(), new.len()), alike: matched(runs) };
        }
        let steps = shortest(old, new, MOST_AT_ONCE);
        let kept = equal(&steps);
        match runs {
            Some(runs) if matched(&runs) == kept => {
                Self { steps: steps_of(&runs, old.len(), new.len()), alike: kept }
            }
            Some(runs) => Self { steps, alike: matched(&runs) },
            None => Self { steps, alike: kept },
        }
    }
}

/// The steps of a script that may be some steps longer than the shortest, found faster.
pub(super) fn rough_steps(old: &[u32], new: &[u32]) -> Vec<DiffOp> {
    shortest(old, new, MOST_TO_COUNT)
}

/// How many items a script keeps.
fn equal(steps: &[DiffOp]) -> usize {
    let kept = |step: &DiffOp| if let DiffOp::Equal { len, .. } = step { *len } else { 0 };
    steps.iter().map(kept).sum()
}

/// The script that keeps the runs.
fn steps_of(runs: &[CommonRun], old_len: usize, new_len: usize) -> Vec<DiffOp> {
    let mut hook = Replace::new(Capture::new());
    let (mut old_index, mut new_index) = (0, 0);
    let end = CommonRun { old: old_len, new: new_len, length: 0 };
    for &CommonRun { old, new, length } in runs.iter().chain([&end]) {
        if old > old_index {
            let Ok(()) = hook.delete(old_index, old - old_index, new_index);
        }
        if new > new_index {
            let Ok(()) = hook.insert(old, new_index, new - new_index);
        }
        if length > 0 {
            let Ok(()) = hook.equal(old, new, length);
        }
        (old_index, new_index) = (old + length, new + length);
    }
    let Ok(()) = hook.finish();
    hook.into_inner().into_ops()
}

/// A shortest script, or one that is found in linear time.
fn shortest(old: &[u32], new: &[u32], most: usize) -> Vec<DiffOp> {
    let mut hook = Compact::new(Replace::new(Capture::new()), old, new);
    for (old_range, new_range) in pieces(old, new, most) {
        let mut piece = NoFinishHook::new(&mut hook);
        let Ok(()) = myers::diff(&mut piece, old, old_range, new, new_range);
    }
    let Ok(()) = hook.finish();
    hook.into_inner().into_inner().into_ops()
}

/// A range of the old side, and the range of the new side that it is compared with.
type RangePair = (Range<usize>, Range<usize>);

/// Both sides in pieces, none longer than the given number of items.
fn pieces(old: &[u32], new: &[u32], most: usize) -> Vec<RangePair> {
    if old.len() + new.len() <= most {
        return vec![(0..old.len(), 0..new.len())];
    }
    let prefix = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) =
        (old.get(prefix..).unwrap_or_default(), new.get(prefix..).unwrap_or_default());
    let suffix = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    let (old_end, new_end) = (old.len() - suffix, new.len() - suffix);
    let mut pieces = vec![(0..prefix, 0..prefix)];
    let (mut old_start, mut new_start) = (prefix, prefix);
    let end = (old_end, new_end);
    for (old_anchor, new_anchor) in
        anchors(old, prefix..old_end, new, prefix..new_end).into_iter().chain([end])
    {
        let size = old_anchor - old_start + (new_anchor - new_start);
        if size >= most / 4 || (old_anchor, new_anchor) == end {
            halve((old_start..old_anchor, new_start..new_anchor), most, &mut pieces);
            (old_start, new_start) = (old_anchor, new_anchor);
        }
    }
    pieces.push((old_end..old.len(), new_end..new.len()));
    pieces
}

/// Cuts a piece in halves until none is longer than the given number of items.
fn halve(piece: RangePair, most: usize, pieces: &mut Vec<RangePair>) {
    let (old, new) = piece;
    if old.len() + new.len() <= most {
        pieces.push((old, new));
        return;
    }
    let middle = |range: &Range<usize>| range.start + range.len() / 2;
    let (old_middle, new_middle) = (middle(&old), middle(&new));
    halve((old.start..old_middle, new.start..new_middle), most, pieces);
    halve((old_middle..old.end, new_middle..new.end), most, pieces);
}

/// How often a number occurs, and its place if it occurs once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occurrence {
    Nowhere,
    Once(usize),
    Often,
}

/// The place of each number below `count` within a range.
fn places(items: &[u32], range: Range<usize>, count: usize) -> Vec<Occurrence> {
    let mut places = vec![Occurrence::Nowhere; count];
    for (at, &item) in items.iter().enumerate().take(range.end).skip(range.start) {
        if let Some(place) = places.get_mut(item as usize) {
            *place = if *place == Occurrence::Nowhere {
                Occurrence::Once(at)
            } else {
                Occurrence::Often
            };
        }
    }
    places
}

/// The places of items that are unique on both sides, as many as have the same order on both.
fn anchors(
    old: &[u32],
    old_range: Range<usize>,
    new: &[u32],
    new_range: Range<usize>,
) -> Vec<(usize, usize)> {
    let count = old.iter().chain(new).max().map_or(0, |&most| most as usize + 1);
    let mut both: Vec<(usize, usize)> = places(old, old_range, count)
        .into_iter()
        .zip(places(new, new_range, count))
        .filter_map(|both| match both {
            (Occurrence::Once(old), Occurrence::Once(new)) => Some((old, new)),
            _ => None,
        })
        .collect();
    both.sort_unstable();
    longest_rise(&both)
}

/// The longest subsequence of pairs whose second numbers rise; the first numbers are sorted.
fn longest_rise(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends` holds for each length of a rise the pair with the least second number that ends one.
    // `before` holds for each pair the pair before it in its rise.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    let second = |place: usize| pairs.get(place).map_or(0, |pair| pair.1);
    for (place, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| second(end) < pair.1);
        before.push(length.checked_sub(1).and_then(|shorter| ends.get(shorter).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = place,
            None => ends.push(place),
        }
    }
    let mut rise: Vec<_> =
        std::iter::successors(ends.last().copied(), |&place| before.get(place).copied().flatten())
            .filter_map(|place| pairs.get(place).copied())
            .collect();
    rise.reverse();
    rise
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The length of the longest common subsequence, by the table that defines it.
    fn common(old: &[u32], new: &[u32]) -> usize {
        let mut row = vec![0; new.len() + 1];
        for old_item in old {
            let mut corner = 0;
            for (at, new_item) in new.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if old_item == new_item { corner + 1 } else { row[at].max(above) };
                corner = above;
            }
        }
        row[new.len()]
    }

    /// Checks that a script leads from one sequence to the other, with its steps joined as far as
    /// possible.
    fn check(steps: &[DiffOp], old: &[u32], new: &[u32]) {
        let (mut old_end, mut new_end, mut was_equal) = (0, 0, None);
        for step in steps {
            let (tag, old_range, new_range) = step.as_tag_tuple();
            assert_eq!((old_range.start, new_range.start), (old_end, new_end));
            (old_end, new_end) = (old_range.end, new_range.end);
            let is_equal = tag == similar::DiffTag::Equal;
            assert_ne!(was_equal, Some(is_equal));
            was_equal = Some(is_equal);
            if is_equal {
                assert_eq!(old[old_range], new[new_range]);
            }
        }
        assert_eq!((old_end, new_end), (old.len(), new.len()));
    }

    /// Numbers that look random but follow a fixed rule.
    fn drawn(count: usize, most: u64, seed: u64) -> Vec<u32> {
        let mut state = seed;
        let next = std::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            u32::try_from((state >> 33) % most).unwrap()
        });
        next.take(count).collect()
    }

    #[test]
    fn one_line_more_in_a_repetitive_text_is_one_step() {
        let old: Vec<u32> = (0..200).map(|line| line % 4).collect();
        let mut new = old.clone();
        new.insert(101, 9);
        let script = Script::of(&old, &new);
        check(&script.steps, &old, &new);
        assert_eq!((script.steps.len(), script.alike), (3, 200));
    }

    #[test]
    fn long_sequences_are_compared_in_pieces() {
        let unique: Vec<u32> = (0..400_000).collect();
        let mut moved = unique.clone();
        moved.insert(7, 400_000);
        moved.remove(200_000);
        moved.insert(399_990, 400_001);
        let script = Script::of(&unique, &moved);
        check(&script.steps, &unique, &moved);
        assert_eq!(script.alike, 399_999);

        let (old, new) = (drawn(300_000, 3, 1), drawn(200_000, 3, 2));
        assert!(pieces(&old, &new, MOST_AT_ONCE).len() > 3);
        check(&Script::of(&old, &new).steps, &old, &new);
    }

    #[test]
    fn anchors_are_unique_and_in_order() {
        let (old, new) = ([5, 1, 2, 3, 9, 9, 4], [9, 1, 3, 2, 4, 9, 6]);
        let found = anchors(&old, 0..7, &new, 0..7);
        assert_eq!(found, [(1, 1), (3, 2), (6, 4)]);
    }

    proptest! {
        #[test]
        fn scripts_of_short_sequences_are_shortest(
            old in prop::collection::vec(0_u32..5, 0..60),
            new in prop::collection::vec(0_u32..5, 0..60),
        ) {
            let script = Script::of(&old, &new);
            check(&script.steps, &old, &new);
            prop_assert_eq!(equal(&script.steps), common(&old, &new));
            prop_assert!(script.alike <= common(&old, &new));
        }

        #[test]
        fn scripts_of_longer_sequences_lead_there(count in 200_usize..2000, most in 1_u64..50, seed: u64) {
            let (old, new) = (drawn(count, most, seed), drawn(2200 - count, most, !seed));
            let script = Script::of(&old, &new);
            check(&script.steps, &old, &new);
            prop_assert_eq!(script.alike, equal(&script.steps));
        }

        #[test]
        fn any_pieces_cover_both_sides(
            old in prop::collection::vec(0_u32..9, 0..40),
            new in prop::collection::vec(0_u32..9, 0..40),
        ) {
            let mut before = (0, 0);
            for (old_anchor, new_anchor) in anchors(&old, 0..old.len(), &new, 0..new.len()) {
                prop_assert_eq!(old[old_anchor], new[new_anchor]);
                prop_assert!(before.0 <= old_anchor && before.1 <= new_anchor);
                before = (old_anchor + 1, new_anchor + 1);
            }
        }
    }
}
