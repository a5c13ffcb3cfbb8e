//! The signs of calls, reasoning and frames: a text in which none of them stands holds only text.
//!
//! Each sign is searched for by the bytes of it that are rarest in ordinary text, so that prose,
//! HTML, code and JSON have few places that look like one.

use std::cmp::Reverse;

use crate::detect::block::closing::FenceMarker;
use crate::detect::body::class_sign::ClassSign;
use crate::detect::engine::first_bytes::{FirstBytes, WORD, WordStart, mixed};
use crate::detect::engine::lead::may_name_function;
use crate::detect::engine::sign::{Sign, SignKind, exact, frequency, shares};
use crate::detect::engine::window_search::WindowSearch;
use crate::detect::engine::window_tables::{MANY, Shares, SoughtWindow, WIDTH};

/// The length of the table of signs.
const SLOTS: usize = 1024;

/// A sign, and the offset in it of the window by which it is searched for.
#[derive(Clone, Debug)]
struct SoughtSign {
    offset: usize,
    /// Its first byte.
    first: u8,
    sign: Sign,
}

impl SoughtSign {
    fn new(offset: usize, sign: Sign) -> Self {
        Self { offset, first: sign.text.first().copied().unwrap_or_default(), sign }
    }

    /// The first letters behind the first byte of its window, in small letters, if it has that
    /// many.
    fn word(&self) -> Option<WordStart> {
        let word = self.sign.text.get(self.offset + 1..)?.first_chunk::<WORD>()?;
        let is_word = word.iter().all(u8::is_ascii_alphabetic);
        is_word.then(|| word.map(|byte| byte.to_ascii_lowercase()))
    }
}

/// The signs, ready to be searched for.
#[derive(Clone, Debug)]
pub(crate) struct TextSigns {
    search: WindowSearch,
    /// The search for the signs and for fences.
    with_fences: WindowSearch,
    first_bytes: FirstBytes,
    /// The signs whose windows are three known bytes, with these bytes, by a number made of them.
    exact: Vec<Vec<([u8; WIDTH], SoughtSign)>>,
    /// The other ones, by their first byte.
    loose: Vec<Vec<SoughtSign>>,
    class: Option<ClassSign>,
    /// How far from the place of a sign its window may begin.
    pub(crate) reach: usize,
}

impl TextSigns {
    /// The words of which a sign has two letters begin with one of `words`.
    pub(crate) fn new(mut signs: Vec<Sign>, words: &[WordStart], class: Option<ClassSign>) -> Self {
        signs.sort_by(|one, other| one.text.cmp(&other.text));
        signs.dedup();
        let all = signs.clone();
        signs.retain(|sign| !all.iter().any(|other| other.tells(sign)));
        let shares = shares();
        let are_many = signs.len() >= MANY;
        let mut sought: Vec<_> = signs
            .into_iter()
            .map(|sign| {
                let (offset, window) = sign.window(&shares, are_many);
                (window, SoughtSign::new(offset, sign))
            })
            .collect();
        // What has its group comes first. Then, what stands in many places gets a group before
        // others would have to share it.
        sought.sort_by_cached_key(|(SoughtWindow { window, group }, _)| {
            (group.is_none(), Reverse(frequency(*window, &shares)))
        });
        let reach = sought
            .iter()
            .map(|(_, SoughtSign { offset, sign, .. })| sign.searched().abs_diff(*offset));
        let reach = reach.max().unwrap_or_default();
        let search = search(&sought, &shares);
        let fences = FenceMarker::BEGINNINGS.map(|fence| {
            let sign = Sign { text: fence.as_slice().into(), kind: SignKind::Fence };
            (sign.window(&shares, are_many).1, SoughtSign::new(0, sign))
        });
        sought.extend(fences);
        sought.sort_by_key(|(window, _)| window.group.is_none());
        let with_fences = self::search(&sought, &shares);
        // Where another sign has the same window, that of a class is found.
        sought.sort_by_key(|(_, sought)| !sought.sign.kind.is_of_class());
        let mut by_window = vec![Vec::new(); SLOTS];
        let words_of_signs = sought.iter().filter_map(|(_, sign)| sign.word());
        let words: Vec<_> = words.iter().copied().chain(words_of_signs).collect();
        let (mut first_bytes, mut loose) = (FirstBytes::new(&words), vec![Vec::new(); 256]);
        for (sought, sign) in sought {
            let is_word = matches!(sign.sign.kind, SignKind::Word(_)) || sign.word().is_some();
            first_bytes.add(sought.window, is_word);
            if let Some(window) = exact(sought.window) {
                let slot = by_window.get_mut(slot(window)).into_iter();
                slot.for_each(|slot| slot.push((window, sign.clone())));
            } else if let Some(first) = sign.sign.text.first() {
                loose
                    .get_mut(usize::from(*first))
                    .into_iter()
                    .for_each(|all| all.push(sign.clone()));
            }
        }
        Self { search, with_fences, first_bytes, exact: by_window, loose, class, reach }
    }

