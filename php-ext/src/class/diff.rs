//! `Toolwire\Diff`: compares texts, values and fields.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use ext_php_rs::prelude::*;
use ext_php_rs::types::{ArrayKey, ZendCallable, ZendHashTable, ZendStr, Zval};
use toolwire::diff::{
    DiffType, FieldMap, TextDiff, compact_json, diff_json, diff_structured, diff_text, same_json,
    sorted_json,
};
use toolwire::tree::Failure;
use toolwire::{Error, ErrorKind};

use crate::class::diff_result::DiffResult;
use crate::host::class::php_class;
use crate::host::exception;
use crate::host::tree::{Node, Thrown, failed};
use crate::host::value::{self, Anything, As, Maybe, Table, Text, Whole};
use crate::zend::{self, Key};

/// The defaults of the arguments, in PHP's form.
const UNIFIED: &str = "unified";
const ORIGINAL: &str = "a/original";
const MODIFIED: &str = "b/modified";

/// A class of static methods; it has no objects.
pub(crate) struct Diff;

php_class!(Diff, "Toolwire\\Diff", [], private, {});

#[php_impl]
impl Diff {
    /// Finds the removed and the added lines.
    #[php(defaults(r#type = UNIFIED, contextLines = 3, fromFile = ORIGINAL, toFile = MODIFIED))]
    fn text(
        old: Text<'_>,
        new: Text<'_>,
        r#type: Text<'_>,
        contextLines: Whole,
        fromFile: Text<'_>,
        toFile: Text<'_>,
    ) -> PhpResult<DiffResult> {
        let diff_type =
            DiffType::named(&r#type.lossy()).map_err(|error| exception::from_core(&error))?;
        let context_lines = usize::try_from(contextLines.0).map_err(|_| {
            let error = Error::new(ErrorKind::InvalidOption, "contextLines must be at least 0");
            exception::from_core(&error)
        })?;
        let (fromfile, tofile) = (fromFile.bytes(), toFile.bytes());
        let options = TextDiff { diff_type, context_lines, fromfile, tofile };
        let diff = diff_text(old.bytes(), new.bytes(), &options);
        let result = DiffResult::of(&diff);
        drop(diff);
        Ok(result.between(old.into_value(), new.into_value()))
    }

    /// Finds the operations that change one value into the other.
    fn json(old: As<Anything>, new: As<Anything>) -> PhpResult<DiffResult> {
        let diff = diff_json(&Node::new(&old.0), &Node::new(&new.0)).map_err(failed)?;
        let old_content = value::text_or_null(diff.old_content.as_deref());
        let new_content = value::text_or_null(diff.new_content.as_deref());
        Ok(DiffResult::of(&diff).between(old_content, new_content))
    }

    /// Finds the removed, added and changed fields.
    fn structured(
        old: Table<'_>,
        new: Table<'_>,
        ignoreKeys: Maybe<Table<'_>>,
    ) -> PhpResult<DiffResult> {
        let mut ignored = ZendHashTable::new();
        if let Some(table) = ignoreKeys.0.as_ref().and_then(|keys| zend::table(keys.0)) {
            for (_, key) in zend::entries(table) {
                ignore(&mut ignored, key)?;
            }
        }
        let (old, new) = (Array::of(&old), Array::of(&new));
        let diff = diff_structured(&old, &new, |key| Ok(find(&ignored, *key).is_some()))?;
        Ok(DiffResult::of(&diff))
    }
}

/// Adds a name to the ignored names as a key of an array; PHP changes the key `"7"` into an
/// integer.
fn ignore(ignored: &mut ZendHashTable, key: &Zval) -> PhpResult<()> {
    if let Some(index) = key.long() {
        ignored.insert_at_index(index, value::flag(true))?;
    } else if let Some(name) = zend::text(key) {
        match name.as_str() {
            Ok(text) => ignored.insert(ArrayKey::from(text), value::flag(true))?,
            Err(_) => ignored.insert(ArrayKey::ZendString(name), value::flag(true))?,
        }
    } else {
        let given = value::type_name(key);
        return Err(exception::wrong_type(format!(
            "ignoreKeys must be strings or integers, not {given}"
        )));
    }
    Ok(())
}

/// The value under a key.
fn find<'a>(table: &'a ZendHashTable, key: Key<'_>) -> Option<&'a Zval> {
    match key {
        Key::Index(index) => table.get_index(index.cast_signed()),
        Key::Name(name) => table.get(ArrayKey::ZendString(&ZendStr::new(name, false))),
    }
}

/// An array whose values are compared and shown in their JSON form.
struct Array<'a>(&'a ZendHashTable);

