//! Writes a grammar as GBNF, the notation of llama.cpp, which xgrammar reads too.
//!
//! A text without words becomes one rule for each state of an automaton. The notation has no
//! escapes but those that both programs read: in classes, punctuation is written as `\x..`.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use super::automaton::{Automaton, TextState};
use super::banned::Banned;
use super::expression::{Class, Expression, QuotedText, Text};
use super::quotes::{escapes, plain};
use super::rules::{RuleNotation, WrittenRules, push_times};

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
    let without =
        |words: &[&str], min: u32| Expression::Text(Text { min, ..text.also_without(words) });
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
type TextKey = (Banned, Option<(char, bool)>);

struct GbnfWriter<'g> {
    rules: WrittenRules<'g>,
    /// The first states of automata, by what they belong to.
    texts: HashMap<TextKey, String>,
}

impl<'g> RuleNotation<'g> for GbnfWriter<'g> {
    const IS: &'static str = " ::= ";

    fn rules(&mut self) -> &mut WrittenRules<'g> {
        &mut self.rules
    }

    fn is_atom(&self, expression: &Expression) -> bool {
        matches!(
            expression,
            Expression::Literal(_)
                | Expression::Class(_)
                | Expression::Rule(_)
                | Expression::Shared(_)
        )
    }

    fn push_leaf(&mut self, out: &mut String, expression: &Expression) {
        match expression {
            Expression::Literal(text) => push_quoted(out, text),
            Expression::Class(class) => push_class(out, class),
            Expression::Terminal(inner) => self.push_part(out, inner),
            Expression::QuotedText(text) => self.push_quoted_text(out, text),
            Expression::Text(text) => self.push_text(out, text),
            Expression::Until { text, end } => {
                self.push_text(out, &text.up_to(end));
                out.push(' ');
                push_quoted(out, end);
            }
            Expression::Lead { text, opener, rest } => {
                self.push_part(out, &lead_parts(&text.up_to(opener)));
                out.push(' ');
                push_quoted(out, opener);
                if !rest.is_empty() {
                    out.push(' ');
                    self.push_part(out, rest);
                }
            }
            // A builder for this backend writes own rules for JSON.
            _ => out.push_str("[^\\x00-\\xff]"),
        }
    }
}

impl<'g> GbnfWriter<'g> {
    fn new(named: &'g [Expression]) -> Self {
        Self { rules: WrittenRules::new(named), texts: HashMap::new() }
    }

    fn whole(mut self, start: &Expression) -> String {
        let mut first = String::from("root ::= ");
        self.push_body(&mut first, start);
        first.push('\n');
        self.rules.behind(first)
    }

    fn push_text(&mut self, out: &mut String, text: &Text) {
        if let Some(max) = text.max {
            return self.push_part(out, &text.counted(max));
        }
        if let Some(first) = text.first() {
            self.push_part(out, &first);
            out.push(' ');
            return self.push_text(out, &text.behind_first());
        }
        if !text.last_not.is_empty() {
            return self.push_part(out, &text.with_last());
        }
        let rest = self.states(&text.without, None);
        out.push_str(&rest);
    }

    /// The rules of an automaton; the name of the first one.
    fn states(&mut self, words: &Banned, quote: Option<(char, bool)>) -> String {
        let key = (words.clone(), quote);
        if let Some(name) = self.texts.get(&key) {
            return name.clone();
        }
        let prefix = format!("t{}-", self.texts.len());
        let first = format!("{prefix}0");
        self.texts.insert(key, first.clone());
        let automaton = Automaton::without(words);
        let quoted =
            quote.map(|quote| (plain(quote.0), self.escape_steps(&prefix, &automaton, quote)));
        for (number, state) in automaton.states.iter().enumerate() {
            self.rules.push_name(&prefix, number, Self::IS);
            match &quoted {
                None => push_state(self.rules.line(), &prefix, state, &Class::not(&[]), ""),
                Some((plain, escapes)) => {
                    push_state(self.rules.line(), &prefix, state, plain, escapes);
                }
            }
        }
        first
    }

    /// The steps that are escapes, which are alike in all states of a text in quotes.
    fn escape_steps(
        &mut self,
        prefix: &str,
        automaton: &Automaton,
        (quote, python): (char, bool),
    ) -> String {
        let mut groups: BTreeMap<usize, Vec<Expression>> = BTreeMap::new();
        for escape in escapes(quote, python).0 {
            // The last letter of an escape may begin a word.
            let to = escape
                .last_letter()
                .map_or(Some(0), |last| automaton.step(0, last))
                .unwrap_or_default();
            groups.entry(to).or_default().push(escape);
        }
        let mut out = String::new();
        for (to, escapes) in groups {
            let escape = self.escape(escapes);
            let _ = write!(out, " | {escape} {prefix}{to}");
        }
        out
    }

