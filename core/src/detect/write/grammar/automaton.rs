//! The states of a text in which some words do not stand.
//!
//! The automaton is that of Aho and Corasick over characters: a state is how much of a word was
//! just read. A step that would complete a word is missing.

use std::collections::{BTreeMap, VecDeque};

/// A state: the steps that do not lead back to the first one.
#[derive(Clone, Debug, Default)]
pub(super) struct TextState {
    /// Where these characters lead; `None` for nowhere.
    pub(super) steps: BTreeMap<char, Option<usize>>,
}

/// The states of a text without words. Every state may be the last one.
#[derive(Clone, Debug)]
pub(super) struct Automaton {
    /// The states that can be reached, the first one first.
    pub(super) states: Vec<TextState>,
}

#[derive(Default)]
struct TrieNode {
    next: BTreeMap<char, usize>,
    fail: usize,
    ends: bool,
}

impl Automaton {
    pub(super) fn without(words: &[String]) -> Self {
        let mut nodes = trie(words);
        link(&mut nodes);
        let letters: Vec<char> = {
            let mut all: Vec<char> = words.iter().flat_map(|word| word.chars()).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let mut numbers = BTreeMap::from([(0, 0)]);
        let mut queue = VecDeque::from([0]);
        let mut states = Vec::new();
        while let Some(at) = queue.pop_front() {
            let mut state = TextState::default();
            for letter in &letters {
                let to = step(&nodes, at, *letter);
                if to == 0 {
                    continue;
                }
                if nodes.get(to).is_none_or(|node| node.ends) {
                    state.steps.insert(*letter, None);
                    continue;
                }
                let fresh = numbers.len();
                let number = *numbers.entry(to).or_insert_with(|| {
                    queue.push_back(to);
                    fresh
                });
                state.steps.insert(*letter, Some(number));
            }
            states.push(state);
        }
        Self { states }
    }

    /// Where a character leads from a state; `None` for nowhere.
    pub(super) fn step(&self, from: usize, letter: char) -> Option<usize> {
        match self.states.get(from)?.steps.get(&letter) {
            Some(to) => *to,
            None => Some(0),
        }
    }
}

fn trie(words: &[String]) -> Vec<TrieNode> {
    let mut nodes = vec![TrieNode::default()];
    for word in words.iter().filter(|word| !word.is_empty()) {
        let mut at = 0;
        for letter in word.chars() {
            let fresh = nodes.len();
            let Some(node) = nodes.get_mut(at) else { break };
            at = *node.next.entry(letter).or_insert(fresh);
            if at == fresh {
                nodes.push(TrieNode::default());
            }
        }
        if let Some(node) = nodes.get_mut(at) {
            node.ends = true;
        }
    }
    nodes
}

/// Sets where each node goes on when a character does not fit.
fn link(nodes: &mut [TrieNode]) {
    let mut queue = VecDeque::from([0]);
    while let Some(at) = queue.pop_front() {
        let Some(node) = nodes.get(at) else { continue };
        let (fail, next) = (node.fail, node.next.clone());
        for (letter, to) in next {
            queue.push_back(to);
            let back = if at == 0 { 0 } else { step(nodes, fail, letter) };
            let ends = nodes.get(back).is_some_and(|node| node.ends);
            if let Some(node) = nodes.get_mut(to) {
                node.fail = back;
                node.ends |= ends;
            }
        }
    }
}

fn step(nodes: &[TrieNode], from: usize, letter: char) -> usize {
    let mut at = from;
    loop {
        let Some(node) = nodes.get(at) else { return 0 };
        if let Some(to) = node.next.get(&letter) {
            return *to;
        }
        if at == 0 {
            return 0;
        }
        at = node.fail;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(words: &[&str], text: &str) -> bool {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let automaton = Automaton::without(&words);
        text.chars().try_fold(0, |at, letter| automaton.step(at, letter)).is_some()
    }

    #[test]
    fn a_text_that_holds_a_word_has_no_way() {
        let words = ["<call>", "</call>", "<c", "ll"];
        for text in ["", "<", "a<b", "<<", "</call", "l<l"] {
            assert!(accepts(&words[..2], text), "{text}");
        }
        for text in ["<call>", "x<<call>", "</</call>"] {
            assert!(!accepts(&words[..2], text), "{text}");
        }
        for text in ["<call", "a ll", "<<c"] {
            assert!(!accepts(&words, text), "{text}");
        }
        assert!(accepts(&["aab"], "aaaa") && !accepts(&["aab"], "aaaab"));
    }
}
