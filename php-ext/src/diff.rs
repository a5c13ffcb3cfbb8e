//! `Toolwire\Diff`: what changed between texts, values and fields; `Toolwire\DiffResult`, `Toolwire\DiffLine`.

#![allow(non_snake_case, reason = "the parameters are named arguments in PHP")]

use std::cell::OnceCell;

use ext_php_rs::flags::DataType;
use ext_php_rs::prelude::*;
use ext_php_rs::types::{ArrayKey, ZendCallable, ZendHashTable, ZendStr, Zval};
use toolwire::{
    DiffType, Error, ErrorKind, Failure, Fields, TextDiff, compact_json, diff_json, diff_structured,
    diff_text, same_json, sorted_json,
};

use crate::class::php_class;
use crate::exception;
use crate::tree::{Node, failed};
use crate::value::{self, AnArray, Anything, As, Maybe, Table, Text, Whole};
use crate::zend::{self, Key};

/// The defaults of the arguments, as PHP shows them.
const UNIFIED: &str = "unified";
const ORIGINAL: &str = "a/original";
const MODIFIED: &str = "b/modified";

/// A place for static methods; it is never made.
pub(crate) struct Diff;

php_class!(Diff, "Toolwire\\Diff", [], private, {});

#[php_impl]
impl Diff {
    /// Finds the lines that were removed and added.
    #[php(defaults(r#type = UNIFIED, contextLines = 3, fromFile = ORIGINAL, toFile = MODIFIED))]
    fn text(
        old: Text<'_>,
        new: Text<'_>,
        r#type: Text<'_>,
        contextLines: Whole,
        fromFile: Text<'_>,
        toFile: Text<'_>,
    ) -> PhpResult<DiffResult> {
        let diff_type = DiffType::named(&r#type.lossy()).map_err(|error| exception::from_core(&error))?;
        let context_lines = usize::try_from(contextLines.0).map_err(|_| {
            let error = Error::new(ErrorKind::InvalidOption, "contextLines must be at least 0");
            exception::from_core(&error)
        })?;
        let (fromfile, tofile) = (fromFile.bytes(), toFile.bytes());
        let options = TextDiff { diff_type, context_lines, fromfile, tofile };
        let diff = diff_text(old.bytes(), new.bytes(), &options);
        let mut result = DiffResult::of(&diff);
        drop(diff);
        (result.old_content, result.new_content) = (old.into_value(), new.into_value());
        Ok(result)
    }

    /// Finds the operations that make one value the other.
    fn json(old: As<Anything>, new: As<Anything>) -> PhpResult<DiffResult> {
        let diff = diff_json(&Node::new(&old.0), &Node::new(&new.0)).map_err(failed)?;
        let mut result = DiffResult::of(&diff);
        result.old_content = value::text_or_null(diff.old_content.as_deref());
        result.new_content = value::text_or_null(diff.new_content.as_deref());
        Ok(result)
    }

    /// Finds the fields that were removed, added and changed.
    fn structured(old: Table<'_>, new: Table<'_>, ignoreKeys: Maybe<Table<'_>>) -> PhpResult<DiffResult> {
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

/// Adds a name to those that are ignored, as a key of an array, where PHP makes an integer of `"7"`.
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
        return Err(exception::wrong_type(format!("ignoreKeys must be strings or integers, not {given}")));
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

/// An array whose values are compared and shown as JSON.
struct Array<'a>(&'a ZendHashTable);

impl<'a> Array<'a> {
    fn of(array: &Table<'a>) -> Self {
        Self(zend::table(array.0).unwrap_or_else(zend::empty))
    }
}

/// What `json_encode()` writes for an object: what the object has to say on that, or its public properties.
fn encoded(object: &Zval) -> PhpResult<Option<Zval>> {
    // JSON_PARTIAL_OUTPUT_ON_ERROR and JSON_INVALID_UTF8_SUBSTITUTE.
    let flags = value::whole(512 | 2_097_152);
    let encoded = ZendCallable::try_from_name("json_encode")?.try_call(vec![object, &flags])?;
    Ok(encoded.is_string().then_some(encoded))
}

/// Appends a value as one of the core's functions does, an object as `json_encode()` does; false if it has no JSON.
fn write<'a>(
    value: &'a Zval,
    out: &mut Vec<u8>,
    write: fn(&Node<'a>, &mut Vec<u8>) -> Result<(), Failure<crate::tree::Thrown>>,
) -> PhpResult<bool> {
    let node = Node::new(value);
    if node.value().is_object() && toolwire::Tree::view(&node) == toolwire::View::Opaque {
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

impl<'a> Fields for Array<'a> {
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

/// What changed.
pub(crate) struct DiffResult {
    diff_type: DiffType,
    diff_output: Zval,
    lines: Vec<Line>,
    changes: OnceCell<Zval>,
    additions: usize,
    deletions: usize,
    unchanged: usize,
    similarity: f64,
    summary: String,
    old_content: Zval,
    new_content: Zval,
}

php_class!(DiffResult, "Toolwire\\DiffResult", [], private, {
    "diffType": DataType::String, false => diff_type;
    "diffOutput": DataType::String, false => diff_output;
    "changes": DataType::Array, false => changes;
    "additions": DataType::Long, false => additions;
    "deletions": DataType::Long, false => deletions;
    "unchanged": DataType::Long, false => unchanged;
    "similarity": DataType::Double, false => similarity;
    "oldContent": DataType::String, true => old_content;
    "newContent": DataType::String, true => new_content;
});

impl DiffResult {
    /// Puts the core's result into PHP values, but for the contents.
    fn of(diff: &toolwire::DiffResult<'_>) -> Self {
        Self {
            diff_type: diff.diff_type,
            diff_output: value::text(&diff.diff_output),
            lines: diff.changes.iter().map(Line::of).collect(),
            changes: OnceCell::new(),
            additions: diff.additions,
            deletions: diff.deletions,
            unchanged: diff.unchanged,
            similarity: diff.similarity,
            summary: diff.change_summary(),
            old_content: Zval::null(),
            new_content: Zval::null(),
        }
    }

    fn diff_type(&self) -> Zval {
        value::text(self.diff_type.as_str())
    }

    fn diff_output(&self) -> Zval {
        self.diff_output.shallow_clone()
    }

    fn changes(&self) -> PhpResult<Zval> {
        if let Some(changes) = self.changes.get() {
            return Ok(changes.shallow_clone());
        }
        let lines = self.lines.iter().map(|line| value::object(DiffLine(line.clone())));
        let changes = value::list(lines.collect::<ext_php_rs::error::Result<Vec<_>>>()?)?;
        Ok(self.changes.get_or_init(|| changes).shallow_clone())
    }

    fn additions(&self) -> Zval {
        value::whole(self.additions)
    }

    fn deletions(&self) -> Zval {
        value::whole(self.deletions)
    }

    fn unchanged(&self) -> Zval {
        value::whole(self.unchanged)
    }

    fn similarity(&self) -> Zval {
        value::real_or_null(Some(self.similarity))
    }

    fn old_content(&self) -> Zval {
        self.old_content.shallow_clone()
    }

    fn new_content(&self) -> Zval {
        self.new_content.shallow_clone()
    }
}

#[php_impl]
impl DiffResult {
    /// Whether anything was added or removed.
    fn has_changes(&self) -> bool {
        self.additions > 0 || self.deletions > 0
    }

    /// The figures for a person.
    fn change_summary(&self) -> String {
        self.summary.clone()
    }

    /// Every field, by its name in snake case, but for the contents.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        let changes = self.lines.iter().map(Line::fields).collect::<PhpResult<Vec<_>>>()?;
        Ok(As::new(value::record([
            ("diff_type", self.diff_type()),
            ("diff_output", self.diff_output()),
            ("changes", value::list(changes)?),
            ("additions", self.additions()),
            ("deletions", self.deletions()),
            ("unchanged", self.unchanged()),
            ("similarity", self.similarity()),
        ])?))
    }
}

/// A line of a diff; its text is a PHP string, so that copies share it.
struct Line {
    kind: &'static str,
    content: Zval,
    number_old: Option<usize>,
    number_new: Option<usize>,
}

impl Clone for Line {
    fn clone(&self) -> Self {
        Self { content: self.content.shallow_clone(), ..*self }
    }
}

impl Line {
    fn of(line: &toolwire::DiffLine<'_>) -> Self {
        Self {
            kind: line.line_type.as_str(),
            content: value::text(&line.content),
            number_old: line.line_number_old,
            number_new: line.line_number_new,
        }
    }

    fn fields(&self) -> PhpResult<Zval> {
        Ok(value::record([
            ("type", value::text(self.kind)),
            ("content", self.content.shallow_clone()),
            ("line_number_old", number(self.number_old)),
            ("line_number_new", number(self.number_new)),
        ])?)
    }
}

fn number(number: Option<usize>) -> Zval {
    number.map_or_else(Zval::null, value::whole)
}

/// A line of a diff.
pub(crate) struct DiffLine(Line);

php_class!(DiffLine, "Toolwire\\DiffLine", [], private, {
    "type": DataType::String, false => line_type;
    "content": DataType::String, false => content;
    "lineNumberOld": DataType::Long, true => number_old;
    "lineNumberNew": DataType::Long, true => number_new;
});

impl DiffLine {
    fn line_type(&self) -> Zval {
        value::text(self.0.kind)
    }

    fn content(&self) -> Zval {
        self.0.content.shallow_clone()
    }

    fn number_old(&self) -> Zval {
        number(self.0.number_old)
    }

    fn number_new(&self) -> Zval {
        number(self.0.number_new)
    }
}

#[php_impl]
impl DiffLine {
    /// Every field, by its name in snake case.
    fn to_array(&self) -> PhpResult<As<AnArray>> {
        self.0.fields().map(As::new)
    }
}
