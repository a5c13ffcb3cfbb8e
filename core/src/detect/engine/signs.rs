//! The signs of calls, reasoning and frames: a text in which none of them stands holds only text.
//!
//! Each sign is searched for by the three bytes of it that are rarest in ordinary text, so that
//! prose, HTML, code and JSON have few places that look like one.

use std::cmp::Reverse;

use crate::detect::block::closing::FenceMarker;
use crate::detect::body::class_sign::ClassSign;
use crate::detect::engine::first_bytes::{FirstBytes, WordStart, mixed};
use crate::detect::engine::lead::may_name_function;
use crate::detect::engine::window_choice::{Choice, choice};
use crate::detect::engine::window_search::WindowSearch;
use crate::detect::engine::window_tables::{
    Allowed, ByteWindow, MANY, Shares, SoughtWindow, WIDTH,
};

/// The length of the table of signs.
const SLOTS: usize = 1024;

/// A text that something holds which the search looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sign {
    pub(crate) text: Box<[u8]>,
    pub(crate) kind: SignKind,
}

/// What a sign is a sign of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignKind {
    Marker {
        /// The offset in the sign of the byte by which the marker is searched for.
        searched: usize,
        /// Whether a name must follow.
        names: bool,
    },
    /// A bracket and two letters with which a token may begin that is understood although it is
    /// damaged.
    Word,
    /// A key of arguments, or what ends a call behind its object.
    Json,
    /// A key of arguments without quotes, which counts where JSON is repaired.
    BareKey,
    /// The class of elements that are calls.
    Class,
    /// A character reference, which may be to a character of the class.
    Reference,
    /// The beginning of a marker that may open or close a code block.
    Fence,
}

/// A sign, and the offset in it of the window by which it is searched for.
#[derive(Clone, Debug)]
struct SoughtSign {
    offset: usize,
    sign: Sign,
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
    /// How far in front of a place a window may begin by whose sign a marker is found there.
    reach: usize,
}

