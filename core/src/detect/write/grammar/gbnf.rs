//! Writes a grammar as GBNF, the notation of llama.cpp, which xgrammar reads too.
//!
//! A text without words becomes one rule for each state of an automaton. The notation has no
//! escapes but those that both programs read: in classes, punctuation is written as `\x..`.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use super::automaton::{Automaton, TextState};
use super::expression::{Class, Expression, QuotedText, Text};
use super::quotes::{escapes, plain};

/// What opens and closes a block of code in a text.
pub(super) const FENCES: [&str; 2] = ["```", "~~~"];
/// What may not stand in a text outside of code.
pub(super) const OUTSIDE: [&str; 2] = ["`", "~~~"];
/// The longest text behind the fence that opens a block.
pub(super) const MOST_INFO: u32 = 24;

/// A grammar as text, with those of the rules that it uses; the first one is `root`.
pub(super) fn gbnf(start: &Expression, rules: &[Expression]) -> String {
    GbnfWriter::new(rules).whole(start)
}

/// Text in front of calls, in whose place code blocks are closed: `plain (block plain)*`.
pub(super) fn lead_parts(text: &Text) -> Expression {
    let without = |words: &[&str], min: u32| {
        let mut without = text.without.clone();
        without.extend(words.iter().map(|word| (*word).to_owned()));
        Expression::Text(Text { min, ..Text::without(without) })
    };
    // A lone backtick would open code that ends in the arguments of a call.
    let span = Expression::sequence([
        Expression::literal("`"),
        without(&["`", "\n"], 1),
        Expression::literal("`"),
        without(&OUTSIDE, 1),
    ]);
    // A line with a backtick behind its fence opens no block, and a marker may not stand there.
    let letters = [('A', 'Z'), ('a', 'z'), ('0', '9'), ('+', '+'), ('_', '_')];
    let info = Expression::Class(Class::of(&letters));
    let block = Expression::sequence([
        Expression::literal("\n```"),
        info.repeated(0, Some(MOST_INFO)),
        Expression::literal("\n"),
        without(&FENCES, 0),
        Expression::literal("\n```\n"),
        without(&OUTSIDE, 0),
    ]);
    let code = Expression::choice([span, block]);
    Expression::sequence([without(&OUTSIDE, 0), code.repeated(0, None)])
}

/// The words that do not stand in a text, and its quote, with whether its escapes are Python's.
type TextKey = (Vec<String>, Option<(char, bool)>);

struct GbnfWriter<'g> {
    named: &'g [Expression],
    /// The rules that are written, in order, with their names.
    rules: Vec<(String, String)>,
    /// The names of rules by their bodies.
    known: HashMap<String, String>,
    /// The first states of automata, by what they belong to.
    texts: HashMap<TextKey, String>,
    /// Whether each of the named rules is written.
    written: Vec<bool>,
}

impl<'g> GbnfWriter<'g> {
    fn new(named: &'g [Expression]) -> Self {
        let written = vec![false; named.len()];
        let (rules, known, texts) = (Vec::new(), HashMap::new(), HashMap::new());
        Self { named, rules, known, texts, written }
    }

    fn whole(mut self, start: &Expression) -> String {
        let root = self.body(start);
        let mut out = format!("root ::= {root}\n");
        for (name, body) in &self.rules {
            // Writing to a text cannot fail.
            let _ = writeln!(out, "{name} ::= {body}");
        }
        out
    }

