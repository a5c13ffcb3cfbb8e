//! What a tool's schema says of the types of its arguments.
//!
//! References within the schema are followed. Alternatives are joined. Parts that apply together
//! allow what all of them allow. Circular references end after a few steps.

use serde_json::Value;

/// The most references and combinations that are followed inside each other.
const DEEPEST: usize = 16;
/// The most parts of a schema that are looked at for one argument.
const MOST_PARTS: usize = 1024;
/// The most members of enumerations that are compared.
const MOST_WORDS: usize = 1024;

/// The JSON Schema of a tool's arguments.
#[derive(Clone, Debug)]
pub(crate) struct Schema {
    root: Value,
}

/// The kinds of values that are allowed.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "one for each of JSON's types")]
pub(crate) struct ValueKinds {
    pub(crate) null: bool,
    pub(crate) boolean: bool,
    pub(crate) integer: bool,
    pub(crate) number: bool,
    pub(crate) text: bool,
    pub(crate) array: bool,
    pub(crate) object: bool,
    /// The members of an enumeration.
    pub(crate) words: Vec<Value>,
}

impl ValueKinds {
    /// Whether nothing is known.
    pub(crate) fn unknown(&self) -> bool {
        *self == Self::default()
    }

    fn add(&mut self, kind: &str) {
        match kind {
            "null" => self.null = true,
            "boolean" => self.boolean = true,
            "integer" => self.integer = true,
            "number" => self.number = true,
            "string" => self.text = true,
            "array" => self.array = true,
            "object" => self.object = true,
            _ => {}
        }
    }

    fn join(&mut self, other: Self) {
        self.null |= other.null;
        self.boolean |= other.boolean;
        self.integer |= other.integer;
        self.number |= other.number;
        self.text |= other.text;
        self.array |= other.array;
        self.object |= other.object;
        let room = MOST_WORDS.saturating_sub(self.words.len());
        self.words.extend(other.words.into_iter().take(room));
    }

    /// Keeps only what `other` allows too; kinds of which nothing is known allow everything.
    fn meet(&mut self, other: Self) {
        if other.unknown() {
            return;
        }
        if self.unknown() {
            *self = other;
            return;
        }
        self.null &= other.null;
        self.boolean &= other.boolean;
        self.integer = (self.integer || self.number) && (other.integer || other.number);
        self.number &= other.number;
        self.text &= other.text;
        self.array &= other.array;
        self.object &= other.object;
        if self.words.is_empty() {
            self.words = other.words;
        }
    }

    fn of_value(value: &Value) -> Self {
        let mut kinds = Self::default();
        match value {
            Value::Null => kinds.null = true,
            Value::Bool(_) => kinds.boolean = true,
            Value::Number(number) if number.is_f64() => kinds.number = true,
            Value::Number(_) => kinds.integer = true,
            Value::String(_) => kinds.text = true,
            Value::Array(_) => kinds.array = true,
            Value::Object(_) => kinds.object = true,
        }
        kinds.words.push(value.clone());
        kinds
    }
}

/// A walk through a schema; `parts` is how many more parts may be looked at.
struct SchemaWalk<'s> {
    root: &'s Value,
    parts: usize,
}

/// What may stand at one place of the arguments: the parts of the schema that say so.
#[derive(Clone, Debug)]
pub(crate) struct SchemaPlace<'s> {
    root: &'s Value,
    found: Vec<&'s Value>,
}

/// What is looked for in a part of a schema.
#[derive(Clone, Copy)]
enum InSchema<'n> {
    Property(&'n str),
    Item,
}

impl Schema {
    pub(crate) fn new(root: Value) -> Self {
        Self { root }
    }

    /// What the arguments may be.
    pub(crate) fn whole(&self) -> SchemaPlace<'_> {
        SchemaPlace { root: &self.root, found: vec![&self.root] }
    }

    /// Whether it names an argument; `None` where it names none, so that any may be given.
    pub(crate) fn names(&self, name: &str) -> Option<bool> {
        if !self.whole().property(name).found.is_empty() {
            return Some(true);
        }
        let properties = self.root.get("properties").and_then(Value::as_object);
        properties.filter(|all| !all.is_empty()).map(|_| false)
    }

    /// What the argument of this name may be.
    pub(crate) fn kinds(&self, name: &str) -> ValueKinds {
        self.whole().property(name).kinds()
    }
}

impl SchemaPlace<'_> {
    /// What the property of this name may be.
    pub(crate) fn property(&self, name: &str) -> Self {
        self.inner(InSchema::Property(name))
    }

    /// What the items may be.
    pub(crate) fn items(&self) -> Self {
        self.inner(InSchema::Item)
    }

    /// The kinds of values that are allowed here.
    pub(crate) fn kinds(&self) -> ValueKinds {
        let mut walk = SchemaWalk { root: self.root, parts: MOST_PARTS };
        let mut kinds = ValueKinds::default();
        for schema in &self.found {
            kinds.join(walk.kinds(schema, DEEPEST));
        }
        kinds
    }

    fn inner(&self, inner: InSchema<'_>) -> Self {
        let mut walk = SchemaWalk { root: self.root, parts: MOST_PARTS };
        let mut found = Vec::new();
        for schema in &self.found {
            walk.inner(schema, inner, DEEPEST, &mut found);
        }
        found.truncate(DEEPEST);
        Self { root: self.root, found }
    }
}