impl<'a> Array<'a> {
    fn of(array: &Table<'a>) -> Self {
        Self(zend::table(array.0).unwrap_or_else(zend::empty))
    }
}

/// The JSON value of an object for `json_encode()`: the object's own value, or its public
/// properties.
fn encoded(object: &Zval) -> PhpResult<Option<Zval>> {
    // JSON_PARTIAL_OUTPUT_ON_ERROR and JSON_INVALID_UTF8_SUBSTITUTE.
    let flags = value::whole(512 | 2_097_152);
    let encoded = ZendCallable::try_from_name("json_encode")?.try_call(vec![object, &flags])?;
    Ok(encoded.is_string().then_some(encoded))
}

/// Appends a value with one of the core's functions, and an object in its `json_encode()` form;
/// returns false if the value has no JSON form.
fn write<'a>(
    value: &'a Zval,
    out: &mut Vec<u8>,
    write: fn(&Node<'a>, &mut Vec<u8>) -> Result<(), Failure<Thrown>>,
) -> PhpResult<bool> {
    let node = Node::new(value);
    if node.value().is_object() && toolwire::Tree::view(&node) == toolwire::tree::View::Opaque {
        let Some(encoded) = encoded(node.value())? else { return Ok(false) };
        out.extend_from_slice(value::bytes(&encoded));
        return Ok(true);
    }
    match write(&node, out) {
        Ok(()) => Ok(true),
        Err(Failure::Misuse(_)) => Ok(false),
        Err(failure) => Err(failed(failure)),
    }
}

impl<'a> FieldMap for Array<'a> {
    type Error = PhpException;
    type Key = Key<'a>;
    type Value = &'a Zval;

    fn entries(&self) -> PhpResult<Vec<(Key<'a>, &'a Zval)>> {
        Ok(zend::entries(self.0).collect())
    }

    fn find(&self, key: &Key<'a>) -> PhpResult<Option<&'a Zval>> {
        Ok(find(self.0, *key))
    }

    fn same(&self, old: &&'a Zval, new: &&'a Zval) -> PhpResult<bool> {
        let is_object = |value: &Zval| value.dereference().is_object();
        if is_object(old) || is_object(new) {
            let (mut one, mut other) = (Vec::new(), Vec::new());
            return Ok(write(old, &mut one, sorted_json)?
                && write(new, &mut other, sorted_json)?
                && one == other);
        }
        match same_json(&Node::new(old), &Node::new(new)) {
            Ok(same) => Ok(same),
            Err(Failure::Misuse(_)) => Ok(false),
            Err(failure) => Err(failed(failure)),
        }
    }

    fn show_key(&self, key: &Key<'a>, out: &mut Vec<u8>) -> PhpResult<()> {
        match key {
            Key::Index(index) => out.extend_from_slice(index.cast_signed().to_string().as_bytes()),
            Key::Name(name) => out.extend_from_slice(name),
        }
        Ok(())
    }

    fn show(&self, value: &&'a Zval, out: &mut Vec<u8>) -> PhpResult<()> {
        if !write(value, out, compact_json)? {
            out.extend_from_slice(value::type_name(value).as_bytes());
        }
        Ok(())
    }

    fn json(&self, value: &&'a Zval, out: &mut Vec<u8>) -> PhpResult<bool> {
        write(value, out, sorted_json)
    }
}