    /// An expression that stands alone.
    fn body(&mut self, expression: &Expression) -> String {
        match expression {
            Expression::Choice(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.part(part)).collect();
                parts.join(" | ")
            }
            other => self.part(other),
        }
    }

    /// An expression among others.
    fn part(&mut self, expression: &Expression) -> String {
        match expression {
            Expression::Literal(text) => quoted(text),
            Expression::Class(class) => shown(class),
            Expression::Sequence(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.part(part)).collect();
                parts.join(" ")
            }
            Expression::Choice(_) => format!("({})", self.body(expression)),
            Expression::Terminal(inner) => self.part(inner),
            Expression::Repeat(inner, min, max) => {
                let inner = self.atom(inner);
                format!("{inner}{}", times(*min, *max))
            }
            Expression::Rule(number) => self.rule(*number),
            // A builder for this backend writes own rules for JSON.
            Expression::Json { .. } => "[^\\x00-\\xff]".to_owned(),
            Expression::QuotedText(text) => self.quoted(text),
            Expression::Text(text) => self.text(text),
            Expression::Until { text, end } => {
                let mut text = text.clone();
                text.without.push(end.clone());
                format!("{} {}", self.text(&text), quoted(end))
            }
            Expression::Lead { text, opener, rest } => {
                let mut text = text.clone();
                text.without.push(opener.clone());
                let lead = self.part(&lead_parts(&text));
                format!("{lead} {} {}", quoted(opener), self.part(rest))
            }
        }
    }

    /// An expression to which a number of times may be added.
    fn atom(&mut self, expression: &Expression) -> String {
        match expression {
            Expression::Literal(_) | Expression::Class(_) | Expression::Rule(_) => {
                self.part(expression)
            }
            other => format!("({})", self.body(other)),
        }
    }

    fn rule(&mut self, number: usize) -> String {
        let name = format!("r{number}");
        let is_new = self.written.get(number) == Some(&false);
        if let (true, Some(rule)) = (is_new, self.named.get(number)) {
            if let Some(written) = self.written.get_mut(number) {
                *written = true;
            }
            let body = self.body(rule);
            self.rules.push((name.clone(), body));
        }
        name
    }

    /// The name of a rule with this body.
    fn shared(&mut self, prefix: &str, body: String) -> String {
        if let Some(name) = self.known.get(&body) {
            return name.clone();
        }
        let name = format!("{prefix}{}", self.known.len());
        self.known.insert(body.clone(), name.clone());
        self.rules.push((name.clone(), body));
        name
    }

    fn text(&mut self, text: &Text) -> String {
        let any = |first: &str| {
            let heads = text.without.iter().filter_map(|word| word.chars().next());
            let ranges: Vec<_> = heads.chain(first.chars()).map(|head| (head, head)).collect();
            shown(&Class::not(&ranges))
        };
        if let Some(max) = text.max {
            return format!("{}{}", any(""), times(text.min, Some(max)));
        }
        let rest = self.states(&text.without, None);
        match (text.min, text.first_not.as_str()) {
            (0, "") => rest,
            (0, first) => format!("{} {rest}", any(first)),
            (min, _) => format!("{}{} {rest}", any(""), times(min, Some(min))),
        }
    }

    /// The rules of an automaton; the name of the first one.
    fn states(&mut self, words: &[String], quote: Option<(char, bool)>) -> String {
        let mut words = words.to_vec();
        words.sort_unstable();
        words.dedup();
        let key = (words, quote);
        if let Some(name) = self.texts.get(&key) {
            return name.clone();
        }
        let prefix = format!("t{}-", self.texts.len());
        let automaton = Automaton::without(&key.0);
        let first = format!("{prefix}0");
        self.texts.insert(key, first.clone());
        for (number, state) in automaton.states.iter().enumerate() {
            let body = match quote {
                None => text_state(&prefix, state),
                Some(quote) => self.quoted_state(&prefix, &automaton, number, quote),
            };
            self.rules.push((format!("{prefix}{number}"), body));
        }
        first
    }

    /// The steps from a state of a text in quotes: also an escape is a step.
    fn quoted_state(
        &mut self,
        prefix: &str,
        automaton: &Automaton,
        number: usize,
        (quote, python): (char, bool),
    ) -> String {
        let Some(state) = automaton.states.get(number) else { return String::new() };
        let plain = plain(quote);
        let is_plain =
            |letter: char| !plain.ranges.iter().any(|(from, to)| (*from..=*to).contains(&letter));
        let mut class = plain.clone();
        class.ranges.extend(state.steps.keys().map(|letter| (*letter, *letter)));
        let mut parts = vec![format!("{} {prefix}0", shown(&class))];
        parts.extend(steps(prefix, state, is_plain));
        let mut groups: BTreeMap<usize, Vec<Expression>> = BTreeMap::new();
        for escape in escapes(quote, python).0 {
            // The last letter of an escape may begin a word.
            let last = match &escape {
                Expression::Literal(text) => text.chars().last(),
                _ => None,
            };
            let to = last.map_or(Some(0), |last| automaton.step(0, last)).unwrap_or_default();
            groups.entry(to).or_default().push(escape);
        }
        for (to, escapes) in groups {
            let body = self.body(&Expression::choice(escapes));
            let escape = self.shared("e", body);
            parts.push(format!("{escape} {prefix}{to}"));
        }
        format!("({})?", parts.join(" | "))
    }

    fn quoted(&mut self, text: &QuotedText) -> String {
        let quote = quoted(&text.quote.to_string());
        if text.min == 0 && text.max.is_none() && !text.without.is_empty() {
            let inner = self.states(&text.without, Some((text.quote, text.python)));
            return format!("{quote} {inner} {quote}");
        }
        let heads = text.without.iter().filter_map(|word| word.chars().next());
        let mut class = plain(text.quote);
        class.ranges.extend(heads.map(|head| (head, head)));
        let class = shown(&class);
        let escape = self.body(&Expression::choice(escapes(text.quote, text.python).0));
        let escape = self.shared("e", escape);
        let inner = if text.min == 0 && text.max.is_none() {
            format!("{class}* ({escape} {class}*)*")
        } else {
            format!("({class} | {escape}){}", times(text.min, text.max))
        };
        self.shared("s", format!("{quote} {inner} {quote}"))
    }
}

