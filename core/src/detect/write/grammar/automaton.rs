//! The states of a text in which some words do not stand.
//!
//! The automaton is that of Aho and Corasick over characters: a state is how much of a word was
//! just read. A step that would complete a word is missing.

use std::collections::VecDeque;

/// A state: the steps that do not lead back to the first one.
#[derive(Clone, Debug, Default)]
pub(super) struct TextState {
    /// Where these characters lead, in their order; `None` for nowhere.
    pub(super) steps: Vec<(char, Option<usize>)>,
}

/// The states of a text without words. Every state may be the last one.
#[derive(Clone, Debug)]
pub(super) struct Automaton {
    /// The states that can be reached, the first one first.
    pub(super) states: Vec<TextState>,
}

#[derive(Default)]
struct TrieNode {
    /// Where characters lead, in their order. When the nodes are linked, also those that a shorter
    /// part of what was read leads on.
    next: Vec<(char, usize)>,
    fail: usize,
    ends: bool,
}

impl Automaton {
    pub(super) fn without(words: &[String]) -> Self {
        let mut nodes = trie(words);
        link(&mut nodes);
        let mut numbers = vec![None; nodes.len()];
        if let Some(first) = numbers.first_mut() {
            *first = Some(0);
        }
        let mut queue = VecDeque::from([0]);
        let mut states = Vec::new();
        let mut count = 1;
        while let Some(node) = queue.pop_front().and_then(|at: usize| nodes.get(at)) {
            let mut steps = Vec::with_capacity(node.next.len());
            for (letter, to) in &node.next {
                let ends = nodes.get(*to).is_none_or(|node| node.ends);
                let number = numbers.get_mut(*to).filter(|_| !ends).map(|number| {
                    *number.get_or_insert_with(|| {
                        queue.push_back(*to);
                        count += 1;
                        count - 1
                    })
                });
                steps.push((*letter, number));
            }
            states.push(TextState { steps });
        }
        Self { states }
    }

    /// Where a character leads from a state; `None` for nowhere.
    pub(super) fn step(&self, from: usize, letter: char) -> Option<usize> {
        let steps = &self.states.get(from)?.steps;
        match steps.binary_search_by_key(&letter, |(letter, _)| *letter) {
            Ok(place) => steps.get(place)?.1,
            Err(_) => Some(0),
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
            at = match node.next.binary_search_by_key(&letter, |(letter, _)| *letter) {
                Ok(place) => node.next.get(place).map_or(0, |(_, to)| *to),
                Err(place) => {
                    node.next.insert(place, (letter, fresh));
                    nodes.push(TrieNode::default());
                    fresh
                }
            };
        }
        if let Some(node) = nodes.get_mut(at) {
            node.ends = true;
        }
    }
    nodes
}

/// Sets where each node goes on when a character does not fit, and where it leads then.
fn link(nodes: &mut [TrieNode]) {
    let mut queue = VecDeque::from([0]);
    while let Some(at) = queue.pop_front() {
        let Some(node) = nodes.get_mut(at) else { continue };
        let (fail, own) = (node.fail, std::mem::take(&mut node.next));
        // What a node falls back to is shorter, so its steps are whole already.
        let shorter = match nodes.get(fail) {
            Some(shorter) if at != 0 => shorter.next.clone(),
            _ => Vec::new(),
        };
        let back = |letter: char| {
            let place = shorter.binary_search_by_key(&letter, |(letter, _)| *letter);
            place.ok().and_then(|place| shorter.get(place)).map_or(0, |(_, to)| *to)
        };
        for (letter, to) in &own {
            queue.push_back(*to);
            let back = back(*letter);
            let ends = nodes.get(back).is_some_and(|node| node.ends);
            if let Some(node) = nodes.get_mut(*to) {
                node.fail = back;
                node.ends |= ends;
            }
        }
        if let Some(node) = nodes.get_mut(at) {
            node.next = joined(own, &shorter);
        }
    }
}

/// Both lists of steps in order; where a character is in both, the first one counts.
fn joined(mut own: Vec<(char, usize)>, other: &[(char, usize)]) -> Vec<(char, usize)> {
    own.extend(other);
    // The sort keeps the order of steps with the same character.
    own.sort_by_key(|(letter, _)| *letter);
    own.dedup_by_key(|(letter, _)| *letter);
    own
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
