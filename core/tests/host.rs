//! A host whose values are not JSON: PHP and Python values can be more than JSON values.
//!
//! Its maps have numbered slots and keys that are not texts. Its objects run code when they are
//! read, and that code may fail.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "these are tests")]

use std::borrow::Cow;
use std::cell::Cell;

use toolwire::Tree;
use toolwire::compat::stageflow::CONSTANTS;
use toolwire::json::pretty_json;
use toolwire::packet::{FindOptions, Projection, find, find_all, project_data, project_success};
use toolwire::result::{ResultView, results_summary, summarize_tool_data};
use toolwire::tree::{Failure, Hint, Hints, Key, Name, View};

/// A value of the host.
#[derive(Debug, PartialEq)]
enum Value {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'static [u8]),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
    /// An object that can be read like a map, but is not a map.
    Mapping(Vec<(Value, Value)>),
    /// An integer beyond 64 bits.
    Big(&'static str),
    /// An object with a text of its own.
    Object(&'static str),
    /// An object that fails whenever it is read.
    Broken(&'static str),
}

/// A node of the host, with a count of the look-ups that found the key in the offered slot.
#[derive(Clone, Copy, Debug)]
struct Node<'a> {
    value: &'a Value,
    hits: &'a Cell<usize>,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.value, other.value)
    }
}

impl<'a> Node<'a> {
    fn over(self, value: &'a Value) -> Self {
        Self { value, ..self }
    }

    fn slots(self) -> &'a [(Value, Value)] {
        match self.value {
            Value::Map(slots) | Value::Mapping(slots) => slots,
            _ => &[],
        }
    }
}

impl Tree for Node<'_> {
    type Error = &'static str;

    fn view(&self) -> View<'_> {
        match self.value {
            Value::None => View::Null,
            Value::Bool(value) => View::Bool(*value),
            Value::Int(value) => View::Int(*value),
            Value::Float(value) => View::Float(*value),
            Value::Text(text) => View::Text(Cow::Borrowed(text)),
            Value::List(items) => View::List(items.len()),
            Value::Map(slots) => View::Map(slots.len()),
            Value::Big(_) => View::BigInt,
            Value::Mapping(_) | Value::Object(_) | Value::Broken(_) => View::Opaque,
        }
    }

    fn get(&self, key: Key, hint: &mut Hint) -> Result<Option<Self>, &'static str> {
        if let Value::Broken(error) = self.value {
            return Err(error);
        }
        let is_key = |(name, _): &(Value, Value)| *name == Value::Text(key.slug().as_bytes());
        let offered = usize::try_from(hint.slot).unwrap();
        if let Some(slot) = self.slots().get(offered).filter(|slot| is_key(slot)) {
            self.hits.set(self.hits.get() + 1);
            return Ok(Some(self.over(&slot.1)));
        }
        let found = self.slots().iter().position(is_key);
        hint.slot = found.map_or(hint.slot, |place| u32::try_from(place).unwrap());
        Ok(found.and_then(|place| self.slots().get(place)).map(|(_, value)| self.over(value)))
    }

    fn member(&self, name: &str) -> Result<Option<Self>, &'static str> {
        let slot = self
            .slots()
            .iter()
            .find(|(key, _)| matches!(key, Value::Text(text) if *text == name.as_bytes()));
        Ok(slot.map(|(_, value)| self.over(value)))
    }

    fn is_container(&self) -> bool {
        matches!(self.value, Value::List(_) | Value::Map(_) | Value::Mapping(_))
    }

    fn truthy(&self) -> Result<bool, &'static str> {
        match self.value {
            Value::Broken(error) => Err(error),
            Value::None => Ok(false),
            Value::Bool(value) => Ok(*value),
            Value::List(items) => Ok(!items.is_empty()),
            _ => Ok(
                !matches!(self.value, Value::Map(slots) | Value::Mapping(slots) if slots.is_empty()),
            ),
        }
    }

    fn entries<F>(&self, mut visit: F) -> Result<(), Failure<&'static str>>
    where
        F: FnMut(Name<'_, Self>, Self) -> Result<(), Failure<&'static str>>,
    {
        self.slots().iter().try_for_each(|(name, value)| {
            let name = match name {
                Value::Text(text) => Name::Text(Cow::Borrowed(*text)),
                Value::Int(number) => Name::Number(*number),
                other => Name::Node(self.over(other)),
            };
            visit(name, self.over(value))
        })
    }

    fn items<F>(&self, mut visit: F) -> Result<(), Failure<&'static str>>
    where
        F: FnMut(Self) -> Result<(), Failure<&'static str>>,
    {
        let Value::List(items) = self.value else { return Ok(()) };
        items.iter().try_for_each(|item| visit(self.over(item)))
    }

    fn display(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        match self.value {
            Value::Big(text) | Value::Object(text) => out.extend_from_slice(text.as_bytes()),
            Value::Broken(error) => return Err(error),
            _ => out.extend_from_slice(b"<mapping>"),
        }
        Ok(())
    }
}

impl ResultView for Node<'_> {
    type Data = Self;

    fn write_tool(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        out.push(b't');
        Ok(())
    }

    fn success(&self) -> Result<bool, &'static str> {
        Ok(*self.value != Value::Bool(false))
    }

    fn data(&self) -> Result<Self, &'static str> {
        Ok(*self)
    }

    fn confidence(&self) -> Result<f64, &'static str> {
        if *self.value == Value::None { Err("a confidence of None") } else { Ok(1.0) }
    }

    fn write_error(&self, _: &mut Vec<u8>) -> Result<(), &'static str> {
        Err("a message that cannot be shown")
    }
}

