//! The grammar of arguments whose objects and lists are elements within each other:
//! `<where><field>a</field></where>`, or `<value name="where" type="dict">…</value>`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::banned::Banned;
use super::expression::{Class, Expression};
use super::notation::{Values, listed};
use super::schema::{LONGEST, followed};
use super::tag_values::{JSON, by_kind, is_listed, raw, written_key};
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::Parameter;
use crate::detect::write::layout::{KIND, KindWords, NAME, Tagged, fill};
use crate::detect::write::plain::spelled;

/// The name of the elements of a list, where each element has one.
const ITEM: &str = "item";

/// What an element is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ElementName<'k> {
    Name(&'k str),
    /// A member of a list.
    Item,
    /// Any name.
    Any,
}

/// Builds elements of one tool's arguments.
pub(super) struct NestedElements<'e> {
    /// The schema of all arguments, into which references lead.
    tidied: &'e Value,
    rules: &'e mut Vec<Expression>,
    layout: &'e Tagged,
    parameter: &'e Parameter,
    /// What may not stand in a text.
    without: &'e Banned,
    /// The rules of elements whose schema is a reference, by their names and the references.
    known: HashMap<String, usize>,
}

impl<'e> NestedElements<'e> {
    pub(super) fn new(
        (tidied, rules): (&'e Value, &'e mut Vec<Expression>),
        (layout, parameter): (&'e Tagged, &'e Parameter),
        without: &'e Banned,
    ) -> Self {
        Self { tidied, rules, layout, parameter, without, known: HashMap::new() }
    }

    /// The element of an argument; `None` when no value can be written.
    pub(super) fn argument(&mut self, key: &str, schema: &Value) -> Option<Expression> {
        self.element(ElementName::Name(key), schema)
    }

    /// Whether a tag says the type of its value.
    fn is_typed(&self) -> bool {
        self.layout.kinds == KindWords::Elements
    }

    fn element(&mut self, key: ElementName<'_>, schema: &Value) -> Option<Expression> {
        if let Some(path) = schema.get("$ref").and_then(Value::as_str) {
            return self.reference(key, path);
        }
        let kinds = by_kind(self.tidied, schema);
        let has = |sought: &str| kinds.iter().any(|(kind, _)| *kind == sought);
        if !self.is_typed() {
            // Without a type, what may be any text is text, and elements show only what is alike.
            if let Some((kind, text)) =
                kinds.iter().find(|(kind, schema)| *kind == "string" && !is_listed(schema))
            {
                return self.of_kind(key, kind, text);
            }
            if has("object") && has("array") {
                return self.json(key, schema);
            }
        }
        let parts: Vec<_> = if let Some(Value::Array(parts)) = schema.get("anyOf") {
            parts.iter().filter_map(|part| self.element(key, part)).collect()
        } else {
            let each = kinds.iter();
            each.filter_map(|(kind, schema)| self.of_kind(key, kind, schema)).collect()
        };
        (!parts.is_empty()).then(|| Expression::choice(parts))
    }

    fn reference(&mut self, key: ElementName<'_>, path: &str) -> Option<Expression> {
        let name = format!("{key:?} {path}");
        if let Some(number) = self.known.get(&name) {
            return Some(Expression::Rule(*number));
        }
        let schema = followed(self.tidied, path)?;
        let number = self.rules.len();
        self.rules.push(Expression::literal(""));
        self.known.insert(name, number);
        let rule = self.element(key, schema)?;
        if let Some(place) = self.rules.get_mut(number) {
            *place = rule;
        }
        Some(Expression::Rule(number))
    }

    fn of_kind(&mut self, key: ElementName<'_>, kind: &str, schema: &Value) -> Option<Expression> {
        if kind == "string" {
            let text = raw(schema, &self.back(key), self.without)?;
            return Some(Expression::sequence([self.front(key, "raw"), text]));
        }
        let members = schema.as_object().filter(|_| !is_listed(schema));
        let inner = match (kind, members) {
            ("object", Some(members)) => self.object(members),
            ("array", Some(members)) => self.array(members),
            _ => return self.json(key, schema),
        };
        let word = if kind == "object" { "dict" } else { "list" };
        match inner {
            Some(inner) => {
                let back = Expression::literal(self.back(key));
                Some(Expression::sequence([self.front(key, word), inner, back]))
            }
            None if self.is_typed() => None,
            None => self.json(key, schema),
        }
    }

    /// An element whose value is JSON.
    fn json(&mut self, key: ElementName<'_>, schema: &Value) -> Option<Expression> {
        let without = self.without.clone();
        let value = Values::new(&JSON, without, self.tidied, self.rules).value(schema)?;
        let back = Expression::literal(self.back(key));
        Some(Expression::sequence([self.front(key, "json"), value, back]))
    }

