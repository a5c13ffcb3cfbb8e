//! Summaries of payloads as PHP values: short, without secrets, all text UTF-8.

use ext_php_rs::types::Zval;
use toolwire::lifecycle::{Measure, summarize_payload};
use toolwire::redact::Redaction;

use crate::host::copy::Copies;
use crate::host::tree::{Node, Thrown};
use crate::host::value;
use crate::zend;

/// Returns the summary of a payload.
pub(super) fn of(payload: &Zval, redaction: &Redaction) -> Zval {
    // A PHP node is read in place, which runs no code that could throw.
    summarize_payload(&Node::new(payload), redaction, &mut Copies::plain())
        .unwrap_or_else(|_| Zval::new_array())
}

impl<'n> Measure<Node<'n>> for Copies {
    fn length(&mut self, node: &Node<'n>, most: usize) -> Result<Option<usize>, Thrown> {
        Ok(room(node.value(), most).map(|left| most - left))
    }
}

/// Returns how many of the given characters are left after a value is written as JSON, or nothing
/// if they are not enough.
///
/// Each level takes two characters, so the number of characters limits the depth.
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
