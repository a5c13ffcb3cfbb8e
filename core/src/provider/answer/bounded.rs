//! Reads a host's value as JSON, with a bound on its size.
//!
//! A tool may return anything: a value without end, bytes that are not UTF-8, numbers that JSON
//! does not have, objects of the host. All of it becomes JSON, and reading stops at the bound.

use serde_json::{Map, Number, Value};

use crate::json::MAX_VALUE_DEPTH;
use crate::tree::{Failure, Name, Tree, View};

/// What stands for an object that only the host can read.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown<N> {
    /// A text.
    Text(String),
    /// Another value, such as the map of the object's fields.
    Value(N),
}

/// Reads a value. `told` says what stands for an object that only the host can read.
///
/// Behind `most` bytes, texts are cut, and the items and entries that are left are not read. The
/// flag says whether something was left out.
///
/// # Errors
/// Whatever the host raised.
pub(in crate::provider) fn read_bounded<N: Tree>(
    node: &N,
    most: usize,
    mut told: impl FnMut(&N) -> Result<Shown<N>, N::Error>,
) -> Result<(Value, bool), Failure<N::Error>> {
    let mut reader = BoundedReader { left: most, cut: false, told: &mut told };
    let value = reader.value(node, 0)?;
    Ok((value, reader.cut))
}

struct BoundedReader<'s, S> {
    /// The bytes that may still be read.
    left: usize,
    cut: bool,
    told: &'s mut S,
}

impl<S> BoundedReader<'_, S> {
    fn value<N: Tree>(&mut self, node: &N, depth: usize) -> Result<Value, Failure<N::Error>>
    where
        S: FnMut(&N) -> Result<Shown<N>, N::Error>,
    {
        // Each value is followed by a comma or a bracket.
        self.left = self.left.saturating_sub(2);
        Ok(match node.view() {
            View::Null => Value::Null,
            View::Bool(truth) => truth.into(),
            View::Int(number) => number.into(),
            View::BigInt => self.digits(node)?,
            View::Float(number) => float(number),
            View::Text(text) => self.text(&text).into(),
            View::List(length) if depth >= MAX_VALUE_DEPTH => {
                format!("<list with {length} items>").into()
            }
            View::Map(length) if depth >= MAX_VALUE_DEPTH => {
                format!("<dict with {length} items>").into()
            }
            View::List(_) => self.list(node, depth)?,
            View::Map(_) => self.map(node, depth)?,
            View::Opaque => match (self.told)(node).map_err(Failure::Host)? {
                Shown::Text(text) => self.text(text.as_bytes()).into(),
                Shown::Value(_) if depth >= MAX_VALUE_DEPTH => "<object>".into(),
                Shown::Value(value) => self.value(&value, depth + 1)?,
            },
        })
    }

    fn list<N: Tree>(&mut self, node: &N, depth: usize) -> Result<Value, Failure<N::Error>>
    where
        S: FnMut(&N) -> Result<Shown<N>, N::Error>,
    {
        let mut items = Vec::new();
        let read = node.items(|item| {
            self.stop_if_full()?;
            items.push(self.value(&item, depth + 1)?);
            Ok(())
        });
        self.ended(read)?;
        Ok(Value::Array(items))
    }

    fn map<N: Tree>(&mut self, node: &N, depth: usize) -> Result<Value, Failure<N::Error>>
    where
        S: FnMut(&N) -> Result<Shown<N>, N::Error>,
    {
        let mut entries = Map::new();
        let read = node.entries(|name, value| {
            self.stop_if_full()?;
            let mut name = match name {
                Name::Text(text) => self.text(&text),
                Name::Number(number) => number.to_string(),
                Name::Node(node) => match self.value(&node, MAX_VALUE_DEPTH)? {
                    Value::String(text) => text,
                    other => other.to_string(),
                },
            };
            // The keys 1 and "1" of a host stay separate.
            while entries.contains_key(&name) {
                self.left = self.left.saturating_sub(1);
                self.stop_if_full()?;
                name.push('*');
            }
            let value = self.value(&value, depth + 1)?;
            entries.insert(name, value);
            Ok(())
        });
        self.ended(read)?;
        Ok(Value::Object(entries))
    }

    /// Stops the walk over a list or map when nothing more may be read.
    fn stop_if_full<E>(&mut self) -> Result<(), Failure<E>> {
        if self.left > 0 {
            return Ok(());
        }
        self.cut = true;
        Err(full())
    }

    /// A walk that was stopped because nothing more may be read has ended well.
    fn ended<E>(&self, read: Result<(), Failure<E>>) -> Result<(), Failure<E>> {
        match read {
            Err(Failure::Misuse(_)) if self.cut => Ok(()),
            other => other,
        }
    }

    /// As much of a text as may still be read.
    fn text(&mut self, text: &[u8]) -> String {
        let head = text.get(..self.left).filter(|head| head.len() < text.len());
        self.cut |= head.is_some();
        let read = String::from_utf8_lossy(head.unwrap_or(text)).into_owned();
        self.left = self.left.saturating_sub(text.len());
        read
    }

    fn digits<N: Tree>(&mut self, node: &N) -> Result<Value, Failure<N::Error>> {
        let mut digits = Vec::new();
        node.display(&mut digits).map_err(Failure::Host)?;
        let text = self.text(&digits);
        let number = text.parse::<Number>().ok().filter(|_| text.len() == digits.len());
        Ok(number.map_or_else(|| text.into(), Value::Number))
    }
}

/// The error that stops a walk; it never leaves this file.
fn full<E>() -> Failure<E> {
    Failure::Misuse(crate::error::Error::new(crate::error::ErrorKind::InvalidOption, "full"))
}

/// A number, or a word for one that JSON does not have.
fn float(number: f64) -> Value {
    let word = if number.is_nan() {
        "NaN"
    } else if number > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    };
    Number::from_f64(number).map_or_else(|| word.into(), Value::Number)
}
