//! Looks for many windows of three bytes at once.
//!
//! Each window belongs to one of sixteen groups. For each of the three bytes, two tables say which
//! groups have a byte with this lower half, and with this upper half. So sixty-four places are
//! looked at together, and a place is found if one group has all three bytes, each by its halves.
//! That may be a window that nobody asked for: the caller compares what stands there.
//!
//! Of many windows, most begin with the same byte, which most text lacks. So they have eight groups
//! of their own, whose tables are looked at only where this byte stands.

use fearless_simd::{Level, Select, Simd, SimdBase, SimdMask, dispatch, u8x16, u8x64};

/// The number of bytes of a window.
pub(crate) const WIDTH: usize = 3;
/// The byte with which the windows of the second half of the groups begin, where windows have
/// groups that are known.
pub(crate) const LED_BY: u8 = b'<';
/// The number of places that are looked at together.
const PLACES: usize = 64;
/// The number of bytes that are looked at for these places.
const BYTES: usize = PLACES + WIDTH - 1;
const HALVES: usize = 16;
/// The number of groups of one set of tables, which has a bit for each.
const GROUPS: usize = 8;
/// The number of groups.
const MOST_GROUPS: usize = 2 * GROUPS;
/// From this number of windows on, those that begin with the same byte have tables of their own.
pub(crate) const MANY: usize = 24;

/// How often each byte stands in ordinary text.
pub(crate) type Shares = [u32; 256];

/// A window: the bytes that each of its places may hold.
pub(crate) type ByteWindow = [Allowed; WIDTH];

/// A window, and its group if that is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoughtWindow {
    pub(crate) window: ByteWindow,
    pub(crate) group: Option<usize>,
}

/// The bytes that may stand at a place of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    One(u8),
    /// A letter, an underscore or white space.
    Name,
    Any,
}

impl Allowed {
    pub(crate) fn bytes(self) -> impl Iterator<Item = u8> {
        let all = if let Self::One(byte) = self { byte..=byte } else { 0..=u8::MAX };
        let is_name =
            |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_' || byte.is_ascii_whitespace();
        all.filter(move |byte| self != Self::Name || is_name(byte))
    }

    /// How often its bytes stand in ordinary text.
    pub(crate) fn share(self, shares: &Shares) -> u64 {
        let share = |byte: u8| shares.get(usize::from(byte)).copied().unwrap_or_default();
        self.bytes().map(|byte| u64::from(share(byte))).sum()
    }
}

/// Which groups have a byte with one of the halves, for each half of each byte of a window.
#[derive(Clone, Copy, Debug, Default)]
struct Tables {
    lower: [[u8; HALVES]; WIDTH],
    upper: [[u8; HALVES]; WIDTH],
}

/// The tables in registers: those of the lower halves, and those of the upper ones.
type LoadedTables<S> = ([u8x64<S>; WIDTH], [u8x64<S>; WIDTH]);

/// The tables of the windows that begin with the same byte.
#[derive(Clone, Copy, Debug)]
struct LedTables {
    byte: u8,
    tables: Tables,
}

/// The halves that the bytes of a group have.
#[derive(Clone, Copy, Debug, Default)]
struct GroupHalves {
    lower: [u16; WIDTH],
    upper: [u16; WIDTH],
}

impl GroupHalves {
    fn with(mut self, window: ByteWindow) -> Self {
        for ((lower, upper), allowed) in self.lower.iter_mut().zip(&mut self.upper).zip(window) {
            for byte in allowed.bytes() {
                *lower |= 1 << (byte & 15);
                *upper |= 1 << (byte >> 4);
            }
        }
        self
    }

    /// How often windows of these halves stand in ordinary text.
    fn frequency(&self, shares: &Shares) -> u64 {
        let has = |half: &usize, known: u16| known & (1 << half) != 0;
        let share = |(lower, upper): (&u16, &u16)| -> u64 {
            let uppers = (0..HALVES).filter(|half| has(half, *upper));
            let bytes = uppers.flat_map(|upper| {
                let lowers = (0..HALVES).filter(|half| has(half, *lower));
                lowers.filter_map(move |lower| shares.get(upper * HALVES + lower))
            });
            bytes.map(|share| u64::from(*share)).sum()
        };
        self.lower.iter().zip(&self.upper).map(share).product()
    }
}

/// Searches for windows.
#[derive(Clone, Debug)]
pub(crate) struct WindowSearch {
    tables: Tables,
    led: Option<LedTables>,
    level: Level,
}

