//! Looks for many windows of bytes at once.
//!
//! By the tables of the windows, sixty-four places are looked at together, and twice as many are
//! tested together, as most text has no window.

use std::hint::black_box;

use fearless_simd::{Level, Select, Simd, SimdBase, SimdMask, dispatch, u8x16, u8x64};

use crate::detect::engine::call_list::{bits, lists_among};
use crate::detect::engine::window_tables::{
    HALVES, LIST_GROUP, LedTables, Shares, SoughtWindow, Tables, WIDTH, WINDOW, WindowTables,
};

/// The number of places that are looked at together.
const PLACES: usize = 64;
/// The number of bytes that are looked at for these places.
const BYTES: usize = PLACES + WINDOW - 1;
/// The number of blocks of places that are tested together.
const BLOCKS: usize = 2;
const BYTES_OF_BLOCKS: usize = BLOCKS * PLACES + WINDOW - 1;

/// The lower and the upper halves of bytes, or the tables for these.
type Halves<S> = (u8x64<S>, u8x64<S>);
/// The tables of each byte of the windows, in registers.
type LoadedTables<S> = [Halves<S>; WIDTH];

/// Searches for windows.
#[derive(Clone, Debug)]
pub(crate) struct WindowSearch {
    tables: WindowTables,
    level: Level,
}

impl WindowSearch {
    /// The search for windows. `shares` says how often each byte stands in ordinary text.
    pub(crate) fn new(windows: &[SoughtWindow], shares: &Shares) -> Self {
        Self { tables: WindowTables::new(windows, shares), level: Level::new() }
    }

    /// What `look` finds at the first place from `start` on at which a window may begin and it
    /// finds something.
    #[inline]
    pub(crate) fn find<T>(
        &self,
        text: &[u8],
        start: usize,
        mut look: impl FnMut(usize) -> Option<T>,
    ) -> Option<T> {
        let tables = &self.tables;
        match &tables.led {
            None => dispatch!(self.level, simd => find(simd, tables, [], text, start, &mut look)),
            Some(led) => {
                dispatch!(self.level, simd => find(simd, tables, [led], text, start, &mut look))
            }
        }
    }
}

/// The tables of a search, in registers; `N` is 1 where windows that begin with the same byte have
/// tables of their own, and 0 where they do not.
struct Loaded<S: Simd, const N: usize> {
    tables: LoadedTables<S>,
    led: [(u8x64<S>, LoadedTables<S>); N],
    has_list: bool,
}

#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
fn find<S: Simd, T, const N: usize>(
    simd: S,
    tables: &WindowTables,
    led: [&LedTables; N],
    text: &[u8],
    mut start: usize,
    look: &mut impl FnMut(usize) -> Option<T>,
) -> Option<T> {
    // A closure would not be compiled for the instructions at hand, and a short text pays for that.
    let own = loaded_tables(simd, &tables.tables);
    let no_led = (u8x64::splat(simd, 0), own);
    let mut loaded = Loaded { tables: own, led: [no_led; N], has_list: tables.has_list };
    for (place, led) in loaded.led.iter_mut().zip(led) {
        *place = (u8x64::splat(simd, led.byte), loaded_tables(simd, &led.tables));
    }
    while let Some(bytes) = text.get(start..).and_then(|rest| rest.first_chunk()) {
        if let Some(found) = loaded.look_at_blocks(simd, bytes, start, look) {
            return Some(found);
        }
        start += BLOCKS * PLACES;
    }
    let mut rest = text.get(start..).unwrap_or_default();
    while !rest.is_empty() {
        let mut bytes = [0; BYTES];
        for (place, byte) in bytes.iter_mut().zip(rest) {
            *place = *byte;
        }
        let places = rest.len().min(PLACES);
        if let Some(found) = loaded.look_at(simd, &bytes, start, places, look) {
            return Some(found);
        }
        start += places;
        rest = rest.get(places..).unwrap_or_default();
    }
    None
}

