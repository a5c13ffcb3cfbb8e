//! What the search need not look at, because nothing that it could be part of stands in the text.
//!
//! A tag matters only if it may be a call, or if it hides one that may; JSON only if it has a key
//! of arguments or reaches over what may be a call; code only if it hides a call. So in a whole
//! text, the signs of calls, reasoning and frames are searched for: the class of elements that are
//! calls, the keys of arguments, and markers. Behind the last sign, all is text. In front of a
//! sign, the search goes on where its line begins, or at the code block before it. The rest of a
//! stream is not known, so a stream reads all of it.

use memchr::{memchr, memrchr};

use crate::call::Span;
use crate::detect::block::closing::{FenceMarker, FenceText};
use crate::detect::block::enclosure::Enclosure;
use crate::detect::block::fence::FenceReader;
use crate::detect::engine::Engine;
use crate::detect::engine::config::Config;
use crate::detect::engine::noted_signs::NotedSigns;
use crate::detect::engine::search_state::Known;
use crate::detect::engine::signs::TextSigns;
use crate::detect::engine::starts::Kinds;
use crate::detect::options::Fences;
use crate::json::outcome::Repair;

/// The number of bytes up to a sign from which on it is worth while to pass them.
const WORTH: usize = 256;
/// How often the number of bytes that are not passed is doubled.
const MOST_NEAR: u32 = 4;
/// The number of fences before one sign for which there is room at first.
const MOST_FENCES: usize = 32;
/// The number of bytes in front of a line that are looked at.
const LOOKED_AT: usize = 64;

impl Engine {
    /// Takes tags for text, if this is a whole text whose rest holds no sign of an element that is
    /// a call.
    pub(super) fn pass_tags(&mut self, config: &Config, input: &[u8]) -> bool {
        if !std::mem::take(&mut self.searching.tags.may_pass) {
            return false;
        }
        let passes = match &config.starts.signs {
            Some(signs) if signs.tells_class() && self.searching.passes_from.is_some() => {
                self.note_signs(signs, config, input)
            }
            _ => !config.may_hold_element(input.get(self.pos..).unwrap_or_default()),
        };
        if passes {
            self.searching.wanted = self.searching.wanted.without(Kinds::TAG);
        }
        passes
    }

    /// Notes all signs that the search will ask for; false if there is one of an element that is a
    /// call.
    fn note_signs(&mut self, signs: &TextSigns, config: &Config, input: &[u8]) -> bool {
        // In front of the next sign, if that is known, stands only what may reach over its window.
        let known = self.searching.signs.next.next(self.pos, input);
        let known = known.map(|at| at.saturating_sub(2 * signs.reach));
        let start = self.pos.max(known.unwrap_or_default());
        self.searching.signs.noted = NotedSigns::new(signs, config, start, input).map(Box::new);
        self.searching.signs.noted.is_some()
    }

    /// Passes what stands in front of the next sign, if this is a whole text.
    #[inline]
    pub(super) fn pass_to_sign(&mut self, config: &Config, input: &[u8]) -> bool {
        let searching = &self.searching;
        searching.passes_from.is_some_and(|from| self.pos >= from)
            && self.pass_what_lacks_signs(config, input)
    }

