//! Writes a grammar in the Lark notation of llguidance.
//!
//! Its lexer reads the longest token. So what ends with a marker is one lazy token, texts in quotes
//! are one token each, and a literal is cut where a special token of the model stands in it.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::expression::{Class, Expression, Grammar, QuotedText, Text};
use super::gbnf::{FENCES, MOST_INFO, OUTSIDE};
use super::quotes::escapes;

/// The tokens of a model that its tokenizer keeps whole, with their numbers where they are known.
pub(super) type SpecialTokens = std::collections::BTreeMap<String, Option<u32>>;

/// The grammar as text; the first rule is `start`.
pub(super) fn lark(grammar: &Grammar, special: &SpecialTokens) -> String {
    let mut writer = LarkWriter {
        named: &grammar.rules,
        special,
        lines: Vec::new(),
        known: HashMap::new(),
        written: vec![false; grammar.rules.len()],
    };
    let start = writer.body(&grammar.start);
    let mut out = format!("%llguidance {{}}\nstart: {start}\n");
    for line in &writer.lines {
        out.push_str(line);
        out.push('\n');
    }
    out
}

struct LarkWriter<'g> {
    named: &'g [Expression],
    special: &'g SpecialTokens,
    lines: Vec<String>,
    /// The names of rules and tokens, by their bodies.
    known: HashMap<String, String>,
    written: Vec<bool>,
}

impl LarkWriter<'_> {
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
            Expression::Literal(text) => self.literal(text),
            Expression::Sequence(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.part(part)).collect();
                parts.join(" ")
            }
            Expression::Choice(_) => format!("({})", self.body(expression)),
            Expression::Repeat(inner, min, max) => {
                format!("({}){}", self.body(inner), times(*min, *max))
            }
            Expression::Rule(number) => self.rule(*number),
            Expression::Json { schema, spaced } => self.json(schema, *spaced),
            Expression::Class(_) | Expression::Terminal(_) | Expression::QuotedText(_) => {
                let body = token(expression);
                self.named("T", "", &body)
            }
            Expression::Text(text) => self.text(text),
            Expression::Until { text, end } => self.until(text, end),
            Expression::Lead { text, opener, rest } => {
                let lead = self.lead(text, opener);
                format!("{lead} {}", self.part(rest))
            }
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
            self.lines.push(format!("{name}: {body}"));
        }
        name
    }

    /// The name of a rule or token with this body.
    fn named(&mut self, prefix: &str, option: &str, body: &str) -> String {
        let key = format!("{option}: {body}");
        if let Some(name) = self.known.get(&key) {
            return name.clone();
        }
        let name = format!("{prefix}{}", self.known.len());
        self.lines.push(format!("{name}{key}"));
        self.known.insert(key, name.clone());
        name
    }

    /// A text as literals, with the special tokens that stand in it.
    fn literal(&self, text: &str) -> String {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((at, name, number)) = self.first_special(rest) {
            let (before, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
            if !before.is_empty() {
                parts.push(quoted(before));
            }
            parts.push(match number {
                Some(number) => format!("<[{number}]>"),
                None => name.to_owned(),
            });
            rest = behind.strip_prefix(name).unwrap_or_default();
        }
        if !rest.is_empty() {
            parts.push(quoted(rest));
        }
        if parts.is_empty() { "\"\"".to_owned() } else { parts.join(" ") }
    }

    /// The first special token of a text; of two at one place the longer one.
    fn first_special(&self, text: &str) -> Option<(usize, &str, Option<u32>)> {
        let found = self
            .special
            .iter()
            .filter_map(|(name, number)| Some((text.find(name.as_str())?, name.as_str(), *number)));
        found.min_by_key(|(at, name, _)| (*at, usize::MAX - name.len()))
    }

    fn json(&mut self, schema: &Value, spaced: bool) -> String {
        let separators = if spaced { [", ", ": "] } else { [",", ":"] };
        let mut schema = match schema {
            Value::Object(members) => members.clone(),
            _ => serde_json::Map::new(),
        };
        let options = json!({
            "item_separator": separators[0],
            "key_separator": separators[1],
            "whitespace_flexible": false,
            "lenient": true,
        });
        schema.insert("x-guidance".to_owned(), options);
        self.named("j", "", &format!("%json {}", Value::Object(schema)))
    }

    fn text(&mut self, text: &Text) -> String {
        let body = free_text(text, 1);
        let name = self.named("T", "", &body);
        let may_be_empty = text.min == 0 && text.first_not.is_empty();
        if may_be_empty { format!("{name}?") } else { name }
    }

    fn until(&mut self, text: &Text, end: &str) -> String {
        let mut text = text.clone();
        text.without.push(end.to_owned());
        if let Some((at, ..)) = self.first_special(end) {
            let (before, token) = end.split_at_checked(at).unwrap_or(("", end));
            if before.trim().is_empty() {
                // White space in front of a token is a part of the text.
                return format!("{} {}", self.text(&text), self.literal(token));
            }
        }
        let body = format!("{} {}", free_text(&text, 0), quoted(end));
        let token = self.named("T", "", &body);
        self.named("u", "[lazy]", &token)
    }

    fn lead(&mut self, text: &Text, opener: &str) -> String {
        let mut text = text.clone();
        text.without.push(opener.to_owned());
        let without = |words: &[&str], least: u32| {
            let mut without = text.without.clone();
            without.extend(words.iter().map(|word| (*word).to_owned()));
            free_text(&Text::without(without), least)
        };
        let plain = self.named("T", "", &without(&OUTSIDE, 0));
        let more = self.named("T", "", &without(&OUTSIDE, 1));
        let inline = self.named("T", "", &without(&["`", "\n"], 1));
        let body = self.named("T", "", &without(&FENCES, 0));
        let info = format!("/[A-Za-z0-9+_]{{0,{MOST_INFO}}}/");
        let block = format!("\"\\n```\" {info} \"\\n\" {body} \"\\n```\\n\" {plain}");
        let blocks = format!("{plain} (\"`\" {inline} \"`\" {more} | {block})*");
        if self.first_special(opener).is_some_and(|(at, ..)| at == 0) {
            let token = self.named("T", "", &blocks);
            return format!("{token}? {}", self.literal(opener));
        }
        let (opener, behind) = match self.first_special(opener) {
            Some((at, ..)) => opener.split_at_checked(at).unwrap_or((opener, "")),
            None => (opener, ""),
        };
        let token = self.named("T", "", &format!("{blocks} {}", quoted(opener)));
        let lazy = self.named("u", "[lazy]", &token);
        if behind.is_empty() { lazy } else { format!("{lazy} {}", self.literal(behind)) }
    }
}

