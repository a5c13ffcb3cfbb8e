//! Sums a payload up in PHP values: short, without secrets, all text UTF-8.

use ext_php_rs::types::{ArrayKey, ZendHashTable, Zval};
use toolwire::lifecycle::{Build, Measure, Redaction, summarize_payload};
use toolwire::{Name, Tree, View};

use crate::tree::{Node, Thrown};
use crate::value;
use crate::zend;

/// The summary of a payload.
pub(super) fn of(payload: &Zval, redaction: &Redaction) -> Zval {
    // A node of PHP is read in place, which runs no code that could throw.
    summarize_payload(&Node::new(payload), redaction, &mut Values).unwrap_or_else(|_| Zval::new_array())
}

struct Values;

impl<'n> Build<Node<'n>> for Values {
    type Value = Zval;

    fn text(&mut self, text: &[u8]) -> Zval {
        value::text(String::from_utf8_lossy(text).as_bytes())
    }

    fn leaf(&mut self, node: &Node<'n>) -> Result<Zval, Thrown> {
        Ok(match node.view() {
            // An object is not shared with whoever hears of it.
            View::Opaque => value::shown(format_args!("<{}>", value::type_name(node.value()))),
            _ => node.to_value(),
        })
    }

    fn list(&mut self, items: Vec<Zval>) -> Zval {
        value::list(items).unwrap_or_else(|_| Zval::new_array())
    }

    fn map(&mut self, _: &Node<'n>, entries: Vec<(Name<'_, Node<'n>>, Zval)>) -> Result<Zval, Thrown> {
        let mut table = ZendHashTable::new();
        for (name, value) in entries {
            let inserted = match name {
                Name::Text(text) => table.insert(ArrayKey::from(&*String::from_utf8_lossy(&text)), value),
                Name::Number(number) => table.insert(ArrayKey::Long(number), value),
                Name::Node(_) => Ok(()),
            };
            inserted.map_err(|_| Thrown)?;
        }
        let mut map = Zval::new();
        map.set_hashtable(table);
        Ok(map)
    }
}

impl<'n> Measure<Node<'n>> for Values {
    fn is_longer(&mut self, node: &Node<'n>, characters: usize) -> Result<bool, Thrown> {
        Ok(room(node.value(), characters).is_none())
    }
}

/// What is left of so many characters when a value is written as JSON; nothing when they are not enough.
///
/// Each level takes two characters, so the depth is bounded by their number.
fn room(value: &Zval, characters: usize) -> Option<usize> {
    let value = value.dereference();
    let Some(table) = value.array() else {
        let length = match (value.zend_str(), value.long()) {
            (Some(text), _) => text.len().min(4 * characters + 4).saturating_add(2),
            (_, Some(number)) => number.to_string().len(),
            _ if value.double().is_some() => 4,
            _ if value.object().is_some() => value::type_name(value).len(),
            _ => 4,
        };
        return characters.checked_sub(length);
    };
    let mut left = characters.checked_sub(2)?;
    for (key, item) in zend::entries(table) {
        let named = match key {
            zend::Key::Index(_) => 2,
            zend::Key::Name(name) => name.len().saturating_add(4),
        };
        left = room(item, left.checked_sub(named)?)?;
    }
    Some(left)
}
