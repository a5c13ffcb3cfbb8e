//! Own rules for values: JSON, literals of Python, and braces with a format's own quote.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::banned::Banned;
use super::expression::{Class, Expression, QuotedText, Text};
use super::integer_range::IntegerRange;
use super::kinds::kinds;
use super::schema::{LONGEST, followed};
use crate::detect::write::json::ExactJson;
use crate::detect::write::value::{Escapes, Notation, Style};

/// The types of JSON, in the order in which they are tried.
const KINDS: [&str; 6] = ["string", "number", "boolean", "null", "array", "object"];

/// Makes rules for the values of one tidy schema.
pub(super) struct Values<'v> {
    pub(super) style: &'v Style,
    /// What may not stand in a text.
    pub(super) without: Banned,
    /// The tidy schema in which references are looked up.
    pub(super) root: &'v Value,
    pub(super) rules: &'v mut Vec<Expression>,
    /// The rules of references.
    known: HashMap<String, usize>,
    /// The rule of any value.
    any: Option<usize>,
}

/// The arguments of a call, or the members of an object.
struct MemberRules<'m> {
    /// What stands in front of each value, and the values; with whether it is required.
    all: Vec<(Expression, bool)>,
    /// A member that is not declared, if there may be such.
    other: Option<Expression>,
    comma: &'m str,
}

impl<'v> Values<'v> {
    pub(super) fn new(
        style: &'v Style,
        without: Banned,
        root: &'v Value,
        rules: &'v mut Vec<Expression>,
    ) -> Self {
        Self { style, without, root, rules, known: HashMap::new(), any: None }
    }

    /// A value by this schema; `None` when none can be written.
    pub(super) fn value(&mut self, schema: &Value) -> Option<Expression> {
        let members = match schema {
            Value::Object(members) => members,
            Value::Bool(false) => return None,
            _ => return Some(self.anything()),
        };
        if let Some(path) = members.get("$ref").and_then(Value::as_str) {
            return self.reference(path);
        }
        if let Some(Value::Array(words)) = members.get("enum") {
            let words: Vec<_> = words.iter().filter_map(|word| self.word(word)).collect();
            return (!words.is_empty()).then(|| Expression::choice(words));
        }
        if let Some(Value::Array(parts)) = members.get("anyOf") {
            let parts: Vec<_> = parts.iter().filter_map(|part| self.value(part)).collect();
            return (!parts.is_empty()).then(|| Expression::choice(parts));
        }
        let named = kinds(members.get("type"));
        let named = if named.is_empty() { implied(members) } else { named };
        if named.is_empty() {
            return Some(self.anything());
        }
        let parts: Vec<_> = named.iter().filter_map(|kind| self.of_kind(kind, members)).collect();
        (!parts.is_empty()).then(|| Expression::choice(parts))
    }

    /// The arguments of a call in round brackets: `(city="Rome", days=[1, 2])`.
    pub(super) fn arguments(&mut self, schema: &Value) -> Option<Expression> {
        let members = self.members(schema, |_, key| format!("{key}="))?;
        Some(around("(", self.joined(members), ")"))
    }

    fn of_kind(&mut self, kind: &str, schema: &Map<String, Value>) -> Option<Expression> {
        let literal = |value: ExactJson| {
            let mut out = String::new();
            self.style.push(&mut out, &value, Escapes::Few);
            Expression::literal(out)
        };
        Some(match kind {
            "null" => literal(ExactJson::Null),
            "boolean" => {
                Expression::choice([true, false].map(|flag| literal(ExactJson::Bool(flag))))
            }
            "integer" => integer(IntegerRange::of(schema)),
            "number" => number(),
            "string" => self.text(schema),
            "array" => self.array(schema)?,
            "object" => {
                let colon = if self.style.spaced { ": " } else { ":" };
                let members = self.members(&Value::Object(schema.clone()), |values, key| {
                    format!("{}{colon}", values.key(key))
                })?;
                around("{", self.joined(members), "}")
            }
            _ => return None,
        })
    }

    fn key(&self, key: &str) -> String {
        // An object with one member is the member between brackets.
        let mut out = String::new();
        let member = (key.to_owned(), ExactJson::Null);
        self.style.push_object(&mut out, &[member], Escapes::Few);
        let mut value = String::new();
        self.style.push(&mut value, &ExactJson::Null, Escapes::Few);
        let colon = if self.style.spaced { ": " } else { ":" };
        let inner = out.strip_prefix('{').and_then(|out| out.strip_suffix('}'));
        let inner = inner.and_then(|inner| inner.strip_suffix(&value)?.strip_suffix(colon));
        inner.unwrap_or_default().to_owned()
    }

