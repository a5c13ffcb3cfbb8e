//! What shows that a marker may stand in a text: the markers as they are written, and what tokens
//! begin with that are understood although they are damaged.

use std::collections::BTreeMap;

use crate::detect::engine::first_bytes::{WORD, WordStart};
use crate::detect::engine::sign::{Sign, SignKind};
use crate::detect::engine::sought_marker::SoughtMarker;
use crate::detect::engine::starts::StartByte;
use crate::detect::engine::window_tables::ByteSet;
use crate::detect::format::near_token::{BAR_BEGINNINGS, NearTokens, is_gap, start};

/// The bytes of a tag that show that it may be written in another way.
const FRONT: usize = 4;

/// The markers of a text, and the tokens that may be damaged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MarkerSigns<'m> {
    pub(super) markers: &'m [SoughtMarker],
    /// None where a damaged token is text.
    pub(super) near: Option<&'m NearTokens>,
}

impl<'m> MarkerSigns<'m> {
    /// The texts of which one stands around each place where a marker may stand.
    pub(crate) fn all(self) -> impl Iterator<Item = Sign> + 'm {
        // Of many signs, each has the window that the fewest texts have. Few signs have no such
        // choice, and those of the tags that count only apart begin alike.
        let are_few = self.near.is_none();
        let by_lead = self.markers.iter().filter(move |sought| !are_few || !sought.is_apart());
        let written = by_lead.map(|sought| Sign {
            text: sought.marker.lead().into(),
            kind: SignKind::Marker { searched: sought.offset, names: sought.lead.names_function },
        });
        let apart = are_few.then(|| self.apart()).into_iter().flatten();
        let near = self.near_beginnings().map(move |StartByte { byte, after, behind, .. }| {
            let text: Box<[u8]> = [Some(byte), after, behind].into_iter().flatten().collect();
            let kind = if self.begins_words(&text) {
                SignKind::Word(self.behind_beginning(&text))
            } else {
                SignKind::Marker { searched: 0, names: false }
            };
            Sign { text, kind }
        });
        written.chain(near).chain(apart)
    }

    /// Few signs that stand for all tags that count only apart from words.
    fn apart(self) -> Vec<Sign> {
        let mut capitals = BTreeMap::<[u8; 2], ByteSet>::new();
        let mut signs = Vec::new();
        for sought in self.markers.iter().filter(|sought| sought.is_apart()) {
            let lead = sought.marker.lead();
            let kind = SignKind::Marker { searched: sought.offset, names: false };
            let mut sign = |text: &[u8]| signs.push(Sign { text: text.into(), kind });
            match lead {
                [b'<', b'/', b'a'..=b'z', ..] | [b'<', b'a'..=b'z', ..] => {
                    // Only what ends it tells it from the tag that is written as it should be.
                    let end = lead.iter().rposition(u8::is_ascii_alphabetic);
                    sign(lead.get(..=end.unwrap_or_default()).unwrap_or(lead));
                }
                [one, two @ b'A'..=b'Z', behind, ..] => {
                    capitals.entry([*one, *two]).or_default().insert(*behind);
                }
                _ => sign(lead.get(..FRONT).unwrap_or(lead)),
            }
        }
        signs.extend(
            capitals
                .into_iter()
                .map(|(front, behind)| Sign { text: front.into(), kind: SignKind::Tag(behind) }),
        );
        signs
    }

    /// The first letters of the words behind the bracket of a marker, in small letters, where it
    /// has that many.
    pub(crate) fn words(self) -> Vec<WordStart> {
        let written = self.leads().filter_map(|lead| start(lead.strip_prefix(b"<")?));
        self.near_starts().chain(written).collect()
    }

    /// What the tokens begin with that are understood although they are damaged.
    pub(super) fn near_beginnings(self) -> impl Iterator<Item = StartByte> + 'm {
        let bars = BAR_BEGINNINGS.map(|bar| (bar, None)).into_iter();
        let of_near = move |near: &'m NearTokens| {
            let words = near.beginnings().into_iter().map(|[one, two]| (one, Some(two)));
            bars.clone().chain(words)
        };
        self.near.into_iter().flat_map(of_near).map(|(after, behind)| StartByte {
            byte: b'<',
            before: None,
            after: Some(after),
            behind,
        })
    }

    /// Whether a token that begins with a bracket and two letters goes on with one of the words, if
    /// with letters at all. The markers that begin so are not looked for by signs of their own, so
    /// they have to go on that way too.
    fn begins_words(self, beginning: &[u8]) -> bool {
        let [_, word @ ..] = beginning else { return false };
        let mut leads = self.leads().filter(|lead| lead.starts_with(beginning));
        let goes_on = |lead: &[u8]| {
            let mut word = lead.iter().skip(1).take(WORD);
            let is_told = lead.len() > WORD || word.any(|byte| !byte.is_ascii_alphabetic());
            let has_gap = lead.get(beginning.len()).is_some_and(|byte| is_gap(*byte));
            is_told && (!has_gap || lead.get(1..).and_then(start).is_some())
        };
        word.len() == 2 && word.iter().all(u8::is_ascii_alphabetic) && leads.all(goes_on)
    }

    /// What may stand behind a bracket and two letters with which words begin: the next letter, a
    /// byte between letters, or the end of the text, which is searched as a zero.
    fn behind_beginning(self, beginning: &[u8]) -> ByteSet {
        let letters = self.near_starts().filter_map(|[first, second, third, _]| {
            let begins_so = beginning.get(1..)?.eq_ignore_ascii_case(&[first, second]);
            begins_so.then_some([third, third.to_ascii_uppercase()])
        });
        let leads = self.leads().filter(|lead| lead.starts_with(beginning));
        let written = leads.filter_map(|lead| lead.get(beginning.len()).copied());
        let gaps = (0..=u8::MAX).filter(|byte| is_gap(*byte));
        let others = written.chain(gaps).chain([0]);
        let mut behind = ByteSet::default();
        letters.flatten().chain(others).for_each(|byte| behind.insert(byte));
        behind
    }

    /// The texts with which the markers begin that are searched for by their first byte.
    fn leads(self) -> impl Iterator<Item = &'m [u8]> {
        let by_first = self.markers.iter().filter(|sought| sought.offset == 0);
        by_first.map(|sought| sought.marker.lead())
    }

    /// The first letters of the tokens that may be damaged.
    fn near_starts(self) -> impl Iterator<Item = WordStart> + 'm {
        self.near.into_iter().flat_map(NearTokens::starts)
    }
}

