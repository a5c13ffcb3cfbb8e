//! A node of a host's value, and what reading it gives.

use std::borrow::Cow;
use std::convert::Infallible;

use super::key::Key;
use crate::error::Error;

/// The slot in which the last map held a key.
///
/// The same code builds all packets of a pipeline, so a key tends to stand in the same slot of
/// each. A host whose maps have numbered slots tries the hinted slot before it hashes, and writes
/// down the slot in which it found the key. Only the host knows what the number means. Any number
/// may be out of range or wrong for the next map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hint {
    /// The slot; 0 at first.
    pub slot: u32,
}

/// One [`Hint`] for each [`Key`], kept while one kind of thing is read again and again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints {
    slots: [Hint; Key::ALL.len()],
}

impl Hints {
    /// Looks up a key in a node, with the hints of earlier look-ups.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    #[allow(
        clippy::inline_always,
        reason = "with the key known, its spelling and its slot are constants"
    )]
    #[inline(always)]
    pub fn get<N: Tree>(&mut self, node: &N, key: Key) -> Result<Option<N>, N::Error> {
        // The keys are numbered without a gap, so there always is a slot and the branch folds away.
        match self.slots.get_mut(key as usize) {
            Some(hint) => node.get(key, hint),
            None => node.get(key, &mut Hint::default()),
        }
    }
}

/// What a node is, with the value of the simple kinds.
#[derive(Clone, Debug, PartialEq)]
pub enum View<'a> {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number of 64 bits.
    Int(i64),
    /// A whole number beyond 64 bits; [`Tree::display`] writes its digits.
    BigInt,
    /// A number with a fraction.
    Float(f64),
    /// A text. UTF-8 as a rule; PHP texts may hold any bytes, Python texts a lone surrogate in
    /// three bytes.
    Text(Cow<'a, [u8]>),
    /// A list, and how many items it has.
    List(usize),
    /// A map, and how many entries it has.
    Map(usize),
    /// Anything else; [`Tree::display`] writes it as the host would.
    Opaque,
}

impl View<'_> {
    /// The kind's name, for messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::BigInt => "an integer",
            Self::Float(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Opaque => "an object",
        }
    }
}

/// The key of a map's entry.
#[derive(Clone, Debug)]
pub enum Name<'a, N> {
    /// A text.
    Text(Cow<'a, [u8]>),
    /// A whole number, as in PHP's arrays.
    Number(i64),
    /// Any other value that the host allows as a key.
    Node(N),
}

impl<N> Name<'_, N> {
    /// The key with a text of its own.
    pub fn into_owned(self) -> Name<'static, N> {
        match self {
            Self::Text(text) => Name::Text(Cow::Owned(text.into_owned())),
            Self::Number(number) => Name::Number(number),
            Self::Node(node) => Name::Node(node),
        }
    }
}

/// Why a host's value could not be read.
#[derive(Debug)]
pub enum Failure<E> {
    /// The value is not what was asked for.
    Misuse(Error),
    /// What the host raised while its value was read.
    Host(E),
}

impl<E> From<Error> for Failure<E> {
    fn from(error: Error) -> Self {
        Self::Misuse(error)
    }
}

impl From<Failure<Infallible>> for Error {
    fn from(failure: Failure<Infallible>) -> Self {
        match failure {
            Failure::Misuse(error) => error,
            Failure::Host(never) => match never {},
        }
    }
}

/// A node of a host's value, read where it stands.
///
/// Cloning must be cheap: a pointer, at most a reference count. Every method is called in loops
/// over thousands of packets, so an implementation marks them `#[inline]`. A host that iterates
/// over packets may fetch some packets ahead in its iterator; nothing here needs to know.
pub trait Tree: Clone {
    /// What the host may raise: [`Infallible`] where reading runs no user code.
    type Error;

    /// The node's kind, with its value if it is a simple one.
    fn view(&self) -> View<'_>;

    /// The value under a well-known key; none if the key is missing or the node has no keys.
    ///
    /// References are followed. A key whose value is null counts as present.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn get(&self, key: Key, hint: &mut Hint) -> Result<Option<Self>, Self::Error>;

    /// The value under any text key; none if the key is missing or the node has no keys.
    ///
    /// For the keys that Toolwire itself knows, [`get`](Self::get) is faster.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn member(&self, name: &str) -> Result<Option<Self>, Self::Error>;

    /// The bytes of a text; none for anything else.
    #[inline]
    fn text(&self) -> Option<Cow<'_, [u8]>> {
        match self.view() {
            View::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether the node can be looked into: a list, a map, or what the host treats as one.
    #[inline]
    fn is_container(&self) -> bool {
        matches!(self.view(), View::List(_) | View::Map(_))
    }

    /// Whether looking into the node runs code of the host, which may answer differently each time.
    #[inline]
    fn runs_code(&self) -> bool {
        false
    }

    /// The address of a list or map in memory, if reading it runs no code of the host.
    ///
    /// As long as no other code runs, all nodes with this address are the same value.
    #[inline]
    fn address(&self) -> Option<usize> {
        None
    }

    /// The node's truth value as the host defines it; a container is true unless it is empty.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn truthy(&self) -> Result<bool, Self::Error>;

    /// Visits the entries of a map in order; a node without entries has none.
    ///
    /// # Errors
    ///
    /// What the visitor returned, which ends the visit, or what the host raised.
    fn entries<F>(&self, visit: F) -> Result<(), Failure<Self::Error>>
    where
        F: FnMut(Name<'_, Self>, Self) -> Result<(), Failure<Self::Error>>;

    /// Visits the items of a list in order; a node without items has none.
    ///
    /// # Errors
    ///
    /// What the visitor returned, which ends the visit, or what the host raised.
    fn items<F>(&self, visit: F) -> Result<(), Failure<Self::Error>>
    where
        F: FnMut(Self) -> Result<(), Failure<Self::Error>>;

    /// Appends the node as the host shows it to a person; for big integers, their digits.
    ///
    /// Called for [`View::BigInt`] and [`View::Opaque`] alone.
    ///
    /// # Errors
    ///
    /// Whatever the host raised.
    fn display(&self, out: &mut Vec<u8>) -> Result<(), Self::Error>;
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn only_maps_have_keys_and_a_null_value_is_there() {
        let mut hints = Hints::default();
        assert_eq!(hints.get(&&json!({"type": null}), Key::Type), Ok(Some(&Value::Null)));
        assert_eq!(hints.get(&&json!({"Type": 1}), Key::Type), Ok(None));
        for other in [json!(["type"]), json!("type"), json!(null)] {
            assert_eq!(hints.get(&&other, Key::Type), Ok(None));
        }
    }

    #[test]
    fn a_visit_ends_with_the_visitor_s_error() {
        let mut seen = 0;
        let stopped = (&json!([1, 2, 3])).items(|_| {
            seen += 1;
            Err(Error::new(crate::ErrorKind::WrongType, "stop").into())
        });
        assert!(matches!(stopped, Err(Failure::Misuse(_))));
        assert_eq!(seen, 1);
    }
}