impl<S: Simd, const N: usize> Loaded<S, N> {
    /// What `look` finds first in blocks that begin at `start`.
    #[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
    #[inline(always)]
    fn look_at_blocks<T>(
        &self,
        simd: S,
        bytes: &[u8; BYTES_OF_BLOCKS],
        start: usize,
        look: &mut impl FnMut(usize) -> Option<T>,
    ) -> Option<T> {
        let block = |number: usize| bytes.get(number * PLACES..)?.first_chunk();
        let (first, second) = (block(0)?, block(1)?);
        let nothing = u8x64::splat(simd, 0);
        let every = u8x64::splat(simd, u8::MAX);
        let (one, halves_one) = groups_at(simd, &self.tables, first);
        let (two, halves_two) = groups_at(simd, &self.tables, second);
        let (mut all_one, mut all_two) = (one, two);
        for (byte, tables) in &self.led {
            let led_one = loaded(simd, first, 0).simd_eq(*byte);
            let led_two = loaded(simd, second, 0).simd_eq(*byte);
            if (led_one | led_two).any_true() {
                all_one |=
                    led_groups_at(simd, tables, first, halves_one) & led_one.select(every, nothing);
                all_two |= led_groups_at(simd, tables, second, halves_two)
                    & led_two.select(every, nothing);
            }
        }
        if !(all_one | all_two).simd_ne(nothing).any_true() {
            return None;
        }
        let mut places = bits::<S>(all_one.simd_ne(nothing), all_two.simd_ne(nothing));
        if self.has_list {
            let list = u8x64::splat(simd, 1 << LIST_GROUP);
            let brackets = bits::<S>(one.simd_eq(list), two.simd_eq(list));
            if brackets != 0 {
                // Few blocks come here. Those that do not would keep what is known of their bytes
                // in memory, if that were the same as what is read now.
                let (first, second) = (black_box(first), black_box(second));
                let (first, second) = (loaded(simd, first, 0), loaded(simd, second, 0));
                places ^= brackets ^ lists_among(simd, first, second, brackets);
            }
        }
        first_of(places, start, look)
    }

    /// What `look` finds first in a block that begins at `start` and has this many places.
    #[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
    #[inline(always)]
    fn look_at<T>(
        &self,
        simd: S,
        bytes: &[u8; BYTES],
        start: usize,
        count: usize,
        look: &mut impl FnMut(usize) -> Option<T>,
    ) -> Option<T> {
        let nothing = u8x64::splat(simd, 0);
        let every = u8x64::splat(simd, u8::MAX);
        let (found, halves) = groups_at(simd, &self.tables, bytes);
        let mut led = nothing;
        for (byte, tables) in &self.led {
            let begins = loaded(simd, bytes, 0).simd_eq(*byte);
            if begins.any_true() {
                led = led_groups_at(simd, tables, bytes, halves) & begins.select(every, nothing);
            }
        }
        let places = (found | led).simd_ne(nothing).to_bitmask();
        let beyond = u64::MAX.checked_shl(u32::try_from(count).ok()?).unwrap_or_default();
        first_of(u128::from(places & !beyond), start, look)
    }
}

#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
fn loaded_tables<S: Simd>(simd: S, Tables { lower, upper }: &Tables) -> LoadedTables<S> {
    let [lower_one, lower_two, lower_three] = lower;
    let [upper_one, upper_two, upper_three] = upper;
    [
        (loaded_table(simd, *lower_one), loaded_table(simd, *upper_one)),
        (loaded_table(simd, *lower_two), loaded_table(simd, *upper_two)),
        (loaded_table(simd, *lower_three), loaded_table(simd, *upper_three)),
    ]
}

#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
fn loaded_table<S: Simd>(simd: S, table: [u8; HALVES]) -> u8x64<S> {
    u8x64::block_splat(u8x16::load_array(simd, table))
}

/// What `look` finds first at places, a bit for each; the lowest bit is that of `start`.
#[inline(never)]
fn first_of<T>(
    mut places: u128,
    start: usize,
    look: &mut impl FnMut(usize) -> Option<T>,
) -> Option<T> {
    while places != 0 {
        let found = look(start + places.trailing_zeros() as usize);
        if found.is_some() {
            return found;
        }
        places &= places - 1;
    }
    None
}

/// The bytes of a block from the byte of this number on.
#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
fn loaded<S: Simd>(simd: S, bytes: &[u8; BYTES], from: usize) -> u8x64<S> {
    match bytes.get(from..).and_then(|bytes| bytes.first_chunk()) {
        Some(bytes) => u8x64::load_array_ref(simd, bytes),
        None => u8x64::splat(simd, 0),
    }
}

