//! Writes a grammar as a structural tag, the notation of xgrammar, vLLM and `SGLang`.
//!
//! Own rules stand in it as nodes of the kind `grammar`, in the notation of `gbnf`.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::expression::{Expression, Grammar, Text};
use super::gbnf::{gbnf, lead_parts};

/// The format of the structural tag.
pub(super) fn structural_tag(grammar: &Grammar) -> Value {
    node(&grammar.start, &mut OwnRules { rules: &grammar.rules, written: HashMap::new() })
}

/// The rules of a grammar, and the parts that are written by them: tools have many alike.
struct OwnRules<'g> {
    rules: &'g [Expression],
    written: HashMap<Expression, String>,
}

fn node(expression: &Expression, rules: &mut OwnRules<'_>) -> Value {
    match expression {
        Expression::Literal(text) => json!({"type": "const_string", "value": text}),
        Expression::Sequence(parts) => sequence(parts.iter().map(|part| node(part, rules))),
        Expression::Choice(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| node(part, rules)).collect();
            json!({"type": "or", "elements": parts})
        }
        Expression::Repeat(inner, min, max) => {
            let content = node(inner, rules);
            match (min, max) {
                (0, Some(1)) => json!({"type": "optional", "content": content}),
                (0, None) => json!({"type": "star", "content": content}),
                (1, None) => json!({"type": "plus", "content": content}),
                (min, max) => {
                    let max = max.map_or(-1, i64::from);
                    json!({"type": "repeat", "min": min, "max": max, "content": content})
                }
            }
        }
        Expression::Json { schema, .. } => {
            json!({"type": "json_schema", "json_schema": schema, "max_whitespace_cnt": 1})
        }
        Expression::Text(text) => any_text(text, rules),
        Expression::Until { text, end } => {
            let mut text = text.clone();
            text.without.push(end.clone());
            let end = json!({"type": "const_string", "value": end});
            sequence([any_text(&text, rules), end])
        }
        Expression::Lead { text, opener, rest } => {
            let mut text = text.clone();
            text.without.push(opener.clone());
            let opener = Expression::Literal(opener.clone());
            let parts = Expression::sequence([lead_parts(&text), opener, (**rest).clone()]);
            node(&parts, rules)
        }
        Expression::Class(_)
        | Expression::Terminal(_)
        | Expression::QuotedText(_)
        | Expression::Rule(_) => own(expression, rules),
    }
}

fn sequence(parts: impl IntoIterator<Item = Value>) -> Value {
    let mut all = Vec::new();
    for part in parts {
        match part.get("elements") {
            Some(Value::Array(inner)) if part.get("type") == Some(&"sequence".into()) => {
                all.extend(inner.iter().cloned());
            }
            _ => all.push(part),
        }
    }
    json!({"type": "sequence", "elements": all})
}

fn any_text(text: &Text, rules: &mut OwnRules<'_>) -> Value {
    if text.min > 0 || !text.first_not.is_empty() {
        return own(&Expression::Text(text.clone()), rules);
    }
    let mut excludes = text.without.clone();
    excludes.sort_unstable();
    excludes.dedup();
    let mut node = json!({"type": "any_text", "excludes": excludes});
    if let (Some(max), Some(members)) = (text.max, node.as_object_mut()) {
        members.insert("max_chars".to_owned(), max.into());
    }
    node
}

/// A part that is written by own rules.
fn own(expression: &Expression, rules: &mut OwnRules<'_>) -> Value {
    if let Some(text) = rules.written.get(expression) {
        return json!({"type": "grammar", "grammar": text});
    }
    let text = gbnf(expression, rules.rules);
    let node = json!({"type": "grammar", "grammar": text});
    rules.written.insert(expression.clone(), text);
    node
}
