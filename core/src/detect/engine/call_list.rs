//! A quick look at whether a bracket begins a list of calls: `[name(`.
//!
//! Code and prose are full of brackets with a name behind them, and few of these have a round
//! bracket behind the name. All brackets of a block are looked at together: a number has a bit for
//! each place where a name or white space may stand, and an addition, whose carry runs through each
//! run of them, tells what stands behind the run.

use fearless_simd::{Simd, SimdBase, SimdMask, u8x16, u8x64};

const HALVES: usize = 16;
/// The bits that a byte may have with this lower half. A byte of a name and white space have a bit
/// in common with the entry for their upper half; other bytes have none.
const LOWER: [u8; HALVES] = [34, 6, 6, 6, 6, 6, 6, 6, 6, 22, 22, 4, 20, 21, 5, 13];
/// The bits that a byte may have with this upper half.
const UPPER: [u8; HALVES] = [16, 0, 33, 2, 4, 10, 4, 2, 0, 0, 0, 0, 0, 0, 0, 0];

/// The brackets of two blocks, a bit for each; without those that begin no list of calls, as far as
/// a quick look tells. A name and all white space around it are one run here, so a bracket is also
/// dropped if much white space stands in the run, behind which no round bracket follows.
#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
pub(super) fn lists_among<S: Simd>(
    simd: S,
    first: u8x64<S>,
    second: u8x64<S>,
    brackets: u128,
) -> u128 {
    let load = |table: [u8; HALVES]| u8x64::block_splat(u8x16::load_array(simd, table));
    let (lower, upper) = (load(LOWER), load(UPPER));
    let (nothing, bracket) = (u8x64::splat(simd, 0), u8x64::splat(simd, b'('));
    let lower_one = lower.swizzle_dyn_within_blocks(first & 15);
    let lower_two = lower.swizzle_dyn_within_blocks(second & 15);
    let one = lower_one & upper.swizzle_dyn_within_blocks(first >> 4);
    let two = lower_two & upper.swizzle_dyn_within_blocks(second >> 4);
    lists(
        brackets,
        Behind {
            others: bits::<S>(one.simd_eq(nothing), two.simd_eq(nothing)),
            round: bits::<S>(first.simd_eq(bracket), second.simd_eq(bracket)),
        },
    )
}

/// The bits of two blocks; the lowest bit is the first byte of the first one.
#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
pub(super) fn bits<S: Simd>(
    first: <u8x64<S> as SimdBase<S>>::Mask,
    second: <u8x64<S> as SimdBase<S>>::Mask,
) -> u128 {
    u128::from(first.to_bitmask()) | u128::from(second.to_bitmask()) << 64
}

/// What stands in two blocks, a bit for each byte.
#[derive(Clone, Copy)]
struct Behind {
    /// What belongs to no name and is no white space.
    others: u128,
    /// Round brackets.
    round: u128,
}

fn lists(brackets: u128, Behind { others, round }: Behind) -> u128 {
    let names = brackets << 1 & !others;
    let (behind, is_cut) = (!others).overflowing_add(names);
    if behind & others & round != 0 {
        brackets
    } else if is_cut || brackets.leading_zeros() == 0 {
        // Only what stands behind the last bracket may reach the end of the blocks.
        brackets & (1_u128 << 127).wrapping_shr(brackets.leading_zeros())
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::detect::engine::lead::may_name_function;
    use crate::detect::rule::name::is_name_byte;

    #[test]
    fn the_tables_tell_classes() {
        for byte in 0..=u8::MAX {
            let class = LOWER[usize::from(byte & 15)] & UPPER[usize::from(byte >> 4)];
            assert_eq!(class != 0, is_name_byte(byte) || byte.is_ascii_whitespace(), "{byte}");
        }
    }

    proptest! {
        #[test]
        fn no_list_is_passed(
            text in vec(
                prop_oneof![Just(b'['), Just(b'('), Just(b' '), Just(b'a'), any::<u8>()],
                128,
            ),
            rest in "[ a(]{0,9}",
        ) {
            let (first, second) = (*text.first_chunk().unwrap(), *text.last_chunk().unwrap());
            let text = [text, rest.into_bytes()].concat();
            let all: Vec<usize> = (0..128).filter(|at| text[*at] == b'[').collect();
            let brackets = all.iter().fold(0_u128, |brackets, at| brackets | 1 << at);
            let level = Level::new();
            let lists = dispatch!(level, simd => {
                let (first, second) = (u8x64::load_array(simd, first), u8x64::load_array(simd, second));
                lists_among(simd, first, second, brackets)
            });
            prop_assert_eq!(lists & !brackets, 0);
            let has_list = |at: &usize| may_name_function(text.get(at + 1..));
            for at in all.iter().filter(|at| has_list(at)) {
                prop_assert!(lists & (1 << at) != 0, "{at}");
            }
            // Without a round bracket, only a list that is cut off is left.
            if !text[..128].contains(&b'(') {
                prop_assert!(lists.count_ones() <= 1);
            }
        }
    }
}
