//! Whether a text may hold a call at all: a quick look at parts in which calls do not count.

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use aho_corasick::packed::Searcher;

use crate::detect::format::Format;
use crate::detect::format::shape::Syntax;
use crate::json::outcome::Repair;

/// What a call of one of the formats always holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallSigns {
    texts: Vec<Vec<u8>>,
    /// Made when it is first needed; `None` inside when no search can be made.
    search: OnceLock<Option<SignSearch>>,
}

/// A search for several texts at once.
#[derive(Clone, Debug)]
enum SignSearch {
    /// For few texts; it takes little time to make.
    Packed(Searcher),
    Automaton(AhoCorasick),
}

impl CallSigns {
    /// The signs of these formats; `class` marks an element as a call.
    pub(crate) fn new(formats: &[Format], class: Option<&str>, repair: Repair) -> Self {
        let mut texts: Vec<Vec<u8>> = Vec::new();
        for format in formats {
            match format.data.syntax.bare_json() {
                // Any key may be a name.
                Some(keys) if keys.name_is_key => texts.push(b"{".to_vec()),
                Some(keys) => {
                    let quote = if repair == Repair::Off { "\"" } else { "" };
                    let quoted = |key: &str| format!("{quote}{key}{quote}").into_bytes();
                    texts.extend(keys.arguments.iter().map(|key| quoted(key)));
                    // A key may be written with escapes.
                    texts.push(b"\\u00".to_vec());
                }
                None => {}
            }
            match &format.data.syntax {
                Syntax::Bare(_) => {}
                Syntax::Element(attributes) => {
                    let class = class.or(attributes.class.as_deref()).unwrap_or_default();
                    texts.push(class.as_bytes().to_vec());
                }
                Syntax::Marked(marked) => {
                    let wrapper = marked.wrapper.iter().flat_map(|wrapper| &wrapper.open);
                    let openers = wrapper.chain(&marked.call.open);
                    texts.extend(openers.map(|marker| marker.lead().to_vec()));
                }
            }
        }
        Self { texts, search: OnceLock::new() }
    }

    /// Whether one of the signs stands in a text.
    pub(crate) fn stand_in(&self, text: &[u8]) -> bool {
        let search = self.search.get_or_init(|| match Searcher::new(&self.texts) {
            Some(search) => Some(SignSearch::Packed(search)),
            None => AhoCorasick::new(&self.texts).ok().map(SignSearch::Automaton),
        });
        match search {
            None => true,
            Some(SignSearch::Packed(search)) => search.find(text).is_some(),
            Some(SignSearch::Automaton(search)) => search.is_match(text),
        }
    }
}
