//! How much two sequences have in common.

use similar::DiffTag;

use super::document::{BRACKETS, COLON, COMMA, Children, Document, Names, Node, NodeParts};
use super::lines::Numbered;
use super::runs::{TOO_LONG, longest_runs, matched};
use super::script::rough_steps;

/// The share of alike items, to three decimals: twice their number over the sum of both lengths.
///
/// For two empty sequences it is 1. It is rounded as by Python's `round`: by the double's exact
/// value, half to even.
pub(super) fn ratio(alike: usize, old: usize, new: usize) -> f64 {
    if old + new == 0 {
        return 1.0;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of what is in memory are far below 2^53"
    )]
    let share = 2.0 * alike as f64 / (old + new) as f64;
    format!("{share:.3}").parse().unwrap_or(share)
}

/// How similar two JSON texts in ASCII are, by characters.
///
/// Short texts are compared as Python's `difflib` does. Longer texts are compared word by word, and
/// each word counts by its length.
pub(super) fn of_json(old: &[u8], new: &[u8]) -> f64 {
    if old == new {
        return 1.0;
    }
    let alike = match longest_runs(old, new) {
        Some(runs) => matched(&runs),
        None => alike_words(old, new),
    };
    ratio(alike, old.len(), new.len())
}

/// How similar two documents are, by the characters of their texts; the order of keys is ignored.
///
/// Short documents are compared as [`of_json`] does. In longer ones, values under the same name are
/// compared: lists by the items that they share, and texts word by word.
pub(super) fn of_documents(old: &Document, new: &Document) -> f64 {
    let (old_length, new_length) = (old.length(Node::ROOT), new.length(Node::ROOT));
    if old_length.max(new_length) < TOO_LONG {
        return of_json(&old.sorted(), &new.sorted());
    }
    if old.same(Node::ROOT, new, Node::ROOT) {
        return 1.0;
    }
    ratio(Pair { old, new }.alike(Node::ROOT, Node::ROOT), old_length, new_length)
}

/// Two documents that are compared.
#[derive(Clone, Copy)]
struct Pair<'a> {
    old: &'a Document,
    new: &'a Document,
}

impl Pair<'_> {
    /// How many characters of two values are alike.
    fn alike(self, old_node: Node, new_node: Node) -> usize {
        let (old_text, new_text) = (self.old.text(old_node), self.new.text(new_node));
        if old_text == new_text {
            return self.new.length(new_node);
        }
        match (self.old.parts(old_node), self.new.parts(new_node)) {
            (NodeParts::Map(old), NodeParts::Map(new)) => BRACKETS + self.alike_entries(old, new),
            (NodeParts::List(old), NodeParts::List(new)) => BRACKETS + self.alike_items(old, new),
            (NodeParts::None, NodeParts::None) => alike_words(old_text, new_text),
            _ => 0,
        }
    }

    /// How many characters are alike in the entries whose names both maps have.
    fn alike_entries(self, old_entries: Children<'_>, new_entries: Children<'_>) -> usize {
        let mut named = Names::of(old_entries);
        let (mut common, mut alike) = (0_usize, 0);
        for entry in new_entries {
            if let Some(was) = named.find(self.new.name(entry)) {
                alike += self.new.written_name(entry).len() + COLON.len() + self.alike(was, entry);
                common += 1;
            }
        }
        alike + COMMA.len() * common.saturating_sub(1)
    }

    /// How many characters are alike in shared items and in items that replace each other.
    fn alike_items(self, old_items: Children<'_>, new_items: Children<'_>) -> usize {
        let (old_items, new_items): (Vec<_>, Vec<_>) = (old_items.collect(), new_items.collect());
        let old_texts: Vec<_> = old_items.iter().map(|item| self.old.text(*item)).collect();
        let new_texts: Vec<_> = new_items.iter().map(|item| self.new.text(*item)).collect();
        let numbered = Numbered::of(&old_texts, &new_texts);
        let (mut common, mut alike) = (0_usize, 0);
        for step in rough_steps(&numbered.old, &numbered.new) {
            if matches!(step.tag(), DiffTag::Equal | DiffTag::Replace) {
                let old_range = old_items.get(step.old_range()).unwrap_or_default();
                let new_range = new_items.get(step.new_range()).unwrap_or_default();
                for (was, is) in old_range.iter().zip(new_range) {
                    alike += self.alike(*was, *is);
                    common += 1;
                }
            }
        }
        alike + COMMA.len() * common.saturating_sub(1)
    }
}

