//! The grammar of the arguments of one tool.

use serde_json::Value;

use super::banned::Banned;
use super::expression::{Expression, MOST_PARTS};
use super::kinds::kinds;
use super::nested::NestedElements;
use super::notation::Values;
use super::notes::SchemaNotes;
use super::request::CallsRequest;
use super::schema::{GrammarEngine, Tidier};
use super::tag_values::{JSON, by_kind, is_listed, raw, raw_in_lines, written_key};
use crate::detect::format::Format;
use crate::detect::format::marker::Marker;
use crate::detect::format::shape::{Body, Parameter, Syntax};
use crate::detect::rule::tools::Tools;
use crate::detect::write::layout::{KIND, KindWords, NAME, Tagged, fill};
use crate::detect::write::value::{Notation, Style};
use crate::error::Error;

/// Builds the arguments of one tool.
pub(super) struct ArgumentsBuilder<'a, 'n> {
    pub(super) request: &'a CallsRequest<'a>,
    pub(super) name: &'a str,
    pub(super) schema: &'a Value,
    /// The same in order, for the engine of the arguments.
    pub(super) tidied: &'a Value,
    pub(super) rules: &'a mut Vec<Expression>,
    pub(super) notes: &'a mut SchemaNotes<'n>,
}

impl<'a> ArgumentsBuilder<'a, '_> {
    /// Arguments that are one object.
    pub(super) fn object(
        &mut self,
        style: &Style,
        engine: GrammarEngine,
    ) -> Result<Expression, Error> {
        if engine != GrammarEngine::Own {
            return Ok(Expression::json(self.tidied.clone(), style.spaced));
        }
        let without = match &style.notation {
            Notation::Braces(_) => self.request.marks.clone(),
            Notation::Json | Notation::Python(_) => Banned::default(),
        };
        let mut values = Values::new(style, without, self.tidied, self.rules);
        let value = values.value(self.tidied);
        value.ok_or_else(|| self.nothing_fits())
    }

    /// Arguments in round brackets.
    pub(super) fn python(&mut self, style: &Style) -> Result<Expression, Error> {
        let properties = self.properties()?;
        let is_name = |key: &String| {
            let mut letters = key.chars();
            letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
                && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        if let Some(key) = properties.iter().map(|(key, _)| *key).find(|key| !is_name(key)) {
            let name = self.name;
            let problem = format!("cannot hold the argument \"{key}\" of \"{name}\"");
            return Err(self.request.fault(&problem));
        }
        let mut schema = self.tidied.clone();
        if let Some(members) = schema.as_object_mut() {
            members.insert("additionalProperties".to_owned(), false.into());
        }
        let mut values = Values::new(style, Banned::default(), self.tidied, self.rules);
        let arguments = values.arguments(&schema);
        arguments.ok_or_else(|| self.nothing_fits())
    }

    /// Arguments in tags, one element for each.
    pub(super) fn tagged(
        &mut self,
        layout: &Tagged,
        parameter: &Parameter,
    ) -> Result<Expression, Error> {
        let properties = self.properties()?;
        let required = self.tidied.get("required").and_then(Value::as_array);
        let required = required.cloned().unwrap_or_default();
        let tags: Vec<_> = if parameter.close.iter().any(Marker::echoes) {
            let tags = |key: &String| [format!("<{key}>"), format!("</{key}>")];
            properties.iter().flat_map(|(key, _)| tags(key)).collect()
        } else {
            Vec::new()
        };
        let tags: Vec<_> = tags.iter().map(String::as_str).collect();
        let without = self.request.marks.and(&tags);
        let mut parts = Vec::new();
        for (key, schema) in properties {
            let is_required = required.iter().any(|name| name == key);
            let element = if parameter.nested {
                NestedElements::new((self.tidied, self.rules), (layout, parameter), &without)
                    .argument(key, schema)
            } else {
                self.element((layout, parameter), (key, schema), &without)?
            };
            match element {
                Some(element) if is_required => parts.push(element),
                Some(element) => parts.push(element.optional()),
                None if is_required => return Err(self.nothing_fits()),
                None => {}
            }
        }
        Ok(Expression::sequence(parts))
    }

    /// The declared properties; others cannot be written by name.
    fn properties(&mut self) -> Result<Vec<(&'a String, &'a Value)>, Error> {
        let tidied = self.tidied;
        if ["anyOf", "$ref"].iter().any(|key| tidied.get(*key).is_some()) {
            let name = self.name;
            let problem =
                format!("needs the arguments of \"{name}\" one by one, not as alternatives");
            return Err(self.request.fault(&problem));
        }
        let open = tidied.get("additionalProperties");
        if open.is_some_and(|open| *open != Value::Bool(false)) {
            let message = "only declared arguments can be written";
            self.notes.add("", "additionalProperties", message);
        }
        let properties = tidied.get("properties").and_then(Value::as_object);
        Ok(properties.into_iter().flatten().collect())
    }

    fn element(
        &mut self,
        (layout, parameter): (&Tagged, &Parameter),
        (key, schema): (&str, &Value),
        without: &Banned,
    ) -> Result<Option<Expression>, Error> {
        let written = written_key(parameter, key);
        let back = fill(&layout.back, &[(NAME, &*written)]);
        let around = |kind: &str, value: Expression| {
            let front = format!("{}{}{written}", layout.gap, layout.front);
            let middle = fill(&layout.middle, &[(NAME, &*written), (KIND, kind)]);
            Expression::sequence([Expression::literal(front + &middle), value])
        };
        let mut parts = Vec::new();
        for (kind, schema) in by_kind(self.tidied, schema) {
            let word = match (layout.kinds, kind) {
                (KindWords::Flags, "string") => "true",
                (KindWords::Flags, _) => "false",
                (_, "integer") => "number",
                // `nested` has the words for elements.
                (KindWords::Types | KindWords::Elements, word) => word,
            };
            let line = if layout.lines { "\n" } else { "" };
            let value = if kind == "string" && parameter.trim_lines && !layout.lines {
                raw_in_lines(&schema, &back, without)
            } else if kind == "string" {
                raw(&schema, &format!("{line}{back}"), without)
            } else {
                let end = Expression::literal(format!("{line}{back}"));
                self.json(key, &schema, without)?.map(|value| Expression::sequence([value, end]))
            };
            let value = value.map(|value| Expression::sequence([Expression::literal(line), value]));
            // Without a word for the type, text is read as what it looks like.
            if parameter.type_attribute.is_none() && kind == "string" && !is_listed(&schema) {
                return Ok(value.map(|value| around(word, value)));
            }
            parts.extend(value.map(|value| around(word, value)));
        }
        Ok((!parts.is_empty()).then(|| Expression::choice(parts)))
    }

    /// A value that is no text, as JSON.
    fn json(
        &mut self,
        key: &str,
        schema: &Value,
        without: &Banned,
    ) -> Result<Option<Expression>, Error> {
        let place = format!("/properties/{key}");
        // The engine holds more of the keywords than own rules do. But it takes a second where it
        // looks for words in the texts of a value, so own rules that hold the same come first.
        let is_own = self.request.engine == GrammarEngine::Xgrammar
            && holds_text(schema)
            && !self.notes.are_at(&place)
            && is_closed(schema);
        let own = is_own.then(|| self.own_json(schema, without)).flatten();
        if let Some(own) = own.filter(|own| own.spend(self.rules, MOST_PARTS).is_some()) {
            return Ok(Some(own));
        }
        if let Some(original) = self.of_engine(key, schema) {
            let engine = self.request.engine;
            self.notes.forget(&place);
            let mut tidier = Tidier { engine, root: self.schema, notes: self.notes };
            let without = if holds_text(schema) { without.clone() } else { Banned::default() };
            let schema = tidier.tidy(&original, &place)?;
            return Ok(Some(Expression::Json { schema, spaced: true, without }));
        }
        Ok(self.own_json(schema, without))
    }

    fn own_json(&mut self, schema: &Value, without: &Banned) -> Option<Expression> {
        Values::new(&JSON, without.clone(), self.tidied, self.rules).value(schema)
    }

    /// The schema of an argument as it was given, with the type of this alternative, where the
    /// engine holds such values between tags.
    fn of_engine(&self, key: &str, schema: &Value) -> Option<Value> {
        let mut original = self.schema.get("properties")?.get(key)?.clone();
        let kind = schema.get("type")?;
        let is_one = original.get("type").is_some_and(|named| {
            named == kind || named.as_array().is_some_and(|named| named.contains(kind))
        });
        let is_held = match self.request.engine {
            GrammarEngine::Own => false,
            GrammarEngine::Llguidance => !holds_text(schema),
            // It looks for words only in texts without other rules.
            GrammarEngine::Xgrammar => !holds_text(schema) || !rules_texts(&original),
        };
        if !is_one || !is_held || original.get("enum").is_some() {
            return None;
        }
        original.as_object_mut()?.insert("type".to_owned(), kind.clone());
        Some(original)
    }

    fn nothing_fits(&self) -> Error {
        let name = self.name;
        self.request.fault(&format!("can hold no arguments that fit the schema of \"{name}\""))
    }
}

