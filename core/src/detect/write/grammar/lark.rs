//! Writes a grammar in the Lark notation of llguidance.
//!
//! Its lexer reads the longest token. So what ends with a marker is one lazy token, texts in quotes
//! are one token each, and a literal is cut where a special token of the model stands in it.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::banned::Banned;
use super::expression::{Class, Expression, Grammar, QuotedText, Text};
use super::gbnf::{FENCES, MOST_INFO, OUTSIDE};
use super::quotes::escapes;
use super::rules::{RuleNotation, WrittenRules, push_times};

/// The tokens of a model that its tokenizer keeps whole, with their numbers where they are known.
pub(super) type SpecialTokens = std::collections::BTreeMap<String, Option<u32>>;

/// The grammar as text; the first rule is `start`.
pub(super) fn lark(grammar: &Grammar, special: &SpecialTokens) -> String {
    let rules = WrittenRules::new(&grammar.rules);
    let mut writer = LarkWriter { rules, special, texts: HashMap::new() };
    let mut first = String::from("%llguidance {}\nstart: ");
    writer.push_body(&mut first, &grammar.start);
    first.push('\n');
    writer.rules.behind(first)
}

struct LarkWriter<'g> {
    rules: WrittenRules<'g>,
    special: &'g SpecialTokens,
    /// The tokens of texts, by what they are and the least number of their characters.
    texts: HashMap<(Text, u32), String>,
}

impl<'g> RuleNotation<'g> for LarkWriter<'g> {
    const IS: &'static str = ": ";

    fn rules(&mut self) -> &mut WrittenRules<'g> {
        &mut self.rules
    }

    fn is_atom(&self, expression: &Expression) -> bool {
        matches!(
            expression,
            Expression::Rule(_)
                | Expression::Shared(_)
                | Expression::Class(_)
                | Expression::Terminal(_)
                | Expression::QuotedText(_)
        )
    }

    fn push_leaf(&mut self, out: &mut String, expression: &Expression) {
        let name = match expression {
            Expression::Literal(text) => self.literal(text),
            Expression::Json { schema, spaced, .. } => self.json(schema, *spaced),
            Expression::Text(text) => self.text(text),
            Expression::Until { text, end } => self.until(text, end),
            Expression::Lead { text, opener, rest } => {
                out.push_str(&self.lead(text, opener));
                if !rest.is_empty() {
                    out.push(' ');
                    self.push_part(out, rest);
                }
                return;
            }
            other => self.rules.shared("T", Self::IS, token(other)),
        };
        out.push_str(&name);
    }
}

