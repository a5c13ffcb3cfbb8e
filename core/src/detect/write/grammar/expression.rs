//! The grammar of a message, before a backend's notation is chosen.

use std::rc::Rc;

use super::banned::Banned;

/// The most parts of a value that are written again wherever they stand, in a notation without
/// names for parts.
pub(super) const MOST_PARTS: usize = 120;

/// The fewest characters of a word without its first one that say as much as the word.
const MIN_REST: usize = 3;

/// What may be written at one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Expression {
    /// Exactly this text.
    Literal(String),
    Sequence(Vec<Self>),
    Choice(Vec<Self>),
    /// The inner one so many times; `None` for no upper bound.
    Repeat(Box<Self>, u32, Option<u32>),
    /// One character.
    Class(Class),
    /// A part that a lexer reads as one token: made of literals, classes and what joins them.
    Terminal(Box<Self>),
    /// A rule of the grammar, by its index. It may name itself.
    Rule(usize),
    /// A part that stands in several places: written once where a notation has names for parts.
    Shared(Rc<Self>),
    /// A JSON value by this schema, which the backend's own JSON engine holds.
    Json {
        schema: serde_json::Value,
        spaced: bool,
        /// What may not stand in a text of it; only xgrammar holds it.
        without: Banned,
    },
    /// A text in quotes.
    QuotedText(QuotedText),
    /// Text of any length, also none.
    Text(Text),
    /// Text up to this end, and the end.
    Until {
        text: Text,
        end: String,
    },
    /// Text with its code blocks closed, the opener of a call, and the rest of the calls.
    Lead {
        text: Text,
        opener: String,
        rest: Box<Self>,
    },
}

/// Text that people or tools read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Text {
    /// What may not stand in it.
    pub(super) without: Banned,
    /// The characters with which it does not begin; where there are any, it is not empty.
    pub(super) first_not: String,
    /// The characters with which it does not end.
    pub(super) last_not: String,
    pub(super) min: u32,
    pub(super) max: Option<u32>,
}

/// A text in quotes, with escapes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct QuotedText {
    pub(super) quote: char,
    /// Whether the escapes are those of Python, and not those of JSON.
    pub(super) python: bool,
    /// What may not stand between the quotes, as it is written.
    pub(super) without: Banned,
    pub(super) min: u32,
    pub(super) max: Option<u32>,
}

/// A set of characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class {
    pub(super) negated: bool,
    pub(super) ranges: Vec<(char, char)>,
}

/// A whole grammar.
#[derive(Clone, Debug)]
pub(super) struct Grammar {
    pub(super) start: Expression,
    pub(super) rules: Vec<Expression>,
}

impl Class {
    /// These characters.
    pub(super) fn of(ranges: &[(char, char)]) -> Self {
        Self { negated: false, ranges: ranges.to_vec() }
    }

    /// All but these characters.
    pub(super) fn not(ranges: &[(char, char)]) -> Self {
        Self { negated: true, ranges: ranges.to_vec() }
    }
}

impl Text {
    /// Text in which none of these stands.
    pub(super) fn without(without: Banned) -> Self {
        Self { without, ..Self::default() }
    }

    /// Text that ends as this one does, in which these do not stand either.
    pub(super) fn also_without(&self, words: &[&str]) -> Self {
        let last_not = self.last_not.clone();
        Self { last_not, ..Self::without(self.without.and(words)) }
    }

    /// What it has to begin with; `None` where it may be empty or begin with any character.
    pub(super) fn first(&self) -> Option<Expression> {
        let is_free = self.min == 0 && self.first_not.is_empty();
        (!is_free).then(|| {
            let whole = self.without.iter().filter(|word| self.behind_head(word).is_none());
            let heading = self.heading(whole.filter_map(|word| word.chars().next()));
            if self.min > 1 { heading.repeated(self.min, Some(self.min)) } else { heading }
        })
    }

    /// What follows that beginning.
    pub(super) fn behind_first(&self) -> Self {
        let rests: Vec<_> = self.without.iter().filter_map(|word| self.behind_head(word)).collect();
        Self { first_not: String::new(), min: 0, without: self.without.and(&rests), ..self.clone() }
    }

