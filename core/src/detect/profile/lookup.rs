//! Which profile a model's name means.
//!
//! A name is a profile's slug, the name of an inference server's parser, or what the makers of a
//! model or those who serve it call it. An organisation, a provider, a folder or a file's ending
//! around the name of the model is left out. The pattern that begins leftmost counts; of several
//! that begin there, the one that says most.

use std::cmp::Reverse;

use super::data::Profile;
use super::pattern::{Pattern, begins_at, normalised};
use crate::error::{Error, ErrorKind};

/// The most bytes of a name that are looked at.
const LONGEST_NAME: usize = 256;
/// The most folders of a path that are looked at, from the right.
const MOST_FOLDERS: usize = 8;
/// The endings of files that hold models.
const FILES: [&str; 4] = [".gguf", ".safetensors", ".bin", ".llamafile"];

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
    let (found, why) = exact(name).or_else(|| candidates(name).find_map(best))?;
    Some((found.clone(), why.to_owned()))
}

/// The profile whose slug or alias is the name.
fn exact(name: &str) -> Option<(&'static Profile, &'static str)> {
    let same = |own: &str| {
        let divided = |byte: u8| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() };
        own.len() == name.len() && own.bytes().map(divided).eq(name.bytes().map(divided))
    };
    let slugs = Profile::all().iter().map(|profile| (profile, profile.slug()));
    let aliases = Profile::all()
        .iter()
        .flat_map(|profile| profile.aliases().iter().map(move |alias| (profile, alias.as_str())));
    slugs.chain(aliases).find(|(_, own)| same(own))
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

/// The profile with the best pattern in the name, and the pattern.
fn best(name: &str) -> Option<(&'static Profile, &'static str)> {
    let name = normalised(name);
    (0..name.len()).filter(|at| begins_at(&name, *at)).find_map(|at| {
        let patterns = Profile::all().iter().flat_map(|profile| {
            profile.data.patterns.iter().map(move |pattern| (profile, pattern))
        });
        let standing = patterns.filter(|(_, pattern)| pattern.stands_at(&name, at));
        // Of patterns that say as much, the first counts.
        let best = standing.reduce(
            |best, next| {
                if next.1.weight() > best.1.weight() { next } else { best }
            },
        );
        best.map(|(profile, pattern)| (profile, pattern.written()))
    })
}

/// The slugs of the three profiles whose names are nearest.
fn nearest(name: &str) -> Vec<&'static str> {
    let last = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let last: Vec<char> = last.chars().collect();
    let names = Profile::all().iter().flat_map(|profile| {
        let patterns = profile.data.patterns.iter().map(Pattern::written);
        let aliases = profile.aliases().iter().map(String::as_str);
        patterns.chain(aliases).chain([profile.slug()]).map(move |name| (name, profile.slug()))
    });
    let mut names: Vec<_> =
        names.map(|(name, slug)| (Reverse(likeness(&last, name)), name, slug)).collect();
    names.sort_by_key(|(likeness, name, _)| (*likeness, *name));
    let mut slugs = Vec::new();
    for (_, _, slug) in names {
        if slugs.len() < 3 && !slugs.contains(&slug) {
            slugs.push(slug);
        }
    }
    slugs
}

/// How many characters a name and another one have in common, in the same order; in parts of a
/// million of both names.
fn likeness(one: &[char], other: &str) -> usize {
    let mut row = vec![0_usize; one.len()];
    let mut length = 0;
    for next in other.chars() {
        let (mut corner, mut left) = (0, 0);
        for (above, known) in row.iter_mut().zip(one) {
            let best = if *known == next { corner + 1 } else { left.max(*above) };
            (corner, left, *above) = (*above, best, best);
        }
        length += 1;
    }
    let common = row.last().copied().unwrap_or_default();
    common * 2_000_000 / (one.len() + length).max(1)
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