fn text(text: &'static str) -> Value {
    Value::Text(text.as_bytes())
}

fn map(entries: Vec<(&'static str, Value)>) -> Value {
    Value::Map(entries.into_iter().map(|(name, value)| (text(name), value)).collect())
}

fn packet(handler: Value) -> Value {
    let metadata = map(vec![("tool_name", text("x")), ("handler_tool", handler)]);
    map(vec![("n", Value::Int(1)), ("metadata", metadata), ("type", text("tool_result"))])
}

fn nodes<'a>(values: &'a [Value], hits: &'a Cell<usize>) -> Vec<Node<'a>> {
    values.iter().map(|value| Node { value, hits }).collect()
}

#[test]
fn the_slot_of_the_last_packet_is_offered_to_the_next() {
    let packets: Vec<_> = (0..10).map(|_| packet(text("a"))).collect();
    let hits = Cell::new(0);
    let found = find(nodes(&packets, &hits), b"none", FindOptions::default());
    assert_eq!(found, Ok(None));
    // The metadata and the handler of every packet except the first. No handler is the sought one,
    // so no type is read.
    assert_eq!(hits.get(), 2 * 9);
}

#[test]
fn what_the_host_raises_ends_the_search() {
    let hits = Cell::new(0);
    let packets = [packet(text("a")), Value::Broken("no type"), packet(text("b"))];
    let packets = nodes(&packets, &hits);
    let options = FindOptions::default();
    assert_eq!(find(packets.clone(), b"a", options), Ok(Some(packets[0])));
    assert_eq!(find(packets.clone(), b"b", options), Err("no type"));
    assert_eq!(find_all(packets, &["a"], options), Err("no type"));
}

#[test]
fn a_mapping_is_looked_into_and_counts_as_a_container() {
    let hits = Cell::new(0);
    let data = Value::Mapping(vec![(text("id"), Value::Int(7))]);
    let metadata = Value::Mapping(vec![(text("tool_result_data"), data)]);
    let packet = map(vec![("metadata", metadata)]);
    let node = Node { value: &packet, hits: &hits };
    let Ok(Projection::Whole(found)) = project_data(&node, &mut Hints::default()) else {
        panic!("no data")
    };
    let mut shown = Vec::new();
    summarize_tool_data(&found, CONSTANTS, &mut shown).unwrap();
    assert_eq!(shown, b"- id: 7");
}

#[test]
fn a_truth_value_that_fails_is_passed_on() {
    let hits = Cell::new(0);
    let envelope = map(vec![("success", Value::Broken("an ambiguous truth value"))]);
    let packet = map(vec![("metadata", map(vec![("tool_result", envelope)]))]);
    let node = Node { value: &packet, hits: &hits };
    assert_eq!(project_success(&node, &mut Hints::default()), Err("an ambiguous truth value"));
}

/// A map with every kind of key and value.
fn everything() -> Value {
    Value::Map(vec![
        (Value::Int(-7), Value::Big("99999999999999999999")),
        (Value::None, Value::Object("(1, 2)")),
        (Value::Bool(true), Value::Float(f64::NAN)),
        (Value::Float(0.5), Value::Mapping(vec![])),
        (Value::Object("(3,)"), Value::None),
        (text("lone"), Value::Text(b"\xED\xA0\x80")),
        (text("bytes"), Value::Text(b"a\xFF")),
        (text("list"), Value::List(vec![Value::Int(1), Value::None])),
    ])
}

#[test]
fn a_summary_shows_what_the_host_shows() {
    let hits = Cell::new(0);
    let value = everything();
    let mut shown = Vec::new();
    summarize_tool_data(&Node { value: &value, hits: &hits }, CONSTANTS, &mut shown).unwrap();
    let lines: [&[u8]; 8] = [
        b"- -7: 99999999999999999999",
        b"- None: (1, 2)",
        b"- True: nan",
        b"- 0.5: <mapping>",
        b"- (3,): None",
        b"- lone: \xED\xA0\x80",
        b"- bytes: a\xFF",
        b"- list: 2 items",
    ];
    assert_eq!(shown, lines.join(&b'\n'));
}

#[test]
fn json_quotes_what_only_the_host_can_show() {
    let hits = Cell::new(0);
    let value = everything();
    let mut written = Vec::new();
    pretty_json(&Node { value: &value, hits: &hits }, &mut written).unwrap();
    let lines = [
        "{",
        r#"  "-7": 99999999999999999999,"#,
        r#"  "null": "(1, 2)","#,
        r#"  "true": null,"#,
        r#"  "0.5": "<mapping>","#,
        r#"  "(3,)": null,"#,
        r#"  "lone": "\ud800","#,
        r#"  "bytes": "a\ufffd","#,
        r#"  "list": ["#,
        "    1,",
        "    null",
        "  ]",
        "}",
    ];
    assert_eq!(String::from_utf8(written).unwrap(), lines.join("\n"));
}

#[test]
fn what_the_host_raises_ends_a_summary() {
    let hits = Cell::new(0);
    let raised = |value: &Value| {
        let node = Node { value, hits: &hits };
        match results_summary([node], CONSTANTS, &mut Vec::new()) {
            Err(Failure::Host(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(raised(&Value::None), "a confidence of None");
    assert_eq!(raised(&Value::Bool(false)), "a message that cannot be shown");
    assert_eq!(raised(&Value::Broken("no truth")), "no truth");
    assert_eq!(raised(&map(vec![("k", Value::Broken("no text"))])), "no text");
}
