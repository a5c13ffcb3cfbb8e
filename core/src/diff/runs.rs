//! Matches two short sequences by their longest common runs, as Python's `difflib` does.
//!
//! The longest common run is kept, the earliest if there are several. The items before it and
//! behind it are then matched in the same way (Ratcliff and Obershelp). People know this result
//! from Python. It takes cubic time, so it is for short sequences only.

use std::ops::Range;

/// From this length on, sequences are not matched by their runs.
///
/// At this length, Python's `difflib` begins to leave out common items.
pub(super) const TOO_LONG: usize = 200;

/// A run of items that both sides have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CommonRun {
    /// Where it begins on the old side.
    pub(super) old: usize,
    /// Where it begins on the new side.
    pub(super) new: usize,
    /// How many items it has.
    pub(super) length: usize,
}

/// The runs in order, chosen longest first; none if a sequence is too long.
pub(super) fn longest_runs<T: Eq>(old: &[T], new: &[T]) -> Option<Vec<CommonRun>> {
    if old.len() >= TOO_LONG || new.len() >= TOO_LONG {
        return None;
    }
    let (mut found, mut row) = (Vec::new(), Vec::new());
    let mut open = vec![(0..old.len(), 0..new.len())];
    while let Some((old_range, new_range)) = open.pop() {
        let Some(run) = longest_run(old, old_range.clone(), new, new_range.clone(), &mut row)
        else {
            continue;
        };
        open.push((old_range.start..run.old, new_range.start..run.new));
        open.push((run.old + run.length..old_range.end, run.new + run.length..new_range.end));
        found.push(run);
    }
    found.sort_unstable_by_key(|run| run.old);
    Some(found)
}

/// How many items the runs hold in all.
pub(super) fn matched(runs: &[CommonRun]) -> usize {
    runs.iter().map(|run| run.length).sum()
}

/// The longest run within two ranges; of several, the earliest on the old side, then on the new
/// one.
///
/// `row` is working memory. Behind each item of the new side it holds the length of the run that
/// ends with that item and with the last visited item of the old side.
fn longest_run<T: Eq>(
    old: &[T],
    old_range: Range<usize>,
    new: &[T],
    new_range: Range<usize>,
    row: &mut Vec<usize>,
) -> Option<CommonRun> {
    let (old_part, new_part) = (old.get(old_range.clone())?, new.get(new_range.clone())?);
    row.clear();
    row.resize(new_part.len(), 0);
    let mut longest: Option<CommonRun> = None;
    for (old_end, old_item) in (old_range.start + 1..).zip(old_part) {
        let mut before = 0;
        for ((new_end, new_item), slot) in (new_range.start + 1..).zip(new_part).zip(row.iter_mut())
        {
            let length = if old_item == new_item { before + 1 } else { 0 };
            before = std::mem::replace(slot, length);
            if length > longest.map_or(0, |run| run.length) {
                longest = Some(CommonRun { old: old_end - length, new: new_end - length, length });
            }
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The runs of two texts as tuples.
    fn runs(old: &str, new: &str) -> Vec<(usize, usize, usize)> {
        let runs = longest_runs(old.as_bytes(), new.as_bytes()).unwrap();
        runs.into_iter().map(|run| (run.old, run.new, run.length)).collect()
    }

    /// What Python 3.11 gave for `SequenceMatcher(None, old, new,
    /// autojunk=False).get_matching_blocks()`.
    #[test]
    fn runs_are_those_of_difflib() {
        assert_eq!(runs(" abcd", "abcd abcd"), [(0, 4, 5)]);
        assert_eq!(runs("qabxcd", "abycdf"), [(1, 0, 2), (4, 3, 2)]);
        assert_eq!(runs("abab", "ba"), [(1, 0, 2)]);
        assert_eq!(runs("abc", "cab"), [(0, 1, 2)]);
        assert_eq!(runs("", "x"), []);
    }

    #[test]
    fn long_sequences_are_left_to_others() {
        assert!(longest_runs(&[0; TOO_LONG], &[0]).is_none());
        assert!(longest_runs(&[0], &[0; TOO_LONG]).is_none());
        assert_eq!(
            longest_runs(&[0; 199], &[0; 199]),
            Some(vec![CommonRun { old: 0, new: 0, length: 199 }])
        );
    }

    proptest! {
        #[test]
        fn runs_are_equal_parts_in_order(old in "[ab]{0,20}", new in "[ab]{0,20}") {
            let (mut old_end, mut new_end) = (0, 0);
            for (old_start, new_start, length) in runs(&old, &new) {
                prop_assert!(old_start >= old_end && new_start >= new_end && length > 0);
                (old_end, new_end) = (old_start + length, new_start + length);
                prop_assert_eq!(&old[old_start..old_end], &new[new_start..new_end]);
            }
        }
    }
}