#[cfg(test)]
mod tests {
    use crate::detect::engine::config::Config;
    use crate::detect::engine::sign::SignKind;
    use crate::detect::format::near_token::is_gap;

    #[test]
    fn each_word_of_a_damaged_token_is_found_with_gaps_and_capitals() {
        let config = Config::default();
        let (signs, search) = (config.markers.signs(), config.starts.signs.as_ref().unwrap());
        let gaps: Vec<char> = (0..=u8::MAX).filter(|byte| is_gap(*byte)).map(char::from).collect();
        let mut count = 0;
        for start in signs.near_starts() {
            let word = String::from_utf8(start.to_vec()).unwrap();
            // What begins the name of an HTML tag is told by the letters behind it alone.
            for cased in [word.clone(), word.to_uppercase()] {
                let mut spelled = vec![cased.clone()];
                for at in 1..cased.len() {
                    let (one, two) = cased.split_at(at);
                    spelled.extend(gaps.iter().map(|gap| format!("{one}{gap}{two}")));
                    spelled.push(format!("{one}{}{}{two}", gaps[0], gaps[1]));
                }
                for spelling in spelled {
                    let text = format!("{} <{spelling} and more text behind it", "a ".repeat(70));
                    let (text, at) = (text.as_bytes(), 141);
                    // Without two letters in a row, no damaged token begins here.
                    let begins = config.markers.may_stand(text, at)
                        && spelling.as_bytes()[..2].iter().all(u8::is_ascii_alphabetic);
                    let found = search.find(text, 0, |place| config.markers.may_stand(text, place));
                    assert_eq!(found == Some(at), begins, "{spelling}");
                    count += usize::from(begins);
                }
            }
        }
        assert!(count > 500, "{count}");
        assert!(signs.all().any(|sign| matches!(sign.kind, SignKind::Word(_))));
    }
}
