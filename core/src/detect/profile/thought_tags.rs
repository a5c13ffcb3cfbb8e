//! Tags of reasoning that are written in another way than the model's own.
//!
//! Models write `<THINK>`, `</think >`, `<//think>` or `<\/think>`, and end `<think>` with
//! `</thinking>`. Without such an end, the answer behind it would be lost in the reasoning.

use crate::detect::format::marker::Marker;
use crate::progress::{NeedMore, Progress};

/// The names of the tags that reasoning stands in, in small letters.
const NAMES: [&[u8]; 8] = [
    b"think",
    b"thinking",
    b"thought",
    b"thoughts",
    b"reasoning",
    b"mm:think",
    b"seed:think",
    b"antml:thinking",
];
/// The longest of these names, in bytes.
const LONGEST_NAME: usize = 16;
/// The most slashes and blanks in front of a name.
const MOST_SLASHES: usize = 3;
/// The most blanks behind a name, and behind a tag.
const MOST_BLANKS: usize = 16;
/// How far back a tag is looked for that opens what another style's tag closes.
const LOOK_BACK: usize = 4096;

/// The tags of one style of reasoning.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThoughtTags {
    /// The names of its own tags, in small letters; none if no tags close it.
    own: Vec<Box<[u8]>>,
}

/// The other ways in which models write a tag that opens or closes reasoning, where the search for
/// markers finds them; none for another marker.
pub(crate) fn other_ways(tag: &Marker) -> Vec<Marker> {
    let Some((closes, name)) = own_name(tag) else { return Vec::new() };
    let mut letters = name.chars();
    let capital = letters.next().map(|first| first.to_ascii_uppercase());
    let capital: String = capital.into_iter().chain(letters).collect();
    let upper = name.to_uppercase();
    if closes {
        let (blank, cut) = (format!("</{name} >"), format!("</{name}{{ahead}}\n"));
        let escaped = format!("<\\/{name}>");
        parsed(&[blank, format!("</{capital}>"), format!("</{upper}>"), escaped, cut])
    } else {
        parsed(&[format!("<{name} >"), format!("<{capital}>"), format!("<{upper}>")])
    }
}

/// The ways that are rarer still. A detector of named formats has few signs, and does not look for
/// these: each sign more would slow it down on HTML.
pub(crate) fn rare_ways(tag: &Marker) -> Vec<Marker> {
    match own_name(tag) {
        None => Vec::new(),
        Some((false, name)) => parsed(&[format!("< {name}>")]),
        Some((true, name)) => {
            parsed(&[format!("</ {name}>"), format!("< /{name}>"), format!("<//{name}>")])
        }
    }
}

fn parsed(written: &[String]) -> Vec<Marker> {
    written.iter().filter_map(|written| Marker::parse(written).ok()).collect()
}

/// Whether the start tag of the end tag `tag`, spelled as that one is, stands near the end of the
/// text `before` it.
pub(crate) fn is_opened(before: &[u8], tag: &[u8]) -> bool {
    let near = before.get(before.len().saturating_sub(LOOK_BACK)..).unwrap_or(before);
    let name = tag.iter().skip(1).skip_while(|byte| is_of_front(**byte));
    let name = name.take_while(|byte| is_of_name(**byte)).copied();
    let opening: Vec<u8> = std::iter::once(b'<').chain(name).collect();
    memchr::memmem::find(near, &opening).is_some()
}

/// Whether a tag closes something, and its name, as the marker begins with it.
fn own_name(tag: &Marker) -> Option<(bool, &str)> {
    let name = str::from_utf8(tag.lead()).ok()?.strip_prefix('<')?;
    let (closes, name) = name.strip_prefix('/').map_or((false, name), |name| (true, name));
    let name = name.strip_suffix('>').unwrap_or(name);
    (!name.is_empty() && name.bytes().all(is_of_name)).then_some((closes, name))
}

/// What was read of a tag.
struct ThoughtTag<'t> {
    closes: bool,
    name: &'t [u8],
    /// Its length up to its `>`, and with it.
    inside: usize,
    ends: Option<usize>,
}

impl ThoughtTags {
    /// The tags of a style that is closed by these markers.
    pub(super) fn new(close: &[Marker]) -> Self {
        let name = |marker: &Marker| {
            let (closes, name) = own_name(marker)?;
            closes.then(|| name.to_ascii_lowercase().into_bytes().into())
        };
        Self { own: close.iter().filter_map(name).collect() }
    }

    /// The length of a tag of its own that opens reasoning, if it stands at the start of `rest`.
    pub(crate) fn opening(&self, rest: &[u8], finished: bool) -> Progress<Option<usize>> {
        if self.own.is_empty() || rest.first().is_some_and(|byte| *byte != b'<') {
            return Ok(None);
        }
        let tag = ThoughtTag::read(rest, finished)?.filter(|tag| !tag.closes);
        let own = tag.filter(|tag| self.own.iter().any(|name| name.eq_ignore_ascii_case(tag.name)));
        Ok(own.and_then(|tag| tag.ends))
    }