impl WindowSearch {
    /// The search for windows, and the group of each of them. `shares` says how often each byte
    /// stands in ordinary text.
    pub(crate) fn new(windows: &[SoughtWindow], shares: &Shares) -> (Self, Vec<usize>) {
        let common = most_common(windows).filter(|_| windows.len() >= MANY);
        let are_known = common == Some(LED_BY);
        let number = if common.is_some() { MOST_GROUPS } else { GROUPS };
        let mut groups = vec![(GroupHalves::default(), 0); number];
        let mut chosen = Vec::with_capacity(windows.len());
        for SoughtWindow { window, group: known } in windows {
            let [first, ..] = window;
            let is_led = common.is_some_and(|byte| *first == Allowed::One(byte));
            let known = known.filter(|known| are_known && is_led == (*known >= GROUPS));
            let may_share = |group: usize| {
                is_led == (group >= GROUPS) && known.is_none_or(|known| known == group)
            };
            let grown = groups.iter().enumerate().filter(|(group, _)| may_share(*group));
            let grown = grown.map(|(group, (halves, frequency))| {
                let halves = halves.with(*window);
                let now = halves.frequency(shares);
                (now - frequency, group, (halves, now))
            });
            let best = grown.min_by_key(|(growth, ..)| *growth);
            let Some((_, group, grown)) = best else { continue };
            if let Some(place) = groups.get_mut(group) {
                *place = grown;
            }
            chosen.push(group);
        }
        let (others, led) = groups.split_at(GROUPS.min(groups.len()));
        let led = common.map(|byte| LedTables { byte, tables: tables(led) });
        (Self { tables: tables(others), led, level: Level::new() }, chosen)
    }

    /// The first place from `start` on at which a window of some groups may begin, a bit for each,
    /// and `look` finds something.
    #[inline]
    pub(crate) fn find<T>(
        &self,
        text: &[u8],
        start: usize,
        mut look: impl FnMut(usize, u16) -> Option<T>,
    ) -> Option<T> {
        let tables = &self.tables;
        match &self.led {
            None => dispatch!(self.level, simd => find(simd, tables, [], text, start, &mut look)),
            Some(led) => {
                dispatch!(self.level, simd => find(simd, tables, [led], text, start, &mut look))
            }
        }
    }
}

/// The byte with which most windows begin.
fn most_common(windows: &[SoughtWindow]) -> Option<u8> {
    let bytes = windows.iter().filter_map(|sought| match sought.window {
        [Allowed::One(byte), ..] => Some(byte),
        _ => None,
    });
    bytes.clone().max_by_key(|byte| bytes.clone().filter(|other| other == byte).count())
}

fn tables(groups: &[(GroupHalves, u64)]) -> Tables {
    let mut tables = Tables::default();
    for (group, (halves, _)) in groups.iter().enumerate() {
        let all = tables.lower.iter_mut().chain(&mut tables.upper);
        for (table, known) in all.zip(halves.lower.iter().chain(&halves.upper)) {
            for (half, entry) in table.iter_mut().enumerate() {
                *entry |= u8::from(known & (1 << half) != 0) << group;
            }
        }
    }
    tables
}

/// The tables of a search, in registers; `N` is 1 where windows that begin with the same byte have
/// tables of their own, and 0 where they do not.
struct Loaded<S: Simd, const N: usize> {
    tables: LoadedTables<S>,
    led: [(u8x64<S>, LoadedTables<S>); N],
}

