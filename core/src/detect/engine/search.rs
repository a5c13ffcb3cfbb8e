//! The search for the next place at which something starts.

use crate::detect::engine::closing_bracket::ClosedBrackets;
use crate::detect::engine::config::Config;
use crate::detect::engine::json_search::JsonSearch;
use crate::detect::engine::search_state::{Known, SoughtBrackets};
use crate::detect::engine::starts::{Ahead, Kinds, Start};
use crate::detect::engine::{Engine, Mode, Moved};
use crate::json::outcome::Repair;
use crate::json::scanner::{Scanned, Scanner, Token};
use crate::progress::{NeedMore, Progress};

impl Engine {
    #[inline]
    pub(super) fn search(
        &mut self,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Moved> {
        loop {
            // Where the next sign is known, nothing in front of it need be found first.
            let noted = self.searching.signs.noted.as_ref();
            if noted.is_some_and(|noted| noted.has(self.pos)) && self.pass_to_sign(config, input) {
                continue;
            }
            let Start { at, kinds } = self.next_start(config, input);
            self.pos = at;
            if at >= input.len() {
                return Err(NeedMore);
            }
            if kinds.has(Kinds::MARKER)
                && config.markers.may_stand(input, at)
                && let Some(moved) = self.markers(config, input, finished)?
            {
                return Ok(moved);
            }
            if self.pass_to_sign(config, input) {
                continue;
            }
            match self.unmarked_start(kinds, config, input, finished)? {
                // Not a start: the search goes on without leaving this loop.
                None => self.pos += 1,
                Some(moved) => return Ok(moved),
            }
        }
    }

    /// What starts at the search's position without a marker.
    ///
    /// What a start needs is not part of the loop, which would prepare it all before the first one.
    #[inline(never)]
    fn unmarked_start(
        &mut self,
        kinds: Kinds,
        config: &Config,
        input: &[u8],
        finished: bool,
    ) -> Progress<Option<Moved>> {
        // In a message to a person, nothing but the markers of the message counts.
        if self.marking.in_answer {
            Ok(None)
        } else if kinds.has(Kinds::JSON) {
            self.bracket(config, input, finished)
        } else if kinds.has(Kinds::CODE) {
            Ok(self.fence_marker(config, input, finished))
        } else if kinds.has(Kinds::TAG) && !self.pass_tags(config, input) {
            self.tag(config, input, finished)
        } else {
            Ok(None)
        }
    }

    /// The next place at which something may start.
    #[inline]
    fn next_start(&mut self, config: &Config, input: &[u8]) -> Start {
        let searching = &mut self.searching;
        config.starts.find(input, self.pos, searching.wanted, &mut searching.ahead)
    }

    /// Whether nothing can start in the rest of the text, as in most pieces of a stream.
    #[inline]
    pub(super) fn is_all_prose(&mut self, config: &Config, input: &[u8]) -> bool {
        if !matches!(self.mode, Mode::Search) {
            return false;
        }
        self.pos = self.next_start(config, input).at;
        self.pos >= input.len()
    }

    /// The end of the JSON at the search's position, or of the rest of the text, if it is no call.
    ///
    /// JSON is a call only with a key of arguments, so JSON that ends before the next such key is
    /// none. If no other kind of start lies before its end, it is passed without being read, valid
    /// or not: any JSON inside it ends inside it too, and has no such key either. If there is one,
    /// the JSON is read: in valid JSON, a marker is text of a string; in invalid JSON, it counts.
    pub(super) fn pass_json(
        &mut self,
        config: &Config,
        json: &JsonSearch,
        input: &[u8],
        finished: bool,
    ) -> Option<usize> {
        if json.tolerance.repair != Repair::Off {
            return None;
        }
        let key = self.next_key(json, input);
        if finished && key == input.len() && self.next_beyond_json(config, input) == key {
            return Some(key);
        }
        let text = input.get(..key)?;
        let array = usize::from(text.get(self.pos) == Some(&b'['));
        let inside = text.get(self.pos + array..)?;
        let space = inside.len() - inside.trim_ascii_start().len();
        let object = self.pos + array + space;
        text.get(object).filter(|byte| **byte == b'{')?;
        let sought = self.searching.brackets;
        if object == sought.unclosed {
            return None;
        }
        if object >= sought.end {
            let may_start = |at| config.starts.kinds(input, at, Kinds::JSON) != Kinds::NONE;
            let Some(ClosedBrackets { end, plain }) = config.brackets.end(text, object, may_start)
            else {
                self.searching.brackets = SoughtBrackets { unclosed: object, end: key };
                return None;
            };
            if plain && self.next_beyond_json(config, input) >= end {
                return Some(end);
            }
            self.searching.brackets = SoughtBrackets { unclosed: usize::MAX, end };
        }
        self.pass_valid_json(text, object)
    }

    /// The end of the object that stands here, or the byte behind its bracket if it is no JSON.
    fn pass_valid_json(&mut self, text: &[u8], object: usize) -> Option<usize> {
        let mut scanner = Scanner::new(object, usize::MAX);
        self.searching.open.clear();
        loop {
            match scanner.next(text) {
                Ok(Scanned::Token(token)) => {
                    match token {
                        Token::Open(_, at) => self.searching.open.push(at),
                        Token::Close(..) => drop(self.searching.open.pop()),
                        _ => {}
                    }
                    if scanner.done() {
                        return Some(scanner.pos());
                    }
                }
                Ok(Scanned::Fault(_)) => {
                    let inner = self.searching.open.get(1..).unwrap_or_default();
                    self.searching.ruled_out.mark(inner);
                    return Some(object + 1);
                }
                Err(NeedMore) => return None,
            }
        }
    }

    /// The next key of arguments, or the next end marker of a call; the end of the text when there
    /// is none.
    fn next_key(&mut self, json: &JsonSearch, input: &[u8]) -> usize {
        if let Some(at) = self.searching.key.next(self.pos, input) {
            return at;
        }
        let rest = input.get(self.pos..).unwrap_or_default();
        let at = json.find(rest).map_or(input.len(), |at| self.pos + at);
        self.searching.key = Known { from: self.pos, at, length: input.len() };
        at
    }

    /// The next start behind the search's position that is no JSON; the end of the text when there
    /// is none.
    fn next_beyond_json(&mut self, config: &Config, input: &[u8]) -> usize {
        let mut wanted = self.searching.wanted.without(Kinds::JSON);
        let (mut ahead, known) = self.searching.beyond_json;
        let from = self.pos + 1;
        if let Some(at) = known.next(from, input) {
            return at;
        }
        let mut pos = from;
        let at = loop {
            let Start { at, kinds } = config.starts.find(input, pos, wanted, &mut ahead);
            if kinds.has(Kinds::TAG) && self.pass_tags(config, input) {
                wanted = wanted.without(Kinds::TAG);
            } else if at >= input.len() || is_start(config, input, at, kinds) {
                break at.min(input.len());
            } else {
                pos = at + 1;
            }
        };
        self.searching.beyond_json = (ahead, Known { from, at, length: input.len() });
        at
    }
}

/// Whether a quick look finds nothing against a start at this place.
#[inline]
pub(super) fn is_start(config: &Config, input: &[u8], at: usize, kinds: Kinds) -> bool {
    kinds.has(Kinds::CODE.and(Kinds::TAG).and(Kinds::JSON))
        || (kinds.has(Kinds::MARKER) && config.markers.may_stand(input, at))
}

/// Whether a call may begin anywhere in a part of a text.
pub(super) fn may_hold_call(config: &Config, text: &[u8]) -> bool {
    may_hold(config, text, may_hold_arguments)
}

/// Whether a call, or what is left of one and is refused, may stand anywhere in a part of a text.
pub(super) fn may_hold_part_of_call(config: &Config, text: &[u8]) -> bool {
    may_hold(config, text, |config, text| {
        config.json.as_ref().is_some_and(|json| holds_sign(json, text))
    })
}

/// Whether anything of a call may stand in a part of a text; `in_json` says whether its JSON may be
/// such a part.
fn may_hold(config: &Config, text: &[u8], in_json: fn(&Config, &[u8]) -> bool) -> bool {
    let wanted = Kinds::MARKER.and(Kinds::JSON).and(Kinds::TAG);
    let (mut pos, mut ahead, mut begun) = (0, Ahead::default(), Kinds::NONE);
    loop {
        let Start { at, kinds } = config.starts.find(text, pos, wanted, &mut ahead);
        if at >= text.len() {
            return (begun.has(Kinds::JSON) && in_json(config, text))
                || (begun.has(Kinds::TAG) && config.may_hold_element(text));
        }
        begun = begun.and(kinds);
        if is_start(config, text, at, kinds.of(Kinds::MARKER)) {
            return true;
        }
        pos = at + 1;
    }
}

/// Whether an object in a part of a text may be a call, as far as its keys tell.
pub(super) fn may_hold_arguments(config: &Config, text: &[u8]) -> bool {
    let json = config.json.as_ref().filter(|json| json.counts);
    json.is_some_and(|json| holds_sign(json, text))
}

/// Whether a key of arguments, or an end marker behind an object, may stand in a part of a text.
fn holds_sign(json: &JsonSearch, text: &[u8]) -> bool {
    json.tolerance.repair != Repair::Off || json.find(text).is_some()
}