    /// The members of an object; `None` where they are not written as elements.
    fn object(&mut self, schema: &Map<String, Value>) -> Option<Expression> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let properties = properties.filter(|properties| !properties.is_empty());
        let Some(properties) = properties else {
            let open = match schema.get("additionalProperties") {
                None | Some(Value::Bool(false)) => return Some(self.nothing("{}")),
                Some(open) => open,
            };
            if !self.is_typed() {
                return None;
            }
            return Some(self.element(ElementName::Any, open)?.repeated(0, None));
        };
        let required = schema.get("required").and_then(Value::as_array);
        let required: Vec<_> = required.into_iter().flatten().filter_map(Value::as_str).collect();
        let mut all = Vec::new();
        for (key, schema) in properties {
            let is_required = required.contains(&key.as_str());
            match self.element(ElementName::Name(key), schema) {
                Some(element) => all.push((element, is_required)),
                None if is_required => return None,
                None => {}
            }
        }
        // `behind` is what may follow an element, `alone` what may stand where none is written yet.
        let mut behind = Expression::literal("");
        let mut alone = self.nothing("{}");
        for (element, is_required) in all.into_iter().rev() {
            if !behind.is_empty() && !matches!(behind, Expression::Rule(_)) {
                self.rules.push(behind);
                behind = Expression::Rule(self.rules.len() - 1);
            }
            let first = Expression::sequence([element.clone(), behind.clone()]);
            alone = if is_required { first } else { Expression::choice([first, alone]) };
            let element = if is_required { element } else { element.optional() };
            behind = Expression::sequence([element, behind]);
        }
        Some(alone)
    }

    /// The members of a list; `None` where they are not written as elements.
    fn array(&mut self, schema: &Map<String, Value>) -> Option<Expression> {
        let bound = |key: &str| {
            let bound = schema.get(key).and_then(Value::as_u64)?;
            u32::try_from(bound.min(LONGEST)).ok()
        };
        let (least, most) = (bound("minItems").unwrap_or_default(), bound("maxItems"));
        let mut first = Vec::new();
        for (place, item) in
            schema.get("prefixItems").and_then(Value::as_array).into_iter().flatten().enumerate()
        {
            // Only where a tag says the type may the members of one list differ.
            if !self.is_typed() {
                return None;
            }
            let place = u32::try_from(place).ok()?;
            if most.is_none_or(|most| place < most) {
                first.push((self.element(ElementName::Item, item)?, place >= least));
            }
        }
        let items = match schema.get("items") {
            Some(Value::Bool(false)) => None,
            Some(items @ Value::Object(_)) => self.element(ElementName::Item, items),
            _ if self.is_typed() => self.element(ElementName::Item, &Value::Object(Map::new())),
            _ => return None,
        };
        let count = u32::try_from(first.len()).ok()?;
        let least = least.saturating_sub(count);
        let most = most.map(|most| most.saturating_sub(count));
        let mut rest = match items {
            None if least > 0 => return None,
            None => Expression::literal(""),
            Some(_) if most == Some(0) => Expression::literal(""),
            Some(item) if self.is_typed() => item.repeated(least, most),
            Some(item) => {
                let some = listed(&item, "", (least.max(1), most), false);
                if least > 0 { some } else { Expression::choice([some, self.nothing("[]")]) }
            }
        };
        for (item, may_lack) in first.into_iter().rev() {
            let one = Expression::sequence([item, rest]);
            rest = if may_lack { one.optional() } else { one };
        }
        Some(rest)
    }

    /// How a value without members is written.
    fn nothing(&self, json: &str) -> Expression {
        Expression::literal(if self.is_typed() { "" } else { json })
    }

    /// Everything in front of the value of an element.
    fn front(&self, key: ElementName<'_>, kind: &str) -> Expression {
        let Tagged { gap, front, middle, .. } = self.layout;
        let opening =
            |key: &str| format!("{gap}{front}{key}{}", fill(middle, &[(NAME, key), (KIND, kind)]));
        match key {
            ElementName::Name(key) => Expression::literal(opening(&self.written(key))),
            ElementName::Item if !self.is_typed() => Expression::literal(opening(ITEM)),
            ElementName::Item => {
                let spell = |markers: &[Marker]| {
                    markers.first().map(|marker| spelled(marker, "", "")).unwrap_or_default()
                };
                let (open, end) = (spell(&self.parameter.open), spell(&self.parameter.key_end));
                let attribute = self.parameter.type_attribute.as_deref().unwrap_or_default();
                Expression::literal(format!("{gap}{open} {attribute}=\"{kind}\"{end}"))
            }
            ElementName::Any => {
                let letters = [('A', 'Z'), ('a', 'z'), ('0', '9'), ('_', '_'), ('-', '-')];
                let name = Expression::Class(Class::of(&letters)).repeated(1, Some(64)).terminal();
                let middle = fill(middle, &[(KIND, kind)]);
                Expression::sequence([
                    Expression::literal(format!("{gap}{front}")),
                    name,
                    Expression::literal(middle),
                ])
            }
        }
    }

    /// Everything behind the value of an element.
    fn back(&self, key: ElementName<'_>) -> String {
        let key = match key {
            ElementName::Name(key) => self.written(key),
            ElementName::Item | ElementName::Any => ITEM.to_owned(),
        };
        fill(&self.layout.back, &[(NAME, &key)])
    }

    fn written(&self, key: &str) -> String {
        written_key(self.parameter, key).into_owned()
    }
}
