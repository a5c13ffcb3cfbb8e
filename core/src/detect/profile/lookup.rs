//! Which profile a model's name means.
//!
//! A name is a profile's slug, the name of an inference server's parser, or what the makers of a
//! model or those who serve it call it. An organisation, a provider, a folder or a file's ending
//! around the name of the model is left out. The pattern that begins leftmost counts; of several
//! that begin there, the one that says most.
//!
//! A version is never taken for another: a name of a known family with a version that is not known
//! gives the profile of the nearest version, which is then not exact.

use super::data::Profile;
use super::pattern::{Pattern, begins_at, normalised};
use super::version;
use crate::error::{Error, ErrorKind};
use crate::nearest::nearest as nearest_names;

/// The most bytes of a name that are looked at.
const LONGEST_NAME: usize = 256;
/// The most folders of a path that are looked at, from the right.
const MOST_FOLDERS: usize = 8;
/// The endings of files that hold models.
const FILES: [&str; 4] = [".gguf", ".safetensors", ".bin", ".llamafile"];
/// The programs whose names servers put in front of a model's.
const SERVERS: [&str; 3] = ["llama-cpp-", "llamacpp-", "llama.cpp-"];

impl Profile {
    /// The built-in profile for a model's name.
    ///
    /// ```
    /// use toolwire::detect::Profile;
    ///
    /// for name in ["zai-org/GLM-4.5-Air", "glm-4.5:106b", "/m/GLM-4.5-Q4_K_M.gguf", "glm45"] {
    ///     assert_eq!(Profile::named(name)?.slug(), "glm45");
    /// }
    /// # Ok::<(), toolwire::Error>(())
    /// ```
    ///
    /// # Errors
    /// `unknown_model`; the message names the three profiles whose names are nearest.
    pub fn named(name: &str) -> Result<Self, Error> {
        Self::explain(name).map(|(profile, _)| profile)
    }

    /// The built-in profile for a model's name, if there is one.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        looked_up(name).map(|(profile, _)| profile)
    }

    /// The built-in profile for a model's name, and what of the profile the name matches: its slug,
    /// an alias or a pattern.
    ///
    /// # Errors
    /// `unknown_model`, as for [`Profile::named`].
    pub fn explain(name: &str) -> Result<(Self, String), Error> {
        looked_up(name).ok_or_else(|| {
            let shown: String = name.chars().take(64).collect();
            let message = format!(
                "no profile for the model \"{}\"; nearest: {}; formats, template or prompt can say \
                 how it writes",
                shown.escape_debug(),
                nearest(&shown).join(", "),
            );
            Error::new(ErrorKind::UnknownModel, message)
        })
    }
}

fn looked_up(name: &str) -> Option<(Profile, String)> {
    if name == "auto" {
        return Some((Profile::automatic(), "auto".to_owned()));
    }
    if let Some((profile, why)) = same(name) {
        return Some((profile.clone(), why.to_owned()));
    }
    let matched = candidates(name).find_map(matching)?;
    let mut profile = matched.profile.clone();
    profile.exact = matched.exact;
    Some((profile, matched.pattern.written().to_owned()))
}

/// The profile whose slug or alias is the name.
fn same(name: &str) -> Option<(&'static Profile, &'static str)> {
    let is_own = |own: &str| {
        let divided = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() };
        own.len() == name.len() && own.bytes().map(divided).eq(name.bytes().map(divided))
    };
    let slugs = Profile::all().iter().map(|profile| (profile, profile.slug()));
    let aliases = Profile::all()
        .iter()
        .flat_map(|profile| profile.aliases().iter().map(move |alias| (profile, alias.as_str())));
    slugs.chain(aliases).find(|(_, own)| is_own(own))
}

/// The parts of a name that may be the name of a model, the likeliest first.
fn candidates(name: &str) -> impl Iterator<Item = &str> {
    let name = name.trim().trim_end_matches(['/', '\\']);
    let is_path = name.starts_with(['/', '\\', '.', '~'])
        || name.get(1..3).is_some_and(|start| start == ":\\" || start == ":/")
        || FILES.iter().any(|ending| ends_with(name, ending));
    let folders = if is_path { MOST_FOLDERS } else { 1 };
    let parts = name.rsplit(['/', '\\']).take(folders).map(capped);
    parts.flat_map(|part| [without_vendor(part), part])
}