    /// Exactly this value, if the way it is written holds no word that may not stand there.
    fn word(&self, value: &Value) -> Option<Expression> {
        let exact = ExactJson::parse(value.to_string().as_bytes()).ok()?;
        let mut out = String::new();
        self.style.push(&mut out, &exact, Escapes::Few);
        let inner = match &self.style.notation {
            Notation::Braces(marker) => out.replace(&**marker, ""),
            Notation::Json | Notation::Python(_) => out.clone(),
        };
        let is_held = !self.without.are_in(&inner);
        is_held.then(|| Expression::literal(out))
    }

    fn text(&self, schema: &Map<String, Value>) -> Expression {
        let length = |key: &str| {
            let bound = schema.get(key).and_then(Value::as_u64)?;
            u32::try_from(bound.min(LONGEST)).ok()
        };
        let (min, max) = (length("minLength").unwrap_or_default(), length("maxLength"));
        let quoted = |quote: char, python: bool| {
            let without = self.without.clone();
            Expression::QuotedText(QuotedText { quote, python, without, min, max })
        };
        match &self.style.notation {
            Notation::Json => quoted('"', false),
            Notation::Python(quote) => quoted(*quote, true),
            Notation::Braces(marker) => {
                let text = Text { min, max, ..Text::without(self.without.clone()) };
                Expression::sequence([
                    Expression::literal(&**marker),
                    Expression::until(text, marker),
                ])
            }
        }
    }

    fn array(&mut self, schema: &Map<String, Value>) -> Option<Expression> {
        let bound = |key: &str| {
            let bound = schema.get(key).and_then(Value::as_u64)?;
            u32::try_from(bound.min(LONGEST)).ok()
        };
        let (least, most) = (bound("minItems").unwrap_or_default(), bound("maxItems"));
        let first = schema.get("prefixItems").and_then(Value::as_array);
        let first: Vec<_> = first.into_iter().flatten().map(|item| self.value(item)).collect();
        let item = match schema.get("items") {
            Some(item) => self.value(item),
            None => Some(self.anything()),
        };
        let comma = self.style.comma();
        let counted = u32::try_from(first.len()).ok()?;
        // From the last one on: what may follow each of the first items.
        let mut rest = match (&item, most.map(|most| most.saturating_sub(counted))) {
            (None, _) | (_, Some(0)) if least <= counted => None,
            (None, _) => return None,
            (Some(item), most) => {
                let least = least.saturating_sub(counted);
                Some(listed(item, comma, (least, most), counted > 0))
            }
        };
        for (place, item) in first.into_iter().enumerate().rev() {
            let place = u32::try_from(place).ok()?;
            if most.is_some_and(|most| place >= most) {
                rest = None;
                continue;
            }
            let item = item?;
            let front = Expression::literal(if place > 0 { comma } else { "" });
            let one = Expression::sequence([front, item].into_iter().chain(rest.take()));
            rest = Some(if place >= least { one.optional() } else { one });
        }
        Some(around("[", rest.unwrap_or_else(|| Expression::literal("")), "]"))
    }

