//! The keys of calls in JSON, of one format or of several.
//!
//! The keys of several formats are joined, so that one pass over an object looks for all. The
//! object is a call of the first format that has both the key of its name and the key of its
//! arguments.

use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, MatchKind, packed};

/// The most keys that one part of a call in JSON may have.
pub(crate) const MOST_KEYS: usize = 4;

/// The keys of a call in JSON; for each part, the first key that is there counts.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Keys {
    pub(crate) name: Vec<Box<str>>,
    pub(crate) arguments: Vec<Box<str>>,
    /// The keys of `arguments` that are common words. An object in which such a key holds no
    /// arguments is prose.
    pub(crate) weak: Vec<Box<str>>,
    pub(crate) id: Vec<Box<str>>,
    /// The key of an object that holds name and arguments in the wrapped form.
    pub(crate) wrapper: Box<str>,
    /// Whether the object's one key is the name and its value the arguments.
    pub(crate) name_is_key: bool,
    /// Whether the values are written in Python's notation.
    pub(crate) python: bool,
    /// The formats whose keys these are, where they are those of several formats.
    pub(crate) joined: Vec<JoinedKeys>,
    /// The keys of the arguments, ready to be searched for.
    pub(crate) sought: SoughtKeys,
}

/// The keys of the arguments in their quotes, ready to be searched for. Clones share the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct SoughtKeys(Arc<OnceLock<KeySearch>>);

#[derive(Clone, Debug)]
enum KeySearch {
    /// It looks at many bytes at once, where the processor can.
    Packed(packed::Searcher),
    Plain(AhoCorasick),
    /// The keys cannot be searched for.
    Unknown,
}

impl KeySearch {
    fn new(sought: &[String]) -> Self {
        let mut packed =
            packed::Config::new().match_kind(packed::MatchKind::LeftmostFirst).builder();
        if let Some(search) = packed.extend(sought).build() {
            return Self::Packed(search);
        }
        let plain = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(sought);
        plain.map_or(Self::Unknown, Self::Plain)
    }

    fn find(&self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Packed(search) => search.find(text).map(|found| found.start()),
            Self::Plain(search) => search.find(text).map(|found| found.start()),
            Self::Unknown => Some(0),
        }
    }
}

/// The beginning of JSON's escape of an ASCII character, without its last digit.
fn escape(byte: u8) -> String {
    format!("\\u00{:x}", byte >> 4)
}

/// Keys are equal whether or not they were searched for.
impl PartialEq for SoughtKeys {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for SoughtKeys {}

impl Keys {
    /// The offset of the first key of arguments in JSON, or of the first escape with which a key
    /// may be written; `None` when no object of this JSON can be a call.
    pub(crate) fn find_arguments(&self, json: &[u8]) -> Option<usize> {
        self.sought.find(self, &[], json)
    }

    /// The texts of which JSON with arguments holds one: their keys in quotes, and the beginnings
    /// of the escapes of the keys' characters.
    pub(crate) fn argument_signs(&self) -> impl Iterator<Item = String> {
        let is_plain = |byte: u8| byte.is_ascii() && !matches!(byte, b'"' | b'\\' | b'/' | ..b' ');
        let plain = self.arguments.iter().all(|key| key.bytes().all(is_plain));
        let mut escapes: Vec<String> = if plain {
            self.arguments.iter().flat_map(|key| key.bytes()).map(escape).collect()
        } else {
            vec!["\\".to_owned()]
        };
        escapes.sort_unstable();
        escapes.dedup();
        self.arguments.iter().map(|key| format!("\"{key}\"")).chain(escapes)
    }
}

impl SoughtKeys {
    /// As [`Keys::find_arguments`]; also finds the first of the other texts.
    pub(crate) fn find(&self, keys: &Keys, others: &[Box<str>], json: &[u8]) -> Option<usize> {
        if keys.name_is_key {
            return Some(0);
        }
        let search = self.0.get_or_init(|| {
            let others = others.iter().map(ToString::to_string);
            KeySearch::new(&keys.argument_signs().chain(others).collect::<Vec<_>>())
        });
        search.find(json)
    }
}

/// The keys of one format, among those of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JoinedKeys {
    slug: &'static str,
    /// Whether the format has each of the keys of the name.
    names: [bool; MOST_KEYS],
    /// Whether the format has each of the keys of the arguments.
    arguments: [bool; MOST_KEYS],
}

impl Keys {
    /// The keys of several formats; `None` when they are too many, or written in different ways.
    pub(crate) fn joining(formats: &[(&'static str, &Keys)]) -> Option<Self> {
        let mut joined = Self::default();
        for (_, keys) in formats {
            if keys.name_is_key || keys.python {
                return None;
            }
            add_all(&mut joined.name, &keys.name);
            add_all(&mut joined.arguments, &keys.arguments);
            add_all(&mut joined.weak, &keys.weak);
            add_all(&mut joined.id, &keys.id);
            if joined.wrapper.is_empty() {
                joined.wrapper.clone_from(&keys.wrapper);
            } else if !keys.wrapper.is_empty() && keys.wrapper != joined.wrapper {
                return None;
            }
        }
        if [&joined.name, &joined.arguments, &joined.id].iter().any(|all| all.len() > MOST_KEYS) {
            return None;
        }
        let keys_of = |(slug, keys): &(&'static str, &Keys)| JoinedKeys {
            slug,
            names: which(&joined.name, &keys.name),
            arguments: which(&joined.arguments, &keys.arguments),
        };
        joined.joined = formats.iter().map(keys_of).collect();
        Some(joined)
    }

    /// The format of a call with these keys, given by their indices; `slug` where the keys are
    /// those of one format. `None` when no format has both.
    pub(crate) fn format(
        &self,
        slug: &'static str,
        name: usize,
        arguments: usize,
    ) -> Option<&'static str> {
        if self.joined.is_empty() {
            return Some(slug);
        }
        let has = |keys: &[bool; MOST_KEYS], index| keys.get(index).copied().unwrap_or_default();
        let fits = |one: &&JoinedKeys| has(&one.names, name) && has(&one.arguments, arguments);
        self.joined.iter().find(fits).map(|one| one.slug)
    }

    /// Whether calls of the format may be written with these keys, which are those of `slug` where
    /// they are not joined.
    pub(crate) fn are_of(&self, slug: &str, format: &str) -> bool {
        slug == format || self.joined.iter().any(|one| one.slug == format)
    }
}

fn add_all(to: &mut Vec<Box<str>>, keys: &[Box<str>]) {
    for key in keys {
        if !to.contains(key) {
            to.push(key.clone());
        }
    }
}

fn which(all: &[Box<str>], some: &[Box<str>]) -> [bool; MOST_KEYS] {
    std::array::from_fn(|at| all.get(at).is_some_and(|key| some.contains(key)))
}
