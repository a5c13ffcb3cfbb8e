//! The version in a model's name.
//!
//! A pattern such as `deepseek-v3.1` has a family, `deepseek-v`, and a version, 3.1. A name of the
//! family with another version, such as `deepseek-v3.4`, is no name of the pattern's models: the
//! nearest version that is known says how such a model writes, as far as anybody knows.

use super::data::Profile;
use super::pattern::begins_at;

/// The most digits of a number of a version: longer numbers are dates.
const MOST_DIGITS: usize = 2;
/// The fewest letters of a family: `s1` and `k2` stand in names of other models too.
const FEWEST_LETTERS: usize = 2;

/// A version: its number, and the number behind the dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    major: u8,
    minor: u8,
}

/// The version in a name that is not known of its family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnknownVersion {
    /// The name with the nearest version that is known in its place.
    pub(super) nearest: Vec<u8>,
}

/// What stands in a name or a pattern behind a family's words.
struct VersionPlace {
    version: Version,
    /// Where its digits begin and end.
    start: usize,
    end: usize,
}

/// The version that a name holds behind the words of a family at this offset, if that family has
/// versions and none of them is this one.
pub(super) fn unknown(name: &[u8], at: usize) -> Option<UnknownVersion> {
    let mut families: Vec<(&[u8], Version)> = Vec::new();
    let patterns = Profile::all().iter().flat_map(|profile| &profile.data.patterns);
    for pattern in patterns {
        let written = pattern.written().as_bytes();
        let Some(found) = first_version(written) else { continue };
        let family = written.get(..found.start).unwrap_or_default();
        let letters = family.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        if letters >= FEWEST_LETTERS && behind_family(name, at, family).is_some() {
            families.push((family, found.version));
        }
    }
    // Of families that begin alike, such as `deepseek` and `deepseek-v`, the longest is meant.
    let (family, _) = *families.iter().max_by_key(|(family, _)| family.len())?;
    let found = behind_family(name, at, family).and_then(|start| version_at(name, start))?;
    let known = || families.iter().filter(|(own, _)| *own == family).map(|(_, version)| *version);
    if known().any(|version| version == found.version) {
        return None;
    }
    let nearest = nearest(known(), found.version)?;
    let before = name.get(..found.start).unwrap_or_default();
    let after = name.get(found.end..).unwrap_or_default();
    Some(UnknownVersion { nearest: [before, nearest.written().as_bytes(), after].concat() })
}

/// Of the versions of a family the nearest: the last one before it, or else the first one behind.
fn nearest(known: impl Iterator<Item = Version> + Clone, wanted: Version) -> Option<Version> {
    let older = known.clone().filter(|version| *version < wanted).max();
    let same = known.clone().filter(|version| version.major == wanted.major).min();
    older.filter(|version| version.major == wanted.major).or(same).or(older).or(known.min())
}

/// Where the version of a name begins, if the words of the family stand at this offset. A divider
/// may be missing or added between words.
fn behind_family(name: &[u8], at: usize, family: &[u8]) -> Option<usize> {
    let mut pos = at;
    for byte in family {
        match name.get(pos) {
            Some(own) if own == byte || (*byte == b'.' && *own == b'-') => pos += 1,
            _ if *byte == b'-' => {}
            _ => return None,
        }
    }
    if name.get(pos) == Some(&b'-') {
        pos += 1;
    }
    version_at(name, pos).map(|_| pos)
}

/// The first version in a pattern.
fn first_version(written: &[u8]) -> Option<VersionPlace> {
    let digits = written.iter().position(u8::is_ascii_digit)?;
    version_at(written, digits)
}