impl TextSigns {
    /// The words among the signs begin with one of `words`.
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
                (window, SoughtSign { offset, sign })
            })
            .collect();
        // What has its group comes first. Then, what stands in many places gets a group before
        // others would have to share it.
        sought.sort_by_cached_key(|(SoughtWindow { window, group }, _)| {
            (group.is_none(), Reverse(frequency(*window, &shares)))
        });
        let reach = sought
            .iter()
            .map(|(_, SoughtSign { offset, sign })| sign.searched().saturating_sub(*offset));
        let reach = reach.max().unwrap_or_default();
        let search = search(&sought, &shares);
        let fences = FenceMarker::BEGINNINGS.map(|fence| {
            let sign = Sign { text: fence.as_slice().into(), kind: SignKind::Fence };
            (sign.window(&shares, are_many).1, SoughtSign { offset: 0, sign })
        });
        sought.extend(fences);
        sought.sort_by_key(|(window, _)| window.group.is_none());
        let with_fences = self::search(&sought, &shares);
        let mut exact = vec![Vec::new(); SLOTS];
        let (mut first_bytes, mut loose) = (FirstBytes::new(words), vec![Vec::new(); 256]);
        for (sought, sign) in sought {
            first_bytes.add(sought.window, sign.sign.kind == SignKind::Word);
            if let Some(window) = self::exact(sought.window) {
                let slot = exact.get_mut(slot(window)).into_iter();
                slot.for_each(|slot| slot.push((window, sign.clone())));
            } else if let Some(first) = sign.sign.text.first() {
                loose
                    .get_mut(usize::from(*first))
                    .into_iter()
                    .for_each(|all| all.push(sign.clone()));
            }
        }
        Self { search, with_fences, first_bytes, exact, loose, class, reach }
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
        self.find_by(&self.search, text, pos, |kind, at| kind != SignKind::Fence && stands(at))
    }

    /// As `find`; `fences` takes the places before it at which a fence may stand.
    pub(crate) fn find_with_fences(
        &self,
        text: &[u8],
        pos: usize,
        stands: impl Fn(usize) -> bool,
        fences: &mut Vec<usize>,
    ) -> Option<usize> {
        self.find_by(&self.with_fences, text, pos, |kind, at| {
            if kind == SignKind::Fence {
                fences.push(at);
            }
            kind != SignKind::Fence && stands(at)
        })
    }

    fn find_by(
        &self,
        search: &WindowSearch,
        text: &[u8],
        pos: usize,
        mut stands: impl FnMut(SignKind, usize) -> bool,
    ) -> Option<usize> {
        search.find(text, pos.saturating_sub(self.reach), |at| {
            let here = text.get(at..)?;
            if self.first_bytes.may_stand(here) {
                self.place_at(text, at, pos, &mut stands)
            } else {
                None
            }
        })
    }

    /// The place of a sign with a window at `at` that counts from `pos` on.
    #[inline(never)]
    fn place_at(
        &self,
        text: &[u8],
        at: usize,
        pos: usize,
        stands: &mut impl FnMut(SignKind, usize) -> bool,
    ) -> Option<usize> {
        let here = text.get(at..)?;
        let mut place = |sought: &SoughtSign| self.place_of(sought, text, at, pos, &mut *stands);
        let exact = here.first_chunk().and_then(|window| {
            let mut slot = self.exact.get(slot(*window))?.iter();
            // Several windows share a place in the table.
            slot.find_map(|(of, sought)| if of == window { place(sought) } else { None })
        });
        exact.or_else(|| {
            // Signs that are shorter than a window are told by their last byte.
            let ends = |sought: &&SoughtSign| match sought.sign.text.get(1) {
                Some(last) => here.get(1) == Some(last),
                None => true,
            };
            self.loose.get(usize::from(*here.first()?))?.iter().filter(ends).find_map(place)
        })
    }

    /// The place of a sign whose window is at `at`, if it stands there and counts from `pos` on.
    #[inline(never)]
    fn place_of(
        &self,
        SoughtSign { offset, sign }: &SoughtSign,
        text: &[u8],
        at: usize,
        pos: usize,
        stands: impl FnOnce(SignKind, usize) -> bool,
    ) -> Option<usize> {
        let start = at.checked_sub(*offset)?;
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
                SignKind::Marker { .. } | SignKind::Word | SignKind::Fence => {
                    stands(sign.kind, place)
                }
                SignKind::Json | SignKind::Class => true,
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

/// The bytes of a window of which each place holds one byte.
fn exact(window: ByteWindow) -> Option<[u8; WIDTH]> {
    let [Allowed::One(first), Allowed::One(second), Allowed::One(third)] = window else {
        return None;
    };
    Some([first, second, third])
}

/// The place in the table of signs for a window of these bytes.
fn slot([first, second, third]: [u8; WIDTH]) -> usize {
    mixed(u32::from_le_bytes([first, second, third, 0]), SLOTS)
}

fn search(sought: &[(SoughtWindow, SoughtSign)], shares: &Shares) -> WindowSearch {
    let windows: Vec<SoughtWindow> = sought.iter().map(|(window, _)| *window).collect();
    WindowSearch::new(&windows, shares)
}

impl Sign {
    /// The offset in it of the byte that has to be in the part that is searched.
    fn searched(&self) -> usize {
        if let SignKind::Marker { searched, .. } = self.kind { searched } else { 0 }
    }

    /// Whether the other sign is found wherever this one is: a marker is looked for by all that
    /// may stand around the same byte.
    fn tells(&self, other: &Self) -> bool {
        let is_marker = matches!(self.kind, SignKind::Marker { names: false, .. } | SignKind::Word)
            && matches!(other.kind, SignKind::Marker { .. } | SignKind::Word);
        is_marker
            && self.searched() == other.searched()
            && self.text.len() < other.text.len()
            && other.text.starts_with(&self.text)
    }

    /// The window by which the sign is searched for, and its offset.
    fn window(&self, shares: &Shares, are_many: bool) -> (usize, SoughtWindow) {
        if let Some(Choice { offset, group }) = choice(&self.text).filter(|_| are_many) {
            return (offset, SoughtWindow { window: self.window_at(offset), group: Some(group) });
        }
        let (offset, window) = self.rarest_window(shares, are_many);
        (offset, SoughtWindow { window, group: None })
    }

    /// The window at an offset. Behind a short sign, a name or anything may stand.
    pub(crate) fn window_at(&self, offset: usize) -> ByteWindow {
        let mut window = [Allowed::Any; WIDTH];
        let text = self.text.get(offset..).unwrap_or_default();
        for (place, byte) in window.iter_mut().zip(text) {
            *place = Allowed::One(*byte);
        }
        let names = matches!(self.kind, SignKind::Marker { names: true, .. });
        if let Some(next) = window.get_mut(text.len()).filter(|_| names) {
            *next = Allowed::Name;
        }
        window
    }

    /// The window whose bytes are the rarest, and its offset.
    ///
    /// Many windows share groups, and three letters of several words make many other words. So of
    /// many signs, those windows are preferred that begin with something else.
    fn rarest_window(&self, shares: &Shares, are_many: bool) -> (usize, ByteWindow) {
        if self.text.len() < WIDTH {
            return (0, self.window_at(0));
        }
        let windows = self.text.array_windows::<WIDTH>().enumerate();
        let windows = windows.map(|(offset, window)| (offset, window.map(Allowed::One)));
        // Every code block holds such a window.
        let is_fence = |window: &ByteWindow| {
            exact(*window).is_some_and(|window| FenceMarker::BEGINNINGS.contains(&window))
        };
        let is_word = |[first, ..]: &ByteWindow| matches!(first, Allowed::One(byte) if byte.is_ascii_alphabetic() || *byte == b' ');
        let rarest = windows.min_by_key(|(_, window)| {
            let is_common = is_fence(window) || are_many && is_word(window);
            (is_common, frequency(*window, shares))
        });
        rarest.unwrap_or((0, [Allowed::Any; WIDTH]))
    }
}

/// How often a window stands in ordinary text.
fn frequency(window: ByteWindow, shares: &Shares) -> u64 {
    let each: u64 = window.iter().map(|allowed| allowed.share(shares)).product();
    // A bracket is the likeliest byte in front of a slash.
    let is_end_tag = |pair: &[Allowed]| pair == [Allowed::One(b'<'), Allowed::One(b'/')];
    if window.windows(2).any(is_end_tag) { each * 16 } else { each }
}

/// How often each byte stands in ordinary text, code and HTML among it; the sum is some 4,000.
fn shares() -> Shares {
    std::array::from_fn(|byte| match u8::try_from(byte).unwrap_or_default() {
        b' ' => 500,
        b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' | b'l' => 200,
        b'a'..=b'z' => 70,
        b'<' | b'>' | b'/' | b'"' | b'=' | b'\n' => 60,
        b'0'..=b'9' | b'A'..=b'Z' | b'-' | b'.' | b',' | b':' | b';' | b'(' | b')' | b'\'' => 25,
        b'_' | b'{' | b'}' | b'[' | b']' | b'#' | b'*' | b'`' | b'&' | b'$' | b'\\' => 15,
        _ => 4,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_found_by_their_rarest_bytes() {
        let marker = |text: &str, searched| Sign {
            text: text.as_bytes().into(),
            kind: SignKind::Marker { searched, names: false },
        };
        let shares = shares();
        assert_eq!(
            marker("</tool_call>", 0).rarest_window(&shares, false),
            (5, [b'l', b'_', b'c'].map(Allowed::One))
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
        assert_eq!(signs.find_with_fences(text, 1, |_| true, &mut fences), Some(16));
        assert_eq!(fences, [4, 5]);
    }
}
