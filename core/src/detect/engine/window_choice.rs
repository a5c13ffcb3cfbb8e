//! By which window each known sign is searched for, and in which group.
//!
//! Many signs share few groups, and a group is found wherever the halves of its windows' bytes meet
//! by chance. Which windows meet least cannot be told from single bytes: `tom` stands in `custom`
//! and `bottom`. So the signs of all forms have their windows from a table, which was made by the
//! counts of a few bytes in a row in ordinary text. A sign that is not in it gets its window and
//! its group from the frequencies of single bytes.

/// The known signs in the order of their bytes, each with the offset of its window and its group.
static CHOICES: &[(&[u8], usize, usize)] = include!("window_choices.in");

/// The window of a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The offset of the window in the sign.
    pub(crate) offset: usize,
    pub(crate) group: usize,
}

/// The choice for a sign of this text, if it is known.
pub(crate) fn choice(sign: &[u8]) -> Option<Choice> {
    let at = CHOICES.binary_search_by(|(text, ..)| (*text).cmp(sign)).ok()?;
    CHOICES.get(at).map(|&(_, offset, group)| Choice { offset, group })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::path::{Path, PathBuf};
    use std::{env, fs};

    use super::*;
    use crate::detect::engine::config::Config;
    use crate::detect::engine::sign::{Sign, SignKind};
    use crate::detect::engine::window_tables::{
        Allowed, ByteWindow, GROUPS, LED_BY, LIST_GROUP, WIDTH, list_byte,
    };

    /// How often each sign is given another window, where one is better.
    const ROUNDS: usize = 2;

    /// A bit for each half that a byte of each place may have: sixteen for the lower half and
    /// sixteen for the upper one.
    #[derive(Clone, Copy, Default)]
    struct Halves(u128);

    impl Halves {
        /// The lowest bit of each sixteen.
        const FIRST: u128 = 0x0001_0001_0001_0001_0001_0001_0001_0001;
        const HIGHEST: u128 = Self::FIRST << 15;

        fn of(place: usize, byte: u8) -> Self {
            let halves = 1 << (byte & 15) | 1_u128 << (16 + (byte >> 4));
            Self(halves << (32 * place))
        }

        /// These and those of a window. Its last byte counts in the groups of those that begin
        /// with the same byte.
        fn with(self, mut window: ByteWindow) -> Self {
            if window[0] != Allowed::One(LED_BY) {
                window[WIDTH] = Allowed::Any;
            }
            let places = window.iter().enumerate();
            let halves = places
                .flat_map(|(place, allowed)| allowed.bytes().map(move |b| Self::of(place, b)));
            halves.fold(self, |known, one| Self(known.0 | one.0))
        }

        /// Whether they have a half in common everywhere. Loops are slow without optimization.
        fn meet(self, other: Self) -> bool {
            let both = self.0 & other.0;
            let lower = Self::HIGHEST - Self::FIRST;
            (both | ((both & lower) + lower)) & Self::HIGHEST == Self::HIGHEST
        }
    }

    /// A few bytes of ordinary text, and how often they stand there.
    struct Counted {
        halves: Halves,
        count: u64,
    }

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
    }

    fn counts() -> Vec<Counted> {
        let lines = fs::read_to_string(folder().join("tests/data/byte_counts.txt")).unwrap();
        let counted = |line: &str| {
            let (window, count) = line.split_once(' ').unwrap();
            let byte = |at: usize| window.get(2 * at..2 * at + 2);
            let allowed = |byte: &str| Allowed::One(u8::from_str_radix(byte, 16).unwrap());
            let bytes: ByteWindow =
                std::array::from_fn(|at| byte(at).map_or(Allowed::Any, allowed));
            let halves = Halves::default().with(bytes);
            Counted { halves, count: count.parse().unwrap() }
        };
        lines.lines().map(counted).collect()
    }

    /// Chooses the windows one after the other, each so that the fewest places are found anew.
    struct Chooser {
        counts: Vec<Counted>,
        signs: Vec<Sign>,
        chosen: Vec<Option<Choice>>,
    }

    impl Chooser {
        fn groups(&self) -> Vec<Halves> {
            let mut groups = vec![Halves::default(); 2 * GROUPS];
            for (sign, chosen) in self.signs.iter().zip(&self.chosen) {
                if let Some(Choice { offset, group }) = *chosen {
                    groups[group] = groups[group].with(sign.window_at(offset));
                }
            }
            groups
        }

        fn choose(&mut self, sign: usize) {
            self.chosen[sign] = None;
            let groups = self.groups();
            // A place that is found costs its look once, whatever the number of its groups. Those
            // of the group of lists are told together, without a look at each.
            let looked_at = || groups.iter().enumerate().filter(|(group, _)| *group != LIST_GROUP);
            let is_new = |one: &&Counted| !looked_at().any(|(_, group)| group.meet(one.halves));
            let new: Vec<_> = self.counts.iter().filter(is_new).collect();
            let mut best = None;
            for offset in 0..=self.signs[sign].text.len().saturating_sub(WIDTH) {
                let window = self.signs[sign].window_at(offset);
                let led = window[0] == Allowed::One(LED_BY);
                let lists = list_byte(window).is_some();
                let groups = groups.iter().enumerate();
                let fitting = groups.skip(usize::from(led) * GROUPS).take(GROUPS);
                for (group, halves) in fitting.filter(|(group, _)| lists == (*group == LIST_GROUP))
                {
                    let grown = halves.with(window);
                    let met = new.iter().filter(|one| grown.meet(one.halves));
                    let places: u64 = met.map(|one| one.count).sum();
                    // Where no counted place is found, few halves keep the group small.
                    let growth = grown.0.count_ones() - halves.0.count_ones();
                    let found = (places, growth, offset, group);
                    best =
                        Some(best.map_or(found, |best: (u64, u32, usize, usize)| best.min(found)));
                }
            }
            self.chosen[sign] = best.map(|(.., offset, group)| Choice { offset, group });
        }
    }

    fn table(chooser: &Chooser) -> String {
        let mut table = String::from("// Written by the test of `window_choice`.\n&[\n");
        for (sign, chosen) in chooser.signs.iter().zip(&chooser.chosen) {
            let Choice { offset, group } = chosen.unwrap();
            let text = sign.text.escape_ascii();
            writeln!(table, "    (b\"{text}\", {offset}, {group}),").unwrap();
        }
        table + "]\n"
    }

    #[test]
    fn the_table_is_what_the_counts_give() {
        let config = Config::default();
        let mut signs = config.starts.signs.as_ref().unwrap().all();
        signs.sort_by(|one, other| one.text.cmp(&other.text));
        signs.dedup_by(|one, other| one.text == other.text);
        let chosen = vec![None; signs.len()];
        let mut chooser = Chooser { counts: counts(), signs, chosen };
        // Short signs have one window, which many places fit: it should share its group with few.
        let mut order: Vec<_> = (0..chooser.signs.len()).collect();
        order.sort_by_key(|sign| chooser.signs[*sign].text.len());
        // Fences are searched for in some texts alone, so what fits them is not found for nothing.
        let is_fence = |sign: &usize| chooser.signs[*sign].kind == SignKind::Fence;
        let (fences, others): (Vec<_>, Vec<_>) = order.into_iter().partition(is_fence);
        for sign in others.repeat(ROUNDS).into_iter().chain(fences) {
            chooser.choose(sign);
        }
        let (path, table) = (folder().join("src/detect/engine/window_choices.in"), table(&chooser));
        if env::var_os("TOOLWIRE_WRITE").is_some() {
            fs::write(&path, &table).unwrap();
        }
        let is_told = fs::read_to_string(&path).unwrap() == table;
        assert!(is_told, "the signs are others now: run this test with TOOLWIRE_WRITE=1");
    }
}