fn ends_with(name: &str, ending: &str) -> bool {
    let start = name.len().saturating_sub(ending.len());
    name.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

fn capped(part: &str) -> &str {
    part.get(..part.floor_char_boundary(LONGEST_NAME)).unwrap_or(part)
}

/// The name behind the words in letters with which Amazon's ids begin: `us.meta.llama3-1-8b`.
fn without_vendor(part: &str) -> &str {
    let mut rest = part;
    while let Some((vendor, behind)) = rest.split_once('.') {
        let is_vendor = !vendor.is_empty() && vendor.bytes().all(|byte| byte.is_ascii_lowercase());
        if !is_vendor || !behind.starts_with(|first: char| first.is_ascii_alphabetic()) {
            break;
        }
        rest = behind;
    }
    rest
}

/// A pattern that stands in a name, and its profile.
#[derive(Clone, Copy)]
struct MatchedName {
    profile: &'static Profile,
    pattern: &'static Pattern,
    /// Where the pattern begins in the name, and where it ends.
    start: usize,
    end: usize,
    /// Whether the version of the name is one that is known.
    exact: bool,
}

/// The profile that a name means, the nearest one where its version is not known.
fn matching(name: &str) -> Option<MatchedName> {
    let mut name = normalised(without_server(name));
    if let Some(length) = revision(&name) {
        // A pattern may hold the revision.
        if let Some(found) = best(&name).filter(|found| found.end > length) {
            return Some(found);
        }
        name.truncate(length);
    }
    let starts = || (0..name.len()).filter(|at| begins_at(&name, *at));
    let Some(found) = best(&name) else {
        let unknown = starts().find_map(|at| version::unknown(&name, at))?;
        return best(&unknown.nearest).map(|found| MatchedName { exact: false, ..found });
    };
    if let Some(again) = version::repeated(&name, found.start)
        && let Some(later) = name.get(again..).and_then(best)
        && later.start == 0
        && later.pattern.weight() > found.pattern.weight()
    {
        return Some(later);
    }
    if let Some(moved) = version::behind_variant(&name, found.start, found.end) {
        let later = best(&moved).filter(|later| later.pattern.weight() > found.pattern.weight());
        return later.or_else(|| near(&moved, 0)).or(Some(MatchedName { exact: false, ..found }));
    }
    near(&name, found.start).or(Some(found))
}

/// The profile of the nearest version, where the name's version at this offset is not known.
fn near(name: &[u8], at: usize) -> Option<MatchedName> {
    let unknown = version::unknown(name, at)?;
    best(&unknown.nearest).map(|found| MatchedName { exact: false, ..found })
}

fn without_server(name: &str) -> &str {
    let lower = name.to_ascii_lowercase();
    let server = SERVERS.iter().find(|server| lower.starts_with(**server));
    server.and_then(|server| name.get(server.len()..)).unwrap_or(name)
}

/// Where the revision begins that Amazon writes behind a name: `deepseek.v3-v1:0`.
fn revision(name: &[u8]) -> Option<usize> {
    let number = |end: usize| {
        let digits = name.get(..end)?.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        (digits > 0).then(|| end - digits)
    };
    let minor = number(name.len())?;
    let dash = minor.checked_sub(1).filter(|at| name.get(*at) == Some(&b'-'))?;
    let start = number(dash)?.checked_sub(2)?;
    (name.get(start..start + 2) == Some(b"-v")).then_some(start)
}

/// The best pattern in the name.
fn best(name: &[u8]) -> Option<MatchedName> {
    (0..name.len()).filter(|at| begins_at(name, *at)).find_map(|start| {
        let patterns = Profile::all().iter().flat_map(|profile| {
            profile.data.patterns.iter().map(move |pattern| (profile, pattern))
        });
        let standing = patterns.filter_map(|(profile, pattern)| {
            let end = pattern.stands_at(name, start)?;
            Some(MatchedName { profile, pattern, start, end, exact: true })
        });
        // Of patterns that say as much, the first counts.
        standing.reduce(
            |best, next| {
                if next.pattern.weight() > best.pattern.weight() { next } else { best }
            },
        )
    })
}

/// The slugs of the three profiles whose names are nearest.
fn nearest(name: &str) -> Vec<&'static str> {
    let last = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let names = Profile::all().iter().flat_map(|profile| {
        let patterns = profile.data.patterns.iter().map(Pattern::written);
        let aliases = profile.aliases().iter().map(String::as_str);
        patterns.chain(aliases).chain([profile.slug()]).map(move |name| (name, profile.slug()))
    });
    let names: Vec<_> = names.collect();
    let mut slugs = Vec::new();
    for near in nearest_names(&last, names.iter().map(|(name, _)| *name)) {
        let known = names.iter().find(|(name, _)| *name == near).map(|(_, slug)| *slug);
        slugs.extend(known.filter(|slug| slugs.len() < 3 && !slugs.contains(slug)));
    }
    slugs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_told_the_nearest() {
        let error = Profile::named("qwn3-coder").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownModel);
        let message = error.to_string();
        assert!(message.contains("nearest: qwen3_coder, "), "{message}");
        assert_eq!(nearest("").len(), 3);
    }

    #[test]
    fn any_name_is_looked_up_in_bounded_time() {
        let odd = ["", "/", "..", "\\", "C:\\", "🦙", "é".repeat(300).as_str()].map(str::to_owned);
        let long = ["llama-".repeat(200_000), "/".repeat(1 << 20), "a/".repeat(1 << 20)];
        for name in odd.into_iter().chain(long) {
            assert!(Profile::find(&name).is_none_or(|profile| profile.slug() == "llama2"));
        }
        let path = format!("/models/{}/Qwen3-8B-Q4_K_M.gguf", "x".repeat(1 << 16));
        assert_eq!(Profile::named(&path).unwrap().slug(), "qwen3");
    }

    #[test]
    fn what_a_name_matches_is_told() {
        let why = |name: &str| Profile::explain(name).unwrap().1;
        assert_eq!(why("kimi_k2"), "kimi_k2");
        assert_eq!(why("deepseekv31"), "deepseekv31");
        assert_eq!(why("Qwen/Qwen3-30B-A3B-Thinking-2507"), "qwen-3-*-thinking");
    }
}
