//! All signs of a text, looked for in one pass.
//!
//! Whether tags matter depends on all the rest of a text. A search for the class of elements that
//! are calls would pass over it once more, so the search for signs notes what it finds on the way.

use crate::detect::engine::config::Config;
use crate::detect::engine::signs::TextSigns;

/// How many signs are noted at once, and behind how many bytes one more is. Where signs stand close
/// together, what is noted saves less than it takes.
const NOTED: usize = 6;
const BYTES_OF_ONE: usize = 2048;
/// The number of signs, and of fences, for which there is room at first.
const ROOM: usize = 32;

/// The places of all signs and fences in a part of a text, in which no sign is one of an element
/// that is a call.
#[derive(Debug)]
pub(super) struct NotedSigns {
    /// Where the part begins and ends.
    start: usize,
    end: usize,
    signs: Vec<usize>,
    fences: Vec<usize>,
}

impl NotedSigns {
    /// Notes the signs of a text from `start` on; `None` if elements that are calls may stand in
    /// it.
    pub(super) fn new(
        signs: &TextSigns,
        config: &Config,
        start: usize,
        input: &[u8],
    ) -> Option<Self> {
        let mut noted = Self {
            start,
            end: input.len(),
            signs: Vec::with_capacity(ROOM),
            fences: Vec::with_capacity(ROOM),
        };
        let mut may_hold_element = false;
        let stands = |at| config.markers.may_stand(input, at);
        let fence = |at| noted.fences.push(at);
        let stopped = signs.find_with_fences(input, start, stands, fence, |kind, at| {
            may_hold_element = kind.is_of_class();
            noted.signs.push(at);
            may_hold_element || noted.signs.len() > NOTED + at.saturating_sub(start) / BYTES_OF_ONE
        });
        if let Some(at) = stopped {
            // A sign may be found before another one that begins in front of it.
            noted.end = at.saturating_sub(2 * signs.reach).max(start);
            let rest = input.get(noted.end..).unwrap_or_default();
            if may_hold_element || config.may_hold_element(rest) {
                return None;
            }
        }
        noted.signs.sort_unstable();
        Some(noted)
    }

    /// Whether the signs behind a place are known.
    #[inline]
    pub(super) fn has(&self, pos: usize) -> bool {
        (self.start..self.end).contains(&pos)
    }

    /// The next sign from `pos` on; the end of the text when there is none. `None` if the search
    /// has not come that far.
    pub(super) fn sign(&self, pos: usize, input: &[u8]) -> Option<usize> {
        if !self.has(pos) {
            return None;
        }
        let next = self.signs.get(self.signs.partition_point(|sign| *sign < pos)).copied();
        let at = next.unwrap_or(input.len());
        (at < self.end || self.end == input.len()).then_some(at)
    }

    /// The fences from `pos` on up to a place, if they are known; there may be more behind it.
    pub(super) fn fences(&self, pos: usize, place: usize) -> Option<&[usize]> {
        let known = self.start <= pos && place <= self.end;
        let passed = || self.fences.partition_point(|fence| *fence < pos);
        known.then(|| self.fences.get(passed()..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is noted of a text, from the place of `start` in it on.
    fn noted(text: &str, start: &str) -> Option<NotedSigns> {
        let config = Config::default();
        let signs = config.starts.signs.as_ref().unwrap();
        NotedSigns::new(signs, &config, text.find(start).unwrap(), text.as_bytes())
    }

    /// The next sign of a text as the search finds it; the end of the text when there is none.
    fn next(text: &str, pos: usize) -> usize {
        let config = Config::default();
        let signs = config.starts.signs.as_ref().unwrap();
        let stands = |at| config.markers.may_stand(text.as_bytes(), at);
        signs.find(text.as_bytes(), pos, stands).unwrap_or(text.len())
    }

    #[test]
    fn the_noted_signs_are_those_that_are_found() {
        let text = "<tool:a>{} ```\n </tool> ~~~ <think> tool-call &#39; end";
        let at = |part: &str| text.find(part).unwrap();
        let noted = noted(text, ":a").unwrap();
        assert!(next(text, at("{}")) < at("~~~") && next(text, at("~~~")) < at("tool-call"));
        for pos in at(":a")..text.len() {
            assert_eq!(noted.sign(pos, text.as_bytes()), Some(next(text, pos)), "{pos}");
        }
        let fences = noted.fences(at("</tool"), at("<think")).unwrap();
        assert_eq!(fences.first(), Some(&at("~~~")));
        assert!(!noted.has(at("tool:")) && noted.fences(0, 9).is_none());
    }

    #[test]
    fn an_element_that_may_be_a_call_is_seen() {
        let class = Config::default().element.unwrap().class.clone();
        let many = "</tool> ".repeat(99);
        let written =
            [&class, "&#x2D;", &class.replace('-', "&#45;"), &class.replace('l', "&#0108;")];
        for class in written {
            for before in ["", "<tool:a>{", &many] {
                let text = format!("{before}<p class='{class}'> <tool:b>{{}}");
                assert!(noted(&text, "").is_none(), "{text}");
                assert!(noted(&text, " <tool:b").is_some(), "{text}");
            }
        }
    }

    #[test]
    fn signs_that_stand_close_together_are_noted_in_part() {
        let text = "</tool> ".repeat(99);
        let noted = noted(&text, "").unwrap();
        assert!(noted.has(7) && !noted.has(400));
        for pos in 0..text.len() {
            let next = next(&text, pos);
            let known = noted.sign(pos, text.as_bytes());
            assert_eq!(known, (pos < noted.end && next < noted.end).then_some(next), "{pos}");
        }
    }
}