/// Whether a value may hold a text that the schema does not list.
fn holds_text(schema: &Value) -> bool {
    if let Some(words) = schema.get("enum") {
        return words.to_string().contains('"');
    }
    if schema.get("$ref").is_some() {
        return true;
    }
    let inner = |key: &str| match schema.get(key) {
        Some(Value::Array(parts)) => parts.iter().any(holds_text),
        Some(Value::Object(members)) if key == "properties" => members.values().any(holds_text),
        Some(part @ Value::Object(_)) => holds_text(part),
        Some(Value::Bool(open)) => *open,
        _ => false,
    };
    let named = kinds(schema.get("type"));
    named.is_empty() && schema.get("anyOf").is_none()
        || named.contains(&"string")
        || (named.contains(&"array") && schema.get("items").is_none())
        || ["items", "prefixItems", "anyOf", "properties", "additionalProperties"]
            .iter()
            .any(|key| inner(key))
}

/// Whether a schema says of each part what it is, so that rules without an end are not needed.
fn is_closed(schema: &Value) -> bool {
    let each = |key: &str| match schema.get(key) {
        Some(Value::Array(parts)) => parts.iter().all(is_closed),
        Some(Value::Object(members)) if key == "properties" => members.values().all(is_closed),
        Some(part) => *part == Value::Bool(false) || is_closed(part),
        None => true,
    };
    if schema.get("enum").is_some() {
        return true;
    }
    if schema.get("anyOf").is_some() {
        return each("anyOf");
    }
    let named = kinds(schema.get("type"));
    !named.is_empty()
        && schema.get("$ref").is_none()
        && (!named.contains(&"array") || schema.get("items").is_some())
        && ["items", "prefixItems", "properties", "additionalProperties"]
            .iter()
            .all(|key| each(key))
}