    /// Whether signs of a class are found wherever they stand, whatever else stands there. A class
    /// that is shorter than a window may be missed.
    pub(crate) fn tells_class(&self) -> bool {
        self.class.as_ref().is_none_or(|class| class.texts().0.len() >= WIDTH)
    }

    /// All signs, and what fences begin with.
    #[cfg(test)]
    pub(crate) fn all(&self) -> Vec<Sign> {
        let exact = self.exact.iter().flatten().map(|(_, sought)| sought);
        exact.chain(self.loose.iter().flatten()).map(|sought| sought.sign.clone()).collect()
    }

    /// The place from `pos` on at which the search may find something that a sign stands for;
    /// `stands` says whether a marker stands around a place.
    pub(crate) fn find(
        &self,
        text: &[u8],
        pos: usize,
        stands: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        self.find_by(&self.search, text, pos, stands, |_| {}, |_, _| true)
    }

    /// The place of the first sign from `pos` on that `takes` takes; `fence` is told the places
    /// before it at which a fence may stand.
    ///
    /// Of several signs around the same bytes, one is asked for: that of a class, if there is one.
    pub(crate) fn find_with_fences(
        &self,
        text: &[u8],
        pos: usize,
        stands: impl Fn(usize) -> bool,
        fence: impl FnMut(usize),
        takes: impl FnMut(SignKind, usize) -> bool,
    ) -> Option<usize> {
        self.find_by(&self.with_fences, text, pos, stands, fence, takes)
    }

    fn find_by(
        &self,
        search: &WindowSearch,
        text: &[u8],
        pos: usize,
        stands: impl Fn(usize) -> bool,
        mut fence: impl FnMut(usize),
        mut takes: impl FnMut(SignKind, usize) -> bool,
    ) -> Option<usize> {
        search.find(text, pos.saturating_sub(self.reach), move |at| {
            let here = text.get(at..)?;
            if self.first_bytes.may_stand(here) {
                let (kind, place) = self.sign_at(text, at, pos, &stands, &mut fence)?;
                takes(kind, place).then_some(place)
            } else {
                None
            }
        })
    }

    /// The sign with a window at `at` that counts from `pos` on.
    #[inline(never)]
    fn sign_at(
        &self,
        text: &[u8],
        at: usize,
        pos: usize,
        stands: &impl Fn(usize) -> bool,
        fence: &mut impl FnMut(usize),
    ) -> Option<(SignKind, usize)> {
        let here = text.get(at..)?;
        let mut found = |sought: &SoughtSign| {
            // Many signs have their window in common, but not what stands around it.
            let start = at.checked_sub(sought.offset)?;
            if text.get(start) != Some(&sought.first) {
                return None;
            }
            let place = self.place_of(&sought.sign, text, start, pos, stands)?;
            if sought.sign.kind == SignKind::Fence {
                fence(place);
                return None;
            }
            Some((sought.sign.kind, place))
        };
        let exact = here.first_chunk().and_then(|window| {
            let mut slot = self.exact.get(slot(*window))?.iter();
            // Several windows share a place in the table.
            slot.find_map(|(of, sought)| if of == window { found(sought) } else { None })
        });
        exact.or_else(|| {
            // Signs that are shorter than a window are told by their last byte.
            let ends = |sought: &&SoughtSign| match sought.sign.text.get(1) {
                Some(last) => here.get(1) == Some(last),
                None => true,
            };
            self.loose.get(usize::from(*here.first()?))?.iter().filter(ends).find_map(found)
        })
    }