/// The groups that have the bytes at each place of a block, and the halves of these bytes.
#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
fn groups_at<S: Simd>(
    simd: S,
    tables: &LoadedTables<S>,
    bytes: &[u8; BYTES],
) -> (u8x64<S>, [Halves<S>; WIDTH]) {
    // Each byte is looked up as soon as it is read, so that few registers are needed.
    let [first, second, third] = tables;
    let one = halves_at(simd, bytes, 0);
    let found = groups_of(first, one);
    let two = halves_at(simd, bytes, 1);
    let found = found & groups_of(second, two);
    let three = halves_at(simd, bytes, 2);
    (found & groups_of(third, three), [one, two, three])
}

/// The groups that have the bytes behind each place of a block, whose first halves are known.
#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
fn led_groups_at<S: Simd>(
    simd: S,
    [first, second, third]: &LoadedTables<S>,
    bytes: &[u8; BYTES],
    [_, two, three]: [Halves<S>; WIDTH],
) -> u8x64<S> {
    let four = halves_at(simd, bytes, WIDTH);
    groups_of(first, two) & groups_of(second, three) & groups_of(third, four)
}

/// The lower and the upper halves of the bytes of a block from the byte of this number on.
#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
fn halves_at<S: Simd>(simd: S, bytes: &[u8; BYTES], from: usize) -> Halves<S> {
    let bytes = loaded(simd, bytes, from);
    (bytes & 15, bytes >> 4)
}

/// The groups that have bytes of these halves, by the tables of one byte of the windows.
#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
fn groups_of<S: Simd>((lowers, uppers): &Halves<S>, (lower, upper): Halves<S>) -> u8x64<S> {
    lowers.swizzle_dyn_within_blocks(lower) & uppers.swizzle_dyn_within_blocks(upper)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::detect::engine::lead::may_name_function;
    use crate::detect::engine::window_tables::{Allowed, ByteSet, ByteWindow, list_byte};

    fn window(bytes: [u8; WINDOW], kinds: [u8; WINDOW]) -> ByteWindow {
        let mut stuff = ByteSet::default();
        b"stuff\0".iter().for_each(|byte| stuff.insert(*byte));
        let mut window = bytes.map(Allowed::One);
        for (allowed, kind) in window.iter_mut().zip(kinds) {
            *allowed = match kind {
                0 => Allowed::Any,
                1 => Allowed::Name,
                2 => Allowed::Among(stuff),
                3 => Allowed::One(b'<'),
                _ => *allowed,
            };
        }
        window
    }

    proptest! {
        #[test]
        fn each_window_is_found_wherever_it_stands(
            windows in vec((any::<[u8; WINDOW]>(), [0..9_u8, 0..9, 2..9, 0..9]), 1..60),
            text in vec((any::<u8>(), 0..90_usize), 0..300),
            start in 0..80_usize,
        ) {
            let windows: Vec<ByteWindow> =
                windows.iter().map(|(bytes, kinds)| window(*bytes, *kinds)).collect();
            // Most bytes are any; often a window stands among them.
            let text: Vec<u8> = text.iter().flat_map(|(byte, at)| match windows.get(*at) {
                Some(window) => window.map(|allowed| match allowed {
                    Allowed::One(byte) => byte,
                    Allowed::Name => b'_',
                    Allowed::Among(_) => b'u',
                    Allowed::Any => *byte,
                }).to_vec(),
                None => vec![*byte],
            }).collect();
            let sought = |window: &ByteWindow| SoughtWindow { window: *window, group: None };
            let sought: Vec<_> = windows.iter().map(sought).collect();
            let search = WindowSearch::new(&sought, &[1; 256]);
            let mut found = Vec::new();
            let none: Option<()> = search.find(&text, start, |at| {
                found.push(at);
                None
            });
            prop_assert_eq!(none, None);
            for at in start..text.len() {
                for window in &windows {
                    // Behind the text's end, a window may go on with any byte.
                    let byte = |place: usize| text.get(at + place).copied().unwrap_or_default();
                    let has = |place: usize| window[place].bytes().any(|one| one == byte(place));
                    // Of brackets with names, those are found that may begin lists of calls.
                    let is_list = list_byte(*window).is_none()
                        || may_name_function(text.get(at + 1..));
                    if (0..WINDOW).all(has) && is_list {
                        prop_assert!(found.contains(&at), "{at}");
                    }
                }
            }
        }
    }
}
