//! What starts at the byte that the search stopped at.

use crate::call::Span;
use crate::detect::block::markup::element::ContentState;
use crate::detect::block::markup::tag::TagReader;
use crate::detect::body::json::JsonReader;
use crate::detect::engine::config::{Config, may_follow};
use crate::detect::engine::json_search::JsonSearch;
use crate::detect::engine::search_state::RepairHere;
use crate::detect::engine::{Engine, Mode, Moved};
use crate::json::outcome::Repair;
use crate::progress::{NeedMore, Progress};

/// The longest tag without attributes that is passed without a reader, in bytes.
const SHORT_TAG: usize = 64;
/// The number of bytes after a bracket that are checked before a reader is made for it.
const NEAR: usize = 16;

impl Engine {
    /// What starts at a `<` that may be HTML.
    pub(super) fn tag(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Option<Moved>> {
        let pos = self.pos;
        if let Some(marked) = &self.html.marked {
            let known = marked.binary_search_by_key(&pos, |marked| marked.tag.start).ok();
            let marked = known.and_then(|known| marked.get(known).copied());
            return marked.map(|marked| self.marked_element(config, marked, input)).transpose();
        }
        if self.html.hiding.hides(input, pos) {
            return Ok(None);
        }
        let rest = input.get(pos..).unwrap_or_default();
        match rest.get(1) {
            None if !finished => Err(NeedMore),
            Some(byte) if byte.is_ascii_alphabetic() => {
                // A `>` ends a tag unless it stands in a value, and values stand after `=`.
                let near = rest.get(..SHORT_TAG).unwrap_or(rest);
                if let Some(length) = memchr::memchr2(b'>', b'=', near)
                    && near.get(length) == Some(&b'>')
                {
                    self.html.pass_tag(Span::new(pos, pos + length + 1), input);
                    return Ok(None);
                }
                Ok(Some(self.enter(Mode::StartTag(pos, TagReader::new(pos + 1)))))
            }
            Some(b'!' | b'?') => match ContentState::opened_by(rest) {
                Err(NeedMore) if !finished => Err(NeedMore),
                hidden => {
                    self.html.hiding.hide(hidden.unwrap_or(ContentState::BogusComment), pos);
                    Ok(None)
                }
            },
            _ => Ok(None),
        }
    }

    /// An empty object is no call, but may be what is left of one that has lost its opening.
    fn empty_object(
        &mut self,
        json: &JsonSearch,
        input: &[u8],
        finished: bool,
    ) -> Progress<Option<Moved>> {
        let end = self.pos + 2;
        match input.get(end) {
            None if !finished && json.has_ends() => Err(NeedMore),
            Some(b'<') if json.has_ends() => {
                Ok(Some(self.enter(Mode::BehindObject(Span::new(self.pos, end)))))
            }
            _ => Ok(None),
        }
    }

    /// What starts at a bracket of JSON; a look at what follows avoids most readers.
    pub(super) fn bracket(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Option<Moved>> {
        let Some(json) = &config.json else { return Ok(None) };
        if self.searching.ruled_out.contains(self.pos) {
            return Ok(None);
        }
        let bracket = input.get(self.pos).copied().unwrap_or_default();
        let near = input.get(self.pos + 1..).unwrap_or_default().iter().take(NEAR);
        let mut solid = near.clone().copied().filter(|byte| !byte.is_ascii_whitespace());
        let (first, second) = (solid.next(), solid.next());
        if bracket == b'{' && near.clone().next() == Some(&b'}') {
            return self.empty_object(json, input, finished);
        }
        match first {
            None if finished && near.len() < NEAR => return Ok(None),
            None if near.len() == 0 => return Err(NeedMore),
            Some(next) if !may_follow(next, bracket, json.tolerance.repair) => return Ok(None),
            _ => {}
        }
        if let Some(end) = self.pass_json(config, json, input, finished) {
            if json.may_end_call(end, input) {
                let array = input.get(self.pos..end).unwrap_or_default();
                let before = memchr::memchr(b'{', array).unwrap_or_default();
                let object = Span::new(self.pos + before, end);
                return Ok(Some(self.enter(Mode::BehindObject(object))));
            }
            // The search goes on behind the byte that it looked at.
            self.pos = end - 1;
            return Ok(None);
        }
        let mut going_on = None;
        if json.tolerance.repair == Repair::Safe {
            let behind_object = if bracket == b'{' { first } else { second };
            match self.searching.repair_at(self.pos, behind_object, json.tolerance, input) {
                RepairHere::Fails => return Ok(None),
                RepairHere::GoesOn(kept) => going_on = Some(kept),
                RepairHere::IsNew => {}
            }
        }
        let mut reader = JsonReader::new(json.slug, &json.keys, self.pos, json.tolerance);
        if let Some(kept) = going_on {
            reader = reader.going_on(kept);
        }
        Ok(Some(self.enter(Mode::Json(Box::new(reader)))))
    }
}
