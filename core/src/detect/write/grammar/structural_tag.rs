//! Writes a grammar as a structural tag, the notation of xgrammar, vLLM and `SGLang`.
//!
//! Own rules stand in it as nodes of the kind `grammar`, in the notation of `gbnf`.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::expression::{Expression, Grammar, MOST_PARTS, QuotedText, Text};
use super::gbnf::{gbnf, lead_parts};
use super::quotes::{escapes, plain};

/// The format of the structural tag.
pub(super) fn structural_tag(grammar: &Grammar) -> Value {
    let (own, shared) = (HashMap::new(), HashMap::new());
    TagWriter { rules: &grammar.rules, own, shared }.node(&grammar.start)
}

/// Writes nodes. Tools have many parts alike, so what is written once is kept.
struct TagWriter<'g> {
    rules: &'g [Expression],
    /// The parts that are written by own rules.
    own: HashMap<Expression, String>,
    /// The nodes of parts that stand in several places, by their addresses.
    shared: HashMap<*const Expression, Value>,
}

impl TagWriter<'_> {
    fn node(&mut self, expression: &Expression) -> Value {
        match expression {
            Expression::Literal(text) => const_string(text),
            Expression::Sequence(parts) => sequence(parts.iter().map(|part| self.node(part))),
            Expression::Choice(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.node(part)).collect();
                object("or", [("elements", parts.into())])
            }
            Expression::Repeat(inner, min, max) => {
                let content = ("content", self.node(inner));
                match (min, max) {
                    (0, Some(1)) => object("optional", [content]),
                    (0, None) => object("star", [content]),
                    (1, None) => object("plus", [content]),
                    (min, max) => {
                        let max = max.map_or(-1, i64::from);
                        object("repeat", [("min", (*min).into()), ("max", max.into()), content])
                    }
                }
            }
            Expression::Json { schema, without, .. } => {
                let schema = ("json_schema", schema.clone());
                let breaks = ("max_whitespace_cnt", 1.into());
                if without.is_empty() {
                    return object("json_schema", [schema, breaks]);
                }
                object("json_schema", [schema, breaks, ("excludes", without.to_vec().into())])
            }
            Expression::Shared(inner) => {
                let address = Rc::as_ptr(inner);
                if let Some(node) = self.shared.get(&address) {
                    return node.clone();
                }
                let node = self.node(inner);
                self.shared.insert(address, node.clone());
                node
            }
            Expression::Text(text) => self.any_text(text),
            Expression::Until { text, end } => {
                sequence([self.any_text(&text.up_to(end)), const_string(end)])
            }
            Expression::Lead { text, opener, rest } => {
                let lead = self.node(&lead_parts(&text.up_to(opener)));
                let opener = Expression::literal(&**opener);
                let calls = Expression::sequence([opener, (**rest).clone()]);
                sequence([lead, self.node(&calls)])
            }
            Expression::QuotedText(text) if text.is_any() && !text.without.is_empty() => {
                self.quoted(text)
            }
            Expression::Rule(number) => match self.rules.get(*number) {
                Some(rule) if rule.spend(self.rules, MOST_PARTS).is_some() => self.node(rule),
                _ => self.own(expression),
            },
            Expression::Class(_) | Expression::Terminal(_) | Expression::QuotedText(_) => {
                self.own(expression)
            }
        }
    }

    /// A text in quotes without some words: plain text, and more of it behind each escape.
    fn quoted(&mut self, text: &QuotedText) -> Value {
        let (escapes, _) = escapes(text.quote, text.python);
        let ends: String = escapes.iter().filter_map(Expression::last_letter).collect();
        // The last letter of an escape may begin a word, so the rest of that word is refused.
        let is_end = |head: char| head.is_ascii_hexdigit() || ends.contains(head);
        let rests = text.without.iter().map(|word| word.strip_prefix(is_end).unwrap_or(word));
        let first = plain_text(text.quote, text.without.iter().map(String::as_str));
        let rest = plain_text(text.quote, rests);
        let escape = self.own(&Expression::choice(escapes));
        let quote = || const_string(text.quote.encode_utf8(&mut [0; 4]));
        let more = object("star", [("content", sequence([escape, rest]))]);
        sequence([quote(), first, more, quote()])
    }

    fn any_text(&mut self, text: &Text) -> Value {
        // Own rules for all of a text have as many states as its words have letters, and take
        // xgrammar seconds. So they are for its beginning alone.
        if let Some(first) = text.first() {
            if text.max.is_some() {
                return self.own(&Expression::Text(text.clone()));
            }
            let rest = text.behind_first();
            return sequence([self.own(&first), self.any_text(&rest)]);
        }
        if !text.last_not.is_empty() && text.max.is_none() {
            return self.node(&text.with_last());
        }
        let excludes = ("excludes", text.without.to_vec().into());
        match text.max {
            Some(max) => object("any_text", [excludes, ("max_chars", max.into())]),
            None => object("any_text", [excludes]),
        }
    }

    /// A part that is written by own rules.
    fn own(&mut self, expression: &Expression) -> Value {
        let text = if let Some(text) = self.own.get(expression) {
            text.clone()
        } else {
            let text = gbnf(expression, self.rules);
            self.own.insert(expression.clone(), text.clone());
            text
        };
        object("grammar", [("grammar", text.into())])
    }
}

/// A node of this type. The values are moved into it; a macro would copy what is within them.
fn object<const N: usize>(kind: &str, members: [(&str, Value); N]) -> Value {
    let mut all = Map::with_capacity(N + 1);
    all.insert("type".to_owned(), kind.into());
    all.extend(members.map(|(key, value)| (key.to_owned(), value)));
    all.into()
}

/// Text between such quotes without escapes and without these words.
fn plain_text<'w>(quote: char, words: impl Iterator<Item = &'w str>) -> Value {
    let signs = plain(quote).ranges.into_iter().flat_map(|(from, to)| from..=to);
    let signs = signs.map(|sign| Value::from(sign.to_string()));
    let all: Vec<Value> = signs.chain(words.map(Value::from)).collect();
    object("any_text", [("excludes", all.into())])
}

fn const_string(text: &str) -> Value {
    object("const_string", [("value", text.into())])
}

/// The parts one behind the other; those of a sequence are parts of this one.
fn sequence(parts: impl IntoIterator<Item = Value>) -> Value {
    let mut all = Vec::new();
    for mut part in parts {
        let is_sequence = part.get("type").and_then(Value::as_str) == Some("sequence");
        match part.get_mut("elements") {
            Some(Value::Array(inner)) if is_sequence => all.append(inner),
            _ => all.push(part),
        }
    }
    object("sequence", [("elements", all.into())])
}