impl LarkWriter<'_> {
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
        self.rules.shared("j", Self::IS, format!("%json {}", Value::Object(schema)))
    }

    fn text(&mut self, text: &Text) -> String {
        let name = self.text_token(text, 1);
        let may_be_empty = text.min == 0 && text.first_not.is_empty();
        if may_be_empty { name + "?" } else { name }
    }

    /// The token of a text of at least this many characters.
    fn text_token(&mut self, text: &Text, least: u32) -> String {
        let key = (text.clone(), least);
        if let Some(name) = self.texts.get(&key) {
            return name.clone();
        }
        let name = self.rules.shared("T", Self::IS, free_text(text, least));
        self.texts.insert(key, name.clone());
        name
    }

    /// A rule that takes the shortest text of a token.
    fn lazy(&mut self, body: String) -> String {
        let token = self.rules.shared("T", Self::IS, body);
        self.rules.shared("u", "[lazy]: ", token)
    }

    fn until(&mut self, text: &Text, end: &str) -> String {
        let text = text.up_to(end);
        if let Some((at, ..)) = self.first_special(end) {
            let (before, token) = end.split_at_checked(at).unwrap_or(("", end));
            if before.trim().is_empty() {
                // White space in front of a token is a part of the text.
                return format!("{} {}", self.text(&text), self.literal(token));
            }
        }
        let text = self.text_token(&text, 0);
        self.lazy(format!("{text} {}", quoted(end)))
    }

    fn lead(&mut self, text: &Text, opener: &str) -> String {
        let text = text.up_to(opener);
        let mut without =
            |words: &[&str], least: u32| self.text_token(&text.also_without(words), least);
        let (plain, more) = (without(&OUTSIDE, 0), without(&OUTSIDE, 1));
        let (inline, body) = (without(&["`", "\n"], 1), without(&FENCES, 0));
        let info = format!("/[A-Za-z0-9+_]{{0,{MOST_INFO}}}/");
        let block = format!("\"\\n```\" {info} \"\\n\" {body} \"\\n```\\n\" {plain}");
        let blocks = format!("{plain} (\"`\" {inline} \"`\" {more} | {block})*");
        if self.first_special(opener).is_some_and(|(at, ..)| at == 0) {
            let token = self.rules.shared("T", Self::IS, blocks);
            return format!("{token}? {}", self.literal(opener));
        }
        let (opener, behind) = match self.first_special(opener) {
            Some((at, ..)) => opener.split_at_checked(at).unwrap_or((opener, "")),
            None => (opener, ""),
        };
        let lazy = self.lazy(format!("{blocks} {}", quoted(opener)));
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
    let behind = u32::from(!first.is_empty());
    let mut any = format!("/{first}(?s:.");
    let most = text.max.map(|max| max.saturating_sub(behind));
    push_times(&mut any, least.saturating_sub(behind), most);
    any.push_str(")/");
    if text.without.is_empty() {
        return any;
    }
    let refused = holding(&text.without);
    if text.last_not.is_empty() {
        return format!("({any} & ~/{refused}/)");
    }
    let last_not: Vec<_> = text.last_not.chars().map(|letter| (letter, letter)).collect();
    format!("({any} & ~/{refused}/ & ~/(?s:.*){}/)", shown(&Class::of(&last_not)))
}

/// The regular expression of texts that hold one of the words.
fn holding(words: &Banned) -> String {
    let mut out = String::from("(?s:.*)");
    push_words(&mut out, words, 0);
    out.push_str("(?s:.*)");
    out
}

/// Appends sorted words, of which none begins another one, behind the bytes that they share: what
/// they begin with stands there once, since the engine pays for each sign.
fn push_words(out: &mut String, words: &[String], shared: usize) {
    let rest = |word: &String| word.get(shared..).and_then(|rest| rest.chars().next());
    let mut groups = words.chunk_by(|one, other| rest(one) == rest(other)).peekable();
    let Some(first) = groups.next() else { return };
    if let ([word], None) = (first, groups.peek()) {
        return push_in_regex(out, word.get(shared..).unwrap_or_default());
    }
    let is_several = groups.peek().is_some();
    out.push_str(if is_several { "(" } else { "" });
    for (place, group) in std::iter::once(first).chain(groups).enumerate() {
        out.push_str(if place > 0 { "|" } else { "" });
        let Some(letter) = group.first().and_then(rest) else { continue };
        push_in_regex(out, letter.encode_utf8(&mut [0; 4]));
        push_words(out, group, shared + letter.len_utf8());
    }
    out.push_str(if is_several { ")" } else { "" });
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
        Expression::Repeat(inner, min, max) => {
            let mut out = format!("({})", token(inner));
            push_times(&mut out, *min, *max);
            out
        }
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
    let mut inner = format!("/({class}|{escape})");
    push_times(&mut inner, text.min, text.max);
    inner.push('/');
    if text.without.is_empty() {
        return format!("{quote} {inner} {quote}");
    }
    format!("{quote} ({inner} & ~/{}/) {quote}", holding(&text.without))
}

fn quoted(text: &str) -> String {
    // The notation's strings are JSON's.
    Value::from(text).to_string()
}

/// Appends a text in a regular expression between slashes.
fn push_in_regex(out: &mut String, text: &str) {
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
        let start =
            Expression::until(Text::without(["<x".to_owned()].into_iter().collect()), "\n</p>");
        let written = lark(&Grammar { start, rules: Vec::new() }, &SpecialTokens::new());
        assert_eq!(
            written,
            "%llguidance {}\nstart: u2\n\
             T0: (/(?s:.*)/ & ~/(?s:.*)(\\n<\\/p>|<x)(?s:.*)/)\n\
             T1: T0 \"\\n</p>\"\n\
             u2[lazy]: T1\n"
        );
    }
}
