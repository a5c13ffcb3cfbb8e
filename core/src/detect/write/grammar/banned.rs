//! Words that may not stand in a text.

use std::ops::Deref;
use std::rc::Rc;

/// Words that may not stand in a text, each once and in order. Many texts share one list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Banned(Rc<[String]>);

impl Banned {
    /// The words and these.
    pub(super) fn and(&self, more: &[&str]) -> Self {
        let more = more.iter().filter(|word| !self.are_in(word)).map(|word| (*word).to_owned());
        let mut words: Vec<_> = self.iter().cloned().chain(more).collect();
        words.sort_unstable();
        Self(words.into())
    }

    /// The words of a text that this end follows: the text does not hold the end either.
    pub(super) fn up_to(&self, end: &str) -> Self {
        if self.are_in(end) { self.clone() } else { self.and(&[end]) }
    }

    /// A sign of each word: a text without them holds none of the words.
    ///
    /// Letters and digits are none of them where a word has other characters, since texts need
    /// those.
    pub(super) fn signs(&self) -> impl Iterator<Item = char> {
        self.iter().filter_map(|word| {
            let sign = word.chars().find(|letter| !letter.is_alphanumeric() && *letter != ' ');
            sign.or_else(|| word.chars().next())
        })
    }

    /// Whether one of the words stands in a text.
    pub(super) fn are_in(&self, text: &str) -> bool {
        self.iter().any(|word| text.contains(word.as_str()))
    }
}

impl Deref for Banned {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}

impl FromIterator<String> for Banned {
    fn from_iter<I: IntoIterator<Item = String>>(words: I) -> Self {
        let mut words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
        words.sort_unstable();
        words.dedup();
        // A word that holds another one says nothing more, and engines pay for each.
        let is_needed = |word: &&String| {
            !words.iter().any(|other| other != *word && word.contains(other.as_str()))
        };
        Self(words.iter().filter(is_needed).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_holds_a_word_is_no_new_word() {
        let words: Banned =
            ["</b>", "<a>", "<a>", "</b></c>"].map(str::to_owned).into_iter().collect();
        assert_eq!(*words, ["</b>", "<a>"]);
        assert_eq!(words.up_to("\n</b>\n"), words);
        assert_eq!(*words.up_to("</c>"), ["</b>", "</c>", "<a>"]);
        assert!(words.are_in("x<a>") && !words.are_in("<b>"));
    }
}