/// Whether texts in a value have lengths or patterns, or whether a reference may lead to such.
fn rules_texts(schema: &Value) -> bool {
    const KEYS: [&str; 5] = ["$ref", "minLength", "maxLength", "pattern", "format"];
    match schema {
        Value::Object(members) => {
            members.iter().any(|(key, value)| KEYS.contains(&key.as_str()) || rules_texts(value))
        }
        Value::Array(parts) => parts.iter().any(rules_texts),
        _ => false,
    }
}

/// The texts of the format's markers, which no argument may hold.
pub(super) fn marks(format: &Format, tools: &Tools) -> Banned {
    let Syntax::Marked(marked) = &format.data.syntax else { return Banned::default() };
    let mut markers: Vec<&Marker> = Vec::new();
    if let Some(wrapper) = &marked.wrapper {
        markers.extend(wrapper.open.iter().chain(&wrapper.close));
    }
    let call = &marked.call;
    markers.extend(call.open.iter().chain(&call.name_end).chain(&call.close));
    if let Body::Tagged(parameter) = &marked.body {
        markers.extend(parameter.open.iter().chain(&parameter.key_end).chain(&parameter.close));
    }
    // A tag of a marker that has several is refused alone too. A word beside them says nothing
    // alone: " to=" in front of `<|message|>`, or "invoke" behind `<|x|> `.
    let is_word =
        |text: &[u8]| text.trim_ascii_start().first().is_some_and(u8::is_ascii_alphabetic);
    let texts = markers.iter().flat_map(|marker| {
        let tags = marker.tags();
        let is_needed = |text: &[u8]| !is_word(text) || tags.is_empty() && text == marker.lead();
        let texts: Vec<_> = marker.texts().filter(|text| is_needed(text)).collect();
        texts.into_iter().chain(tags)
    });
    let texts = texts.filter_map(|text| str::from_utf8(text).ok()).map(str::trim);
    let texts = texts.filter(|text| text.chars().count() > 2).map(str::to_owned);
    let all = texts.chain(["<![CDATA[".to_owned()]);
    if call.names.is_empty() {
        return all.collect();
    }
    let names = call.names.iter().map(|name| &**name).chain(tools.names());
    all.chain(names.flat_map(|name| [format!("<{name}>"), format!("</{name}>")])).collect()
}
