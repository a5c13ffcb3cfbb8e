//! The tables by which many windows of three bytes are searched for at once.
//!
//! Each window belongs to one of sixteen groups. For each of the three bytes, two tables say which
//! groups have a byte with this lower half, and with this upper half. A place is found if one group
//! has all three bytes, each by its halves. That may be a window that nobody asked for: the caller
//! compares what stands there.
//!
//! Of many windows, most begin with the same byte, which most text lacks. So they have eight groups
//! of their own, whose tables are looked at only where this byte stands. As that byte needs no
//! table, theirs tell the three bytes behind it: `<st` alone stands in each `<strong>`.

use crate::detect::rule::name::is_name_byte;

/// The number of bytes that one set of tables tells.
pub(crate) const WIDTH: usize = 3;
/// The number of bytes of a window. The last one counts only where windows begin with the same
/// byte.
pub(crate) const WINDOW: usize = WIDTH + 1;
/// The byte with which the windows of the second half of the groups begin, where windows have
/// groups that are known.
pub(crate) const LED_BY: u8 = b'<';
pub(super) const HALVES: usize = 16;
/// The number of groups of one set of tables, which has a bit for each.
pub(crate) const GROUPS: usize = 8;
/// The number of groups.
const MOST_GROUPS: usize = 2 * GROUPS;
/// The group of the window that begins a list of calls, which has no other one.
pub(crate) const LIST_GROUP: usize = 0;
/// From this number of windows on, those that begin with the same byte have tables of their own.
pub(crate) const MANY: usize = 24;

/// How often each byte stands in ordinary text.
pub(crate) type Shares = [u32; 256];

/// A window: the bytes that each of its places may hold.
pub(crate) type ByteWindow = [Allowed; WINDOW];

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
    Among(ByteSet),
    Any,
}

/// A set of bytes, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteSet([u128; 2]);

impl ByteSet {
    pub(crate) fn insert(&mut self, byte: u8) {
        let half = self.0.get_mut(usize::from(byte >> 7));
        if let Some(half) = half {
            *half |= 1 << (byte & 127);
        }
    }

    fn contains(self, byte: u8) -> bool {
        self.0.get(usize::from(byte >> 7)).is_some_and(|half| half >> (byte & 127) & 1 == 1)
    }
}

impl Allowed {
    pub(crate) fn bytes(self) -> impl Iterator<Item = u8> {
        let all = if let Self::One(byte) = self { byte..=byte } else { 0..=u8::MAX };
        let is_name =
            |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || byte.is_ascii_whitespace();
        all.filter(move |byte| match self {
            Self::Name => is_name(*byte),
            Self::Among(set) => set.contains(*byte),
            Self::One(_) | Self::Any => true,
        })
    }

    /// How often its bytes stand in ordinary text.
    pub(crate) fn share(self, shares: &Shares) -> u64 {
        let share = |byte: u8| shares.get(usize::from(byte)).copied().unwrap_or_default();
        self.bytes().map(|byte| u64::from(share(byte))).sum()
    }
}

/// The byte of a window behind which a list of calls begins, as `[` in `[name(`.
pub(crate) fn list_byte(window: ByteWindow) -> Option<u8> {
    let [Allowed::One(byte), Allowed::Name, Allowed::Any, _] = window else { return None };
    (!is_name_byte(byte) && !byte.is_ascii_whitespace()).then_some(byte)
}

/// Which groups have a byte with one of the halves, for each half of each byte that they tell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tables {
    pub(super) lower: [[u8; HALVES]; WIDTH],
    pub(super) upper: [[u8; HALVES]; WIDTH],
}

/// The tables of the windows that begin with the same byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct LedTables {
    pub(super) byte: u8,
    pub(super) tables: Tables,
}

/// The tables of all windows.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowTables {
    pub(super) tables: Tables,
    pub(super) led: Option<LedTables>,
    /// Whether a group finds lists of calls alone.
    pub(super) has_list: bool,
}

/// The halves that the bytes of a group have.
#[derive(Clone, Copy, Debug, Default)]
struct GroupHalves {
    lower: [u16; WIDTH],
    upper: [u16; WIDTH],
}

impl GroupHalves {
    fn with(mut self, told: &[Allowed]) -> Self {
        for ((lower, upper), allowed) in self.lower.iter_mut().zip(&mut self.upper).zip(told) {
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

impl WindowTables {
    /// The tables for windows. `shares` says how often each byte stands in ordinary text.
    pub(super) fn new(windows: &[SoughtWindow], shares: &Shares) -> Self {
        let common = most_common(windows).filter(|_| windows.len() >= MANY);
        let are_known = common == Some(LED_BY);
        let list = windows.iter().find_map(|sought| list_byte(sought.window));
        let list = list.filter(|byte| common != Some(*byte));
        let number = if common.is_some() { MOST_GROUPS } else { GROUPS };
        let mut groups = vec![(GroupHalves::default(), 0); number];
        for SoughtWindow { window, group: known } in windows {
            let [first, behind @ ..] = window;
            let is_led = common.is_some_and(|byte| *first == Allowed::One(byte));
            let told = if is_led { behind.as_slice() } else { window.as_slice() };
            let is_list = list.is_some() && list == list_byte(*window);
            let fits = |group: usize| {
                is_led == (group >= GROUPS) && (list.is_none() || is_list == (group == LIST_GROUP))
            };
            let known = known.filter(|known| are_known && fits(*known));
            let may_share = |group: usize| fits(group) && known.is_none_or(|known| known == group);
            let grown = groups.iter().enumerate().filter(|(group, _)| may_share(*group));
            let grown = grown.map(|(group, (halves, frequency))| {
                let halves = halves.with(told);
                let now = halves.frequency(shares);
                (now - frequency, group, (halves, now))
            });
            let best = grown.min_by_key(|(growth, ..)| *growth);
            let Some((_, group, grown)) = best else { continue };
            if let Some(place) = groups.get_mut(group) {
                *place = grown;
            }
        }
        let (others, led) = groups.split_at(GROUPS.min(groups.len()));
        let led = common.map(|byte| LedTables { byte, tables: tables(led) });
        Self { tables: tables(others), led, has_list: list.is_some() }
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