    #[inline(never)]
    fn pass_what_lacks_signs(&mut self, config: &Config, input: &[u8]) -> bool {
        let Some(sign) = self.next_sign(config, self.pos, input) else {
            self.searching.passes_from = None;
            return false;
        };
        if sign == input.len() {
            let passes = self.pos < sign;
            self.pos = sign;
            return passes;
        }
        if sign < self.pos + WORTH {
            let noted = self.searching.signs.noted.as_ref();
            if noted.is_some_and(|noted| noted.has(self.pos)) {
                return false;
            }
            // Where signs stand close together, they are looked for less and less often.
            self.searching.signs.near = (self.searching.signs.near + 1).min(MOST_NEAR);
            self.searching.passes_from = Some(self.pos + (WORTH << self.searching.signs.near));
            return false;
        }
        self.searching.signs.near = 0;
        // Nothing stands in front of the code block that begins here.
        let here = input.get(self.pos..).unwrap_or_default();
        if self.searching.wanted.has(Kinds::CODE) && FenceMarker::begins(here) {
            self.searching.passes_from = Some(self.pos + 1);
            return false;
        }
        // All that is looked at lies in front of the next bracket, so that it is looked at once.
        let repairs = config.json.as_ref().is_some_and(|json| json.tolerance.repair != Repair::Off);
        let object = if repairs { self.object_before(sign, input) } else { None };
        let limit = object.unwrap_or(sign);
        // Until the first tag is met, the text is not searched for elements that are calls.
        let elements = self.searching.wanted.has(Kinds::TAG)
            && !(self.searching.tags.may_pass && self.is_tagless(limit, input))
            && !self.pass_tags(config, input);
        if elements || config.fences == Fences::All || self.marking.in_answer {
            self.searching.passes_from = None;
            return false;
        }
        let mut passes = false;
        loop {
            let fence = self.fence_before(limit, input).filter(|fence| *fence < limit);
            let next = fence.unwrap_or(limit);
            // A marker may begin in a line before that of its place. It is found there all the
            // same: only code within a line could hide it, and that would have to end inside the
            // marker.
            let before = input.get(self.pos..next).unwrap_or_default();
            let line = memrchr(b'\n', before).map(|at| self.pos + at + 1);
            let in_front = |line: &usize| input.get(..*line).unwrap_or_default();
            let line = line.filter(|line| repairs || !may_be_inside_json(in_front(line)));
            if line.is_none() || fence.is_some() {
                // No line begins between this one and the fence, so nothing is passed before it.
                self.searching.passes_from = Some(next + 1);
            }
            let Some(line) = line else { return passes };
            (self.pos, passes) = (line, true);
            let goes_on = !repairs && fence == Some(line) && self.pass_block(config, limit, input);
            if !goes_on || sign < self.pos + WORTH {
                return true;
            }
        }
    }

    /// Passes the code block that begins at the start of this line, if it ends in front of a place
    /// before which no sign stands. All that the search would do there is to find its end.
    fn pass_block(&mut self, config: &Config, limit: usize, input: &[u8]) -> bool {
        if self.code.thought.is_some() {
            return false;
        }
        let byte = input.get(self.pos).copied().unwrap_or_default();
        let finds_json = config.finds_json_in_blocks();
        let Some((marker, content)) =
            FenceReader::in_other_language(byte, self.pos, input, finds_json)
        else {
            return false;
        };
        let mut text = FenceText::new(marker, Enclosure::default(), content);
        match text.step(input, true, &config.message.frames) {
            Ok((end, differs)) if end <= limit => {
                self.code.read_otherwise |= differs;
                self.search_behind_code(end);
                true
            }
            _ => false,
        }
    }

    /// Whether no tag begins in front of a place. Each fence before a sign asks for the same place.
    fn is_tagless(&mut self, place: usize, input: &[u8]) -> bool {
        let known = self.searching.tags.none_in;
        let from = if known.start <= self.pos { self.pos.max(known.end) } else { self.pos };
        let is_tagless = memchr(b'<', input.get(from..place).unwrap_or_default()).is_none();
        if is_tagless {
            self.searching.tags.none_in = Span::new(self.pos, from.max(place));
        }
        is_tagless
    }

    /// The first run that may open or close a code block in front of a sign.
    fn fence_before(&self, sign: usize, input: &[u8]) -> Option<usize> {
        if !self.searching.wanted.has(Kinds::CODE) {
            return None;
        }
        let noted = self.searching.signs.noted.as_ref();
        if let Some(fences) = noted.and_then(|noted| noted.fences(self.pos, sign)) {
            return fences.first().copied();
        }
        if let Some(fences) = &self.searching.signs.fences {
            let passed = fences.partition_point(|fence| *fence < self.pos);
            return fences.get(passed).copied();
        }
        FenceMarker::first_in(input.get(self.pos..sign)?).map(|at| self.pos + at)
    }

    /// The first bracket of JSON in front of a place. JSON that is repaired may have line breaks
    /// anywhere, so no line is known to stand outside of it.
    fn object_before(&self, place: usize, input: &[u8]) -> Option<usize> {
        let passed = input.get(self.pos..place)?;
        let (before, _) = passed.split_at_checked(memchr(b'{', passed)?)?;
        let solid = before.trim_ascii_end();
        let array = solid.len().checked_sub(1).filter(|_| solid.ends_with(b"["));
        Some(self.pos + array.unwrap_or(before.len()))
    }

