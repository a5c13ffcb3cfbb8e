//! A value whose looks are counted while a schema is applied to it.
//!
//! The validator reads a value through [`Look`]: each look takes from what is left in [`Looks`].
//! When nothing is left, every value looks like `null`, every list and object like its end, so the
//! validator comes to its own end soon, whatever the schema is. Its answer then means nothing.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use jsonschema::json::{Array, Json, Node, NodeIdentity, Object, cmp};
use jsonschema::{JsonType, PatternOptions, Retrieve, ValidationOptions};
use serde_json::{Map, Number, Value};

use crate::input_schema::cost::SchemaCost;
use crate::input_schema::distinct::are_distinct;
use crate::input_schema::extent::ValueExtent;
use crate::input_schema::patterns::MOST_TRIES;

/// The checks of a schema that one step stands for.
const CHECKS_A_STEP: usize = 256;
/// The bytes that one unit of memory stands for.
const BYTES_A_UNIT: usize = 64;
/// The units of an error without its path and the value that it keeps.
const UNITS_AN_ERROR: usize = 6;

/// What is left of the steps and the memory for applying a schema to a value.
pub(super) struct Looks {
    steps: Cell<u64>,
    units: Cell<u64>,
    each: u64,
    error: u64,
    cost: SchemaCost,
}

impl Looks {
    /// So many steps, and so many units of memory for errors.
    pub(super) fn new(cost: &SchemaCost, value: &ValueExtent, steps: u64, units: u64) -> Self {
        let error = UNITS_AN_ERROR + (value.path + cost.detail) / BYTES_A_UNIT;
        Self {
            steps: Cell::new(steps),
            units: Cell::new(units),
            each: wide(1 + cost.checks / CHECKS_A_STEP),
            error: wide(error),
            cost: *cost,
        }
    }

    /// Makes each look cost the text of a path, for a run that writes the path at each look.
    pub(super) fn with_paths(mut self, value: &ValueExtent) -> Self {
        self.each += wide(value.path / BYTES_A_UNIT);
        self
    }

    /// Whether nothing is left, so that the validator's answer means nothing.
    pub(super) fn are_spent(&self) -> bool {
        self.steps.get() == 0 || self.units.get() == 0
    }

    fn take(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_sub(steps.max(1)));
    }

    fn take_text(&self, length: usize, rate: u64) {
        let bytes = wide(length).saturating_mul(rate) / 64;
        self.take(self.each.saturating_add(self.cost.patterns.each).saturating_add(bytes));
    }

    /// Takes what an error keeps: its texts, and a copy of the value.
    fn take_error(&self, value: &Value) {
        self.units.set(self.units.get().saturating_sub(self.error));
        self.take_copy(value);
    }

    fn take_copy(&self, value: &Value) {
        let text = |text: &str| 1 + wide(text.len() / BYTES_A_UNIT);
        let own = if let Value::String(string) = value { text(string) } else { 1 };
        self.units.set(self.units.get().saturating_sub(own));
        if self.units.get() == 0 {
            return;
        }
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.take_copy(item)),
            Value::Object(entries) => entries.iter().for_each(|(key, entry)| {
                self.units.set(self.units.get().saturating_sub(text(key)));
                self.take_copy(entry);
            }),
            _ => {}
        }
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// What every value looks like when nothing is left.
const NOTHING: &Value = &Value::Null;

/// JSON whose looks are counted.
pub(super) struct CountedJson;

/// The options that every schema is built with: nothing is fetched, no pattern tries forever.
pub(super) fn options() -> ValidationOptions<'static, Arc<dyn Retrieve>, CountedJson> {
    jsonschema::options_for::<CountedJson>()
        .offline()
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MOST_TRIES))
}

/// A value, and what is left for looking at it; the names of an object's members are looked at
/// without a count, since the members are counted.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    value: &'a Value,
    looks: Option<&'a Looks>,
    is_whole: bool,
}

impl<'a> Look<'a> {
    /// A look at a whole value.
    pub(super) fn new(value: &'a Value, looks: &'a Looks) -> Self {
        Self { value, looks: Some(looks), is_whole: true }
    }

    /// A look at a value within another one.
    fn within(value: &'a Value, looks: Option<&'a Looks>) -> Self {
        Self { value, looks, is_whole: false }
    }

    /// The value, for one step.
    fn seen(&self) -> &'a Value {
        if let Some(looks) = self.looks {
            looks.take(looks.each);
        }
        self.left()
    }

    fn left(&self) -> &'a Value {
        if self.looks.is_some_and(Looks::are_spent) { NOTHING } else { self.value }
    }
}

impl Json for CountedJson {
    type Node<'a> = Look<'a>;
    type PreparedKey = String;
    type StringBuffer = Value;

    const KEYS_PER_LOOKUP: usize = 2;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(
        buffer: &mut Value,
        string: &str,
        look: impl FnOnce(Look<'_>) -> T,
    ) -> T {
        if let Value::String(existing) = buffer {
            existing.clear();
            existing.push_str(string);
        } else {
            *buffer = Value::String(string.to_owned());
        }
        look(Look::within(buffer, None))
    }
}

impl<'a> Node<'a, CountedJson> for Look<'a> {
    type Object = LookedObject<'a>;
    type Array = LookedArray<'a>;
    type Number = &'a Number;