#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
fn find<S: Simd, T, const N: usize>(
    simd: S,
    tables: &Tables,
    led: [&LedTables; N],
    text: &[u8],
    mut start: usize,
    look: &mut impl FnMut(usize, u16) -> Option<T>,
) -> Option<T> {
    let load = |table: [u8; HALVES]| u8x64::block_splat(u8x16::load_array(simd, table));
    let load = |tables: &Tables| (tables.lower.map(load), tables.upper.map(load));
    let led = led.map(|led| (u8x64::splat(simd, led.byte), load(&led.tables)));
    let loaded = Loaded { tables: load(tables), led };
    while let Some(bytes) = text.get(start..).and_then(|rest| rest.first_chunk::<BYTES>()) {
        if let Some(found) = loaded.look_at(simd, bytes, start, PLACES, look) {
            return Some(found);
        }
        start += PLACES;
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
    /// What `look` finds first in a block that begins at `start` and has this many places.
    #[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
    #[inline(always)]
    fn look_at<T>(
        &self,
        simd: S,
        bytes: &[u8; BYTES],
        start: usize,
        count: usize,
        look: &mut impl FnMut(usize, u16) -> Option<T>,
    ) -> Option<T> {
        let block = bytes.first_chunk().map(|block| u8x64::load_array_ref(simd, block))?;
        let nothing = u8x64::splat(simd, 0);
        let found = groups_at(simd, &self.tables, bytes, 0, u8x64::splat(simd, u8::MAX));
        for (byte, tables) in &self.led {
            let begins = block.simd_eq(*byte);
            if begins.any_true() {
                let begins = begins.select(u8x64::splat(simd, u8::MAX), nothing);
                let led = groups_at(simd, tables, bytes, 1, begins);
                let places = !(found | led).simd_eq(nothing).to_bitmask();
                return FoundWindows::new(places, [found, led])?.first(start, count, look);
            }
        }
        let places = !found.simd_eq(nothing).to_bitmask();
        FoundWindows::new(places, [found])?.first(start, count, look)
    }
}

/// The places of a block at which windows may begin.
struct FoundWindows<const N: usize> {
    /// A bit for each place; the lowest bit is the first one.
    places: u64,
    /// For each set of tables and each place, a bit for each group.
    groups: [[u8; PLACES]; N],
}

impl<const N: usize> FoundWindows<N> {
    /// `None` where there is no place.
    #[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
    #[inline(always)]
    fn new<S: Simd>(places: u64, groups: [u8x64<S>; N]) -> Option<Self> {
        let stored = |found: u8x64<S>| {
            let mut groups = [0; PLACES];
            found.store_array(&mut groups);
            groups
        };
        (places != 0).then(|| Self { places, groups: groups.map(stored) })
    }

    /// What `look` finds first, in a block that begins at `start` and has this many places.
    #[inline(never)]
    fn first<T>(
        &self,
        start: usize,
        count: usize,
        look: &mut impl FnMut(usize, u16) -> Option<T>,
    ) -> Option<T> {
        let mut places = self.places;
        while places != 0 {
            let place = places.trailing_zeros() as usize;
            if place >= count {
                return None;
            }
            places &= places - 1;
            let groups = self.groups.iter().rev().fold(0, |groups, set| {
                groups << GROUPS | u16::from(set.get(place).copied().unwrap_or_default())
            });
            let found = look(start + place, groups);
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// The groups of `found` that have the bytes behind each place, from the byte of this number on.
#[allow(clippy::inline_always, reason = "so that it is compiled for the instructions at hand")]
#[inline(always)]
fn groups_at<S: Simd>(
    simd: S,
    (lowers, uppers): &LoadedTables<S>,
    bytes: &[u8; BYTES],
    from: usize,
    mut found: u8x64<S>,
) -> u8x64<S> {
    for (place, (lowers, uppers)) in lowers.iter().zip(uppers).enumerate().skip(from) {
        let bytes = bytes.get(place..).and_then(|bytes| bytes.first_chunk());
        if let Some(bytes) = bytes.map(|bytes| u8x64::load_array_ref(simd, bytes)) {
            let by_lower = lowers.swizzle_dyn_within_blocks(bytes & 15);
            found &= by_lower & uppers.swizzle_dyn_within_blocks(bytes >> 4);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn window(bytes: [u8; WIDTH], kinds: [u8; WIDTH]) -> ByteWindow {
        let mut window = bytes.map(Allowed::One);
        for (allowed, kind) in window.iter_mut().zip(kinds) {
            *allowed = match kind {
                0 => Allowed::Any,
                1 => Allowed::Name,
                _ => *allowed,
            };
        }
        window
    }

    proptest! {
        #[test]
        fn each_window_is_found_wherever_it_stands(
            windows in vec((any::<[u8; WIDTH]>(), [0..9_u8, 0..9, 2..9]), 1..60),
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
                    Allowed::Any => *byte,
                }).to_vec(),
                None => vec![*byte],
            }).collect();
            let sought = |window: &ByteWindow| SoughtWindow { window: *window, group: None };
            let sought: Vec<_> = windows.iter().map(sought).collect();
            let (search, groups) = WindowSearch::new(&sought, &[1; 256]);
            let mut found = Vec::new();
            let none: Option<()> = search.find(&text, start, |at, here| {
                found.push((at, here));
                None
            });
            prop_assert_eq!(none, None);
            for at in start..text.len() {
                let here = found.iter().find(|(place, _)| *place == at);
                for (window, group) in windows.iter().zip(&groups) {
                    // Behind the text's end, a window may go on with any byte.
                    let byte = |place: usize| text.get(at + place).copied().unwrap_or_default();
                    let has = |place: usize| window[place].bytes().any(|one| one == byte(place));
                    if (0..WIDTH).all(has) {
                        prop_assert!(here.is_some_and(|(_, here)| here & (1 << group) != 0));
                    }
                }
            }
        }
    }
}
