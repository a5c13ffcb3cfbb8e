//! A provider's call as core's [`Tree`]: a [`Node`] that has the expected keys as Python strings.
//!
//! A batch reads the same five keys of each call. To make and hash the strings of these keys only
//! once for a batch saves a sixth of its time.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolwire::Tree;
use toolwire::registry::{CallFields, TYPE};
use toolwire::tree::{Failure, Hint, Key, Name, View};

use crate::host::node::{Json, Node, Raised};

/// The keys of a batch's calls, as core's texts and as Python strings.
pub struct Keys<'f, 'py> {
    keys: Vec<(&'f str, Bound<'py, PyString>)>,
}

impl<'f, 'py> Keys<'f, 'py> {
    pub fn new(py: Python<'py>, fields: &CallFields<'f>) -> Self {
        let names = [
            Some(fields.id),
            fields.wrapper,
            Some(fields.name),
            Some(fields.arguments),
            Some(TYPE),
        ];
        Self {
            keys: names
                .into_iter()
                .flatten()
                .map(|name| (name, PyString::intern(py, name)))
                .collect(),
        }
    }

    fn find(&self, name: &str) -> Option<&Bound<'py, PyString>> {
        self.keys.iter().find(|(known, _)| *known == name).map(|(_, key)| key)
    }
}

/// A call, or a value inside it.
#[derive(Clone)]
pub struct CallNode<'k, 'py> {
    pub node: Node<'py, Json>,
    keys: &'k Keys<'k, 'py>,
}

impl<'k, 'py> CallNode<'k, 'py> {
    pub fn new(value: Bound<'py, PyAny>, keys: &'k Keys<'k, 'py>) -> Self {
        Self { node: Node::new(value), keys }
    }

    fn of(&self, node: Node<'py, Json>) -> Self {
        Self { node, keys: self.keys }
    }
}

impl Tree for CallNode<'_, '_> {
    type Error = Raised;

    #[inline]
    fn view(&self) -> View<'_> {
        self.node.view()
    }

    fn get(&self, key: Key, hint: &mut Hint) -> Result<Option<Self>, Raised> {
        Ok(self.node.get(key, hint)?.map(|node| self.of(node)))
    }

    #[inline]
    fn member(&self, name: &str) -> Result<Option<Self>, Raised> {
        if let Ok(dict) = self.node.value.cast_exact::<PyDict>()
            && let Some(key) = self.keys.find(name)
        {
            return Ok(dict.get_item(key)?.map(|value| self.of(Node::new(value))));
        }
        Ok(self.node.member(name)?.map(|node| self.of(node)))
    }

    #[inline]
    fn text(&self) -> Option<Cow<'_, [u8]>> {
        self.node.text()
    }

    #[inline]
    fn is_container(&self) -> bool {
        self.node.is_container()
    }

    fn truthy(&self) -> Result<bool, Raised> {
        self.node.truthy()
    }

    fn entries<F>(&self, mut visit: F) -> Result<(), Failure<Raised>>
    where
        F: FnMut(Name<'_, Self>, Self) -> Result<(), Failure<Raised>>,
    {
        self.node.entries(|name, value| {
            let name = match name {
                Name::Text(text) => Name::Text(text),
                Name::Number(number) => Name::Number(number),
                Name::Node(node) => Name::Node(self.of(node)),
            };
            visit(name, self.of(value))
        })
    }

    fn items<F>(&self, mut visit: F) -> Result<(), Failure<Raised>>
    where
        F: FnMut(Self) -> Result<(), Failure<Raised>>,
    {
        self.node.items(|item| visit(self.of(item)))
    }

    fn display(&self, out: &mut Vec<u8>) -> Result<(), Raised> {
        self.node.display(out)
    }
}