    /// Whether it is known that no sign stands in a part of the text. In a whole text, signs are
    /// looked for behind the part too, so to look for them in it leaves other searches out.
    pub(super) fn lacks_signs(&mut self, config: &Config, part: Span, input: &[u8]) -> bool {
        let sign = if self.searching.passes_from.is_some() {
            self.next_sign(config, part.start, input)
        } else {
            self.searching.signs.next.next(part.start, input)
        };
        sign.is_some_and(|sign| sign >= part.end)
    }

    /// The place of the next sign of anything but text from `pos` on, or of a token that is cut off
    /// at the end of the text; the end of the text when there is none. `None` where anything may be
    /// a sign.
    fn next_sign(&mut self, config: &Config, pos: usize, input: &[u8]) -> Option<usize> {
        let signs = config.starts.signs.as_ref()?;
        if let Some(at) = self.searching.signs.next.next(pos, input) {
            return Some(at);
        }
        let noted = self.searching.signs.noted.as_ref().and_then(|noted| noted.sign(pos, input));
        let found = match noted {
            Some(at) => Some(at).filter(|at| *at < input.len()),
            None => self.find_sign(signs, config, pos, input),
        };
        // Whether the beginning of a token at the end is shown depends on the code before it.
        let end = || input.len() - config.markers.cut_token(input, true);
        let at = found.unwrap_or_else(end).max(pos);
        self.searching.signs.next = Known { from: pos, at, length: input.len() };
        Some(at)
    }

    fn find_sign(
        &mut self,
        signs: &TextSigns,
        config: &Config,
        pos: usize,
        input: &[u8],
    ) -> Option<usize> {
        let stands = |at| config.markers.may_stand(input, at);
        // Most texts have no sign, so only behind the first one is it known that fences matter.
        if self.searching.signs.next.length == 0 {
            return signs.find(input, pos, stands);
        }
        let room = || Vec::with_capacity(MOST_FENCES);
        let fences = self.searching.signs.fences.get_or_insert_with(room);
        fences.clear();
        signs.find_with_fences(input, pos, stands, |at| fences.push(at), |_, _| true)
    }
}

/// Whether the line behind this text may begin within JSON. No string of JSON holds a line break,
/// so the text in front of such a line ends with a whole token.
fn may_be_inside_json(text: &[u8]) -> bool {
    let near = text.get(text.len().saturating_sub(LOOKED_AT)..).unwrap_or(text);
    let solid = near.trim_ascii_end();
    let Some((last, before)) = solid.split_last() else { return near.len() == LOOKED_AT };
    match last {
        b'{' | b'[' => true,
        b':' => before.trim_ascii_end().last().is_none_or(|byte| *byte == b'"'),
        b',' => may_end_value(before.trim_ascii_end()),
        b'"' | b'}' | b']' | b'0'..=b'9' | b'e' | b'l' => may_end_value(solid),
        _ => false,
    }
}

/// Whether a value of JSON may end with this text, which may have lost its beginning.
fn may_end_value(text: &[u8]) -> bool {
    let in_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let length = text.iter().rev().take_while(in_word).count();
    let (before, word) = text.split_at(text.len() - length);
    if before.is_empty() {
        return true;
    }
    if word.is_empty() {
        return before.last().is_some_and(|byte| b"\"}]".contains(byte));
    }
    let is_number = word.first().is_some_and(|byte| b"-0123456789".contains(byte));
    let is_value = is_number || [b"true".as_slice(), b"false", b"null"].contains(&word);
    is_value && before.trim_ascii_end().last().is_none_or(|byte| b"[,:".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_within_json_is_seen() {
        let json =
            r#"{"a":[1, -2.5e3,true , null],"b" : {"c": false, "d": ["x", {"e":0}]},"f":"g"}"#;
        let places = json.char_indices().filter(|(_, byte)| "{}[],:".contains(*byte));
        for (at, byte) in places {
            for place in [at, at + byte.len_utf8()] {
                let text = &json[..place];
                let within = place > 0 && text.matches('"').count().is_multiple_of(2);
                let spaced = format!("Some words. {text} \r\n");
                assert!(!within || may_be_inside_json(spaced.as_bytes()), "{text}");
            }
        }
        for prose in ["page 5", "b,", "so:", "it is true", "end.", "x();", "say null,", "it's"] {
            assert!(!may_be_inside_json(format!("Well, {prose}\n\n").as_bytes()), "{prose}");
        }
        assert!(may_be_inside_json(" ".repeat(LOOKED_AT).as_bytes()));
        assert!(may_be_inside_json("7".repeat(LOOKED_AT).as_bytes()));
    }
}