/// How many characters of two texts stand in words that are alike.
fn alike_words(old: &[u8], new: &[u8]) -> usize {
    let (old_words, new_words) = (words(old), words(new));
    if let Some(ends) = alike_ends(&old_words, &new_words) {
        return ends;
    }
    let numbered = Numbered::of(&old_words, &new_words);
    let steps = rough_steps(&numbered.old, &numbered.new);
    let equal = steps.iter().filter(|step| step.tag() == DiffTag::Equal);
    let alike = equal.flat_map(|step| old_words.get(step.old_range()).unwrap_or_default());
    alike.map(|word| word.len()).sum()
}

/// How many characters stand in alike words at both ends; none if other words may be alike too.
fn alike_ends(old: &[&[u8]], new: &[&[u8]]) -> Option<usize> {
    let prefix = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (old.get(prefix..)?, new.get(prefix..)?);
    let suffix = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    let old_rest = old_rest.get(..old_rest.len() - suffix)?;
    let new_rest = new_rest.get(..new_rest.len() - suffix)?;
    let few = old_rest.len() * new_rest.len() <= FEW_PAIRS;
    if !few || old_rest.iter().any(|word| new_rest.contains(word)) {
        return None;
    }
    let ends = old.iter().take(prefix).chain(old.iter().rev().take(suffix));
    Some(ends.map(|word| word.len()).sum())
}

/// Up to this number of pairs, it is faster to compare the words one by one.
const FEW_PAIRS: usize = 64;

/// The longest run of characters that is one word; in a longer run each character is a word.
const LONGEST_WORD: usize = 32;

/// Cuts a text into words: runs of letters and digits, and what stands between them.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let mut words = Vec::with_capacity(text.len() / 4);
    for run in
        text.chunk_by(|one, next| one.is_ascii_alphanumeric() == next.is_ascii_alphanumeric())
    {
        if run.len() <= LONGEST_WORD {
            words.push(run);
        } else {
            words.extend(run.chunks(1));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::super::document::Layout;
    use super::*;

    #[test]
    fn ratios_are_rounded_as_python_does() {
        for (alike, old, new, rounded) in [
            (0, 0, 0, 1.0),
            (0, 1, 0, 0.0),
            (1, 1, 2, 0.667),
            (1, 16, 16, 0.062),
            (3, 16, 16, 0.188),
            (1999, 2000, 2000, 1.0),
        ] {
            assert_eq!(
                ratio(alike, old, new).to_string(),
                f64::to_string(&rounded),
                "{alike} {old} {new}"
            );
        }
    }

    #[test]
    fn words_are_kept_and_long_ones_are_not() {
        assert_eq!(words(b"{\"a1\": -2}"), [&b"{\""[..], b"a1", b"\": -", b"2", b"}"]);
        assert_eq!(words(&[b'x'; 33]).len(), 33);
        assert_eq!(words(&[b'x'; 32]).len(), 1);
    }

    #[test]
    fn a_long_value_that_changed_a_little_is_similar() {
        let old = "\\u4e2d\\u6587".repeat(4000);
        let new = old.replacen("\\u6587", "\\u6588", 40);
        let similarity = of_json(old.as_bytes(), new.as_bytes());
        assert!((0.98..1.0).contains(&similarity), "{similarity}");
        assert_eq!(
            of_json("ab ".repeat(200).as_bytes(), "- ".repeat(200).as_bytes()).to_string(),
            "0.4"
        );
    }

    #[test]
    fn long_documents_are_compared_by_names_and_items() {
        let similarity = |old: &Value, new: &Value| {
            let of = |value: &Value| Document::of(&value, Layout::Pretty).unwrap();
            of_documents(&of(old), &of(new)).to_string()
        };
        let map: Map<_, _> =
            (0..100).map(|key| (format!("key {key}"), json!({"n": key}))).collect();
        let list: Vec<_> = (0..100).map(|item| json!([item])).collect();
        let mut other = map.clone();
        other.sort_keys();
        assert_eq!(similarity(&json!(map), &json!(other)), "1");
        other.shift_remove("key 7");
        assert_eq!(similarity(&json!(map), &json!(other)), "0.995");
        assert_eq!(similarity(&json!(map), &json!(list)), "0");
        // One more item at the front moves all others.
        let longer: Vec<_> = [json!("one more")].into_iter().chain(list.clone()).collect();
        assert_eq!(similarity(&json!({"l": list}), &json!({"l": longer})), "0.99");
    }

    proptest! {
        #[test]
        fn similarity_is_a_share(old in "[ab \"]{0,300}", new in "[ab \"]{0,300}") {
            let similarity = of_json(old.as_bytes(), new.as_bytes());
            prop_assert!((0.0..=1.0).contains(&similarity));
            prop_assert!(old != new || similarity >= 1.0);
        }
    }
}