/// Text as the body of a token, of at least this many characters.
fn free_text(text: &Text, least: u32) -> String {
    let least = least.max(text.min);
    let first = if text.first_not.is_empty() {
        String::new()
    } else {
        let ranges: Vec<_> = text.first_not.chars().map(|letter| (letter, letter)).collect();
        shown(&Class::not(&ranges))
    };
    let least = if first.is_empty() { least } else { least.saturating_sub(1) };
    let any = format!("/{first}(?s:.{})/", times(least, text.max));
    if text.without.is_empty() {
        return any;
    }
    format!("({any} & ~/{}/)", holding(&text.without))
}

/// The regular expression of texts that hold one of the words.
fn holding(words: &[String]) -> String {
    let mut words: Vec<_> = words.iter().map(|word| in_regex(word)).collect();
    words.sort_unstable();
    words.dedup();
    format!("(?s:.*)({})(?s:.*)", words.join("|"))
}

/// An expression as the body of a token.
fn token(expression: &Expression) -> String {
    match expression {
        Expression::Literal(text) => quoted(text),
        Expression::Class(class) => format!("/{}/", shown(class)),
        Expression::Sequence(parts) => parts.iter().map(token).collect::<Vec<_>>().join(" "),
        Expression::Choice(parts) => {
            format!("({})", parts.iter().map(token).collect::<Vec<_>>().join(" | "))
        }
        Expression::Repeat(inner, min, max) => format!("({}){}", token(inner), times(*min, *max)),
        Expression::Terminal(inner) => token(inner),
        Expression::QuotedText(text) => quoted_text(text),
        // Nothing else is put into a terminal.
        _ => "/[^\\s\\S]/".to_owned(),
    }
}

fn quoted_text(text: &QuotedText) -> String {
    let quote = quoted(&text.quote.to_string());
    let class = shown(&super::quotes::plain(text.quote));
    let (_, escape) = escapes(text.quote, text.python);
    let inner = format!("/({class}|{escape}){}/", times(text.min, text.max));
    if text.without.is_empty() {
        return format!("{quote} {inner} {quote}");
    }
    format!("{quote} ({inner} & ~/{}/) {quote}", holding(&text.without))
}

fn times(min: u32, max: Option<u32>) -> String {
    match (min, max) {
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (0, Some(1)) => "?".to_owned(),
        (min, None) => format!("{{{min},}}"),
        (min, Some(max)) => format!("{{{min},{max}}}"),
    }
}

fn quoted(text: &str) -> String {
    // The notation's strings are JSON's.
    Value::from(text).to_string()
}

/// A text in a regular expression between slashes.
fn in_regex(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            // `\<` and `\>` would be the ends of words.
            letter if r"\.+*?()|[]{}^$/-&~#".contains(letter) => out.extend(['\\', letter]),
            '\0'..='\u{1f}' | '\u{7f}' => {
                let _ = write!(out, "\\x{:02x}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out
}

fn shown(class: &Class) -> String {
    let mut ranges = class.ranges.clone();
    ranges.sort_unstable();
    ranges.dedup();
    if ranges.is_empty() {
        return "(?s:.)".to_owned();
    }
    let letter = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter.to_string()
        } else {
            format!("\\x{{{:x}}}", u32::from(letter))
        }
    };
    let ranges = ranges.iter().map(|(from, to)| {
        if from == to { letter(*from) } else { format!("{}-{}", letter(*from), letter(*to)) }
    });
    let sign = if class.negated { "^" } else { "" };
    format!("[{sign}{}]", ranges.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_tokens_stand_outside_literals() {
        let special: SpecialTokens =
            [("<|a|>".to_owned(), None), ("[ARGS]".to_owned(), Some(32))].into();
        let start = Expression::literal("x<|a|>f[ARGS]{");
        let written = lark(&Grammar { start, rules: Vec::new() }, &special);
        assert_eq!(written, "%llguidance {}\nstart: \"x\" <|a|> \"f\" <[32]> \"{\"\n");
    }

    #[test]
    fn text_up_to_an_end_is_one_lazy_token() {
        let start = Expression::until(Text::without(vec!["<x".to_owned()]), "\n</p>");
        let written = lark(&Grammar { start, rules: Vec::new() }, &SpecialTokens::new());
        assert_eq!(
            written,
            "%llguidance {}\nstart: u1\n\
             T0: (/(?s:.*)/ & ~/(?s:.*)(<x|\\n<\\/p>)(?s:.*)/) \"\\n</p>\"\n\
             u1[lazy]: T0\n"
        );
    }
}