    fn members(
        &mut self,
        schema: &Value,
        head: impl Fn(&Self, &str) -> String,
    ) -> Option<MemberRules<'static>> {
        let required = schema.get("required").and_then(Value::as_array);
        let required: Vec<_> = required.into_iter().flatten().filter_map(Value::as_str).collect();
        let mut all = Vec::new();
        for (key, value) in
            schema.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            let is_required = required.contains(&key.as_str());
            let head = Expression::literal(head(self, key));
            match self.value(value) {
                Some(value) => all.push((Expression::sequence([head, value]), is_required)),
                None if is_required => return None,
                None => {}
            }
        }
        let other = match schema.get("additionalProperties") {
            None | Some(Value::Bool(false)) => None,
            Some(other) => self.value(other),
        };
        let colon = if self.style.spaced { ": " } else { ":" };
        let other = other.map(|other| {
            Expression::sequence([self.text(&Map::new()), Expression::literal(colon), other])
        });
        Some(MemberRules { all, other, comma: self.style.comma() })
    }

    /// The members with commas between them.
    fn joined(&mut self, members: MemberRules<'_>) -> Expression {
        let comma = Expression::literal(members.comma);
        // `behind` is what may follow a member, `alone` what may stand where none is written yet.
        let (mut behind, mut alone) = match members.other {
            Some(other) => {
                let more = Expression::sequence([comma.clone(), other.clone()]);
                let more = more.repeated(0, None);
                (more.clone(), Expression::sequence([other, more]).optional())
            }
            None => (Expression::literal(""), Expression::literal("")),
        };
        for (member, is_required) in members.all.into_iter().rev() {
            if !behind.is_empty() && !matches!(behind, Expression::Rule(_)) {
                self.rules.push(behind);
                behind = Expression::Rule(self.rules.len() - 1);
            }
            let first = Expression::sequence([member.clone(), behind.clone()]);
            let next = Expression::sequence([comma.clone(), member]);
            if is_required {
                alone = first;
                behind = Expression::sequence([next, behind]);
            } else {
                alone = Expression::choice([first, alone]);
                behind = Expression::sequence([next.optional(), behind]);
            }
        }
        alone
    }

    fn reference(&mut self, path: &str) -> Option<Expression> {
        if let Some(number) = self.known.get(path) {
            return Some(Expression::Rule(*number));
        }
        let schema = followed(self.root, path)?;
        let number = self.rules.len();
        self.rules.push(Expression::literal(""));
        self.known.insert(path.to_owned(), number);
        let rule = self.value(schema)?;
        if let Some(place) = self.rules.get_mut(number) {
            *place = rule;
        }
        Some(Expression::Rule(number))
    }

    /// Any value.
    fn anything(&mut self) -> Expression {
        if let Some(number) = self.any {
            return Expression::Rule(number);
        }
        let number = self.rules.len();
        self.rules.push(Expression::literal(""));
        self.any = Some(number);
        let open = Map::from_iter([("additionalProperties".to_owned(), Value::Bool(true))]);
        let parts: Vec<_> = KINDS.iter().filter_map(|kind| self.of_kind(kind, &open)).collect();
        if let Some(place) = self.rules.get_mut(number) {
            *place = Expression::choice(parts);
        }
        Expression::Rule(number)
    }
}

/// The types that other keywords suggest.
fn implied(schema: &Map<String, Value>) -> Vec<&'static str> {
    let has = |keys: &[&str]| keys.iter().any(|key| schema.contains_key(*key));
    if has(&["properties", "required"]) {
        vec!["object"]
    } else if has(&["items", "prefixItems", "minItems", "maxItems"]) {
        vec!["array"]
    } else if has(&["minLength", "maxLength"]) {
        vec!["string"]
    } else {
        Vec::new()
    }
}

fn around(open: &str, inner: Expression, close: &str) -> Expression {
    Expression::sequence([Expression::literal(open), inner, Expression::literal(close)])
}

/// Items with commas between them; behind others, a comma is in front of each.
pub(super) fn listed(
    item: &Expression,
    comma: &str,
    (least, most): (u32, Option<u32>),
    is_behind: bool,
) -> Expression {
    let more = Expression::sequence([Expression::literal(comma), item.clone()]);
    if is_behind {
        return more.repeated(least, most);
    }
    if most == Some(0) {
        return Expression::literal("");
    }
    let more = more.repeated(least.saturating_sub(1), most.map(|most| most.saturating_sub(1)));
    let list = Expression::sequence([item.clone(), more]);
    if least == 0 { list.optional() } else { list }
}

fn digits(min: u32, max: u32) -> Expression {
    Expression::Class(Class::of(&[('0', '9')])).repeated(min, Some(max))
}

/// An integer without sign, of at most 15 digits, so that writing it ends.
fn whole() -> Expression {
    let first = Expression::Class(Class::of(&[('1', '9')]));
    Expression::choice([Expression::literal("0"), Expression::sequence([first, digits(0, 14)])])
}

fn integer(range: Option<IntegerRange>) -> Expression {
    match range {
        Some(IntegerRange::Between(least, most)) => {
            Expression::choice((least..=most).map(|one| Expression::literal(one.to_string())))
                .terminal()
        }
        Some(IntegerRange::From(0)) => whole().terminal(),
        Some(IntegerRange::From(_)) => {
            let first = Expression::Class(Class::of(&[('1', '9')]));
            Expression::sequence([first, digits(0, 14)]).terminal()
        }
        None => Expression::sequence([Expression::literal("-").optional(), whole()]).terminal(),
    }
}

fn number() -> Expression {
    let fraction = Expression::sequence([Expression::literal("."), digits(1, 15)]);
    let mark = Expression::Class(Class::of(&[('e', 'e'), ('E', 'E')]));
    let sign = Expression::Class(Class::of(&[('+', '+'), ('-', '-')])).optional();
    let exponent = Expression::sequence([mark, sign, digits(1, 2)]);
    Expression::sequence([
        Expression::literal("-").optional(),
        whole(),
        fraction.optional(),
        exponent.optional(),
    ])
    .terminal()
}