/// The steps from a state of a text.
fn text_state(prefix: &str, state: &TextState) -> String {
    let others: Vec<_> = state.steps.keys().map(|letter| (*letter, *letter)).collect();
    let mut parts = vec![format!("{} {prefix}0", shown(&Class::not(&others)))];
    parts.extend(steps(prefix, state, |_| true));
    format!("({})?", parts.join(" | "))
}

fn steps<'s>(
    prefix: &'s str,
    state: &'s TextState,
    is_allowed: impl Fn(char) -> bool + 's,
) -> impl Iterator<Item = String> + 's {
    state.steps.iter().filter_map(move |(letter, to)| {
        let to = to.filter(|_| is_allowed(*letter))?;
        Some(format!("{} {prefix}{to}", quoted(&letter.to_string())))
    })
}

fn times(min: u32, max: Option<u32>) -> String {
    match (min, max) {
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (0, Some(1)) => "?".to_owned(),
        (min, None) => format!("{{{min},}}"),
        (min, Some(max)) if min == max => format!("{{{min}}}"),
        (min, Some(max)) => format!("{{{min},{max}}}"),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' | '\u{7f}' => {
                let _ = write!(out, "\\x{:02x}", u32::from(letter));
            }
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}

fn shown(class: &Class) -> String {
    let mut ranges = class.ranges.clone();
    // One program takes letters behind `\x3c` as more digits of it: so letters come first.
    ranges.sort_unstable_by_key(|range| (!range.0.is_ascii_alphanumeric(), *range));
    ranges.dedup();
    if ranges.is_empty() && class.negated {
        return "[\\x00-\\U0010ffff]".to_owned();
    }
    let mut out = String::from(if class.negated { "[^" } else { "[" });
    for (from, to) in ranges {
        push_letter(&mut out, from);
        if from != to {
            out.push('-');
            push_letter(&mut out, to);
        }
    }
    out.push(']');
    out
}

fn push_letter(out: &mut String, letter: char) {
    if letter.is_ascii_alphanumeric() {
        out.push(letter);
        return;
    }
    let code = u32::from(letter);
    let _ = match code {
        0..0x80 => write!(out, "\\x{code:02x}"),
        0x80..0x10000 => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_rule_for_each_state() {
        let text = Text::without(vec!["<a".to_owned()]);
        let start = Expression::until(text, "<a>\n");
        let written = gbnf(&start, &[]);
        assert_eq!(
            written,
            "root ::= t0-0 \"<a>\\n\"\n\
             t0-0 ::= ([^\\x3c] t0-0 | \"<\" t0-1)?\n\
             t0-1 ::= ([^a\\x3c] t0-0 | \"<\" t0-1)?\n"
        );
    }

    #[test]
    fn a_text_in_quotes_may_hold_escapes_but_no_word() {
        let text = QuotedText {
            quote: '"',
            python: false,
            without: vec!["</".to_owned()],
            min: 0,
            max: None,
        };
        let written = gbnf(&Expression::QuotedText(text), &[]);
        assert!(written.starts_with("root ::= \"\\\"\" t0-0 \"\\\"\"\n"), "{written}");
        assert!(written.contains("e0 t0-0"), "{written}");
        assert!(!written.contains("\"/\""), "{written}");
    }
}
