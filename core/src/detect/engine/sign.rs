//! A sign: a text that something holds which the search looks for.
//!
//! It is searched for by the bytes of it that are rarest in ordinary text.

use crate::detect::block::closing::FenceMarker;
use crate::detect::engine::window_choice::{Choice, choice};
use crate::detect::engine::window_tables::{
    Allowed, ByteSet, ByteWindow, Shares, SoughtWindow, WIDTH, WINDOW,
};

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
    /// damaged, and what may stand behind them.
    Word(ByteSet),
    /// A bracket and the capital with which tags of reasoning begin that are written in another
    /// way, and what may stand behind them.
    Tag(ByteSet),
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

impl SignKind {
    /// Whether it shows that an element may be a call.
    pub(crate) fn is_of_class(self) -> bool {
        matches!(self, Self::Class | Self::Reference)
    }
}

impl Sign {
    /// The offset in it of the byte that has to be in the part that is searched.
    pub(super) fn searched(&self) -> usize {
        if let SignKind::Marker { searched, .. } = self.kind { searched } else { 0 }
    }

    /// Whether the other sign is found wherever this one is: a marker is looked for by all that
    /// may stand around the same byte.
    pub(super) fn tells(&self, other: &Self) -> bool {
        let is_marker =
            matches!(self.kind, SignKind::Marker { names: false, .. } | SignKind::Word(_))
                && matches!(other.kind, SignKind::Marker { .. } | SignKind::Word(_));
        is_marker
            && self.searched() == other.searched()
            && self.text.len() < other.text.len()
            && other.text.starts_with(&self.text)
    }

    /// The window by which the sign is searched for, and its offset.
    pub(super) fn window(&self, shares: &Shares, are_many: bool) -> (usize, SoughtWindow) {
        if let Some(Choice { offset, group }) = choice(&self.text).filter(|_| are_many) {
            return (offset, SoughtWindow { window: self.window_at(offset), group: Some(group) });
        }
        let (offset, window) = self.rarest_window(shares, are_many);
        (offset, SoughtWindow { window, group: None })
    }

    /// The window at an offset. Behind a short sign, a name or anything may stand.
    pub(crate) fn window_at(&self, offset: usize) -> ByteWindow {
        let mut window = [Allowed::Any; WINDOW];
        let text = self.text.get(offset..).unwrap_or_default();
        for (place, byte) in window.iter_mut().zip(text) {
            *place = Allowed::One(*byte);
        }
        let next = match self.kind {
            // A name may also be cut off, so it is no part of the last byte, which counts.
            SignKind::Marker { names: true, .. } if text.len() < WIDTH => Allowed::Name,
            SignKind::Word(behind) | SignKind::Tag(behind) => Allowed::Among(behind),
            _ => Allowed::Any,
        };
        if let Some(place) = window.get_mut(text.len()) {
            *place = next;
        }
        window
    }

    /// The window whose bytes are the rarest, and its offset.
    ///
    /// Many windows share groups, and three letters of several words make many other words. So of
    /// many signs, those windows are preferred that begin with something else.
    pub(super) fn rarest_window(&self, shares: &Shares, are_many: bool) -> (usize, ByteWindow) {
        if self.text.len() < WIDTH {
            return (0, self.window_at(0));
        }
        let offsets = 0..=self.text.len() - WIDTH;
        let windows = offsets.map(|offset| (offset, self.window_at(offset)));
        // Every code block holds such a window.
        let is_fence = |window: &ByteWindow| {
            exact(*window).is_some_and(|window| FenceMarker::BEGINNINGS.contains(&window))
        };
        let is_word = |[first, ..]: &ByteWindow| matches!(first, Allowed::One(byte) if byte.is_ascii_alphabetic() || *byte == b' ');
        let rarest = windows.min_by_key(|(_, window)| {
            let is_common = is_fence(window) || are_many && is_word(window);
            (is_common, frequency(*window, shares))
        });
        rarest.unwrap_or((0, [Allowed::Any; WINDOW]))
    }
}

/// How often a window stands in ordinary text.
pub(super) fn frequency(window: ByteWindow, shares: &Shares) -> u64 {
    let each: u64 = window.iter().take(WIDTH).map(|allowed| allowed.share(shares)).product();
    // A bracket is the likeliest byte in front of a slash.
    let is_end_tag = |pair: &[Allowed]| pair == [Allowed::One(b'<'), Allowed::One(b'/')];
    if window.windows(2).any(is_end_tag) { each * 16 } else { each }
}

/// How often each byte stands in ordinary text, code and HTML among it; the sum is some 4,000.
pub(super) fn shares() -> Shares {
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

/// The first bytes of a window, where each of these places holds one byte.
pub(super) fn exact(window: ByteWindow) -> Option<[u8; WIDTH]> {
    let [Allowed::One(first), Allowed::One(second), Allowed::One(third), _] = window else {
        return None;
    };
    Some([first, second, third])
}
