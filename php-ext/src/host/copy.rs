//! Copies PHP values for the core, masked or shortened.

use ext_php_rs::types::{ArrayKey, ZendHashTable, ZendStr, Zval};
use toolwire::Tree;
use toolwire::redact::Build;
use toolwire::tree::{Name, View};

use crate::host::tree::{Node, Thrown};
use crate::host::value;
use crate::zend;

/// Builds the copies.
pub(crate) struct Copies {
    form: Form,
}

/// How exact a copy is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Bytes stay unchanged, and objects of class `stdClass` stay objects.
    Exact,
    /// Text is UTF-8, and objects of class `stdClass` become arrays.
    Plain,
}

impl Copies {
    /// Copies that are unchanged except for the parts that were taken out.
    pub(crate) fn exact() -> Self {
        Self { form: Form::Exact }
    }

    /// Copies made of arrays and UTF-8, which can be shown and written as JSON.
    pub(crate) fn plain() -> Self {
        Self { form: Form::Plain }
    }

    /// Puts a value under a name that is a text.
    fn insert(&self, table: &mut ZendHashTable, name: &[u8], value: Zval) -> Result<(), Thrown> {
        let inserted = match self.form {
            Form::Exact => table.insert(ArrayKey::ZendString(&ZendStr::new(name, false)), value),
            // A property `7` becomes the key 7, as in every array.
            Form::Plain => table.insert(ArrayKey::from(&*String::from_utf8_lossy(name)), value),
        };
        inserted.map_err(|_| Thrown)
    }
}

impl<'n> Build<Node<'n>> for Copies {
    type Value = Zval;

    fn text(&mut self, text: &[u8]) -> Zval {
        match self.form {
            Form::Exact => value::text(text),
            Form::Plain => value::text(String::from_utf8_lossy(text).as_bytes()),
        }
    }

    fn leaf(&mut self, node: &Node<'n>) -> Result<Zval, Thrown> {
        Ok(match node.view() {
            // The content of an object of another class cannot be read, so it is not passed on.
            View::Opaque => value::shown(format_args!("<{}>", value::type_name(node.value()))),
            _ => node.to_value(),
        })
    }

    fn list(&mut self, items: Vec<Zval>) -> Zval {
        value::list(items).unwrap_or_else(|_| Zval::new_array())
    }

    fn map(
        &mut self,
        node: &Node<'n>,
        entries: Vec<(Name<'_, Node<'n>>, Zval)>,
    ) -> Result<Zval, Thrown> {
        let is_object = self.form == Form::Exact && node.value().object().is_some();
        let mut table = ZendHashTable::new();
        for (name, value) in entries {
            match name {
                Name::Text(text) => self.insert(&mut table, &text, value)?,
                Name::Number(number) if is_object => {
                    self.insert(&mut table, number.to_string().as_bytes(), value)?;
                }
                Name::Number(number) => {
                    table.insert(ArrayKey::Long(number), value).map_err(|_| Thrown)?;
                }
                Name::Node(_) => {}
            }
        }
        Ok(if is_object { zend::plain_object(table) } else { value::array(table) })
    }
}