    /// The first end tag of reasoning that begins at `start`, between `from` and `to`, and its
    /// length. `NeedMore` has the place of a tag that the text cuts off.
    pub(crate) fn first(
        &self,
        input: &[u8],
        start: usize,
        (from, to): (usize, usize),
        finished: bool,
    ) -> Result<Option<(usize, usize)>, usize> {
        if self.own.is_empty() {
            return Ok(None);
        }
        for at in memchr::memchr_iter(b'<', input.get(from..to).unwrap_or_default()) {
            let at = from + at;
            let thought = input.get(start..at);
            let rest = input.get(at..).unwrap_or_default();
            match self.length(thought.unwrap_or_default(), rest, finished) {
                Ok(None) => {}
                Ok(Some(length)) => return Ok(Some((at, length))),
                Err(NeedMore) => return Err(at),
            }
        }
        Ok(None)
    }

    /// The length of the end tag at the start of `rest`, if it ends the thought in front of it.
    fn length(&self, thought: &[u8], rest: &[u8], finished: bool) -> Progress<Option<usize>> {
        // Most tags of a thought open something else.
        if rest.get(1).is_some_and(|byte| !is_of_front(*byte)) {
            return Ok(None);
        }
        let tag = ThoughtTag::read(rest, finished)?.filter(|tag| tag.closes);
        let Some(tag) = tag else { return Ok(None) };
        let is = |name: &[u8]| name.eq_ignore_ascii_case(tag.name);
        if self.own.iter().any(|name| is(name)) {
            // At the end of its line, a tag may lack its bracket.
            let is_cut = matches!(rest.get(tag.inside), Some(b'\n' | b'\r'));
            return Ok(tag.ends.or(is_cut.then_some(tag.inside)));
        }
        let Some(end) = tag.ends.filter(|_| NAMES.iter().any(|name| is(name))) else {
            return Ok(None);
        };
        // The tag of another style is a word of the thought, unless it ends its line and nothing
        // in the thought has opened it.
        let ends = ends_line(rest.get(end..).unwrap_or_default(), finished)?;
        Ok((ends && !is_opened(thought, rest)).then_some(end))
    }
}

impl<'t> ThoughtTag<'t> {
    /// Reads the tag at the start of `rest`, if one stands there.
    fn read(rest: &'t [u8], finished: bool) -> Progress<Option<Self>> {
        let count = |from: usize, most: usize, belongs: fn(u8) -> bool| {
            let bytes = rest.get(from..).unwrap_or_default();
            from + bytes.iter().take(most).take_while(|byte| belongs(**byte)).count()
        };
        let name = count(1, MOST_SLASHES, is_of_front);
        let behind = count(name, LONGEST_NAME, is_of_name);
        let inside = count(behind, MOST_BLANKS, |byte| matches!(byte, b' ' | b'\t'));
        let closes = rest.get(1..name).unwrap_or_default().contains(&b'/');
        if inside == rest.len() && !finished {
            return Err(NeedMore);
        }
        let ends = (rest.get(inside) == Some(&b'>')).then_some(inside + 1);
        let name = rest.get(name..behind).unwrap_or_default();
        Ok((!name.is_empty()).then_some(Self { closes, name, inside, ends }))
    }
}

/// Whether the byte may stand between the bracket and the name.
fn is_of_front(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\' | b' ')
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b':' | b'_')
}

/// Whether nothing but blanks stands in the rest of a line.
pub(crate) fn ends_line(rest: &[u8], finished: bool) -> Progress<bool> {
    let blanks = rest.iter().take(MOST_BLANKS).take_while(|byte| matches!(byte, b' ' | b'\t'));
    match rest.get(blanks.count()) {
        None if !finished => Err(NeedMore),
        next => Ok(matches!(next, None | Some(b'\n' | b'\r'))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Result<Option<(usize, usize)>, usize> {
        let ends = ThoughtTags::new(&[Marker::parse("</think>").unwrap()]);
        ends.first(text.as_bytes(), 0, (0, text.len()), false)
    }

    #[test]
    fn an_end_tag_may_be_written_in_another_way() {
        for (tag, length) in [
            ("</THINK>", 8),
            ("</think >", 9),
            ("< /think>", 9),
            ("<//Think>", 9),
            ("<\\/think>", 9),
            ("</think\n", 7),
            ("</thinking>\n", 11),
            ("</mm:think> \n", 11),
        ] {
            assert_eq!(first(&format!("so {tag} x")), Ok(Some((3, length))), "{tag}");
            for cut in 1..tag.len().min(length) {
                assert_eq!(first(&tag[..cut]), Err(0), "{tag}");
            }
        }
    }

    #[test]
    fn words_about_a_tag_end_nothing() {
        for text in [
            "</thinker> \n",
            "the </thinking> tag",
            "<thinking>a</thinking>\n",
            "</b>\n",
            "< think>",
            "<think>",
            "</ >",
            "</think of it",
        ] {
            assert_eq!(first(text), Ok(None), "{text}");
        }
    }
}