impl<'s> SchemaWalk<'s> {
    /// Adds what a schema says of a property or of the items.
    fn inner(
        &mut self,
        schema: &'s Value,
        inner: InSchema<'_>,
        depth: usize,
        found: &mut Vec<&'s Value>,
    ) {
        let (Some(depth), Some(parts)) = (depth.checked_sub(1), self.parts.checked_sub(1)) else {
            return;
        };
        self.parts = parts;
        if let Some(target) = self.target(schema) {
            return self.inner(target, inner, depth, found);
        }
        let own = match inner {
            InSchema::Property(name) => schema.get("properties").and_then(|all| all.get(name)),
            InSchema::Item => schema.get("items"),
        };
        if let Some(own) = own {
            return found.push(own);
        }
        let known = found.len();
        for key in ["allOf", "anyOf", "oneOf"] {
            for part in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                self.inner(part, inner, depth, found);
            }
        }
        if known == found.len() && matches!(inner, InSchema::Property(_)) {
            found.extend(schema.get("additionalProperties").filter(|others| others.is_object()));
        }
    }

    fn kinds(&mut self, schema: &Value, depth: usize) -> ValueKinds {
        let mut kinds = ValueKinds::default();
        let (Some(depth), Some(parts)) = (depth.checked_sub(1), self.parts.checked_sub(1)) else {
            return kinds;
        };
        self.parts = parts;
        match schema.get("type") {
            Some(Value::String(kind)) => kinds.add(kind),
            Some(Value::Array(several)) => {
                several.iter().filter_map(Value::as_str).for_each(|kind| kinds.add(kind));
            }
            _ if schema.get("properties").is_some() => kinds.object = true,
            _ if schema.get("items").is_some() => kinds.array = true,
            _ => {}
        }
        if schema.get("nullable") == Some(&Value::Bool(true)) && !kinds.unknown() {
            kinds.null = true;
        }
        if let Some(target) = self.target(schema) {
            let target = self.kinds(target, depth);
            kinds.meet(target);
        }
        let members = schema.get("enum").and_then(Value::as_array);
        let listed = members.map(|members| members.iter().take(MOST_WORDS).collect::<Vec<_>>());
        for words in [listed, schema.get("const").map(|word| vec![word])].into_iter().flatten() {
            let mut allowed = ValueKinds::default();
            for word in words {
                allowed.join(ValueKinds::of_value(word));
            }
            kinds.meet(allowed);
        }
        for key in ["anyOf", "oneOf"] {
            let Some(parts) = schema.get(key).and_then(Value::as_array) else { continue };
            let mut any = ValueKinds::default();
            for part in parts {
                any.join(self.kinds(part, depth));
            }
            kinds.meet(any);
        }
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            let part = self.kinds(part, depth);
            kinds.meet(part);
        }
        kinds
    }

    /// What a reference within the schema refers to.
    fn target(&self, schema: &Value) -> Option<&'s Value> {
        let reference = schema.get("$ref")?.as_str()?;
        self.root.pointer(reference.strip_prefix('#')?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(kinds: &ValueKinds) -> String {
        let named = [
            ("null", kinds.null),
            ("boolean", kinds.boolean),
            ("integer", kinds.integer),
            ("number", kinds.number),
            ("text", kinds.text),
            ("array", kinds.array),
            ("object", kinds.object),
        ];
        named
            .iter()
            .filter(|(_, allowed)| *allowed)
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn kinds_of(property: &Value) -> String {
        let definitions = json!({"n": {"type": "integer"}, "loop": {"$ref": "#/$defs/loop"}});
        let schema = json!({"type": "object", "properties": {"x": property}, "$defs": definitions});
        words(&Schema::new(schema).kinds("x"))
    }

    #[test]
    fn every_way_to_say_a_type_is_understood() {
        assert_eq!(kinds_of(&json!({"type": "integer"})), "integer");
        assert_eq!(kinds_of(&json!({"type": ["string", "null"]})), "null text");
        assert_eq!(kinds_of(&json!({"$ref": "#/$defs/n"})), "integer");
        assert_eq!(
            kinds_of(&json!({"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]})),
            "null integer"
        );
        assert_eq!(
            kinds_of(&json!({"oneOf": [{"type": "array"}, {"type": "object"}]})),
            "array object"
        );
        let both =
            json!({"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}]});
        assert_eq!(kinds_of(&both), "integer");
        assert_eq!(kinds_of(&json!({"enum": ["a", 1, null]})), "null integer text");
        assert_eq!(kinds_of(&json!({"const": true})), "boolean");
        assert_eq!(kinds_of(&json!({"type": "integer", "nullable": true})), "null integer");
    }

    #[test]
    fn what_says_nothing_or_runs_in_circles_is_unknown() {
        for nothing in
            [json!({}), json!(true), json!({"$ref": "#/$defs/loop"}), json!({"$ref": "http://x/"})]
        {
            assert_eq!(kinds_of(&nothing), "");
        }
        let wide = json!({"anyOf": vec![json!({"$ref": "#"}); 100]});
        assert!(Schema::new(wide).kinds("x").unknown());
    }
}
