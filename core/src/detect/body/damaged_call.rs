//! What tells that a call is damaged, and where a damaged call ends.

use super::own_markup::{Follows, OwnMarkup, StandingTag, Tag, begins_with, blank};
use crate::detect::format::marker::Marker;
use crate::detect::rule::name::{MAX_NAME, is_name_byte};
use crate::progress::{NeedMore, Progress};

impl OwnMarkup<'_> {
    /// Whether parameters stand behind a call that has none.
    pub(super) fn goes_beyond(&self, input: &[u8], end: usize, finished: bool) -> Progress<bool> {
        let at = end + blank(input.get(end..).unwrap_or_default());
        let rest = input.get(at..).unwrap_or_default();
        // Behind such a call, any tag is one of the text.
        if self.has_tool_tags() {
            return Ok(false);
        }
        if rest.is_empty() {
            return if finished { Ok(false) } else { Err(NeedMore) };
        }
        match self.follows(rest, finished)? {
            Some(follows) => Ok(follows == Follows::Parameter),
            None => self.is_within(input, at, finished),
        }
    }

    /// Whether the inside of a call stands at `at`, or its name in front of that, where only a call
    /// can open: the marker that opens it is missing.
    pub(super) fn lacks_opening(&self, input: &[u8], at: usize, finished: bool) -> Progress<bool> {
        let rest = input.get(at..).unwrap_or_default();
        let name = rest.iter().take(MAX_NAME).take_while(|byte| is_name_byte(**byte)).count();
        let inside = at + name + blank(rest.get(name..).unwrap_or_default());
        let rest = input.get(inside..).unwrap_or_default();
        if rest.is_empty() {
            return if finished { Ok(false) } else { Err(NeedMore) };
        }
        let call = &self.marked.call;
        let is_tag = |marker: &&Marker| marker.lead().len() > 1;
        let name_end: Vec<Marker> = call.name_end.iter().filter(is_tag).cloned().collect();
        let is_fence = call.is_fenced() && rest.first() == Some(&b'`');
        Ok(is_fence
            || Marker::first(&call.close, rest, b"", finished)?.is_some()
            || Marker::first(&name_end, rest, b"", finished)?.is_some()
            || begins_with(call.open.iter().flat_map(Marker::tags), &call.open, rest, finished)?
            || self.opens_parameter(rest, finished)?.is_some()
            || self.is_within(input, inside, finished)?)
    }

    /// Whether markup of a call's inside stands at `at`.
    pub(super) fn is_within(&self, input: &[u8], at: usize, finished: bool) -> Progress<bool> {
        let rest = input.get(at..).unwrap_or_default();
        let close = Marker::first(&self.parameter.close, rest, b"", finished)?;
        Ok(close.is_some() || self.piece(rest, finished)?.is_some())
    }

    /// The end of a damaged call, searched for behind the damage: its end marker, else the next
    /// tag, else an empty line or the end of the text.
    pub(super) fn damage_end(
        &self,
        input: &[u8],
        from: &mut usize,
        damage: usize,
        finished: bool,
    ) -> Progress<usize> {
        loop {
            match self.find(input, from, b"", finished)? {
                Some(StandingTag { tag: Tag::ClosesCall, span }) => {
                    if self.ends_damage(input, span.end, finished)? {
                        return Ok(span.end);
                    }
                    *from = span.end;
                }
                Some(StandingTag {
                    tag: Tag::OpensCall | Tag::OpensWrapper | Tag::ClosesWrapper,
                    span,
                }) => return Ok(span.start),
                Some(StandingTag { span, .. }) => *from = span.end,
                None => break,
            }
        }
        let rest = input.get(damage..).unwrap_or_default();
        let line = memchr::memmem::find(rest, b"\n\n");
        Ok(line.map_or(input.len(), |at| damage + at))
    }

    /// Whether a damaged call ends with the end marker in front of `at`. If the rest of the call
    /// stands behind it, the fence in it would be a code block that hides the next call.
    fn ends_damage(&self, input: &[u8], at: usize, finished: bool) -> Progress<bool> {
        if !self.marked.call.is_fenced() {
            return Ok(true);
        }
        let rest = input.get(at..).unwrap_or_default();
        match rest.first() {
            None if !finished => Err(NeedMore),
            None => Ok(true),
            Some(byte) if byte.is_ascii_whitespace() => Ok(true),
            Some(_) => {
                let [opens_wrapper, closes_wrapper, opens, ..] = self.groups();
                for markers in [opens_wrapper, closes_wrapper, opens] {
                    if Marker::first(markers, rest, b"", finished)?.is_some() {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}