/// The version whose digits begin at this offset. A number in front of a letter is a size or part
/// of a word, and a long one is a date.
fn version_at(text: &[u8], start: usize) -> Option<VersionPlace> {
    let (major, end) = number_at(text, start)?;
    let is_dot = matches!(text.get(end), Some(b'.' | b'p' | b'-'));
    let minor = if is_dot { number_at(text, end + 1) } else { None };
    let minor = minor.filter(|(_, behind)| {
        // `qwen-3-8b` has a size behind its version, and `glm-4-9.4` no third number.
        text.get(end) != Some(&b'-') || !matches!(text.get(*behind), Some(b'.'))
    });
    match minor {
        Some((minor, end)) => Some(VersionPlace { version: Version { major, minor }, start, end }),
        None if is_word_end(text, end) => {
            Some(VersionPlace { version: Version { major, minor: 0 }, start, end })
        }
        None => None,
    }
}

/// A number of few digits that no letter follows.
fn number_at(text: &[u8], start: usize) -> Option<(u8, usize)> {
    let digits = text.get(start..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let end = start + digits;
    if digits == 0 || digits > MOST_DIGITS {
        return None;
    }
    // `v3p1` is 3.1.
    let is_point =
        text.get(end) == Some(&b'p') && text.get(end + 1).is_some_and(u8::is_ascii_digit);
    if !is_point && text.get(end).is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    let number = std::str::from_utf8(text.get(start..end)?).ok()?.parse().ok()?;
    Some((number, end))
}

fn is_word_end(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

impl Version {
    fn written(self) -> String {
        match self.minor {
            0 => self.major.to_string(),
            minor => format!("{}.{minor}", self.major),
        }
    }
}

/// The version that follows the words of a variant, as in `deepseek-chat-v3.1`: the name with that
/// version right behind its first word.
pub(super) fn behind_variant(name: &[u8], at: usize, end: usize) -> Option<Vec<u8>> {
    // A pattern with a number has its version already.
    let matched = name.get(at..end)?;
    let rest = name.get(end..).filter(|_| !matched.iter().any(u8::is_ascii_digit))?;
    let rest = rest.strip_prefix(b"-")?;
    let version = rest.strip_prefix(b"v")?;
    version_at(version, 0)?;
    let first = name.get(at..end)?.iter().position(|byte| !byte.is_ascii_alphanumeric())?;
    let word = name.get(at..at + first)?;
    Some([word, b"-", rest].concat())
}

/// Whether the first word at `at` stands in the name again behind it, as in
/// `deepseek-ai-deepseek-v3.2`, where a divider took the place of a slash.
pub(super) fn repeated(name: &[u8], at: usize) -> Option<usize> {
    let word = name.get(at..)?.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let first = name.get(at..at + word).filter(|first| first.len() >= FEWEST_LETTERS)?;
    let finder = memchr::memmem::rfind(name.get(at + word..)?, first)?;
    let again = at + word + finder;
    begins_at(name, again).then_some(again)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Option<(u8, u8)> {
        version_at(text.as_bytes(), 0).map(|found| (found.version.major, found.version.minor))
    }

    #[test]
    fn a_version_is_told_from_sizes_and_dates() {
        for (text, wanted) in [
            ("3", (3, 0)),
            ("3.1", (3, 1)),
            ("3p1-8b", (3, 1)),
            ("3-1-8b", (3, 1)),
            ("3-8b", (3, 0)),
            ("2-1.7b", (2, 0)),
            ("2-1124-7b", (2, 0)),
            ("4.5-air", (4, 5)),
        ] {
            assert_eq!(version(text), Some(wanted), "{text}");
        }
        for text in ["7b", "70b-chat", "4o", "2507", "v3", ""] {
            assert_eq!(version(text), None, "{text}");
        }
    }

    #[test]
    fn the_nearest_version_is_the_last_one_before() {
        let of = |major, minor| Version { major, minor };
        let known = [of(3, 0), of(3, 2), of(4, 0), of(6, 1)];
        let near = |major, minor| nearest(known.into_iter(), of(major, minor));
        assert_eq!(near(3, 4), Some(of(3, 2)));
        assert_eq!(near(5, 0), Some(of(4, 0)));
        assert_eq!(near(6, 0), Some(of(6, 1)));
        assert_eq!(near(2, 0), Some(of(3, 0)));
    }
}