    /// The rule of some escapes.
    fn escape(&mut self, escapes: Vec<Expression>) -> String {
        let mut body = String::new();
        self.push_body(&mut body, &Expression::choice(escapes));
        self.rules.shared("e", Self::IS, body)
    }

    fn push_quoted_text(&mut self, out: &mut String, text: &QuotedText) {
        let mut body = String::new();
        let mut quote = String::new();
        push_quoted(&mut quote, text.quote.encode_utf8(&mut [0; 4]));
        if text.is_any() && !text.without.is_empty() {
            let inner = self.states(&text.without, Some((text.quote, text.python)));
            out.extend([&*quote, " ", &inner, " ", &quote]);
            return;
        }
        let mut allowed = plain(text.quote);
        allowed.ranges.extend(text.without.signs().map(|sign| (sign, sign)));
        let mut class = String::new();
        push_class(&mut class, &allowed);
        let escape = self.escape(escapes(text.quote, text.python).0);
        body.extend([&*quote, " "]);
        if text.is_any() {
            let _ = write!(body, "{class}* ({escape} {class}*)*");
        } else {
            let _ = write!(body, "({class} | {escape})");
            push_times(&mut body, text.min, text.max);
        }
        body.extend([" ", &*quote]);
        out.push_str(&self.rules.shared("s", Self::IS, body));
    }
}

/// Appends the steps from a state of a text whose characters are all in this class.
fn push_state(out: &mut String, prefix: &str, state: &TextState, allowed: &Class, escapes: &str) {
    let others = state.steps.iter().map(|(letter, _)| (*letter, *letter));
    let ranges = allowed.ranges.iter().copied().chain(others).collect();
    out.push('(');
    push_ranges(out, true, ranges);
    out.extend([" ", prefix, "0"]);
    let is_allowed =
        |letter: char| !allowed.ranges.iter().any(|(from, to)| (*from..=*to).contains(&letter));
    for (letter, to) in &state.steps {
        if let Some(to) = to.filter(|_| is_allowed(*letter)) {
            out.push_str(" | ");
            push_quoted(out, letter.encode_utf8(&mut [0; 4]));
            out.extend([" ", prefix, itoa::Buffer::new().format(to)]);
        }
    }
    out.extend([escapes, ")?\n"]);
}

fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
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
}

fn push_class(out: &mut String, class: &Class) {
    push_ranges(out, class.negated, class.ranges.clone());
}

fn push_ranges(out: &mut String, negated: bool, mut ranges: Vec<(char, char)>) {
    // One program takes letters behind `\x3c` as more digits of it: so letters come first.
    ranges.sort_unstable_by_key(|range| (!range.0.is_ascii_alphanumeric(), *range));
    ranges.dedup();
    if ranges.is_empty() && negated {
        return out.push_str("[\\x00-\\U0010ffff]");
    }
    out.push_str(if negated { "[^" } else { "[" });
    for (from, to) in ranges {
        push_letter(out, from);
        if from != to {
            out.push('-');
            push_letter(out, to);
        }
    }
    out.push(']');
}

fn push_letter(out: &mut String, letter: char) {
    if letter.is_ascii_alphanumeric() {
        out.push(letter);
        return;
    }
    let code = u32::from(letter);
    let (mark, digits) = match code {
        0..0x80 => ("\\x", 2),
        0x80..0x10000 => ("\\u", 4),
        _ => ("\\U", 8),
    };
    out.push_str(mark);
    let digit = |place: u32| char::from_digit(code >> (4 * place) & 0xf, 16);
    out.extend((0..digits).rev().filter_map(digit));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_rule_for_each_state() {
        let text = Text::without(["<a".to_owned()].into_iter().collect());
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
            without: ["</".to_owned()].into_iter().collect(),
            min: 0,
            max: None,
        };
        let written = gbnf(&Expression::QuotedText(text), &[]);
        assert!(written.starts_with("root ::= \"\\\"\" t0-0 \"\\\"\"\n"), "{written}");
        assert!(written.contains("e0 t0-0"), "{written}");
        assert!(!written.contains("\"/\""), "{written}");
    }
}