    /// The place of a sign whose window was found, if it stands at `start` and counts from `pos`
    /// on.
    #[inline(never)]
    fn place_of(
        &self,
        sign: &Sign,
        text: &[u8],
        start: usize,
        pos: usize,
        stands: &impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let here = text.get(start..)?;
        // A sign of three bytes is its own window.
        if sign.text.len() != WIDTH && !here.starts_with(&sign.text) {
            return None;
        }
        let place = start + sign.searched();
        let counts = place >= pos
            && match sign.kind {
                SignKind::Marker { names: true, .. } => {
                    may_name_function(here.get(sign.text.len()..))
                }
                SignKind::Marker { .. } | SignKind::Word(_) | SignKind::Tag(_) => stands(place),
                SignKind::Json | SignKind::Class | SignKind::Fence => true,
                SignKind::BareKey => may_end_key(here.get(sign.text.len()..)),
                SignKind::Reference => {
                    let reference = here.get(1..).unwrap_or_default();
                    self.class.as_ref().is_some_and(|class| class.is_spelled(reference))
                }
            };
        counts.then_some(place)
    }
}

/// Whether a key without quotes may end where this text begins: a colon or a comment follows.
fn may_end_key(behind: Option<&[u8]>) -> bool {
    let mut solid = behind.into_iter().flatten().filter(|byte| !byte.is_ascii_whitespace());
    solid.next().is_some_and(|byte| matches!(byte, b':' | b'/'))
}

/// The place in the table of signs for a window of these bytes.
fn slot([first, second, third]: [u8; WIDTH]) -> usize {
    mixed(u32::from_le_bytes([first, second, third, 0]), SLOTS)
}

fn search(sought: &[(SoughtWindow, SoughtSign)], shares: &Shares) -> WindowSearch {
    let windows: Vec<SoughtWindow> = sought.iter().map(|(window, _)| *window).collect();
    WindowSearch::new(&windows, shares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::engine::window_tables::Allowed;

    #[test]
    fn signs_are_found_by_their_rarest_bytes() {
        let marker = |text: &str, searched| Sign {
            text: text.as_bytes().into(),
            kind: SignKind::Marker { searched, names: false },
        };
        let shares = shares();
        assert_eq!(
            marker("</tool_call>", 0).rarest_window(&shares, false),
            (5, [b'l', b'_', b'c', b'a'].map(Allowed::One))
        );
        let signs = TextSigns::new(
            vec![marker("<tool:", 3), marker("<tool", 3), marker("x|y", 2)],
            &[],
            None,
        );
        assert_eq!(signs.exact.iter().flatten().count(), 2 + FenceMarker::BEGINNINGS.len());
        let found = |text: &str, pos| signs.find(text.as_bytes(), pos, |_| true);
        assert_eq!(found("a <tool", 0), Some(5));
        assert_eq!(found("a <tool", 5), Some(5));
        assert_eq!(found("a <tool", 6), None);
        assert_eq!(found("<too x|", 0), None);
        assert_eq!(signs.find(b"a x|y", 0, |at| at != 4), None);
        assert_eq!(found("```\nx|y", 0), Some(6));
        let mut fences = Vec::new();
        let text = b"```\n~~~~ `` ``x|y```";
        let fence = |at| fences.push(at);
        assert_eq!(signs.find_with_fences(text, 1, |_| true, fence, |_, _| true), Some(16));
        assert_eq!(fences, [4, 5]);
    }
}