    /// What is left of a word behind its first character, where a message needs that character to
    /// begin with: a letter, or a quote. It is refused behind the beginning, so that the word is.
    fn behind_head<'w>(&self, word: &'w str) -> Option<&'w str> {
        let mut letters = word.chars();
        let head = letters.next()?;
        let rest = letters.as_str();
        let begins_message = !self.first_not.is_empty() && self.min <= 1;
        let is_needed = begins_message && (head.is_alphanumeric() || matches!(head, '"' | '\''));
        (is_needed && rest.chars().count() >= MIN_REST).then_some(rest)
    }

    /// A character with which the text may begin, and none of these heads of words.
    fn heading(&self, heads: impl Iterator<Item = char>) -> Expression {
        let heads = heads.chain(self.first_not.chars()).map(|head| (head, head));
        Expression::Class(Class::not(&heads.collect::<Vec<_>>()))
    }

    /// A text of at most so many characters. Rules that count cannot look for words too, so a sign
    /// of each word is left out.
    pub(super) fn counted(&self, max: u32) -> Expression {
        let signs: Vec<_> = self.without.signs().map(|sign| (sign, sign)).collect();
        let any =
            |times: u32, max: u32| Expression::Class(Class::not(&signs)).repeated(times, Some(max));
        if self.first_not.is_empty() {
            return any(self.min, max);
        }
        let not = self.first_not.chars().map(|letter| (letter, letter));
        let first: Vec<_> = signs.iter().copied().chain(not).collect();
        let rest = any(self.min.saturating_sub(1), max.saturating_sub(1));
        Expression::sequence([Expression::Class(Class::not(&first)), rest])
    }

    /// The same in front of this end, which the text does not hold.
    ///
    /// Nor does the end begin earlier than it is meant to: no text in front of `>>>` ends with `>`.
    pub(super) fn up_to(&self, end: &str) -> Self {
        let without = self.without.up_to(end);
        let early = |word: &String| {
            let mut letters = word.chars();
            let first = letters.next()?;
            let rest = letters.as_str();
            (!rest.is_empty() && end.starts_with(rest)).then_some(first)
        };
        let last_not = without.iter().filter_map(early).collect();
        Self { without, last_not, ..self.clone() }
    }

    /// The same text, as one without such an end and its last character.
    pub(super) fn with_last(&self) -> Expression {
        let mut last_not: Vec<_> = self.last_not.chars().map(|last| (last, last)).collect();
        let mut words = Vec::new();
        for word in &*self.without {
            let mut letters = word.chars();
            let last = letters.next_back().unwrap_or_default();
            let shorter = letters.as_str();
            if shorter.is_empty() {
                last_not.push((last, last));
            }
            // The last character, which stands behind the text that is searched, completes no word.
            let is_refused = shorter.is_empty() || self.last_not.contains(last);
            words.push(if is_refused { word.clone() } else { shorter.to_owned() });
        }
        let front = Self::without(words.into_iter().collect());
        let last = Expression::Class(Class::not(&last_not));
        Expression::sequence([Expression::Text(front), last]).optional()
    }
}

impl QuotedText {
    /// Whether it may have any length.
    pub(super) fn is_any(&self) -> bool {
        self.min == 0 && self.max.is_none()
    }
}

impl Expression {
    pub(super) fn literal(text: impl Into<String>) -> Self {
        Self::Literal(text.into())
    }

    pub(super) fn json(schema: serde_json::Value, spaced: bool) -> Self {
        Self::Json { schema, spaced, without: Banned::default() }
    }

    /// The parts one behind the other; literals that touch become one.
    pub(super) fn sequence(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut joined = Vec::new();
        for part in parts {
            push_joined(&mut joined, part);
        }
        match joined.len() {
            0 => Self::literal(""),
            1 => joined.pop().unwrap_or_else(|| Self::literal("")),
            _ => Self::Sequence(joined),
        }
    }

    /// One of the parts.
    pub(super) fn choice(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<Self> = Vec::new();
        for part in parts {
            if !all.contains(&part) {
                all.push(part);
            }
        }
        match all.len() {
            1 => all.pop().unwrap_or_else(|| Self::literal("")),
            _ => Self::Choice(all),
        }
    }

    pub(super) fn optional(self) -> Self {
        self.repeated(0, Some(1))
    }

    pub(super) fn repeated(self, min: u32, max: Option<u32>) -> Self {
        Self::Repeat(Box::new(self), min, max)
    }

    pub(super) fn terminal(self) -> Self {
        Self::Terminal(Box::new(self))
    }

    /// The same as a part that may stand in several places without being copied.
    pub(super) fn shared(self) -> Self {
        match self {
            Self::Literal(_) | Self::Rule(_) => self,
            other => Self::Shared(Rc::new(other)),
        }
    }

    /// Text up to an end; just text where there is no end.
    pub(super) fn until(text: Text, end: &str) -> Self {
        if end.is_empty() {
            return Self::Text(text);
        }
        Self::Until { text, end: end.to_owned() }
    }

    /// What is left of a number of parts when this one is written without names for parts; `None`
    /// where it has more.
    pub(super) fn spend(&self, rules: &[Self], left: usize) -> Option<usize> {
        let left = left.checked_sub(1)?;
        match self {
            Self::Sequence(parts) | Self::Choice(parts) => {
                parts.iter().try_fold(left, |left, part| part.spend(rules, left))
            }
            Self::Repeat(inner, ..) | Self::Terminal(inner) => inner.spend(rules, left),
            Self::Shared(inner) => inner.spend(rules, left),
            Self::Rule(number) => rules.get(*number)?.spend(rules, left),
            _ => Some(left),
        }
    }