    fn as_object(&self) -> Option<LookedObject<'a>> {
        let entries = self.seen().as_object()?;
        Some(LookedObject { entries, looks: self.looks })
    }

    fn as_array(&self) -> Option<LookedArray<'a>> {
        let items = self.seen().as_array()?;
        Some(LookedArray { items, looks: self.looks })
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        let text = self.seen().as_str()?;
        if let Some(looks) = self.looks {
            looks.take_text(text.len(), looks.cost.patterns.text);
        }
        Some(Cow::Borrowed(self.left().as_str()?))
    }

    fn as_number(&self) -> Option<&'a Number> {
        self.seen().as_number()
    }

    fn as_boolean(&self) -> Option<bool> {
        self.seen().as_bool()
    }

    fn is_null(&self) -> bool {
        self.seen().is_null()
    }

    fn json_type(&self) -> JsonType {
        match self.seen() {
            Value::Null => JsonType::Null,
            Value::Bool(_) => JsonType::Boolean,
            Value::Number(_) => JsonType::Number,
            Value::String(_) => JsonType::String,
            Value::Array(_) => JsonType::Array,
            Value::Object(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        self.is_equal(self.value, expected)
    }

    /// Errors keep the value. With patterns, the whole value is not hidden: the validator looks in
    /// it for the place of a match that was given up.
    fn to_value(&self) -> Cow<'a, Value> {
        let Some(looks) = self.looks else { return Cow::Borrowed(self.value) };
        looks.take_error(self.value);
        let is_shown = self.is_whole && looks.cost.patterns.any;
        Cow::Borrowed(if is_shown { self.value } else { self.left() })
    }

    // The identity ends circles of references, so it stays when nothing is left.
    fn identity(&self) -> Option<NodeIdentity> {
        if let Some(looks) = self.looks {
            looks.take(looks.each);
        }
        Some(NodeIdentity::new(std::ptr::from_ref(self.value).addr()))
    }

    fn container_identity(&self) -> Option<NodeIdentity> {
        let is_container = matches!(self.value, Value::Array(_) | Value::Object(_));
        is_container.then(|| NodeIdentity::new(std::ptr::from_ref(self.value).addr()))
    }
}

impl Look<'_> {
    /// Whether two values are equal, for a step at each pair of values that is compared.
    fn is_equal(&self, value: &Value, expected: &Value) -> bool {
        if let Some(looks) = self.looks {
            looks.take(looks.each);
            if looks.are_spent() {
                return false;
            }
        }
        match (value, expected) {
            (Value::Array(items), Value::Array(others)) => {
                items.len() == others.len()
                    && items.iter().zip(others).all(|(item, other)| self.is_equal(item, other))
            }
            (Value::Object(entries), Value::Object(others)) => {
                let is_equal = |(key, entry): (&String, &Value)| {
                    others.get(key).is_some_and(|other| self.is_equal(entry, other))
                };
                entries.len() == others.len() && entries.iter().all(is_equal)
            }
            (value, expected) => cmp::equal(value, expected),
        }
    }
}

/// The members of an object.
pub(super) struct LookedObject<'a> {
    entries: &'a Map<String, Value>,
    looks: Option<&'a Looks>,
}

/// The items of a list.
pub(super) struct LookedArray<'a> {
    items: &'a [Value],
    looks: Option<&'a Looks>,
}

impl<'a> Object<'a, CountedJson> for LookedObject<'a> {
    type Node = Look<'a>;
    type MemberName = &'a str;
    type MembersIter = LookedMembers<'a>;

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn get(&self, key: &String) -> Option<Look<'a>> {
        if let Some(looks) = self.looks {
            looks.take(looks.each);
            if looks.are_spent() {
                return None;
            }
        }
        let value = self.entries.get(key)?;
        Some(Look::within(value, self.looks))
    }

    fn members(&self) -> LookedMembers<'a> {
        LookedMembers { entries: self.entries.iter(), looks: self.looks }
    }
}

impl<'a> Array<'a, CountedJson> for LookedArray<'a> {
    type Node = Look<'a>;
    type ElementsIter = LookedItems<'a>;

    fn len(&self) -> usize {
        self.items.len()
    }

    fn elements(&self) -> LookedItems<'a> {
        LookedItems { items: self.items.iter(), looks: self.looks }
    }

    fn is_unique(&self) -> bool {
        let take = |item: &Value| {
            if let Some(looks) = self.looks {
                looks.take(looks.each.saturating_mul(steps_to_hash(item)));
                return !looks.are_spent();
            }
            true
        };
        self.items.iter().all(take) && are_distinct(self.items)
    }
}

/// The steps to hash and compare a value.
fn steps_to_hash(value: &Value) -> u64 {
    let of_text = |text: &str| 1 + wide(text.len() / BYTES_A_UNIT);
    match value {
        Value::Array(items) => 1 + items.iter().map(steps_to_hash).sum::<u64>(),
        Value::Object(entries) => {
            let steps = |(key, entry): (&String, &Value)| of_text(key) + steps_to_hash(entry);
            1 + entries.iter().map(steps).sum::<u64>()
        }
        Value::String(text) => of_text(text),
        Value::Number(number) => of_text(number.as_str()),
        _ => 1,
    }
}

pub(super) struct LookedMembers<'a> {
    entries: serde_json::map::Iter<'a>,
    looks: Option<&'a Looks>,
}

impl<'a> Iterator for LookedMembers<'a> {
    type Item = (&'a str, Look<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.entries.next()?;
        if let Some(looks) = self.looks {
            looks.take_text(key.len(), looks.cost.patterns.name.max(looks.cost.patterns.text));
            if looks.are_spent() {
                return None;
            }
        }
        Some((key, Look::within(value, self.looks)))
    }
}

pub(super) struct LookedItems<'a> {
    items: std::slice::Iter<'a, Value>,
    looks: Option<&'a Looks>,
}

impl<'a> Iterator for LookedItems<'a> {
    type Item = Look<'a>;

    fn next(&mut self) -> Option<Look<'a>> {
        let value = self.items.next()?;
        if let Some(looks) = self.looks {
            looks.take(looks.each);
            if looks.are_spent() {
                return None;
            }
        }
        Some(Look::within(value, self.looks))
    }
}