    /// The last letter of a literal.
    pub(super) fn last_letter(&self) -> Option<char> {
        match self {
            Self::Literal(text) => text.chars().last(),
            _ => None,
        }
    }

    /// Whether nothing is written.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Literal(text) if text.is_empty())
    }

    /// The text with which everything begins that is written here.
    pub(super) fn opener(&self) -> String {
        match self {
            Self::Literal(text) => text.clone(),
            Self::Sequence(parts) => match parts.as_slice() {
                [first @ Self::Literal(text), second, ..] if !matches!(first, Self::Choice(_)) => {
                    format!("{text}{}", second.opener())
                }
                [first, ..] => first.opener(),
                [] => String::new(),
            },
            Self::Choice(parts) => {
                let mut openers = parts.iter().map(Self::opener);
                let first = openers.next().unwrap_or_default();
                openers.fold(first, |common, next| common_prefix(&common, &next).to_owned())
            }
            Self::Repeat(inner, 1.., _) => inner.opener(),
            _ => String::new(),
        }
    }

    /// The same without the first bytes, which are a part of the opener.
    pub(super) fn behind(self, length: usize) -> Self {
        if length == 0 {
            return self;
        }
        match self {
            Self::Literal(text) => Self::literal(text.get(length..).unwrap_or_default()),
            Self::Sequence(parts) => {
                let mut parts = parts.into_iter();
                let Some(first) = parts.next() else { return Self::literal("") };
                let here = match &first {
                    Self::Literal(text) => text.len().min(length),
                    _ => length,
                };
                let rest = Self::sequence(parts);
                let rest = if here < length { rest.behind(length - here) } else { rest };
                Self::sequence([first.behind(here), rest])
            }
            Self::Choice(parts) => Self::choice(parts.into_iter().map(|one| one.behind(length))),
            Self::Repeat(inner, min, max) => {
                let more =
                    Self::Repeat(inner.clone(), min.saturating_sub(1), max.map(|max| max - 1));
                Self::sequence([inner.behind(length), more])
            }
            other => other,
        }
    }
}

fn push_joined(joined: &mut Vec<Expression>, part: Expression) {
    match part {
        Expression::Literal(text) if text.is_empty() => {}
        Expression::Literal(text) => match joined.last_mut() {
            Some(Expression::Literal(before)) => before.push_str(&text),
            _ => joined.push(Expression::Literal(text)),
        },
        Expression::Sequence(parts) => {
            for part in parts {
                push_joined(joined, part);
            }
        }
        other => joined.push(other),
    }
}

/// The text with which both begin.
fn common_prefix<'t>(one: &'t str, other: &str) -> &'t str {
    let same = one.char_indices().zip(other.chars());
    let differs = same.skip_while(|((_, a), b)| a == b).map(|((at, _), _)| at).next();
    let end = differs.unwrap_or(one.len().min(other.len()));
    one.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_opener_is_what_all_ways_begin_with() {
        let call = |name: &str| Expression::literal(format!("<call>{name}"));
        let calls = Expression::sequence([
            Expression::literal("\n"),
            Expression::choice([call("ab"), call("ac")]),
            Expression::Rule(0),
        ]);
        assert_eq!(calls.opener(), "\n<call>a");
        let rest = Expression::sequence([
            Expression::choice([Expression::literal("b"), Expression::literal("c")]),
            Expression::Rule(0),
        ]);
        assert_eq!(calls.behind("\n<call>a".len()), rest);
    }
    #[test]
    fn a_message_may_begin_with_the_letter_of_a_tool_s_name() {
        let words = ["\"now\"", "<x>", "get("].map(str::to_owned).into_iter().collect();
        let text = Text { first_not: "{".to_owned(), ..Text::without(words) };
        assert_eq!(text.first(), Some(Expression::Class(Class::not(&[('<', '<'), ('{', '{')]))));
        let rest = text.behind_first();
        assert_eq!(*rest.without, ["\"now\"", "<x>", "et(", "get(", "now\""]);
        assert_eq!(rest.first(), None);
    }

    #[test]
    fn a_text_does_not_begin_its_end_too_early() {
        let words = ["<|im", ">>>", "`"].map(str::to_owned).into_iter().collect();
        let text = Text::without(words);
        assert_eq!(text.up_to("<|im_end|>").last_not, "");
        let text = text.up_to(">>>f\n");
        assert_eq!(text.last_not, ">");
        let shorter = ["<|i", ">>>", "`"].map(str::to_owned).into_iter().collect();
        let parts = [
            Expression::Text(Text::without(shorter)),
            Expression::Class(Class::not(&[('>', '>'), ('`', '`')])),
        ];
        assert_eq!(text.with_last(), Expression::sequence(parts).optional());
    }
}
